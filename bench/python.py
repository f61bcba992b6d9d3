#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capturing Python beside py-spy, at the same rates, on (a) one busy thread, (b) the same beside 50 that wait, (c) numpy, (d) a server on an
event loop under load; and, where the root of a Debian with CPython 3.15 can be had (tests/runtimes), beside that one's own
profiling.sampling. All take turns on one target. Prints CPU of the profiler (ours with the time in the kernel), the target's slowdown in work
per second of its own CPU time and per second of wall time, the error of shares, impossible stacks, and start-up.

What py-spy costs the target is partly time in which the target is stopped: that is seen in wall time only. Slow-downs of less than a per cent
are seen by slowdown.py, which looks closer."""
import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import time

import interpreted
import native
from interpreted import Target, nobody, ours
from measure import PEERS, WORK, figures

import languages  # noqa: E402  interpreted says where they are
from captured import Skip  # noqa: E402

CASES = {"busy": ("one busy thread", "split.py", (), False),
         "idle": ("one busy thread and 50 that wait", "threads.py", ("50",), False),
         "numpy": ("numpy", "arrays.py", (), False),
         "server": ("a server on asyncio under load", "server.py", (), True)}
DEBIAN_PYTHON = "/usr/bin/python3"
ENOUGH_FOR_INTERVAL = 10


def plain(frame):
    """A function's name without file, line, class: our frames, py-spy's and profiling.sampling's."""
    name = re.sub(r"_\[[a-z]\]$", "", frame)
    name = re.sub(r" \(.*\)$", "", name)
    name = name.split(":")[-2] if re.fullmatch(r".*:[^:]+:\d+", name) else name
    return name.rsplit(".", 1)[-1]


def py_spy_path():
    """From PyPI, once, below build/peers."""
    path = PEERS / "py-spy" / "bin" / "py-spy"
    if not path.exists():
        subprocess.run([DEBIAN_PYTHON, "-m", "venv", str(PEERS / "py-spy")], check=True)
        subprocess.run([str(PEERS / "py-spy" / "bin" / "pip"), "install", "-q", "py-spy"], check=True)
    return str(path)


def py_spy(freq, seconds, *more):
    def profile(target):
        spent, out = native.Spent(attached_s=1e-9), WORK / f"py-spy-{os.getpid()}.raw"  # when it attaches is measured apart
        native.spend(spent, [py_spy_path(), "record", "-p", target.pid, "-r", freq, "-d", seconds, "-f", "raw", "-o", out, *more])
        stacks = interpreted.read_collapsed(out, plain)
        spent.samples = int(sum(weight for _, weight in stacks))
        return spent, interpreted.shares_of(stacks), stacks
    return profile


def cpython_own(python, freq, seconds):
    def profile(target):
        spent, out = native.Spent(attached_s=1e-9), WORK / f"own-{os.getpid()}.collapsed"
        native.spend(spent, [*python, "-m", "profiling.sampling", "attach", "-a", "--mode", "cpu", "-r", freq, "-d", seconds, "--collapsed",
                             "-o", out, target.pid])
        stacks = interpreted.read_collapsed(out, plain)
        spent.samples = int(sum(weight for _, weight in stacks))
        return spent, interpreted.shares_of(stacks), stacks
    return profile


def take_turns(target, profilers, runs):
    return [{name: target.turn(profile) for name, profile in profilers.items()} for _ in range(runs)]


def spread(values, form):
    values = sorted(values)
    return f"{statistics.median(values):{form}} ({values[0]:{form}}–{values[-1]:{form}})"


def slowdowns(turns, who, rate):
    """Beside what the target did just before and just after with nobody watching: a machine that others use is faster and slower by the minute."""
    alone = [rate(turn[""]) for turn in turns]
    around = [(a + b) / 2 for a, b in zip(alone, alone[1:] + alone[-1:])]
    return [1 - rate(turn[who]) / speed for turn, speed in zip(turns, around)]


def middle(values, form):
    """The median, and where it lies with 95 % confidence (bootstrap); of a few values the least and the greatest."""
    if len(values) < ENOUGH_FOR_INTERVAL:
        return spread(values, form)
    drawn = random.Random(1)
    medians = sorted(statistics.median(drawn.choices(values, k=len(values))) for _ in range(2000))
    return f"{statistics.median(values):{form}} (95 %: {medians[50]:{form}}–{medians[-51]:{form}})"


def compare(what, peer, turns, seconds):
    def cost(who):
        return [turn[who].spent.cpu_s / seconds for turn in turns]

    def slower(who, rate):
        return middle(slowdowns(turns, who, rate), ".2%")

    mine, theirs = cost("ours"), cost(peer)
    yield figures(f"{what}, beside {peer}: CPU of the profiler, of one core", spread(mine, ".2%"), spread(theirs, ".2%"),
                  [p / o for o, p in zip(mine, theirs)], "≥ 20", ours_mb=max(turn["ours"].spent.peak_mb for turn in turns),
                  peer_mb=max(turn[peer].spent.peak_mb for turn in turns))
    yield figures(f"{what}: of ours, in interrupts of the target", spread([turn["ours"].spent.in_target_s / seconds for turn in turns], ".2%"), "", [], "")
    for words, rate in (("its own CPU time", interpreted.Turn.per_cpu), ("wall time", interpreted.Turn.per_wall)):
        yield figures(f"{what}: target slower by, in {words}", slower("ours", rate), slower(peer, rate), [], "< 0.5 %")
    yield figures(f"{what}: error of shares, in points", spread([turn["ours"].error() for turn in turns], ".2f"),
                  spread([turn[peer].error() for turn in turns], ".2f"), [], "not worse")


def impossible(stacks, pairs):
    """Share of the stacks with a caller that cannot be."""
    allowed, known = {tuple(pair) for pair in pairs}, {name for pair in pairs for name in pair}
    bad = whole = 0
    for frames, weight in stacks:
        names = [name for name in frames if name in known]
        whole += weight
        bad += weight if names and (names[0] != "chains" or any(pair not in allowed for pair in zip(names, names[1:]))) else 0
    return bad / max(whole, 1)


def torn_row(options, python, label, peers):
    target = Target(python, "hostile.py")
    turns = take_turns(target, {"ours": ours(999, options.seconds, plain, options.tier), **peers}, options.runs)
    pairs = target.end()["pairs"]
    for peer in peers:
        cells = [spread([impossible(turn[who].stacks, pairs) for turn in turns], ".3%") for who in ("ours", peer)]
        yield figures(f"{label}, calls and returns only, 999 Hz, beside {peer}: impossible stacks", *cells, [], "< 0.1 %")


def first_samples(options, python):
    """Seconds from the start of a profiler to its first look at the target: ours opens its events, py-spy stops the target."""
    target, mine, theirs = Target(python, "split.py"), [], []
    for _ in range(options.runs):
        spent = ours(999, 1, plain, options.tier)(target)[0]
        mine.append(spent.attached_s)
        theirs.append(until_stopped(target.pid, [py_spy_path(), "record", "-p", str(target.pid), "-r", "999", "-d", "1", "-f", "raw", "-o",
                                                 str(WORK / f"py-spy-{os.getpid()}.raw")]))
    target.end()
    yield figures("Python: first sample after, in ms, beside py-spy", spread([s * 1e3 for s in mine], ".0f"),
                  spread([s * 1e3 for s in theirs], ".0f"), [p / max(o, 1e-4) for o, p in zip(mine, theirs)], "< 100")


def until_stopped(pid, command):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = 0.0
    with open(f"/proc/{pid}/status", "rb", buffering=0) as status:
        while not found and process.poll() is None:
            status.seek(0)
            if b"TracerPid:\t0\n" not in status.read(4096):
                found = time.perf_counter() - begin
    process.wait()
    return found


def newest_python():
    """A command that runs CPython 3.15 of another Debian, with our folders visible, or the reason why not."""
    runtime = next(one for one in languages.of_releases() if one.language.name == "python" and one.version == "3.15")
    top = runtime.top
    script = f"mount -t proc proc {top}/proc && mkdir -p {top}/tmp && mount --rbind /tmp {top}/tmp && " \
             f"mkdir -p {top}{interpreted.ROOT} && mount --rbind {interpreted.ROOT} {top}{interpreted.ROOT} && exec chroot {top} \"$@\""
    return ["unshare", "--mount", "bash", "-c", script, "bash", runtime.executable]


def rows_of(case, python, label, freq, options, peers):
    words, source, arguments, client = CASES[case]
    target = Target(python, source, *arguments, client=client)
    try:
        turns = take_turns(target, {"": nobody(options.seconds), "ours": ours(freq, options.seconds, plain, options.tier), **peers}, options.runs)
    finally:
        target.end()
    for peer in peers:
        yield from compare(f"{label}, {words}, {freq} Hz", peer, turns, options.seconds)


def newest_rows(options):
    """Beside the sampler that CPython 3.15 brings."""
    try:
        newest = newest_python()
    except Skip as why:
        print(f"note: no CPython 3.15: {why}", file=sys.stderr)
        return
    for freq in options.freq:
        yield from rows_of("busy", newest, "Python 3.15", freq, options, {"profiling.sampling": cpython_own(newest, freq, options.seconds)})
    yield from torn_row(options, newest, "Python 3.15", {"profiling.sampling": cpython_own(newest, 999, options.seconds)})


def all_rows(options):
    python = [options.python]
    for case in options.cases:
        for freq in options.freq if case in CASES else []:
            more = ("--native",) if case == "numpy" else ()
            name = "py-spy --native" if more else "py-spy"
            yield from rows_of(case, python, "Python", freq, options, {name: py_spy(freq, options.seconds, *more)})
        if case == "torn":
            yield from torn_row(options, python, "Python", {"py-spy": py_spy(999, options.seconds),
                                                            "py-spy --nonblocking": py_spy(999, options.seconds, "--nonblocking")})
        if case == "start":
            yield from first_samples(options, python)
        if case == "newest":
            yield from newest_rows(options)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--freq", type=int, nargs="*", default=[99, 999])
    parser.add_argument("--cases", nargs="*", default=[*CASES, "torn", "start", "newest"])
    parser.add_argument("--python", default=DEBIAN_PYTHON)
    parser.add_argument("--tier", default="")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:
        sys.exit("captures and py-spy need root")
    for row in all_rows(options):
        print(row, flush=True)


if __name__ == "__main__":
    main()
