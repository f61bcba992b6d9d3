#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a capture costs where nothing is permitted: in a container's filter, as an ordinary user (tests/support/jail.py --user).

    bench/without_rights.py [--runs N] [--freq HZ…] [--cases c python threads start]

A C program, a Python program and one of 50 busy threads do a fixed amount of work: with nobody watching, in tiers `signal` and `stop`,
under gperftools (LD_PRELOAD, Debian's google-perftools), under py-spy (PyPI, with and without --native), and, outside of the jail, in tier
`ebpf`. All take turns, in random order, between two runs with nobody watching. Printed are medians with their 95 % interval:

    slower, in CPU time   by how much the target's units of some 200 µs are longer than the middle one of those around them, by the clock of
                          the thread, less the same with nobody watching: the machine's own speed does not matter
    whole run, CPU, wall  the same work beside the runs before and after: what a machine that others use leaves uncertain is in the interval
    profiler              its CPU time, beginning and names included, as a share of a core; `sampling`: of ours, while it went on
    samples               really had, a second of the target's CPU time
    whole                 of the samples, those whose stack reaches the program's outermost function (gperftools: not told)

`start`: from the start of `atys` to the first instruction of main of its command, and `atys capture -- true` beside `true`.
Needs root: the jail is entered from there."""
import argparse
import json
import os
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import time

from measure import ATYS, ROOT, WORK
from python import DEBIAN_PYTHON, middle, py_spy_path

sys.path.insert(0, str(ROOT / "tests" / "support"))
from jail import jailed, why_not  # noqa: E402

SOURCES = ROOT / "bench" / "without_rights"
BUSY = WORK / "busy"
# What is run, in units of some 200 µs; the outermost function of ours.
CASES = {"c": ([str(BUSY), "4000", "1"], "main"),
         "python": ([DEBIAN_PYTHON, str(SOURCES / "busy.py"), "4000"], "<module>"),
         "threads": ([str(BUSY), "150", "50"], "run_part")}
HEAD = ("| target | rate | watched by | slower, in CPU time | whole run, CPU | wall | profiler, of a core | sampling | samples a second | whole |\n"
        "|---|---|---|---|---|---|---|---|---|---|")


def serve():
    """Runs a command for each line: {"command", "environment"}; answers what it took, its children included, and what it said."""
    print(json.dumps({"home": os.environ.get("HOME", "/tmp")}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        started = time.monotonic_ns()
        process = subprocess.Popen(asked["command"], env={**os.environ, **asked["environment"]}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        print(json.dumps({"started_ns": started, "wall_s": (time.monotonic_ns() - started) / 1e9, "cpu_s": usage.ru_utime + usage.ru_stime,
                          "status": process.returncode, "said": said, "errors": errors[-500:]}), flush=True)


class Place:
    """Somewhere to run commands: in the jail or outside of it."""

    def __init__(self, is_jail):
        me = [DEBIAN_PYTHON, os.path.abspath(__file__), "--serve"]
        self.process = subprocess.Popen(jailed(me, "--user") if is_jail else me, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        home = json.loads(self.process.stdout.readline())["home"]
        self.home = pathlib.Path(home) if is_jail else WORK

    def run(self, command, **environment):
        print(json.dumps({"command": [str(word) for word in command], "environment": environment}), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if answer["status"] != 0:
            sys.exit(f"{' '.join(map(str, command))} ended with {answer['status']}: {answer['errors']}")
        objects = [json.loads(line) for line in answer["said"].splitlines() if line.startswith("{")]
        answer["target"] = next((one for one in objects if "excess" in one), None)
        answer["ours"] = next((one for one in objects if "budget" in one), None)
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def share_of_stacks(text, name):
    """Number of samples in collapsed stacks, and the share of them that `name` is in."""
    whole = found = 0.0
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        if stack:
            whole += float(weight)
            found += float(weight) if any(re.match(rf"{re.escape(name)}(?![\w$])", frame) for frame in stack.split(";")) else 0
    return whole, found / whole if whole else 0.0


class Bare:
    name, cases, is_jailed = "nobody", tuple(CASES), True

    def command(self, command, freq, out):
        return command, {}

    def seen(self, answer, command, outermost, out):
        """Samples, the share that is whole, and CPU seconds of sampling alone where they are known."""
        return 0, None, None


class Ours(Bare):
    def __init__(self, name, is_jailed=True, *options):
        self.name, self.is_jailed, self.options = name, is_jailed, options

    def command(self, command, freq, out):
        return [ATYS, "capture", "--json", "--freq", freq, "--max-overhead", "100%", *self.options, "-o", f"{out}.pb.gz", "--", *command], {}

    def seen(self, answer, command, outermost, out):
        subprocess.run([ATYS, "convert", f"{out}.pb.gz", "-o", f"{out}.collapsed"], check=True, capture_output=True)
        _, whole = share_of_stacks(pathlib.Path(f"{out}.collapsed").read_text(errors="replace"), outermost)
        said = answer["ours"]
        if self.name.split()[-1] != said["tier"]:
            sys.exit(f"tier {said['tier']} was taken for {self.name}")
        used = said["budget"]["used"]
        return said["samples"], whole, used["own_cpu_ns"] / 1e9


class PySpy(Bare):
    cases = ("python",)

    def __init__(self, *options):
        self.name, self.options = " ".join(("py-spy", *options)), options

    def command(self, command, freq, out):
        return [py_spy_path(), "record", "-r", freq, "-f", "raw", *self.options, "-o", f"{out}.raw", "--", *command], {}

    def seen(self, answer, command, outermost, out):
        return *share_of_stacks(pathlib.Path(f"{out}.raw").read_text(errors="replace"), outermost), None


def profiler_library():
    return next((str(path) for path in pathlib.Path("/usr/lib").glob("*/libprofiler.so.0")), "")


class Gperftools(Bare):
    name = "gperftools"

    def command(self, command, freq, out):
        return command, {"LD_PRELOAD": profiler_library(), "CPUPROFILE": f"{out}.prof", "CPUPROFILE_FREQUENCY": str(freq)}

    def seen(self, answer, command, outermost, out):
        return count_gperftools(pathlib.Path(f"{out}.prof").read_bytes()), None, None


def count_gperftools(data):
    """Words of eight bytes: a header with its own length, then (count, depth, addresses…) until (0, 1, 0)."""
    def word(at):
        return struct.unpack_from("=Q", data, at * 8)[0]

    at, samples = 2 + word(1), 0
    while word(at) != 0:
        samples += word(at)
        at += 2 + word(at + 1)
    return samples


WATCHERS = [Ours("signal"), Ours("stop", True, "--tier", "stop"), Ours("outside of the jail: ebpf", False, "--tier", "ebpf"), Gperftools(),
            PySpy(), PySpy("--native")]


class Measured:
    def __init__(self, answer, seen):
        self.target = answer["target"]
        self.samples, self.whole, self.sampling_s = seen
        self.wall_s = answer["wall_s"]
        self.profiler_s = max(0.0, answer["cpu_s"] - self.target["all_cpu_ns"] / 1e9)
        self.samples /= self.target["all_cpu_ns"] / 1e9


def measured(places, watcher, case, freq):
    command, outermost = CASES[case]
    place = places[watcher.is_jailed]
    out = place.home / f"watched-{os.getpid()}"
    words, environment = watcher.command(command, freq, out)
    answer = place.run(words, **environment)
    found = Measured(answer, watcher.seen(answer, command, outermost, out))
    for path in place.home.glob(f"{out.name}*"):
        path.unlink()
    return found


def rounds_of(places, case, freq, rounds):
    """By watcher: pairs of what was measured and the runs with nobody watching before and after it, in the same place."""
    watchers = [watcher for watcher in WATCHERS if case in watcher.cases]
    found = {watcher.name: [] for watcher in watchers}
    for _ in range(rounds):
        before = measured(places, Bare(), case, freq)
        for watcher in random.sample(watchers, len(watchers)):
            during = measured(places, watcher, case, freq)
            after = measured(places, Bare(), case, freq)
            found[watcher.name].append((during, before, after))
            before = after
    return found


def row(case, freq, name, turns):
    def slower(value):
        return middle([2 * value(during) / (value(before) + value(after)) - 1 for during, before, after in turns], ".1%")

    units = [during.target["excess"] - (before.target["excess"] + after.target["excess"]) / 2 for during, before, after in turns]
    sampling = [during.sampling_s / during.wall_s for during, *_ in turns if during.sampling_s is not None]
    whole = [during.whole for during, *_ in turns if during.whole is not None]
    cost = [during.profiler_s / during.wall_s for during, *_ in turns]
    return (f"| {case} | {freq} | {name} | {middle(units, '.2%')} | {slower(lambda one: one.target['cpu_ns'])} "
            f"| {slower(lambda one: one.target['wall_ns'])} | {statistics.median(cost):.1%} | {f'{statistics.median(sampling):.2%}' if sampling else ''} "
            f"| {statistics.median(during.samples for during, *_ in turns):.0f} | {f'{statistics.median(whole):.1%}' if whole else ''} |")


def start_rows(place, rounds):
    first, whole, alone = [], [], []
    for _ in range(rounds):
        out = place.home / f"start-{os.getpid()}.pb.gz"
        begun = place.run([ATYS, "capture", "--json", "-o", out, "--", BUSY, 1, 1])
        first.append((begun["target"]["began_ns"] - begun["started_ns"]) / 1e6)
        whole.append(place.run([ATYS, "capture", "-o", out, "--", "true"])["wall_s"] * 1e3)
        alone.append(place.run(["true"])["wall_s"] * 1e3)
        out.unlink(missing_ok=True)
    yield "| start, in the jail | ms |\n|---|---|"
    yield f"| from the start of atys to the command's main | {middle(first, '.0f')} |"
    yield f"| atys capture -- true | {middle(whole, '.0f')} |"
    yield f"| true | {middle(alone, '.1f')} |"


def prepare():
    if os.geteuid() != 0:
        sys.exit("the jail is entered as root")
    if reason := why_not("--user"):
        sys.exit(f"no jail: {reason}")
    if not profiler_library():
        sys.exit("gperftools is not installed: apt-get install google-perftools")
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", BUSY, SOURCES / "busy.c"], check=True)
    py_spy_path()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--freq", type=int, nargs="*", default=[99, 999])
    parser.add_argument("--cases", nargs="*", default=["start", *CASES])
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve()
    prepare()
    places = {True: Place(True), False: Place(False)}
    if "start" in options.cases:
        print("\n".join(start_rows(places[True], options.runs)) + f"\n\n{HEAD}", flush=True)
    for case in [case for case in options.cases if case in CASES]:
        for freq in options.freq:
            for name, turns in rounds_of(places, case, freq, options.runs).items():
                print(row(case, freq, name, turns), flush=True)
    for place in places.values():
        place.end()


if __name__ == "__main__":
    main()
