#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Error of shares against what the target measured of itself, beside perf record at the same rate. Prints the mean absolute error over
all functions and runs; the ratio is that of the means, so above one is better than perf."""
import argparse

import native
from measure import figures


def error(spent, truth):
    shares = {name: ns / truth["total_ns"] for name, ns in truth["ns"].items()}
    return sum(abs(spent.shares.get(name, 0) - share) for name, share in shares.items()) / len(shares)


def one_error(options, profile):
    target = native.Target(options.workload)
    spent = profile(target)
    return error(spent, target.truth())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--freq", type=int, default=999)
    parser.add_argument("--workload", default="split_fp")
    parser.add_argument("--tier", default="")
    options = parser.parse_args()
    native.need_perf()
    mine, theirs = [], []
    for _ in range(options.runs):
        mine.append(one_error(options, lambda target: native.ours(target, options.freq, options.seconds, options.tier)))
        theirs.append(one_error(options, lambda target: native.perf(target, options.freq, options.seconds)))
    means = sum(mine) / len(mine), sum(theirs) / len(theirs)
    print(figures(f"error of shares, {options.runs} runs of {options.seconds} s at {options.freq} Hz, beside perf record: mean, in points "
                  f"(worst run {max(mine) * 100:.2f} and {max(theirs) * 100:.2f})", f"{means[0] * 100:.2f}", f"{means[1] * 100:.2f}",
                  [means[1] / means[0]], "not worse than sampling noise"))


if __name__ == "__main__":
    main()
