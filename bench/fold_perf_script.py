#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folds 500 MB of perf script text with Atys and with inferno, turn by turn, and prints one row of a table.

usage: fold_perf_script.py [--build BUILD_DIR] [--megabytes 500] [--runs 5]

Runs $ATYS convert IN -o OUT.collapsed if ATYS is set, else BUILD_DIR/bin/atys_fold_for_tests. The peer is taken from PATH or
installed with cargo below build/peers.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"


def peer_program():
    found = shutil.which("inferno-collapse-perf", path=f"{os.environ.get('PATH', '')}:{ROOT}/build/peers/bin")
    if found:
        return found
    subprocess.run(["cargo", "install", "--quiet", "--root", str(ROOT / "build" / "peers"), "inferno"], check=True)
    return str(ROOT / "build" / "peers" / "bin" / "inferno-collapse-perf")


def our_command(build, source, target):
    if os.environ.get("ATYS"):
        return [os.environ["ATYS"], "convert", str(source), "-o", str(target)]
    return [str(build / "bin" / "atys_fold_for_tests"), str(source), str(target)]


def run(command, stdout):
    """Wall seconds and peak resident MB of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} failed with status {process.returncode}")
    return seconds, usage.ru_maxrss / 1024


def total(path):
    """Number of lines and sum of their counts."""
    lines = count = 0
    with open(path, "rb") as text:
        for line in text:
            lines += 1
            count += int(line.rsplit(b" ", 1)[1])
    return lines, count


def measure(build, source, runs):
    ours_out, peer_out = WORK / "ours.collapsed", WORK / "peer.collapsed"
    peer = [peer_program(), "--all", str(source)]
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(run(our_command(build, source, ours_out), subprocess.DEVNULL))
        with open(peer_out, "wb") as out:
            theirs.append(run(peer, out))
    if total(ours_out) != total(peer_out):
        sys.exit(f"results differ: ours {total(ours_out)}, peer {total(peer_out)}")
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench-release")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    source = WORK / f"perf-{options.megabytes}.txt"
    if not source.exists():
        subprocess.run([sys.executable, str(ROOT / "bench" / "make_perf_script.py"), str(source),
                        "--megabytes", str(options.megabytes)], check=True)
    ours, theirs = measure(options.build, source, options.runs)
    ratios = sorted(peer[0] / our[0] for our, peer in zip(ours, theirs))
    print("| fold perf script | ours s | inferno s | ratio median (min-max) | ours peak MB | inferno peak MB |")
    print("|---|---|---|---|---|---|")
    print(f"| {options.megabytes} MB | {statistics.median(o[0] for o in ours):.2f} | {statistics.median(t[0] for t in theirs):.2f} "
          f"| {statistics.median(ratios):.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f}) "
          f"| {max(o[1] for o in ours):.0f} | {max(t[1] for t in theirs):.0f} |")


if __name__ == "__main__":
    main()
