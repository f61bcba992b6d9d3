#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of a profiler that is killed (SIGKILL) while it records: what it had in its target, or in the kernel, is gone by itself or
after the next start of any capture; and of the inspector of Node.js, which is opened only where that was allowed."""
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
import strangers  # noqa: E402
from live import Skip, expect, folder, require_program, running, workload  # noqa: E402

WORKLOADS = pathlib.Path(__file__).resolve().parents[1] / "workloads"
LONG = "3600"
# Node.js opens its inspector on a port of its own, so that tests can run beside each other.
NODE = ["node", "--inspect-port=0"]
LOOP = "function hot() { let x = 1; while (true) x = Math.sqrt(x + 1); } console.log('begun'); hot();"
TURNS = "function hot() { let x = 1; for (let i = 0; i < 1e5; i++) x = Math.sqrt(x + i); setImmediate(hot); } hot();"
# The JVM's own listener, and a library that no JVM lets go, with those that it needs; docs/guide/languages.md tells of them.
KEPT_BY_JAVA = re.compile(r"Attach Listener|socket|\.java_pid\d+|libasyncProfiler\.so|/tmp/\.atys-[0-9a-f]+/libasyncProfiler"
                          r"|/lib(dl|pthread|rt|stdc\+\+|m|gcc_s)\.so|/jvm/.*/lib(net|nio)\.so")


def until(holds, what: str):
    end = time.monotonic() + live.TIMEOUT_S
    while not (found := holds()):
        expect(time.monotonic() < end, what)
        time.sleep(0.05)
    return found


def temporary(pid: int) -> set[str]:
    """Of /tmp, what is named after a profiler or after the target."""
    return {path.name for path in pathlib.Path(f"/proc/{pid}/root/tmp").iterdir()
            if path.name.startswith(".atys-") or path.name in (f"perf-{pid}.map", f".attach_pid{pid}")}


def state_of(pid: int) -> dict[str, set[str]]:
    status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    stopped = {"stopped"} if status["State"][0] in "Tt" else set()
    traced = {"traced"} if status["TracerPid"] != "0" else set()
    return {**strangers.state_of(pid), "temporary files": temporary(pid), "state": stopped | traced}


def changes(before: dict, pid: int) -> list[str]:
    after = state_of(pid)
    new = {kind: {one for one in after[kind] - before[kind] if not KEPT_BY_JAVA.search(one)} for kind in after}
    return [f"new {kind}: {' '.join(sorted(found)[:5])}" for kind, found in new.items() if found]


def bpf_ids(pid: int) -> set[tuple[str, str]]:
    """Programs, maps and links that a process holds."""
    found = set()
    for path in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(OSError):
            found |= set(re.findall(r"^(prog|map|link)_id:\s+(\d+)", path.read_text(), re.M))
    return found


def are_gone(ids: set[tuple[str, str]]) -> None:
    """The Linux kernel lets go of them a moment after whoever held them."""
    if not ids:
        return
    require_program("bpftool")

    def left():
        return {one for one in ids if subprocess.run(["bpftool", one[0], "show", "id", one[1]], capture_output=True).returncode == 0}

    until(lambda: not left(), f"left in the Linux kernel: {sorted(ids)[:5]}")


def cpu_s(pid: int) -> float:
    return time.clock_gettime((~pid << 3) | 2)


def goes_on(pid: int) -> None:
    used = cpu_s(pid)
    until(lambda: cpu_s(pid) > used + 0.05, "the target does nothing any more")


@contextlib.contextmanager
def recorded(top: pathlib.Path, *options: str):
    """A capture that goes on; it is gone afterwards, whatever it was."""
    command = [live.atys_binary(), "capture", "--json", "-o", str(top / "profile.pb.gz"), *options]
    with open(top / "said", "wb") as said:
        process = subprocess.Popen(command, env=live.environment(top), stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def said(top: pathlib.Path) -> str:
    return (top / "said").read_text(errors="replace")[-300:]


def kill(process: subprocess.Popen) -> None:
    """Itself alone: what it started goes on."""
    expect(process.poll() is None, f"it ended before it was killed, with status {process.returncode}")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def start_again(top: pathlib.Path) -> None:
    """Of something else; what was left is undone all the same."""
    with running("sleep", LONG) as other:
        live.capture(top, "", "--duration", "50ms", "--pid", str(other.pid))


def leaves_nothing(command: list[str], *options: str, has_begun=None) -> str:
    """`has_begun`: tells, by the target's pid, that the recording is at work in it."""
    with folder() as top, running(*command, top=top, stderr=subprocess.DEVNULL) as target:
        goes_on(target.pid)
        time.sleep(live.MOMENT_S)  # a runtime makes further threads when it has begun
        before = state_of(target.pid)
        with recorded(top, *options, "--pid", str(target.pid)) as profiler:
            if has_begun:
                until(lambda: has_begun(target.pid) or profiler.poll() is not None, f"the recording does not begin: {said(top)}")
            else:
                live.wait_until_attached(profiler.pid, 3 * live.SCALE)
            time.sleep(live.MOMENT_S)
            if profiler.poll() is not None and "tier" in said(top):
                raise Skip(said(top))
            ids = bpf_ids(profiler.pid)
            kill(profiler)
        are_gone(ids)
        at_once = changes(before, target.pid)
        start_again(top)
        until(lambda: not changes(before, target.pid), f"left after the next start: {changes(before, target.pid)}")
        notes = list((top / "home").glob("traces/*"))
        expect(not notes, f"notes are left: {notes}")
        goes_on(target.pid)
        return f"{len(ids)} objects in the kernel" + (f", after the next start without {'; '.join(at_once)}" if at_once else "")


def a_native_program_has_nothing_of_ours(tier):
    return leaves_nothing([workload("split_fp"), LONG], "--tier", tier)


def a_native_program_that_may_be_stopped_goes_on():
    return leaves_nothing([workload("split_fp"), LONG], "--tier", "stop", "--allow-pause")


def a_python_has_nothing_of_ours(tier):
    return leaves_nothing([sys.executable, "-c", "while True: sum(range(1000))"], "--tier", tier)


def a_python_whose_memory_is_read_has_nothing_of_ours():
    return leaves_nothing([sys.executable, "-c", "while True: sum(range(1000))"], "--tier", "memory")


def a_php_has_nothing_of_ours(tier):
    require_program("php")
    return leaves_nothing(["php", "-r", "while (true) { $x = 0; for ($i = 0; $i < 1000; $i++) $x += $i; }"], "--tier", tier)


def a_node_js_has_nothing_of_ours(tier):
    require_program("node")
    return leaves_nothing([*NODE, "-e", TURNS], "--tier", tier)


def the_inspector_of_a_node_js_is_closed_by_the_next_start():
    """Also where its main thread never comes back to its event loop, so that it can do nothing by itself."""
    require_program("node")
    for script in (TURNS, LOOP):
        leaves_nothing([*NODE, "-e", script], "--allow-inspector", has_begun=strangers.ports)


def a_java_has_nothing_but_its_own_listener():
    require_program("java", "javac")
    with folder() as top:
        (top / "Busy.java").write_text("public class Busy { public static void main(String[] a) { long x = 1; while (true) x = x * 31 + a.length; } }")
        expect(subprocess.run(["javac", "-d", str(top), str(top / "Busy.java")]).returncode == 0, "it does not compile")
        shown = subprocess.run([live.atys_binary(), "doctor", "java", "--json"], capture_output=True, text=True).stdout
        if '"works"' not in shown:
            raise Skip("no async-profiler is here")
        return leaves_nothing(["java", "-cp", str(top), "Busy"],
                              has_begun=lambda pid: any("recording.jfr" in link for link in strangers.files(pid)))


def a_node_js_closes_its_inspector_by_itself():
    """Nobody starts anything again."""
    require_program("node")
    with folder() as top, running(*NODE, "-e", TURNS, stderr=subprocess.DEVNULL) as target:
        goes_on(target.pid)
        time.sleep(live.MOMENT_S)
        before = state_of(target.pid)
        with recorded(top, "--allow-inspector", "--pid", str(target.pid)) as profiler:
            until(lambda: strangers.ports(target.pid), f"its inspector does not open: {said(top)}")
            time.sleep(live.MOMENT_S)
            kill(profiler)
        until(lambda: not strangers.ports(target.pid), "its inspector is still open")
        until(lambda: not changes(before, target.pid), f"left: {changes(before, target.pid)}")
        goes_on(target.pid)


def who_else_connects_to_an_inspector_ends_the_recording():
    require_program("node")
    with folder() as top, running(*NODE, "-e", TURNS, stderr=subprocess.DEVNULL) as target:
        goes_on(target.pid)
        with recorded(top, "--allow-inspector", "--duration", "600s", "--pid", str(target.pid)) as profiler:
            port = until(lambda: strangers.ports(target.pid), f"its inspector does not open: {said(top)}")
            time.sleep(live.MOMENT_S)
            address = ("127.0.0.1", int(next(iter(port)).rsplit(":", 1)[1], 16))
            with socket.create_connection(address) as guest:
                guest.settimeout(live.TIMEOUT_S)
                with contextlib.suppress(OSError):
                    guest.recv(1)  # until it is closed from the other side
            until(lambda: not strangers.ports(target.pid), "its inspector is still open")
            expect(profiler.poll() is None, f"the rest of the recording ended, too: {said(top)}")
            os.kill(profiler.pid, signal.SIGINT)
            expect(profiler.wait(live.TIMEOUT_S) == 0, f"it failed: {said(top)}")
        expect("somebody else connected" in (top / "said").read_text(), f"it is not told: {said(top)}")
        goes_on(target.pid)


def nobody_is_let_in_without_being_asked():
    """A capture opens nothing, has the target say nothing, and tells what there is to be done."""
    require_program("node")
    with folder() as top, open(top / "target", "wb") as words, running(*NODE, "-e", TURNS, stdout=words, stderr=words) as target:
        goes_on(target.pid)
        seen: list[str] = []

        def look(process):
            while process.poll() is None:
                seen.extend(strangers.ports(target.pid))
                time.sleep(0.02)

        shot = live.capture(top, "", "--duration", "1s", "--pid", str(target.pid), then=look).succeeded()
        expect(not seen, f"it listens on {seen}")
        expect((top / "target").read_bytes() == b"", f"it said: {(top / 'target').read_text()[:200]}")
        expect(any("--allow-inspector" in note and "--perf-basic-prof" in note for note in shot.notes()), f"what to do is not told: {shot.notes()}")
        return f"{shot.profile.samples} samples"


def a_command_of_node_js_has_names_without_an_inspector():
    """In a /tmp of its own, where nobody else can plant anything: a map is written, read and removed."""
    live.require_root()
    require_program("node", "unshare")
    with tempfile.TemporaryDirectory(dir=pathlib.Path(live.atys_binary()).parents[2]) as name:  # not in /tmp, which is another one inside
        top = pathlib.Path(name)
        place = top / "tmp"
        place.mkdir(mode=0o700)
        script = top / "split.js"
        script.write_text((WORKLOADS / "split.js").read_text())
        shot = " ".join([live.atys_binary(), "capture", "--json", *live.RATE, "-o", str(top / "profile.pb.gz"), "--", "node", str(script), live.seconds(2)])
        inside = f"mount -t tmpfs -o mode=0700 none {place} && mount --bind {place} /tmp && {shot}; code=$?; ls -A /tmp > {top}/left; exit $code"
        here = top / "here"
        here.mkdir()
        done = subprocess.run(["unshare", "-m", "sh", "-c", inside], cwd=here, env=live.environment(top), capture_output=True, text=True, timeout=live.TIMEOUT_S)
        expect(done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-300:]}")
        shares = live.Profile(top / "profile.pb.gz").shares()
        expect(shares.get("sixty", 0) > shares.get("thirty", 0) > shares.get("ten", 0) > 0.01, f"{sorted(shares)[:9]}: {done.stderr[-300:]}")
        expect("Debugger" not in done.stderr, f"its inspector was opened: {done.stderr[-300:]}")
        expect((top / "left").read_text() == "", f"left in /tmp: {(top / 'left').read_text()}")
        expect(not os.listdir(here), f"left where it ran: {os.listdir(here)}")
        return ", ".join(f"{name} {shares[name]:.0%}" for name in ("sixty", "thirty", "ten"))


if __name__ == "__main__":
    sys.exit(live.run_tests([
        nobody_is_let_in_without_being_asked, a_command_of_node_js_has_names_without_an_inspector, a_node_js_closes_its_inspector_by_itself,
        the_inspector_of_a_node_js_is_closed_by_the_next_start, who_else_connects_to_an_inspector_ends_the_recording,
        a_java_has_nothing_but_its_own_listener, a_native_program_has_nothing_of_ours, a_native_program_that_may_be_stopped_goes_on,
        a_python_has_nothing_of_ours, a_python_whose_memory_is_read_has_nothing_of_ours, a_php_has_nothing_of_ours, a_node_js_has_nothing_of_ours]))
