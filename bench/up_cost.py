#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What `atys up` costs from its first moment on, by accounts that are not its own: CPU time of its process as /proc/PID/stat has it, and the run time of
its programs in the kernel as `bpftool prog` has it. Beside a machine that does nothing, a busy Python, the example services (Python, C++, JavaScript and
Java), and 40 processes. In pid namespaces of their own, so that `up` sees nothing else; needs root and bpftool.

A line for each window: per cent of one core, of the machine, and of the CPU time that the targets used in it. The first window is told with what starting
costs, and without: CPU time until it looks around for the first time.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from measure import ATYS, ROOT, WORK

HERE = ROOT / "bench" / "fleet"
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
TICK = os.sysconf("SC_CLK_TCK")
STARTED_S = 1.0  # by then everything is in place and nothing has been looked at


def children(pid: int) -> list[int]:
    found = [int(child) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]
    return found + [below for child in found for below in children(child)]


def cpu_s(pid: int) -> float:
    """User and system time of a process, of threads that ended too."""
    try:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(words[11]) + int(words[12])) / TICK


def programs_s(pid: int) -> float:
    """Run time of the programs in the kernel that a process holds."""
    ids = set()
    for path in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            if found := re.search(r"^prog_id:\s+(\d+)", path.read_text(), re.M):
                ids.add(int(found.group(1)))
        except OSError:
            continue
    shown = json.loads(subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True, text=True).stdout or "[]")
    return sum(program.get("run_time_ns", 0) for program in shown if program["id"] in ids) / 1e9


def targets(name: str) -> list[list[str]]:
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run(["g++", "-O2", "-g", "-o", WORK / "fleet_busy", HERE / "fleet_busy.cpp"], check=True)
    python = [[sys.executable, str(HERE / "fleet_busy.py"), "/dev/null"]]
    if name == "idle":
        return []
    if name == "python":
        return python
    if name == "mix":
        return [[sys.executable, str(ROOT / "examples" / "start")]]
    many = python * 16 + [[str(WORK / "fleet_busy"), "/dev/null"]] * 12
    if shutil.which("node"):
        many += [["node", str(HERE / "fleet_busy.js"), "/dev/null"]] * 8
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", WORK, HERE / "FleetBusy.java"], check=True)
        many += [["java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", str(WORK), "FleetBusy", "/dev/null"]] * 4
    return many


def inside(options) -> int:
    """In a pid namespace of its own: the targets, then `up`, and what both use."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen(command, **quiet) for command in targets(options.inside)]
    time.sleep(options.settle if running else 1)
    with tempfile.TemporaryDirectory(prefix="atys-bench-") as folder:
        log = open(pathlib.Path(folder, "log"), "w+")
        up = subprocess.Popen([ATYS, "up", "--listen", "127.0.0.1:0", "--data", folder + "/up", "--no-examples"], stdout=log, stderr=log)
        began = time.monotonic()
        spent, used, starting = 0.0, 0.0, None
        worked = sum(cpu_s(pid) for one in running for pid in [one.pid, *children(one.pid)])
        try:
            for number in range(1, options.windows + 1):
                while (left := began + 10 * number - time.monotonic()) > 0:
                    if starting is None and time.monotonic() - began >= STARTED_S:
                        starting = cpu_s(up.pid)
                    time.sleep(min(left, 0.1))
                own, kernel = cpu_s(up.pid), programs_s(up.pid)
                now = sum(cpu_s(pid) for one in running for pid in [one.pid, *children(one.pid)])
                share = (own + kernel - spent) / 10
                of_targets = f"{(own + kernel - spent) / (now - worked):7.2%}" if now - worked > 0.05 else "      -"
                note = f"  {starting:.2f} s of it to start, {(own + kernel - starting) / 10:.2%} without" if number == 1 else ""
                print(f"| {options.inside} | {10 * (number - 1)}-{10 * number} s | {share:.2%} | {share / os.cpu_count():.2%} | {of_targets} | {kernel - used:.3f} s |{note}", flush=True)
                spent, worked, used = own + kernel, now, kernel
        finally:
            up.send_signal(signal.SIGINT)
            up.wait()
            if options.verbose:
                log.seek(0)
                print(re.sub(r"token=\S+", "token=…", log.read()), file=sys.stderr)
    for one in running:
        one.terminate()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="idle|python|mix|many", help="default: all")
    parser.add_argument("--windows", type=int, default=6, help="of ten seconds")
    parser.add_argument("--settle", type=int, default=8, help="seconds that targets run before")
    parser.add_argument("--verbose", action="store_true", help="what it printed, too")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options)
    counted = pathlib.Path("/proc/sys/kernel/bpf_stats_enabled")
    before = counted.read_text()
    counted.write_text("1")
    print("| beside | when | of one core | of the machine | of the targets' CPU time | in the kernel |\n|---|---|---|---|---|---|", flush=True)
    try:
        for what in (options.what or ["idle", "python", "mix", "many"]) * options.runs:
            subprocess.run([*ALONE, sys.executable, __file__, "--inside", what, "--windows", str(options.windows), "--settle", str(options.settle),
                            *(["--verbose"] if options.verbose else [])], check=True)
    finally:
        counted.write_text(before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
