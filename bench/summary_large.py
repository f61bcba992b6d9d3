#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`summary` of a pprof file of 100 MB: CPU seconds per 50 MB of decompressed input, beside Go's pprof -top. Prints one row."""
import argparse
import random
import statistics
import sys

from make_profiles import field, numbers, varint
from measure import ATYS, WORK, Run, go_program, interleaved, row


def make_profile(path, megabytes):
    """One profile of that size, uncompressed: many samples over many functions, with labels."""
    source = random.Random(7)
    strings = ["", "samples", "count", "cpu", "nanoseconds", "thread"] + [f"thread-{i}" for i in range(64)]
    functions = 100_000
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
        while size < megabytes << 20:
            ids = b"".join(varint(int(functions * source.random() ** 3) + 1) for _ in range(30))
            label = field(3, numbers((1, 5), (2, 6 + source.randrange(64))))
            put(field(2, field(1, ids) + field(2, varint(1) + varint(10_000_000)) + label))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=1)  # the peer takes minutes
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"large-{options.megabytes}.pb"
    if not path.exists():
        make_profile(path, options.megabytes)
    pprof = go_program("pprof", "github.com/google/pprof")
    ours, peer = interleaved(options.runs, lambda: Run([ATYS, "summary", path]), lambda: Run([pprof, "-top", path]))
    per_50 = statistics.median(run.cpu for run in ours) * 50 / options.megabytes
    print(row(f"summary of a {options.megabytes} MB pprof, beside pprof -top; ours takes {per_50:.2f} s of CPU per 50 MB", ours, peer,
              "< 1 s of CPU per 50 MB"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
