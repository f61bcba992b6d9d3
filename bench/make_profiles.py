#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes pprof files of the size of google/pprof's large.cpu: 20,000 samples, 23,000 functions, stacks about 24 deep that share little.
Each file holds another choice of stacks from one program and numbers its functions in its own order, as windows of one service do.

usage: make_profiles.py FOLDER --files 1000 --distinct 40
"""
import argparse
import gzip
import os
import pathlib
import random

SAMPLES, FUNCTIONS, STACKS = 20_000, 23_000, 26_000


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def numbers(*pairs):
    return b"".join(varint(number << 3) + varint(value) for number, value in pairs if value)


def make_stacks(source):
    """Leaf first: a random walk below a few shared frames, half of which go through one hub function."""
    stacks = []
    for _ in range(STACKS):
        depth = min(60, 4 + int(source.expovariate(1 / 20)))
        middle = [source.randrange(10, FUNCTIONS) if i % 2 else 4 for i in range(depth)]
        stacks.append([source.randrange(3)] + middle + [7, 8])
    return stacks


def make_profile(stacks, source):
    order, chosen = {}, source.sample(range(STACKS), SAMPLES)
    strings = ["", "samples", "count", "cpu", "nanoseconds", "/srv/service/bin/server"]
    body = [field(1, numbers((1, 1), (2, 2))), field(1, numbers((1, 3), (2, 4)))]
    for stack in chosen:
        ids = b"".join(varint(order.setdefault(function, len(order) + 1)) for function in stacks[stack])
        count = 1 + int(source.expovariate(0.7))
        body.append(field(2, field(1, ids) + field(2, varint(count) + varint(count * 10_000_000))))
    body.append(field(3, numbers((1, 1), (2, 0x400000), (3, 0xC00000), (5, 5), (7, 1))))
    for function, number in order.items():
        body.append(field(4, numbers((1, number), (2, 1), (3, 0x400000 + function * 64)) + field(4, numbers((1, number), (2, function % 997 + 1)))))
        name = len(strings)
        strings.append(f"github.com/example/service/internal/pkg{function % 211}.(*Handler{function % 53}).step{function}")
        body.append(field(5, numbers((1, number), (2, name), (3, name), (4, 5), (5, function % 991 + 1))))
    body += [field(6, text.encode()) for text in strings]
    body.append(numbers((9, 1_700_000_000_000_000_000), (10, 10_000_000_000)) + field(11, numbers((1, 3), (2, 4))) + numbers((12, 10_000_000)))
    return b"".join(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--distinct", type=int, default=40)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    stacks = make_stacks(random.Random(1))
    for number in range(options.files):
        path = options.folder / f"{number:04}.pb.gz"
        if number < options.distinct:
            path.write_bytes(gzip.compress(make_profile(stacks, random.Random(number)), 6))
        else:
            os.link(options.folder / f"{number % options.distinct:04}.pb.gz", path)


if __name__ == "__main__":
    main()
