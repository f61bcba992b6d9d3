#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folding a large perf script text beside inferno. Prints one row."""
import argparse
import subprocess
import sys

from measure import ATYS, ROOT, WORK, Run, interleaved, row, rust_program


def total(path):
    """Number of lines and sum of their counts."""
    lines = count = 0
    with open(path, "rb") as text:
        for line in text:
            lines += 1
            count += int(line.rsplit(b" ", 1)[1])
    return lines, count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    source = WORK / f"perf-{options.megabytes}.txt"
    if not source.exists():
        subprocess.run([sys.executable, ROOT / "bench" / "make_perf_script.py", source, "--megabytes", str(options.megabytes)], check=True)
    ours_out, peer_out = WORK / "ours.collapsed", WORK / "peer.collapsed"
    inferno = rust_program("inferno-collapse-perf", "inferno")

    def run_peer():
        with open(peer_out, "wb") as out:
            return Run([inferno, "--all", source], stdout=out)

    ours, peer = interleaved(options.runs, lambda: Run([ATYS, "convert", source, "-o", ours_out]), run_peer)
    if total(ours_out) != total(peer_out):
        sys.exit(f"results differ: ours {total(ours_out)}, peer {total(peer_out)}")
    print(row(f"fold {options.megabytes} MB of perf script, beside inferno-collapse-perf", ours, peer, "≥ 2"))


if __name__ == "__main__":
    main()
