#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests that sums are true: what a profile says of how much there was agrees with an account that is not ours (the program's own, which
it has of the kernel), on a machine that has nothing else to do and on one that has far too much."""
import contextlib
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder, running, workload  # noqa: E402

MOST_OFF = 0.02
FEW_EVENTS = 60  # around a program: what starts and ends it
LOAD = 8

# Threads that compute and sleep in turn, and one that only sleeps. Each says how long it was there, from when the kernel says that it began,
# and what of that it ran. The end of the interpreter is none of it.
PYTHON = """import json, os, resource, sys, threading, time
account = {}
def settle():
    fields = open(f"/proc/self/task/{threading.get_native_id()}/stat").read().rsplit(")", 1)[1].split()
    lived = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    account[threading.get_native_id()] = lived, time.thread_time()
def work(busy, idle, seconds):
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        end = time.thread_time() + busy
        while time.thread_time() < end:
            pass
        if idle:
            time.sleep(idle)
    settle()
seconds = float(sys.argv[1])
threads = [threading.Thread(target=work, args=each) for each in ((0.003, 0.002, seconds), (0, 0.001, seconds), (0, seconds, seconds / 2))]
for thread in threads:
    thread.start()
work(0.01, 0, seconds)
for thread in threads:
    thread.join()
settle()
used = resource.getrusage(resource.RUSAGE_SELF)
with open(os.environ["WORKLOAD_TRUTH"], "w") as truth:
    json.dump({"cpu": used.ru_utime + used.ru_stime, "wall": sum(lived for lived, _ in account.values()), "threads": list(account.values()),
               "faults": used.ru_minflt + used.ru_majflt, "switches": used.ru_nvcsw + used.ru_nivcsw}, truth)
os._exit(0)
"""

# Short processes, most of them too short to be sampled.
MANY = """import json, os, resource, subprocess, sys
for _ in range(int(sys.argv[1])):
    subprocess.run([sys.executable, "-S", "-c", "sum(i * i for i in range(20000))"])
own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump({"cpu": sum(one.ru_utime + one.ru_stime for one in (own, children))}, open(os.environ["WORKLOAD_TRUTH"], "w"))
"""

FAULTS = """import json, mmap, os, resource, sys
pages = int(sys.argv[1])
memory = mmap.mmap(-1, pages * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
if hasattr(memory, "madvise"):
    memory.madvise(15)  # MADV_NOHUGEPAGE
def touch():
    for page in range(pages):
        memory[page * 4096] = 1
touch()
used = resource.getrusage(resource.RUSAGE_SELF)
json.dump({"faults": used.ru_minflt + used.ru_majflt}, open(os.environ["WORKLOAD_TRUTH"], "w"))
"""


@contextlib.contextmanager
def busy_machine(is_busy: bool):
    with contextlib.ExitStack() as stack:
        for _ in range(LOAD if is_busy else 0):
            stack.enter_context(running(workload("split_fp"), "600"))
        yield


def total(shot: live.Capture, value: str = "") -> float:
    return shot.profile.ask("summary", str(shot.path), *(["--value", value] if value else []))["profile"]["total"]


def agrees(what: str, said: float, truth: float, around: float = 0) -> str:
    off = abs(said - truth)
    expect(off <= MOST_OFF * truth + around, f"{what}: the profile says {said:.4g}, the account {truth:.4g}: {said / truth - 1:+.2%}")
    return f"{what} {said / truth - 1:+.2%}"


def record(top: pathlib.Path, tier: str, kind: str, program: str, *arguments: str, rate=()) -> tuple[live.Capture, dict]:
    (top / "program.py").write_text(program)
    (top / "truth.json").unlink(missing_ok=True)
    shot = capture(top, tier, "--kind", kind, *rate, "--", sys.executable, str(top / "program.py"), *arguments).succeeded()
    return shot, json.loads((top / "truth.json").read_text())


def cpu_time_of_threads(tier, is_busy):
    with folder() as top, busy_machine(is_busy):
        shot, truth = record(top, tier, "cpu", PYTHON, live.seconds(4))
        return agrees("cpu", total(shot) / 1e9, truth["cpu"], around=0.02)


def cpu_time_of_many_short_processes(tier, is_busy):
    with folder() as top, busy_machine(is_busy):
        shot, truth = record(top, tier, "cpu", MANY, "40")
        return agrees("cpu", total(shot) / 1e9, truth["cpu"], around=0.02)


def wall_time_and_waits_of_threads(is_busy):
    said = []
    with folder() as top, busy_machine(is_busy):
        shot, truth = record(top, "ebpf", "wall", PYTHON, live.seconds(4))
        around = 0.1 * live.SCALE * (4 if is_busy else 1)  # ends of threads, which wait for a CPU once more after they have said so
        said.append(agrees("wall", total(shot) / 1e9, truth["wall"], around))
        lasted = shot.profile.summary["profile"]["duration_ns"]
        for row in shot.profile.ask("summary", str(shot.path), "--by", "label:thread.id", "--top", "100")["rows"]:
            expect(row["total"] <= lasted * 1.0001, f"thread {row['name']} has {row['total'] / 1e9:.3f} s in a recording of {lasted / 1e9:.3f} s")
        shot, truth = record(top, "ebpf", "off-cpu", PYTHON, live.seconds(4))
        waited = truth["wall"] - sum(cpu for _, cpu in truth["threads"])
        said.append(agrees("off-cpu", total(shot) / 1e9, waited, around))
    return ", ".join(said)


def waits_of_what_waits_all_the_time():
    """It waited when the recording began, and does still when it ends: nothing of it happens in between."""
    with folder() as top, running("sleep", "600") as program:
        for kind in ("wall", "off-cpu"):
            shot = capture(top, "ebpf", "--kind", kind, "--duration", "5s",  # our own end takes some of it on a busy machine
                           "--pid", str(program.pid)).succeeded()
            agrees(kind, total(shot) / 1e9, shot.profile.summary["profile"]["duration_ns"] / 1e9)
            names = [row["name"] for row in shot.profile.summary["rows"]]
            expect(any("nanosleep" in name for name in names), f"it waits in {names}")


def page_faults_at_any_rate(tier):
    said = []
    with folder() as top:
        for pages, rate in ((400, "99"), (50000, "19"), (50000, "99"), (50000, "999"), (50000, "4999")):
            shot, truth = record(top, tier, "event:page-faults", FAULTS, str(pages), rate=("--freq", rate))
            said.append(agrees(f"{pages} at {rate} Hz", total(shot), truth["faults"], around=FEW_EVENTS))
            if tier == "ebpf" and pages > 1000:
                share = next((row["total_percent"] for row in shot.profile.summary["rows"] if row["name"] == "touch"), 0)
                true_share = 100 * pages / truth["faults"]
                expect(abs(share - true_share) < 100 * live.allowance(true_share / 100, max(1, shot.profile.samples)),
                       f"touch has {share:.1f} % of the faults, and {true_share:.1f} % are its own, of {shot.profile.samples} samples")
    return ", ".join(said)


def context_switches(tier):
    with folder() as top:
        shot, truth = record(top, tier, "event:context-switches", PYTHON, live.seconds(2))
        return agrees("context switches", total(shot), truth["switches"], around=FEW_EVENTS)


@contextlib.contextmanager
def tracepoints():
    """Where they are not shown, they are for as long as this takes."""
    place = pathlib.Path("/sys/kernel/tracing")
    is_ours = not (place / "events").exists()
    if is_ours and subprocess.run(["mount", "-t", "tracefs", "tracefs", str(place)], capture_output=True).returncode != 0:
        raise live.Skip("tracefs cannot be mounted")
    try:
        if not (place / "events/syscalls/sys_enter_getpgid").exists():
            raise live.Skip("this kernel has no tracepoints of system calls")
        yield
    finally:
        if is_ours:
            subprocess.run(["umount", str(place)], capture_output=True)


def calls_at_a_tracepoint(tier):
    program = "import ctypes\nlibc = ctypes.CDLL(None)\nfor _ in range(20000):\n    libc.getpgid(0)\n"
    with folder() as top, tracepoints():
        (top / "program.py").write_text(program)
        shot = capture(top, tier, "--kind", "event:syscalls:sys_enter_getpgid", "--", sys.executable, str(top / "program.py")).succeeded()
        expect(total(shot) == 20000, f"{total(shot):.0f} calls are told of 20000")


def a_loop_as_long_as_the_period(tier):
    """Samples at even distances would see one of its two functions only."""
    said = []
    with folder() as top:
        for rate in (499, 999):
            turn = round(1e9 / rate)
            shot = capture(top, tier, "--freq", str(rate), "--max-overhead", "50%", "--", workload("in_step"), live.seconds(5), str(turn)).succeeded()
            third = shot.profile.shares().get("third", 0)
            # Four timers tell less than samples at random do, where one of them is in step after all.
            expect(abs(third - 1 / 3) < 0.04 + live.allowance(1 / 3, shot.profile.samples), f"at {rate} Hz a third of the time is {third:.1%}")
            said.append(f"{rate} Hz {third:.1%}")
    return ", ".join(said)


def of_idle_and_busy(test):
    """As two tests, with what was off in the note."""
    def idle(tier):
        return test(tier, False)

    def busy(tier):
        return test(tier, True)

    idle.__name__, busy.__name__ = f"{test.__name__}_on_an_idle_machine", f"{test.__name__}_on_a_busy_machine"
    return [idle, busy]


def wall_time_and_waits_on_an_idle_machine():
    return wall_time_and_waits_of_threads(False)


def wall_time_and_waits_on_a_busy_machine():
    return wall_time_and_waits_of_threads(True)


if __name__ == "__main__":
    sys.exit(live.run_tests([*of_idle_and_busy(cpu_time_of_threads), *of_idle_and_busy(cpu_time_of_many_short_processes),
                             wall_time_and_waits_on_an_idle_machine, wall_time_and_waits_on_a_busy_machine, waits_of_what_waits_all_the_time,
                             page_faults_at_any_rate, context_switches, calls_at_a_tracepoint, a_loop_as_long_as_the_period]))
