#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording waits costs a program that switches more than 100,000 times a second: its own rate with and without us. The peer's
column is the program alone. Prints one row."""
import argparse
import json
import os
import subprocess

import native
from measure import ATYS, WORK, figures


def rate(options, profiled):
    truth = WORK / "switcher.json"
    command = [native.workload("switcher"), str(options.seconds)]
    if profiled:
        command = [ATYS, "capture", "--kind", "off-cpu", "-o", WORK / "waits.pb.gz", "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, WORKLOAD_TRUTH=str(truth)))
    return json.loads(truth.read_text())["work"] / options.seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    turns = [(rate(options, True), rate(options, False)) for _ in range(options.runs)]
    mine, alone = native.median(turn[0] for turn in turns), native.median(turn[1] for turn in turns)
    print(figures("switches a second while its waits are recorded, beside the program alone", f"{mine:,.0f}", f"{alone:,.0f}",
                  [mine / alone_now for mine, alone_now in turns], "≥ 0.95"))


if __name__ == "__main__":
    main()
