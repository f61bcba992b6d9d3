#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording waits costs a program that switches all the time: its own rate with and without us. Once for one that computes between
its switches, of which it does about 100,000 a second, and once for one that does nothing else. The peer's column is the program
alone. Prints two rows."""
import argparse
import json
import os
import subprocess

import native
from measure import ATYS, WORK, figures


def rate(options, profiled, turns):
    truth = WORK / "switcher.json"
    command = [native.workload("switcher"), str(options.seconds), str(turns)]
    if profiled:
        command = [ATYS, "capture", "--kind", "off-cpu", "-o", WORK / "waits.pb.gz", "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, WORKLOAD_TRUTH=str(truth)))
    return json.loads(truth.read_text())["work"] / options.seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--turns", type=int, default=5500, help="of a loop between two switches")
    options = parser.parse_args()
    for turns, what, aim in ((options.turns, "a program that computes and switches", "≥ 0.95"), (0, "one that only switches", "")):
        pairs = [(rate(options, True, turns), rate(options, False, turns)) for _ in range(options.runs)]
        mine, alone = native.median(pair[0] for pair in pairs), native.median(pair[1] for pair in pairs)
        print(figures(f"switches a second of {what}, while its waits are recorded, beside it alone", f"{mine:,.0f}", f"{alone:,.0f}",
                      [with_us / without for with_us, without in pairs], aim))


if __name__ == "__main__":
    main()
