#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capturing Java beside async-profiler run by hand with the same options: loaded by jcmd, started, stopped, dumped. Both take turns on JVMs
that run tests/workloads/Split.java. Prints the CPU time outside of the JVM, the JVM's work per second of its CPU time, and shares with the
standard errors of as many samples: what differs by less than two of them need not differ at all."""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

import interpreted
import native
from interpreted import NAMES
from measure import WORK, figures

import languages  # noqa: E402  interpreted says where it is


def agent_path():
    """What atys would find: ATYS_ASYNC_PROFILER, an installed library, or the jar that Maven fetched."""
    chosen = os.environ.get("ATYS_ASYNC_PROFILER", "")
    installed = [chosen, *map(str, pathlib.Path("/usr/lib").glob("**/libasyncProfiler.so")), "/usr/local/lib/libasyncProfiler.so"]
    found = next((path for path in installed if path and os.path.isfile(path) and path.endswith(".so")), "")
    jars = sorted(pathlib.Path.home().glob(".m2/repository/tools/profiler/async-profiler/*/*.jar"))
    if found or not jars:
        return found
    machine = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
    out = WORK / "libasyncProfiler.so"
    with zipfile.ZipFile(jars[-1]) as jar:
        out.write_bytes(jar.read(next(name for name in jar.namelist() if name.endswith(f"linux-{machine}/libasyncProfiler.so"))))
    return str(out)


STEADY_S = 2.0  # for what is still compiled when the loops have been
PATIENCE_S = 120  # with a JVM that starts or ends


class Machine:
    """A JVM that runs the split until it is asked for the truth."""

    def __init__(self, java):
        self.folder = tempfile.TemporaryDirectory(prefix="atys-bench-")
        top = pathlib.Path(self.folder.name)
        self.truth_path = top / "truth.json"
        environment = dict(os.environ, WORKLOAD_TRUTH=str(self.truth_path), WORKLOAD_READY=str(top / "ready"))
        self.process = subprocess.Popen([java, "-cp", str(languages.classes("Split.java")), "Split", "600"], env=environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=native.die_with_us)
        self.pid = self.process.pid
        end = time.monotonic() + PATIENCE_S
        while not (top / "ready").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise native.Failed(f"{java} does not run Split.java")
            time.sleep(0.02)
        time.sleep(STEADY_S)
        self.begin = self.cpu_ns()

    def cpu_ns(self):
        return time.clock_gettime_ns((~self.pid << 3) | 2)

    def end(self):
        """(work per second of CPU time, true shares)."""
        cpu_s = (self.cpu_ns() - self.begin) / 1e9
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        units = {name.rsplit(".", 1)[-1]: value for name, value in json.loads(self.truth_path.read_text())["units"].items()}
        self.folder.cleanup()
        whole = sum(units.values())
        return whole / cpu_s, {name: units[name] / whole for name in NAMES}


def plain(frame):
    """A method's name without class, arguments and marks of how it was compiled."""
    return re.sub(r"_\[\w\]$", "", frame.split("(")[0]).replace("/", ".").rsplit(".", 1)[-1]


def by_hand(agent, freq, seconds):
    def profile(target):
        spent, out = native.Spent(attached_s=1e-9), pathlib.Path("/tmp") / f"atys-bench-{target.pid}.collapsed"
        options = f"event=cpu,interval={int(1e9 / freq)},cstack=vm"
        begin = time.perf_counter()
        native.spend(spent, ["jcmd", target.pid, "JVMTI.agent_load", agent, f'"start,{options}"'])
        spent.attached_s = time.perf_counter() - begin
        time.sleep(seconds)
        native.spend(spent, ["jcmd", target.pid, "JVMTI.agent_load", agent, f'"stop,collapsed,file={out}"'])
        stacks = interpreted.read_collapsed(out, plain)
        out.unlink()
        spent.samples = int(sum(weight for _, weight in stacks))
        return spent, interpreted.shares_of(stacks), stacks
    return profile


def relative_error(shares, true):
    whole = sum(shares.get(name, 0) for name in NAMES) or 1
    return max(abs(shares.get(name, 0) / whole - true[name]) for name in NAMES) * 100


def pooled(turns, who, name):
    """(share of all samples of all turns, how many they were). The split is the same in every JVM."""
    samples = sum(one[who]["spent"].samples for one in turns)
    seen = sum(one[who]["shares"].get(name, 0) * one[who]["spent"].samples for one in turns)
    return seen / max(samples, 1), max(samples, 1)


def difference(turns, name):
    """(ours less theirs, its standard error), in points. Pieces of work take far less than a period: samples are independent."""
    (mine, my_samples), (theirs, their_samples) = (pooled(turns, who, name) for who in ("ours", "by hand"))
    both = (mine * my_samples + theirs * their_samples) / (my_samples + their_samples)
    return (mine - theirs) * 100, (both * (1 - both) * (1 / my_samples + 1 / their_samples)) ** 0.5 * 100


def shares_text(turns, who):
    cells = []
    for name in NAMES:
        share, samples = pooled(turns, who, name)
        cells.append(f"{name} {share * 100:.2f} ± {(share * (1 - share) / samples) ** 0.5 * 100:.2f}")
    return ", ".join(cells)


def turn(java, profile):
    machine = Machine(java)
    try:
        spent, shares, _ = profile(machine)
        rate, true = machine.end()
    finally:
        machine.process.kill()  # nothing, if it has ended
    return {"spent": spent, "rate": rate, "error": relative_error(shares, true), "shares": shares}


def rows(options, freq, agent):
    turns = []
    profilers = {"": interpreted.nobody(options.seconds), "ours": interpreted.ours(freq, options.seconds, plain),
                 "by hand": by_hand(agent, freq, options.seconds)}
    for _ in range(options.runs):
        turns.append({name: turn(options.java, profile) for name, profile in profilers.items()})

    def each(who, value):
        return [value(one[who]) for one in turns]

    what = f"Java at {freq} Hz, beside async-profiler by hand"
    mine, theirs = each("ours", lambda t: t["spent"].cpu_s), each("by hand", lambda t: t["spent"].cpu_s)
    yield figures(f"{what}: CPU outside of the JVM, for {options.seconds} s", spread(mine, ".2f", " s"), spread(theirs, ".2f", " s"),
                  [p / o for o, p in zip(mine, theirs)], "", ours_mb=max(each("ours", lambda t: t["spent"].peak_mb)),
                  peer_mb=max(each("by hand", lambda t: t["spent"].peak_mb)))
    slower = {who: [1 - one[who]["rate"] / one[""]["rate"] for one in turns] for who in ("ours", "by hand")}
    yield figures(f"{what}: JVM slower by, in its own CPU time", spread(slower["ours"], ".2%"), spread(slower["by hand"], ".2%"), [], "")
    yield figures(f"{what}: largest error of a share, in points", spread(each("ours", lambda t: t["error"]), ".2f"),
                  spread(each("by hand", lambda t: t["error"]), ".2f"), [], "±1 of each other")
    yield figures(f"{what}: shares in points with standard errors, of {pooled(turns, 'ours', NAMES[0])[1]} and "
                  f"{pooled(turns, 'by hand', NAMES[0])[1]} samples", shares_text(turns, "ours"), shares_text(turns, "by hand"), [], "")
    name, (apart, error) = max(((name, difference(turns, name)) for name in NAMES), key=lambda pair: abs(pair[1][0]))
    yield figures(f"{what}: largest difference of a share between both, in points, with its standard error",
                  f"{name}: {apart:+.2f} ± {error:.2f}", "", [], "≤ 1, as far as the error lets tell")
    outside = {who: [1 - sum(one[who]["shares"].get(name, 0) for name in NAMES) for one in turns] for who in ("ours", "by hand")}
    yield figures(f"{what}: samples outside of the three methods (compiler, collector, agent)", spread(outside["ours"], ".2%"),
                  spread(outside["by hand"], ".2%"), [], "")
    yield figures(f"{what}: ours samples natively after, the agent is started after", spread(each("ours", lambda t: t["spent"].attached_s * 1e3), ".0f", " ms"),
                  spread(each("by hand", lambda t: t["spent"].attached_s * 1e3), ".0f", " ms"), [], "< 500 ms")


def spread(values, form, unit=""):
    values = sorted(values)
    return f"{statistics.median(values):{form}}{unit} ({values[0]:{form}}–{values[-1]:{form}})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--freq", type=int, nargs="*", default=[99, 999])
    parser.add_argument("--java", default=shutil.which("java") or "java")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    agent = agent_path()
    if not agent or not shutil.which("jcmd"):
        print("note: no async-profiler or no jcmd (a JDK) here: mvn dependency:get -Dartifact=tools.profiler:async-profiler:4.5", file=sys.stderr)
        return
    for freq in options.freq:
        for row in rows(options, freq, agent):
            print(row, flush=True)


if __name__ == "__main__":
    main()
