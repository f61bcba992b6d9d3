#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much slower a Python program is while it is watched: by us, by py-spy, and by a timer that interrupts it as often and does nothing.

    bench/slowdown.py [--freq HZ…] [--runs N]

A machine that others use is faster and slower by more than a profiler costs, from one second to the next. So the target times its own work in
units of some 60 µs and compares each with those around it: what an interrupt adds stands out against its neighbours, whatever the machine does.
What is told is by how much units are longer on average than the middle one of the fifty around them, less the same with nobody watching just
before and just after. Turns in which the machine's own speed changed by more than a twentieth are left out, and counted. py-spy stops the
target for so long that most units hold a stop: there it is the mean length beside that with nobody watching."""
import argparse
import array
import json
import os
import random
import statistics
import subprocess
import sys
import time

from measure import ATYS, ROOT, WORK, figures
from python import DEBIAN_PYTHON, middle, py_spy_path

AROUND = 50            # units
LONGEST_NS = 3_000_000  # longer ones are other programs' turns on this CPU
SAME_SPEED = 1.05
SETTLED_S, WATCHED_S, ALONE_S = 1.0, 2.0, 1.2


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def area(self):
        return self.x * self.y


def work(table, keys):
    total = 0.0
    for key in keys:
        total += Point(table[key], key).area()
    return total


def timed_units(seconds, table, keys, clock=time.perf_counter_ns):
    lengths, at, begin = array.array("q"), 0, clock()
    end = begin + int(seconds * 1e9)
    while begin < end:
        work(table, keys[at:at + 400])
        at = (at + 400) % (len(keys) - 400)
        now = clock()
        lengths.append(now - begin)
        begin = now
    return lengths


def excess(lengths):
    """By which part units are longer than the middle one of those around them; and how long the middle one and the mean are, in µs."""
    more = whole = 0
    for first in range(0, len(lengths) - AROUND, AROUND):
        around = sorted(lengths[first:first + AROUND])
        normal = around[AROUND // 2]
        counted = [length for length in around if length < LONGEST_NS]
        more += sum(counted) - normal * len(counted)
        whole += normal * len(counted)
    return {"excess": more / whole, "unit_us": statistics.median(lengths) / 1e3, "mean_us": statistics.mean(lengths) / 1e3}


def be_target():
    """Works on and on; a line with a number of seconds is answered with what the units of that time were."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    drawn = random.Random(1)
    table = {number: drawn.random() for number in range(20000)}
    keys = [drawn.randrange(20000) for _ in range(20000)]
    for line in sys.stdin:
        print(json.dumps(excess(timed_units(float(line), table, keys))), flush=True)


class Target:
    def __init__(self):
        self.process = subprocess.Popen([DEBIAN_PYTHON, __file__, "--target"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = str(self.process.pid)

    def units(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def watchers(freq):
    seconds = str(int(SETTLED_S + WATCHED_S + 1))
    out = str(WORK / f"slowdown-{os.getpid()}")
    return {"ours": lambda pid: [ATYS, "capture", "--pid", pid, "--freq", freq, "--duration", f"{seconds}s", "--max-overhead", "100%", "-o", f"{out}.pb.gz"],
            "the timer alone": lambda _: [DEBIAN_PYTHON, str(ROOT / "bench" / "bare_timer.py"), freq, seconds],
            "py-spy": lambda pid: [py_spy_path(), "record", "-p", pid, "-r", freq, "-d", seconds, "-f", "raw", "-o", f"{out}.raw"]}


def one_turn(target, command, is_long_stop):
    """The slow-down; nothing where the machine changed meanwhile."""
    before = target.units(ALONE_S)
    watcher = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    target.units(SETTLED_S)
    during = target.units(WATCHED_S)
    if watcher.wait() != 0:
        sys.exit(f"{command[0]} failed")
    after = target.units(ALONE_S)
    speeds = [turn["unit_us"] for turn in ([before, after] if is_long_stop else [before, during, after])]
    if max(speeds) > SAME_SPEED * min(speeds):
        return None
    if is_long_stop:
        return during["mean_us"] / ((before["mean_us"] + after["mean_us"]) / 2) - 1
    return during["excess"] - (before["excess"] + after["excess"]) / 2


def rows(freq, runs):
    target, found, left_out = Target(), {}, 0
    for _ in range(runs):
        for name, command in watchers(str(freq)).items():
            slower = one_turn(target, command(target.pid), name == "py-spy")
            left_out += slower is None
            found.setdefault(name, []).extend([] if slower is None else [slower])
    target.end()
    for path in WORK.glob(f"slowdown-{os.getpid()}.*"):
        path.unlink()
    for peer in ("the timer alone", "py-spy"):
        cells = [middle(found[who], ".2%") if found[who] else "" for who in ("ours", peer)]
        numbers = f"{len(found['ours'])} and {len(found[peer])} turns"
        yield figures(f"Python, {freq} Hz, beside {peer}: target slower by, {numbers}", *cells, [], "< 0.5 %")
    print(f"note: {left_out} of {3 * runs} turns left out: the machine's own speed changed", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--freq", type=int, nargs="*", default=[99, 999])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--target", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.target:
        return be_target()
    if os.geteuid() != 0:
        sys.exit("captures and py-spy need root")
    WORK.mkdir(parents=True, exist_ok=True)
    for freq in options.freq:
        for row in rows(freq, options.runs):
            print(row, flush=True)


if __name__ == "__main__":
    main()
