#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`summary` of a large pprof file: CPU seconds per 50 MB of decompressed input. Prints one row.

Go's pprof -top takes many minutes for a file of that size, so both are run beside each other on a smaller one of the same make:
the row's seconds, ratios and memory are of that pair.
"""
import argparse
import random
import statistics
import sys

from make_profiles import field, numbers, varint
from measure import ATYS, WORK, Run, go_pprof, interleaved, row


def make_profile(path, megabytes):
    """One profile of that size, uncompressed: many samples over many functions, with labels. All grows with the size."""
    source = random.Random(7)
    strings = ["", "samples", "count", "cpu", "nanoseconds", "thread"] + [f"thread-{i}" for i in range(64)]
    functions = 1000 * megabytes
    size = 0
    with open(path, "wb") as out:
        def put(data):
            nonlocal size
            size += out.write(data)
        put(field(1, numbers((1, 1), (2, 2))) + field(1, numbers((1, 3), (2, 4))))
        for number in range(1, functions + 1):
            name = len(strings)
            strings.append(f"service::module{number % 300}::Class{number % 7000}::method_{number}(std::string const&, int)")
            put(field(4, numbers((1, number), (3, number * 16)) + field(4, numbers((1, number), (2, number % 1000)))))
            put(field(5, numbers((1, number), (2, name), (3, name))))
        for text in strings:
            put(field(6, text.encode()))
        encoded = [varint(number) for number in range(1, functions + 1)]
        while size < megabytes << 20:
            ids = b"".join([encoded[int(functions * source.random() ** 3)] for _ in range(30)])
            label = field(3, numbers((1, 5), (2, 6 + source.randrange(64))))
            put(field(2, field(1, ids) + field(2, varint(1) + varint(10_000_000)) + label))


def profile_of(megabytes):
    path = WORK / f"large-{megabytes}.pb"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        make_profile(path, megabytes)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=100, help="of ours alone (default: %(default)s)")
    parser.add_argument("--peer-megabytes", type=int, default=4, help="of both beside each other (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    large, small = profile_of(options.megabytes), profile_of(options.peer_megabytes)
    pprof = go_pprof()
    alone = [Run([ATYS, "summary", large]).cpu * 50 / options.megabytes for _ in range(options.runs)]
    ours, peer = interleaved(options.runs, lambda: Run([ATYS, "summary", small]), lambda: Run([pprof, "-top", small]))
    print(row(f"summary of a {options.peer_megabytes} MB pprof, beside pprof -top; of {options.megabytes} MB, ours takes "
              f"{statistics.median(alone):.2f} s of CPU per 50 MB ({min(alone):.2f}–{max(alone):.2f})", ours, peer,
              "< 1 s of CPU per 50 MB"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
