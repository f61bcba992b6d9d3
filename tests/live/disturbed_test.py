#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of safety: targets that end, stop or change while they are captured, what a capture leaves behind, and what it changes."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder, require_program, require_root, running, workload  # noqa: E402

LONG = ["--duration", "20s"]
CYCLES, CYCLES_SLOW = 200, 10000


def told_and_kept(shot: live.Capture) -> None:
    """The capture came to a good end: what was seen is there, and it is no failure that there was no more."""
    shot.succeeded()
    expect(shot.profile.samples > 0, "the profile is empty")


def a_target_that_is_killed(tier):
    with folder() as top, running(workload("split_fp"), live.seconds(60)) as target:
        shot = capture(top, tier, *live.RATE, *LONG, "--pid", str(target.pid), then=lambda _: target.kill())
        told_and_kept(shot)
        expect(shot.wall_s < 15, f"it went on for {shot.wall_s:.0f} s although its target was gone")


def a_target_that_ends_within_a_moment(tier):
    with folder() as top:
        for seconds in ("0", "0.01", "0.05"):
            with running(workload("split_fp"), seconds) as target:
                shot = capture(top, tier, *live.RATE, *LONG, "--pid", str(target.pid))
                expect(shot.status in (0, 1), f"exit status {shot.status}: {shot.said()}")
                expect(shot.status == 0 or shot.err.startswith("atys: "), f"it said: {shot.said()}")


def a_zombie_is_no_target(tier):
    with folder() as top, running("true") as target:
        while f"{target.pid} (true) Z" not in pathlib.Path(f"/proc/{target.pid}/stat").read_text():
            time.sleep(0.01)
        shot = capture(top, tier, "--duration", "1s", "--pid", str(target.pid), timeout=20)
        expect(shot.status in (0, 1) and (shot.status == 0 or str(target.pid) in shot.err), f"status {shot.status}, {shot.said()}")


def a_target_that_is_stopped(tier):
    with folder() as top, running(workload("split_fp"), live.seconds(60)) as target:
        os.kill(target.pid, signal.SIGSTOP)
        shot = capture(top, tier, *live.RATE, "--duration", "1s", "--pid", str(target.pid), timeout=20)
        expect(shot.status in (0, 1), f"exit status {shot.status}: {shot.said()}")
        state = pathlib.Path(f"/proc/{target.pid}/stat").read_text().rpartition(")")[2].split()[0]
        expect(state == "T", f"a stopped target is in state {state} afterwards")
        os.kill(target.pid, signal.SIGCONT)
        told_and_kept(capture(top, tier, *live.RATE, "--duration", "2s", "--pid", str(target.pid), timeout=20,
                              then=lambda _: os.kill(target.pid, signal.SIGSTOP)))


def a_target_that_becomes_another_program(tier):
    with folder() as top, running(workload("execs"), live.seconds(4), top=top) as target:
        shot = capture(top, tier, *live.RATE, "--duration", "60s", "--pid", str(target.pid))
        told_and_kept(shot)
        shares = shot.profile.shares()
        expect(shares.get("before_exec", 0) > 0.1 and shares.get("after_exec", 0) > 0.1,
               f"before {shares.get('before_exec', 0):.0%}, after {shares.get('after_exec', 0):.0%}")


def a_target_that_forks(tier):
    script = "i=0; while :; do i=$((i + 1)); [ $((i % 1000)) != 0 ] || (:); done"
    with folder() as top, running("sh", "-c", script) as target:
        told_and_kept(capture(top, tier, *live.RATE, "--duration", "2s", "--pid", str(target.pid)))


def a_target_whose_namespaces_go_away(tier):
    require_root()
    require_program("unshare")
    with folder() as top, running("unshare", "--pid", "--mount", "--fork", "--kill-child", workload("split_fp"), live.seconds(60)) as outer:
        time.sleep(0.5 * live.SCALE)
        children = pathlib.Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
        expect(children, "unshare has no child")
        shot = capture(top, tier, *live.RATE, *LONG, "--pid", children[0], then=lambda _: outer.kill())
        told_and_kept(shot)
        expect(shot.profile.shares().get("sixty", 0) > 0.3, "its names are not there")


def signals_and_state_of_the_target_are_untouched(tier):
    """Never traced, never stopped: the target sees no signal and has no tracer while we look."""
    with folder() as top, running(workload("split_fp"), live.seconds(30)) as target:
        seen = set()

        def watch() -> None:
            for _ in range(100):
                for line in pathlib.Path(f"/proc/{target.pid}/status").read_text().splitlines():
                    if line.startswith(("TracerPid", "State")):
                        seen.add(line.split()[1])
                time.sleep(0.01)

        watcher = threading.Thread(target=watch)
        watcher.start()
        told_and_kept(capture(top, tier, *live.RATE, "--duration", "1s", "--pid", str(target.pid)))
        watcher.join()
        expect(not seen & {"T", "t"} and seen & {"0"} and not {s for s in seen if s.isdigit()} - {"0"}, f"it was seen {sorted(seen)}")


def bpf_objects() -> dict[str, set[int]]:
    found = {}
    for kind in ("prog", "map", "link"):
        text = subprocess.run(["bpftool", "-j", kind, "list"], capture_output=True, text=True).stdout
        found[kind] = {item["id"] for item in json.loads(text or "[]")} if text.strip() else set()
    return found


def nothing_of_bpf_is_left_behind():
    require_root()
    require_program("bpftool")
    with folder() as top, running(workload("split_fp"), live.seconds(60)) as target:
        for kill in (False, True):
            before = bpf_objects()
            command = live.capture_command(top, "ebpf", *live.RATE, "--duration", "10s" if kill else "1s", "--pid", str(target.pid))
            process = subprocess.Popen(command, env=live.environment(top), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            for _ in range(100):
                during = bpf_objects()
                if during["prog"] - before["prog"]:
                    break
                time.sleep(0.05)
            if kill:
                process.kill()
            process.wait(live.TIMEOUT_S)
            expect(during["prog"] - before["prog"], "no BPF program was seen while it ran: the test sees nothing")
            mine = {kind: during[kind] - before[kind] for kind in during}
            for _ in range(100):  # the kernel frees them a moment later
                left = {kind: ids & bpf_objects()[kind] for kind, ids in mine.items()}
                if not any(left.values()):
                    break
                time.sleep(0.05)
            else:
                # Another program's may have been born in the same moment; ours would stay.
                expect(False, f"{'killed, it' if kill else 'it'} left {left}")


def descriptors_do_not_grow_with_the_target(tier):
    """One capture of many short processes: what it holds open for them is given back while it runs."""
    with folder() as top:
        command = live.capture_command(top, tier, *live.RATE, "--", workload("churn"), live.seconds(5))
        process = subprocess.Popen(command, env=live.environment(top), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        counts = []
        for _ in range(8):
            time.sleep(0.6 * live.SCALE)
            try:
                counts.append(len(os.listdir(f"/proc/{process.pid}/fd")))
            except OSError:
                break
        process.wait(live.TIMEOUT_S)
        expect(len(counts) >= 4, "it ended early")
        expect(counts[-1] <= counts[1] + 100, f"open descriptors: {counts}")
        return f"open descriptors: {counts}"


def attach_and_detach(tier: str, cycles: int) -> str:
    """So many captures of one busy target: it goes on, with the descriptors, mappings and threads that it had."""
    with folder() as top, running(workload("split_fp"), "100000") as target:
        def state() -> tuple[int, int, list[str]]:
            proc = pathlib.Path(f"/proc/{target.pid}")
            return len(os.listdir(proc / "fd")), len((proc / "maps").read_text().splitlines()), os.listdir(proc / "task")
        time.sleep(0.5 * live.SCALE)  # until all of its libraries are there
        before = state()
        for number in range(cycles):
            shot = capture(top, tier, "--duration", "10ms", "--pid", str(target.pid), timeout=20)
            expect(shot.status == 0, f"cycle {number}: exit status {shot.status}: {shot.said()}")
        expect(target.poll() is None, "the target has ended")
        expect(state() == before, f"the target was {before} and is {state()}")
        told_and_kept(capture(top, tier, *live.RATE, "--duration", "1s", "--pid", str(target.pid)))
    return f"{cycles} cycles"


def many_cycles_of_attaching_and_detaching(tier):
    return attach_and_detach(tier, CYCLES // 2)


def ten_thousand_cycles_of_attaching_and_detaching_slow(tier):
    return attach_and_detach(tier, CYCLES_SLOW // 2)


def as_nobody(top: pathlib.Path, *command: str) -> subprocess.CompletedProcess:
    require_root()
    require_program("setpriv")
    os.chmod(top, 0o777)
    mine = top / "atys"
    if not mine.exists():  # the build folder may be closed to others
        mine.write_bytes(pathlib.Path(live.atys_binary()).read_bytes())
        mine.chmod(0o755)
    words = [str(mine) if word == live.atys_binary() else word for word in command]
    return subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--no-new-privs", *words],
                          env=live.environment(top), capture_output=True, text=True, timeout=live.TIMEOUT_S, cwd=top)


def open_copy(top: pathlib.Path, name: str) -> str:
    copy = top / name
    copy.write_bytes(pathlib.Path(workload(name)).read_bytes())
    copy.chmod(0o755)
    return str(copy)


def without_rights_an_own_process_works_or_the_setting_is_named():
    paranoid = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    with folder() as top:
        done = as_nobody(top, *live.capture_command(top, "", *live.RATE, "--", open_copy(top, "split_fp"), live.seconds(1.5)))
        if paranoid <= 2:
            expect(done.returncode == 0, f"exit status {done.returncode} with perf_event_paranoid {paranoid}: {done.stderr.strip()[-300:]}")
            profile = live.Profile(top / "profile.pb.gz")
            shares, truth = profile.shares(), live.true_shares(live.truth_of(top))
            wrong = [live.judge_share(name, share, shares.get(name, 0), profile.samples) for name, share in truth.items()]
            expect(not any(wrong), "; ".join(filter(None, wrong)))
            return f"{profile.samples} samples"
        expect(done.returncode == 1 and "perf_event_paranoid" in done.stderr, f"status {done.returncode}: {done.stderr.strip()[-300:]}")
        return ""


def without_rights_what_is_not_allowed_says_what_would_allow_it():
    with folder() as top, running(workload("split_fp"), live.seconds(60)) as target:
        for options in (["--host"], ["--pid", str(target.pid)], ["--tier", "ebpf", "--", "true"]):
            done = as_nobody(top, *live.capture_command(top, "", "--duration", "1s", *options))
            expect(done.returncode == 1, f"{options}: exit status {done.returncode}: {done.stderr.strip()[-200:]}")
            expect(any(word in done.stderr for word in ("CAP_", "perf_event_paranoid", "root", "setcap")),
                   f"{options}: the message names neither capability nor setting: {done.stderr.strip()[-200:]}")


if __name__ == "__main__":
    sys.exit(live.run_tests([
        a_target_that_is_killed, a_target_that_ends_within_a_moment, a_zombie_is_no_target, a_target_that_is_stopped,
        a_target_that_becomes_another_program, a_target_that_forks, a_target_whose_namespaces_go_away,
        signals_and_state_of_the_target_are_untouched, nothing_of_bpf_is_left_behind, descriptors_do_not_grow_with_the_target,
        many_cycles_of_attaching_and_detaching, ten_thousand_cycles_of_attaching_and_detaching_slow,
        without_rights_an_own_process_works_or_the_setting_is_named,
        without_rights_what_is_not_allowed_says_what_would_allow_it]))
