#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole host at 99 Hz, on a machine that is half busy, beside perf record -a. Prints the share of one core, with the time of our BPF
programs, and the memory in all, with that of our BPF maps."""
import argparse
import json
import os
import subprocess
import threading

import native
from measure import figures


def bpf_mb():
    """Memory of all BPF maps now."""
    text = subprocess.run(["bpftool", "-j", "map", "list"], capture_output=True, text=True).stdout
    return sum(one.get("bytes_memlock", 0) for one in json.loads(text or "[]")) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--tier", default="")
    options = parser.parse_args()
    native.need_perf()
    mine, theirs, maps = [], [], []
    for _ in range(options.runs):
        busy = [subprocess.Popen([native.workload("split_fp"), str(3 * options.seconds + 30)], stdout=subprocess.DEVNULL,
                                 env=dict(os.environ, WORKLOAD_TRUTH=os.devnull)) for _ in range(max(1, (os.cpu_count() or 2) // 2))]
        before = bpf_mb()
        peek = threading.Timer(options.seconds * 0.8, lambda: maps.append(bpf_mb() - before))
        peek.start()
        try:
            mine.append(native.ours(None, 99, options.seconds, options.tier))
            theirs.append(native.perf(None, 99, options.seconds))
        finally:
            peek.cancel()
            for process in busy:
                process.kill()
                process.wait()
    share = [spent.cpu_s / options.seconds for spent in mine]
    peer_share = [spent.cpu_s / options.seconds for spent in theirs]
    maps_mb = max(maps, default=0)
    print(figures(f"whole host at 99 Hz for {options.seconds} s, beside perf record -a -g + perf script: share of one core "
                  f"({maps_mb:.0f} MB of ours are BPF maps)", f"{native.median(share):.2%}", f"{native.median(peer_share):.2%}",
                  [p / o for o, p in zip(share, peer_share)], "< 0.5 %, < 64 MB", ours_mb=max(s.peak_mb for s in mine) + maps_mb,
                  peer_mb=max(s.peak_mb for s in theirs)))


if __name__ == "__main__":
    main()
