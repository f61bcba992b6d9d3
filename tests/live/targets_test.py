#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of what can be captured besides a command: processes, cgroups, services and the whole host; and of the bounds of a capture."""
import contextlib
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import Skip, capture, expect, folder, require_root, running, workload  # noqa: E402

TWO_SECONDS = ["--duration", "2s"]
# A service: it listens on a port, and when asked over it, works.
SERVER = """import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve_requests():
    x = 0
    while True:
        for i in range(10000): x += i
serve_requests()
"""


def threads_that_come_later_belong_to_the_process(tier):
    with folder() as top, running(workload("threads"), "40", live.seconds(3), "late", top=top) as process:
        shot = capture(top, tier, *live.RATE, "--duration", "3s", "--pid", str(process.pid)).succeeded()
        process.wait(live.TIMEOUT_S)
        shares, truth = shot.profile.shares(), live.true_shares(live.truth_of(top))
        wrong = [live.judge_share(name, share, shares.get(name, 0), shot.profile.samples) for name, share in truth.items()]
        expect(not any(wrong), "; ".join(filter(None, wrong)))
        # Ten live at any time, and all but those of the first moment began after us.
        threads = shot.profile.ask("summary", str(shot.path), "--by", "thread", "--top", "1000")["rows"]
        return f"{shot.profile.samples} samples, {len(threads)} threads told apart"


def several_processes_at_once(tier):
    with folder() as top, running(workload("split_fp"), live.seconds(30)) as one, running(workload("recursion"), live.seconds(30)) as other:
        pids = f"{one.pid},{other.pid}"
        shares = capture(top, tier, *live.RATE, *TWO_SECONDS, "--pid", pids).succeeded().profile.shares()
        for name in ("sixty", "descend"):
            expect(shares.get(name, 0) > 0.05, f"{name} is not there")


def other_processes_are_not_recorded(tier):
    with folder() as top, running(workload("split_fp"), live.seconds(30)) as one, running(workload("recursion"), live.seconds(30)):
        shares = capture(top, tier, *live.RATE, *TWO_SECONDS, "--pid", str(one.pid)).succeeded().profile.shares()
        expect(shares.get("sixty", 0) > 0.5, "the target is not there")
        expect("descend" not in shares, "another process is in the profile")


def a_process_that_is_not_there_is_told(tier):
    with folder() as top:
        free = int(pathlib.Path("/proc/sys/kernel/pid_max").read_text()) - 1
        while os.path.exists(f"/proc/{free}"):
            free -= 1
        shot = capture(top, tier, "--duration", "1s", "--pid", str(free))
        expect(shot.status == 1, f"exit status {shot.status}: {shot.said()}")
        lines = shot.err.strip().splitlines()
        expect(len(lines) == 1 and str(free) in lines[0] and lines[0].startswith("atys: "), f"it said: {shot.said()}")
        expect(not shot.path.exists(), "there is a profile of nothing")


@contextlib.contextmanager
def new_cgroup():
    """A cgroup of our own, in whichever hierarchy this machine has; its path."""
    mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    points = [m[1] for m in mounts if m[2] == "cgroup2"]
    if not points:
        raise Skip("no cgroup2 is mounted")
    path = pathlib.Path(points[0]) / f"atys-test-{os.getpid()}"
    try:
        path.mkdir()
    except OSError as error:
        raise Skip(f"cannot make a cgroup: {error}") from None
    try:
        yield path
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                path.rmdir()
                break
            time.sleep(0.1)


def a_cgroup_and_what_joins_it(tier):
    require_root()
    with folder() as top, new_cgroup() as group, contextlib.ExitStack() as stack:
        one = stack.enter_context(running(workload("split_fp"), live.seconds(30)))
        stack.enter_context(running(workload("recursion"), live.seconds(30)))
        (group / "cgroup.procs").write_text(str(one.pid))
        # One that joins while we look, and below a group of its own.
        below = group / "below"
        below.mkdir()
        stack.callback(below.rmdir)
        late = f"sleep 0.5; echo $$ > {below}/cgroup.procs; exec {workload('dlopen_loop')} {live.seconds(30)}"
        second = stack.enter_context(running("sh", "-c", late))
        shares = capture(top, tier, *live.RATE, *TWO_SECONDS, "--cgroup", str(group)).succeeded().profile.shares()
        for process in (one, second):
            process.kill()
            process.wait()
        expect(shares.get("sixty", 0) > 0.1, "a process of the cgroup is not there")
        expect(shares.get("plugin_seventy", 0) + shares.get("plugin_thirty", 0) > 0.05, "one that joined later is not there")
        expect("descend" not in shares, "a process outside of it is in the profile")


def no_such_cgroup_is_told(tier):
    with folder() as top:
        shot = capture(top, tier, "--duration", "1s", "--cgroup", "/sys/fs/cgroup/no-such-group")
        expect(shot.status == 1 and "no-such-group" in shot.err, f"status {shot.status}, {shot.said()}")


def the_whole_host(tier):
    require_root()
    with folder() as top, running(workload("split_fp"), live.seconds(30)), running(workload("recursion"), live.seconds(30)):
        profile = capture(top, tier, *live.RATE, *TWO_SECONDS, "--host").succeeded().profile
        for name in ("sixty", "descend"):
            expect(profile.shares().get(name, 0) > 0.02, f"{name} is not there")
        share, others = profile.rooted("")
        return f"{profile.samples} samples, {share:.2%} rooted, others begin with {sorted(others, key=others.get)[-3:]}"


def a_service_by_port_and_by_executable(tier):
    require_root()
    with folder() as top, running(workload("split_fp"), live.seconds(30)), \
            running(sys.executable, "-c", SERVER, stdout=subprocess.PIPE, text=True) as server:
        port = server.stdout.readline().strip()
        shot = capture(top, tier, *live.RATE, *TWO_SECONDS, "--service", f"port={port}").succeeded()
        expect(shot.profile.samples >= live.MIN_SAMPLES, f"{shot.profile.samples} samples of the service")
        expect("sixty" not in shot.profile.shares(), "another process is in the profile")
        shot = capture(top, tier, *live.RATE, *TWO_SECONDS, "--service", "exe=*/split_fp").succeeded()
        expect(shot.profile.shares().get("sixty", 0) > 0.3, "the service by its executable is not there")
        shot = capture(top, tier, "--duration", "1s", "--service", "port=1")
        expect(shot.status == 1 and shot.err.startswith("atys: "), f"no such service: status {shot.status}, {shot.said()}")


def max_samples_is_a_bound(tier):
    with folder() as top, running(workload("split_fp"), live.seconds(30)) as one:
        shot = capture(top, tier, *live.RATE, "--max-samples", "300", "--duration", "5s", "--pid", str(one.pid))
        expect(shot.status in (0, 3), f"exit status {shot.status}: {shot.said()}")
        samples = live.Profile(shot.path).samples
        expect(0 < samples <= 300, f"{samples} samples, the most is 300")
        return f"{samples} samples"


def the_duration_ends_a_capture_but_not_the_command(tier):
    with folder() as top:
        shot = capture(top, tier, *live.RATE, "--duration", "1s", "--", workload("split_fp"), live.seconds(2)).succeeded()
        truth = live.truth_of(top)
        expect(shot.profile.total < truth["total_ns"] * 0.95, "what came after the duration is in the profile")
        expect(abs(shot.profile.summary["profile"]["duration_ns"] / 1e9 / live.SCALE - 1) < 0.5,
               f"the profile says that it is of {shot.profile.summary['profile']['duration_ns'] / 1e9:.2f} s")


def a_program_that_switches_all_the_time_has_the_right_sum_of_waits():
    """At 100,000 switches a second and more not every wait can be recorded. Those that are stand for a period each; so their sum has the
    standard error of as many records. Waits of a microsecond are lengthened by our own programs: hence the fifth."""
    with folder() as top:
        shot = capture(top, "ebpf", "--kind", "off-cpu", "--freq", "999", "--max-overhead", "50%", "--", workload("switcher"), live.seconds(2)).succeeded()
        truth, seen = live.truth_of(top)["ns"]["ping"], shot.profile.values().get("ping", 0)
        error = 4 * (truth * 1e9 / 999) ** 0.5
        lost = shot.profile.loss("waits without a stack")
        expect(seen <= truth * 1.2 + error, f"ping waited for {truth / 1e6:.0f} ms, {seen / 1e6:.0f} ms are recorded")
        expect(seen >= truth * 0.8 - error or lost, f"ping waited for {truth / 1e6:.0f} ms, {seen / 1e6:.0f} ms are recorded, and none told as lost")
        return f"{seen / 1e6:.0f} of {truth / 1e6:.0f} ms{', the rest is told as lost' if lost else ''}"


def waits_without_ebpf_are_recorded_or_refused_in_words():
    with folder() as top:
        shot = capture(top, "perf", "--kind", "off-cpu", "--", workload("off_cpu"), live.seconds(1))
        if shot.status != 0:
            expect(shot.status in (1, 2) and "leave --tier out" in shot.err, f"status {shot.status}, {shot.said()}")
        else:
            expect(shot.profile.values().get("nap", 0) > 0, "a profile without the waits")


def overhead_stays_below_its_cap_and_shares_stay_true(tier):
    with folder() as top, running(workload("threads"), "64", live.seconds(6), top=top) as process:
        time.sleep(0.5 * live.SCALE)
        options = ["--freq", "9999", "--max-overhead", "0.5%", "--duration", "5s", "--pid", str(process.pid)]
        shot = capture(top, tier, *options).succeeded()
        process.wait(live.TIMEOUT_S)
        budget, truth = shot.answer["budget"], live.true_shares(live.truth_of(top))
        wrong = [live.judge_share(name, share, shot.profile.shares().get(name, 0), shot.profile.samples) for name, share in truth.items()]
        expect(not any(wrong), "; ".join(filter(None, wrong)))
        used = budget["used"]["overhead_percent"]
        expect(0 < used <= 0.5, f"overhead {used} %, the cap is 0.5 %; budget {budget}")
        expect(len(budget["granted"]) > 1, f"no change of the rate is told: {budget}")
        return f"{shot.profile.samples} samples, overhead {used:.3f} %, granted {budget['granted']}"


if __name__ == "__main__":
    sys.exit(live.run_tests([
        threads_that_come_later_belong_to_the_process, several_processes_at_once, other_processes_are_not_recorded,
        a_process_that_is_not_there_is_told, a_cgroup_and_what_joins_it, no_such_cgroup_is_told, the_whole_host,
        a_service_by_port_and_by_executable, max_samples_is_a_bound, the_duration_ends_a_capture_but_not_the_command,
        a_program_that_switches_all_the_time_has_the_right_sum_of_waits, waits_without_ebpf_are_recorded_or_refused_in_words,
        overhead_stays_below_its_cap_and_shares_stay_true]))
