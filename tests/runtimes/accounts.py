# SPDX-License-Identifier: Apache-2.0
"""What runtimes that sample themselves say, against accounts that are not ours: the Linux kernel's of each thread, and the Java machine's of its
own threads. Each account is read again and again beside the capture; the profile says which stretch of time it is of, and what the account
was when that began and ended lies between two readings. So nothing here depends on how busy the machine is, and each test is done beside
busy loops as well."""
import bisect
import contextlib
import os
import pathlib
import threading
import time

import live
from languages import Runtime, started
from live import expect

BUSY_LOOPS = 8
DURATION = ["--duration", "4s"]
ALLOWED = 0.02  # of the account
LATE_NS = 10e6  # a thread that runs is accounted a tick of the kernel late, at the beginning and at the end
ALLOCATED_PER_SAMPLE = 512 << 10


class Readings:
    """Of something that grows: (time, {key: value}), in order of time. Time is nanoseconds since 1970."""

    def __init__(self):
        self.rows: list[tuple[int, int, dict]] = []  # read between these two times

    def add(self, begin: int, end: int, values: dict) -> None:
        self.rows.append((begin, end, values))

    def bounds(self, key, begin: int, end: int) -> tuple[float, float]:
        """The least and the most that it can have grown by between those times."""
        first_after = bisect.bisect_left([row[0] for row in self.rows], begin)  # all of it was read after
        last_before = bisect.bisect_right([row[1] for row in self.rows], begin) - 1
        after_end = bisect.bisect_left([row[0] for row in self.rows], end)
        before_end = bisect.bisect_right([row[1] for row in self.rows], end) - 1
        expect(last_before >= 0 and after_end < len(self.rows), "the account was not read before and after the capture")

        def value(index: int) -> float:
            return self.rows[min(index, len(self.rows) - 1)][2].get(key, 0)

        least = value(before_end) - value(first_after) if before_end >= first_after else 0
        return max(least, 0), value(after_end) - value(last_before)


@contextlib.contextmanager
def cpu_account(pid: int):
    """The CPU time of each thread of a process, as the kernel accounts it: read by a thread of ours until the end."""
    readings, is_over = Readings(), threading.Event()

    def read():
        while not is_over.is_set():
            begin, values = time.time_ns(), {}
            for tid in os.listdir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError):
                    values[int(tid)] = int(pathlib.Path(f"/proc/{pid}/task/{tid}/schedstat").read_text().split()[0])
            readings.add(begin, time.time_ns(), values)
            is_over.wait(0.01)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        time.sleep(0.1)
        yield readings
    finally:
        is_over.set()
        reader.join()


@contextlib.contextmanager
def busy(loops: int):
    with contextlib.ExitStack() as stack:
        for _ in range(loops):
            stack.enter_context(live.running("sh", "-c", "while :; do :; done"))
        yield


def by_thread(shot: live.Capture, pid: int, by: str = "label:thread.id") -> dict[str, float]:
    answer = shot.profile.ask("summary", str(shot.path), "--by", by, "--label", f"process.pid={pid}", "--top", "1000000")
    sums: dict[str, float] = {}
    for row in answer["rows"]:
        sums[row["name"]] = sums.get(row["name"], 0) + row["total"]
    return sums


def stretch(shot: live.Capture) -> tuple[int, int]:
    begin = shot.profile.facts["time_ns"]
    return begin, begin + shot.answer["profile"]["duration_ns"]


def cpu_time_is_what_the_kernel_accounts(runtime: Runtime, loops: int) -> str:
    """Of each thread that the runtime tells of, and of the whole process."""
    with live.folder() as top:
        with started(runtime) as target, busy(loops), cpu_account(target.pid) as account:
            shot = live.capture(top, "", *DURATION, "--pid", str(target.pid)).succeeded()
            time.sleep(0.2)
        begin, end = stretch(shot)
        sums = by_thread(shot, target.pid)
    wrong, told = [], []
    for thread in sorted(account.rows[-1][2]):
        least, most = account.bounds(thread, begin, end)
        has = sums.get(str(thread), 0)
        # What used little may have had no sample, or one too many: it is told natively.
        if most < 0.2 * sum(sums.values()):
            continue
        told.append(f"{has / 1e6:.1f} of {least / 1e6:.1f} to {most / 1e6:.1f} ms")
        if not (1 - ALLOWED) * least - LATE_NS <= has <= (1 + ALLOWED) * most + LATE_NS:
            wrong.append(f"thread {thread} has {has / 1e6:.1f} ms, its account grew by {least / 1e6:.1f} to {most / 1e6:.1f} ms")
    expect(told, f"no thread worked; profile: {sums}")
    expect(not wrong, "; ".join(wrong) + f"; notes: {shot.notes()}")
    return ", ".join(told)


def no_thread_has_more_wall_time_than_was_recorded(runtime: Runtime, loops: int) -> str:
    """And those that were there all the time have all of it."""
    with live.folder() as top:
        with started(runtime) as target, busy(loops):
            threads = threads_with_time(runtime, target.pid)
            shot = live.capture(top, "ebpf", "--kind", "wall", *DURATION, "--pid", str(target.pid)).succeeded()
            threads &= threads_with_time(runtime, target.pid)
        lasted = shot.answer["profile"]["duration_ns"]
        sums = by_thread(shot, target.pid)
    wrong = {thread: sums.get(thread, 0) / 1e9 for thread in threads if abs(sums.get(thread, 0) - lasted) > LATE_NS}
    expect(not wrong, f"{wrong} s of wall time of threads that were there for all of {lasted / 1e9:.3f} s; notes: {shot.notes()}")
    return f"{len(threads)} threads, {lasted / 1e9:.3f} s"


def threads_with_time(runtime: Runtime, pid: int) -> set[str]:
    """Those that the runtime tells of: all of a JVM, those with an isolate of Node.js."""
    return set(os.listdir(f"/proc/{pid}/task")) if runtime.language.name == "java" else {str(pid)}


def machine_account(path: pathlib.Path, column: int, unit: float) -> Readings:
    """What tests/workloads/Accounts.java wrote. Its clock has milliseconds."""
    readings = Readings()
    for line in path.read_text().splitlines()[:-1]:
        words = line.split()
        values = {word.split(":")[0]: int(word.split(":")[column]) * unit for word in words[1:]}
        readings.add(int(words[0]) * 10**6, (int(words[0]) + 1) * 10**6, values)
    return readings


def agrees_with_the_machine(runtime: Runtime, kind: str, loops: int) -> str:
    """Java's own account of CPU time, allocated bytes and waits for monitors. What is allocated is sampled, every half a megabyte; a wait is told
    when it is over, so that one may be missing at either end."""
    column, unit = {"cpu": (1, 1), "alloc": (2, 1), "lock": (3, 1e6)}[kind]
    with live.folder() as top:
        with started(runtime, "3600", kind, source="Accounts.java") as target, busy(loops):
            shot = live.capture(top, "", "--kind", kind, *DURATION, "--pid", str(target.pid)).succeeded()
            time.sleep(0.5)
            account = machine_account(target.folder / "truth.json", column, unit)
        begin, end = stretch(shot)
        sums, wrong, told = by_thread(shot, target.pid, "thread"), [], []
    for name in ("worker-1", "worker-3"):
        least, most = account.bounds(name, begin, end)
        allowed = ALLOWED * most + {"cpu": LATE_NS, "alloc": 4 * (most * ALLOCATED_PER_SAMPLE) ** 0.5, "lock": 50e6 + 0.05 * most}[kind]
        has = sums.get(name, 0)
        told.append(f"{has / 1e6:.1f} of {least / 1e6:.1f} to {most / 1e6:.1f}")
        if not least - allowed <= has <= most + allowed:
            wrong.append(f"{name} has {has / 1e6:.1f} million, the machine says {least / 1e6:.1f} to {most / 1e6:.1f}, allowed are {allowed / 1e6:.1f} more or less")
    expect(not wrong, "; ".join(wrong) + f"; notes: {shot.notes()}")
    return ", ".join(told)


def tests_of(runtime: Runtime):
    """(name, test) for a runtime that samples itself."""
    for loops in (0, BUSY_LOOPS):
        beside = f" beside {loops} busy loops" if loops else ""
        yield f"cpu time is what the kernel accounts{beside}", lambda loops=loops: cpu_time_is_what_the_kernel_accounts(runtime, loops)
        yield f"no thread has more wall time than was recorded{beside}", lambda loops=loops: no_thread_has_more_wall_time_than_was_recorded(runtime, loops)
        if runtime.language.name != "java":
            continue
        for kind in ("cpu", "alloc", "lock"):
            yield f"{kind} agrees with the machine{beside}", lambda kind=kind, loops=loops: agrees_with_the_machine(runtime, kind, loops)


def self_test() -> None:
    readings = Readings()
    for at, value in ((10, 0), (20, 5), (30, 9), (40, 20)):
        readings.add(at, at + 1, {"a": value})
    assert readings.bounds("a", 15, 35) == (4, 20), readings.bounds("a", 15, 35)
    assert readings.bounds("a", 25, 26) == (0, 4)
    with contextlib.suppress(live.Failure):
        readings.bounds("a", 5, 35)
        raise AssertionError("a reading that is missing is not missed")
