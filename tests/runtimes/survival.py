# SPDX-License-Identifier: Apache-2.0
"""What may happen to a target of any language while it is captured, and what must not happen to it."""
import contextlib
import os
import pathlib
import re
import signal
import time

import judge
import live
from languages import LONG, Runtime, Target, started
from live import Skip, expect

DURATION = ["--duration", "2s"]
CYCLES, CYCLES_SLOW = 100, 1000  # of attaching and letting go
ALLOWED_NS = 5e6  # some periods, for what is begun and not ended
STARTS_S, ENDS_S = 8, 5  # what a capture may take besides its duration
GROWTH_BYTES = 16 << 20  # what a heap may grow by itself meanwhile
FILLING_PART = 5  # of the captures, one in so many: memory is compared from then on


def shot_of(target: Target, top: pathlib.Path, *more: str, then=None, tier: str = "") -> live.Capture:
    options = more if "--duration" in more else [*DURATION, *more]
    return live.capture(top, tier, *live.RATE, *options, "--pid", str(target.pid), then=then).succeeded()


def sees(shot: live.Capture, runtime: Runtime, least: int = 1) -> None:
    """The functions of the language, if it has a kernel; else samples at all."""
    profile = shot.profile
    expect(profile.samples >= least, f"only {profile.samples} samples; it said: {shot.said()}")
    if runtime.is_shown:
        share = judge.share_below(profile, "sixty")
        expect(share > 0.3, f"sixty has {share:.1%} of {profile.samples} samples; notes: {shot.notes()}")


def samples_itself(target: Target) -> None:
    """A JVM loads its profiler first, which takes more than a moment on a busy machine; then it has its recording open. Node.js opens its
    inspector."""
    signs = {"java": lambda: any(link.endswith("/recording.jfr") for link in belongings(target.pid)["files"]),
             "node": lambda: not target.runtime.is_shown or listening(target.pid)}
    begins, end = signs.get(target.runtime.language.name, lambda: True), time.monotonic() + live.TIMEOUT_S
    while not begins():
        expect(time.monotonic() < end, "it does not begin to sample itself")
        time.sleep(0.02)
    target.has_worked()


def exits(runtime: Runtime) -> str:
    """The target comes to its end in the middle of a capture."""
    with live.folder() as top, started(runtime) as target:
        def end(_):
            samples_itself(target)
            os.kill(target.pid, signal.SIGTERM)

        shot = shot_of(target, top, "--duration", "20s", then=end)
        expect(shot.wall_s < 15, f"the capture went on for {shot.wall_s:.0f} s after its target had ended")
        sees(shot, runtime)
        return f"{shot.profile.samples} samples"


def is_killed(runtime: Runtime) -> str:
    with live.folder() as top, started(runtime) as target:
        def kill(_):
            samples_itself(target)
            os.kill(target.pid, signal.SIGKILL)

        shot = shot_of(target, top, "--duration", "20s", then=kill)
        expect(shot.wall_s < 15, f"the capture went on for {shot.wall_s:.0f} s after its target had ended")
        expect(shot.profile.samples > 0, "no samples")
        reasons = [loss["reason"] for loss in shot.answer["profile"]["loss"]]
        expect(runtime.language.name != "java" or any("killed" in reason for reason in reasons), f"what was lost is not told: {reasons}")
        return f"{shot.profile.samples} samples"


def is_stopped(runtime: Runtime) -> str:
    """SIGSTOP in the middle: the capture ends in time, the target stays stopped, and goes on as if nothing had been."""
    with live.folder() as top, started(runtime) as target:
        shot = shot_of(target, top, then=lambda _: os.kill(target.pid, signal.SIGSTOP))
        expect(shot.wall_s < 25, f"the capture took {shot.wall_s:.0f} s of a stopped target")
        expect(state_of(target.pid) == "T", f"the target is not stopped any more but {state_of(target.pid)}")
        os.kill(target.pid, signal.SIGCONT)
        target.has_worked()
        target.truth()
        return f"{shot.profile.samples} samples"


def is_frozen(runtime: Runtime) -> str:
    """Its control group is frozen in the middle: nothing in it can answer any more."""
    with live.folder() as top, started(runtime) as target, freezer(target.pid) as freeze:
        shot = shot_of(target, top, then=lambda _: freeze(True))
        expect(shot.wall_s < 2 + STARTS_S + ENDS_S, f"the capture took {shot.wall_s:.0f} s of a frozen target")
        freeze(False)
        target.has_worked()
        target.truth()
        return f"{shot.profile.samples} samples"


def was_frozen(runtime: Runtime) -> str:
    """It does not run at all: there is nothing to record, and nobody who answers."""
    with live.folder() as top, started(runtime) as target, freezer(target.pid) as freeze:
        freeze(True)
        shot = live.capture(top, "", *live.RATE, "--duration", "1s", "--pid", str(target.pid))
        expect(shot.wall_s < 25, f"the capture took {shot.wall_s:.0f} s of a frozen target")
        expect(shot.status in (0, 1), f"exit status {shot.status}: {shot.said()}")
        freeze(False)
        target.has_worked()
        target.truth()


def state_of(pid: int) -> str:
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


@contextlib.contextmanager
def freezer(pid: int):
    """A control group with that process in it, and a function that freezes and thaws it; either version of control groups."""
    group, file, words = freezer_group(f"atys-test-{pid}")
    home = pathlib.Path(f"/proc/{pid}/cgroup").read_text()

    def freeze(is_frozen: bool) -> None:
        (group / file).write_text(words[is_frozen])
        time.sleep(0.1)

    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(pid))
        yield freeze
    except OSError as error:
        raise Skip(f"no control group can be frozen here: {error}") from None
    finally:
        with contextlib.suppress(OSError):
            freeze(False)
            for one in (group / "cgroup.procs").read_text().split():
                move_home(group, one, home)
        for _ in range(50):
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def freezer_group(name: str) -> tuple[pathlib.Path, str, tuple[str, str]]:
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, where, kind, options = line.split()[:4]
        if kind == "cgroup" and "freezer" in options.split(","):
            return pathlib.Path(where) / name, "freezer.state", ("THAWED", "FROZEN")
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, where, kind = line.split()[:3]
        if kind == "cgroup2" and pathlib.Path(where, "cgroup.procs").exists():
            return pathlib.Path(where) / name, "cgroup.freeze", ("0", "1")
    raise Skip("no control groups with a freezer are mounted")


def move_home(group: pathlib.Path, pid: str, home: str) -> None:
    """Back to where it was."""
    for line in home.splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" or "freezer" in controllers.split(","):
            with contextlib.suppress(OSError):
                (group.parent / path.lstrip("/") / "cgroup.procs").write_text(pid)


# ------------------------------------------------------------------------------------------------------------------------ again and again

def belongings(pid: int) -> dict[str, object]:
    """What another process has that an attachment could leave behind."""
    folder = pathlib.Path(f"/proc/{pid}")
    links = []
    for number in os.listdir(folder / "fd"):
        with contextlib.suppress(OSError):
            links.append(re.sub(r"\[\d+\]", "[]", os.readlink(folder / "fd" / number)))
    maps = {line.split(None, 5)[5] for line in (folder / "maps").read_text().splitlines() if len(line.split(None, 5)) == 6}
    return {"files": sorted(links), "threads": len(os.listdir(folder / "task")), "mapped": {path for path in maps if path.startswith("/")},
            "temporary": sorted(path.name for path in (folder / "root/tmp").iterdir() if is_ours(path, pid))}


def difference(first, last) -> str:
    if isinstance(first, int):
        return f"was {first}, is {last}"
    return f"gone: {sorted(set(first) - set(last))}, new: {sorted(set(last) - set(first))}, {len(first)} before, {len(last)} now"


def same(what: str, first, last) -> bool:
    """A JVM starts and ends compiler threads as it likes: one or two more or less are not ours, one for each capture would be."""
    return abs(first - last) <= 2 if what == "threads" else first == last


def is_ours(path: pathlib.Path, pid: int) -> bool:
    """Something in the target's /tmp that is named after a profiler or after the target."""
    inside = next((line.split()[-1] for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("NSpid")), "")
    return path.name in (f".java_pid{inside}", f".attach_pid{inside}", f"perf-{inside}.map") or path.name.startswith("atys-agent")


def memory_of(pid: int) -> int:
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) << 10


def listening(pid: int) -> list[int]:
    """The TCP ports that it listens on; no workload does."""
    folder, own, ports = pathlib.Path(f"/proc/{pid}"), set(), []
    for number in os.listdir(folder / "fd"):
        with contextlib.suppress(OSError):
            own.add(os.readlink(folder / "fd" / number))
    for name in ("tcp", "tcp6"):
        for words in map(str.split, (folder / "net" / name).read_text().splitlines()[1:]):
            if words[3] == "0A" and f"socket:[{words[9]}]" in own:
                ports.append(int(words[1].rsplit(":", 1)[1], 16))
    return ports


def told_change(first: dict, last: dict) -> str:
    return ", ".join(f"{what} {len(first[what])} → {len(last[what])}" if what != "threads" else f"threads {first[what]} → {last[what]}"
                     for what in ("files", "threads", "mapped"))


def settled_memory_of(target: Target) -> int:
    """Without what a collector would find: V8 lets garbage lie for long in a program that makes little of it. split.js collects when it is
    told, and notes that it did."""
    if target.runtime.language.name == "node":
        done, end = target.folder / "collected", time.monotonic() + live.TIMEOUT_S
        done.unlink(missing_ok=True)
        os.kill(target.pid, signal.SIGUSR2)
        while not done.exists():
            expect(time.monotonic() < end, "it does not collect its garbage")
            time.sleep(0.02)
    return memory_of(target.pid)


def is_captured_again_and_again(runtime: Runtime, cycles: int) -> str:
    """Attached and let go many times: the target's files, threads, mappings and output are what they were, and it does not grow. What
    the first capture of a JVM leaves (its attach listener, a library that stays mapped) is told of; it must not become more. The first
    captures also fill what an allocator keeps for its threads, some ten megabytes in Node.js; a leak would go on after them."""
    ends_when_told = runtime.language.ended_by_signal
    with live.folder() as top, started(runtime, *(() if ends_when_told else (LONG,))) as target:
        before, said = belongings(target.pid), target.said()
        shot_of(target, top, "--duration", "300ms")
        time.sleep(0.3)
        first, memory = belongings(target.pid), 0
        for number in range(cycles):
            if number == cycles // FILLING_PART:
                memory = settled_memory_of(target)
            shot = live.capture(top, "", *live.RATE, "--duration", "30ms", "--pid", str(target.pid))
            expect(shot.status == 0, f"capture {number + 2}: exit status {shot.status}: {shot.said()}")
            expect(not listening(target.pid), f"capture {number + 2} leaves ports open: {listening(target.pid)}; it said: {shot.said()}; {shot.notes()}")
        time.sleep(0.3)
        last, grown = belongings(target.pid), settled_memory_of(target) - memory
        wrong = [f"{what}: {difference(first[what], last[what])}" for what in first if not same(what, first[what], last[what])]
        expect(not wrong, f"after {cycles} captures, {'; '.join(wrong)}"[:900])
        expect(grown < GROWTH_BYTES, f"its memory grew by {grown >> 20} MB in {cycles} captures")
        expect(target.said() == said, f"it wrote: {target.said()[len(said):][:300]}")
        sees(shot_of(target, top), runtime)
        work = target.truth()["work"] if ends_when_told else "its"
        left = {what for what in before if before[what] != first[what]}
        expect(not left or runtime.language.name == "java",
               f"a capture leaves behind: {[difference(before[what], first[what]) for what in left]}"[:900])
        return f"{cycles} captures, {work} pieces of work, memory {memory >> 10} {grown >> 10:+} KB since capture {cycles // FILLING_PART}, {told_change(first, last)}" + \
            (f", left: {sorted(left)}" if left else "")


def weights_are_cpu_time(runtime: Runtime) -> str:
    """The profile's whole is what the Linux kernel accounted. The target is stopped before and after, so that both mean the same time;
    a runtime that is asked to sample itself cannot answer then."""
    if runtime.language.samples_itself and runtime.is_shown:
        raise Skip("it has to answer when the capture begins")
    with live.folder() as top, started(runtime) as target:
        os.kill(target.pid, signal.SIGSTOP)
        before = cpu_ns_of(target.pid)

        def work(_):
            os.kill(target.pid, signal.SIGCONT)
            time.sleep(2 * live.SCALE)
            os.kill(target.pid, signal.SIGSTOP)

        shot = shot_of(target, top, "--duration", "5s", then=work)
        used = cpu_ns_of(target.pid) - before
        difference = shot.profile.total / used - 1
        expect(abs(difference) <= 0.02 + ALLOWED_NS / used, f"the whole is {shot.profile.total / 1e6:.0f} ms, the CPU time {used / 1e6:.0f} ms")
        return f"{difference:+.2%} of {used / 1e6:.0f} ms"


def cpu_ns_of(pid: int) -> int:
    return time.clock_gettime_ns((~pid << 3) | 2)  # the clock of that process, see clock_getcpuclockid(3)


TESTS = [exits, is_killed, is_stopped, is_frozen, was_frozen, weights_are_cpu_time]
