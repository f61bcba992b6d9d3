#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An agent at its default settings beside 50 busy processes in four languages: its CPU time once its rate has settled, its memory and that of its BPF
maps, and by how much a round of the targets' work takes more CPU time while it is there. On and off by turns; needs root, and a quiet machine for
the last figure."""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from fleet_sink import Agent, Sink, until
from measure import ROOT, WORK, figures

HERE = ROOT / "bench" / "fleet"


def commands():
    """What can run here, and how many of 50."""
    WORK.mkdir(parents=True, exist_ok=True)
    found = [(22, [sys.executable, HERE / "fleet_busy.py"])]
    subprocess.run(["g++", "-O2", "-g", "-o", WORK / "fleet_busy", HERE / "fleet_busy.cpp"], check=True)
    found.append((18, [WORK / "fleet_busy"]))
    if shutil.which("node"):
        found.append((6, ["node", HERE / "fleet_busy.js"]))
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", WORK, HERE / "FleetBusy.java"], check=True)
        found.append((4, ["java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", WORK, "FleetBusy"]))
    return found


class Targets:
    def __init__(self, folder, count):
        self.files, self.processes = [], []
        kinds = commands()
        kinds[0] = (kinds[0][0] + 50 - sum(number for number, _ in kinds), kinds[0][1])
        for number, command in kinds:
            for _ in range(max(1, number * count // 50)):
                self.files.append(folder / f"rounds{len(self.files)}")
                self.processes.append(subprocess.Popen([str(word) for word in (*command, self.files[-1])], stdout=subprocess.DEVNULL))

    def rounds(self):
        return [tuple(int(word) for word in path.read_text().split()[:2]) if path.exists() and path.stat().st_size else (0, 0) for path in self.files]

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def cost(before, after):
    """CPU nanoseconds of a round, for each target that finished some."""
    return {i: (b[1] - a[1]) / (b[0] - a[0]) for i, (a, b) in enumerate(zip(before, after)) if b[0] > a[0]}


def bpf_mb(pid):
    """Memory of the BPF maps that a process holds."""
    maps = {}
    for path in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            text = path.read_text()
        except OSError:
            continue
        if (found := re.search(r"^memlock:\s+(\d+)", text, re.M)) and (number := re.search(r"^map_id:\s+(\d+)", text, re.M)):
            maps[number.group(1)] = int(found.group(1))
    return sum(maps.values()) / 1e6


def metrics(agent):
    address = re.search(r"metrics are at (\S+)", agent.log.read_text()).group(1)
    return urllib.request.urlopen(address, timeout=10).read().decode()


def tasks(number):
    rules = {1: ["fleet_busy|FleetBusy"], 4: ["fleet_busy[.]py", "bench/fleet_busy ", "fleet_busy[.]js", "FleetBusy"]}[number]
    return [f"task: busy{i}\nservice: command~\"{rule}\"\n" for i, rule in enumerate(rules)]


def watched(folder, targets, options):
    """The agent for a while: (share of one core, peak MB resident, MB of maps, cost of the targets' rounds)."""
    sink = Sink()
    agent = Agent(folder, sink, tasks(options.tasks), "--max-cpu", options.max_cpu, "--max-memory", options.max_memory)
    try:
        if not until(60, lambda: "metrics are at" in agent.log.read_text()):
            sys.exit(agent.log.read_text())
        time.sleep(options.settle)
        cpu, began, before, peak, maps = agent.cpu_s(), time.monotonic(), targets.rounds(), 0, 0
        while time.monotonic() - began < options.seconds:
            time.sleep(1)
            memory = agent.memory()
            peak, maps = max(peak, memory["Rss"]), max(maps, bpf_mb(agent.process.pid))
        share = (agent.cpu_s() - cpu) / (time.monotonic() - began)
        rounds = cost(before, targets.rounds())
        if options.verbose:
            print(memory, f"{len(sink.messages)} windows, {sink.bytes_up / 1000:.0f} kB", file=sys.stderr)
            print("\n".join(line for line in metrics(agent).splitlines() if line.startswith(("atys_agent", "atys_task"))), file=sys.stderr)
        return share, peak, maps, rounds
    finally:
        agent.end()
        sink.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--settle", type=int, default=40, help="seconds before it is measured: windows in which its rate settles")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--tasks", type=int, default=1, choices=(1, 4))
    parser.add_argument("--max-cpu", default="1%")
    parser.add_argument("--max-memory", default="128MB")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    shares, peaks, maps, slower = [], [], [], []
    with tempfile.TemporaryDirectory(prefix="atys-bench-") as name:
        targets = Targets(pathlib.Path(name), options.count)
        try:
            time.sleep(20)
            for _ in range(options.runs):
                before = targets.rounds()
                time.sleep(options.seconds)
                alone = cost(before, targets.rounds())
                share, peak, map_mb, beside = watched(pathlib.Path(name), targets, options)
                shares.append(share)
                peaks.append(peak)
                maps.append(map_mb)
                slower.append(statistics.median(beside[i] / alone[i] for i in beside if i in alone))
        finally:
            targets.end()
    cores = os.cpu_count() or 1
    print(figures(f"agent, {options.tasks} task(s), beside {options.count} busy processes: share of one core "
                  f"({statistics.median(shares) / cores:.2%} of the host; {max(maps):.0f} MB of BPF maps besides); a target's round by",
                  f"{statistics.median(shares):.2%}", "1 without", slower, "< 1 %, < 128 MB", ours_mb=max(peaks)))


if __name__ == "__main__":
    main()
