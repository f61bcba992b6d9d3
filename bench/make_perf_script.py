#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes text as `perf script` prints it, of any size: about 20,000 functions, 100,000 distinct stacks, a few of them hot.

usage: make_perf_script.py FILE [--megabytes 500] [--seed 1]
"""
import argparse
import random
import zlib

FUNCTIONS = 20_000
PREFIXES = 5_000  # outer halves of stacks
TAILS_PER_PREFIX = 40  # inner halves that end in one of several leaves
THREADS = [("nginx", 4101), ("java", 5202), ("db writer", 6303), ("worker/u8:2", 77)]
WORDS = ("parse open read write flush merge index cache table queue socket frame stream codec token page block "
         "commit lock wait poll route header buffer cursor node leaf split score rank").split()


class Function:
    def __init__(self, number, rng):
        first, second, third = (rng.choice(WORDS) for _ in range(3))
        kind = rng.random()
        self.base = 0x400000 + number * 0x400
        if kind < 0.25:
            self.base += 0xFFFFFFFF81000000
            self.name, self.module = f"__{first}_{second}_{number}", "[kernel.kallsyms]"
        elif kind < 0.55:
            name = f"{first}::{second.capitalize()}{number}<int, std::char_traits<char> >::{third}"
            self.name, self.module = f"{name}(std::string const&, unsigned long)", f"/usr/lib/lib{first}.so.6"
        elif kind < 0.75:
            self.name = f"Lorg/{first}/{second}/{third.capitalize()}{number};::do{second.capitalize()}"
            self.module = "/tmp/perf-5202.map"
        elif kind < 0.97:
            self.name, self.module = f"{first}_{second}::{third}::h{number * 7919:016x}", f"/opt/service/bin/{second}d"
        else:
            self.name, self.module = "[unknown]", f"/usr/lib/lib{second}{number % 50}.so"

    def line(self, offset):
        name = self.name if self.name == "[unknown]" else f"{self.name}+0x{offset:x}"
        return f"\t{self.base + offset:16x} {name} ({self.module})\n"


def chain(functions, rng, low, high):
    # A call site has one return address, so what is not a leaf repeats exactly.
    picked = [rng.choice(functions) for _ in range(rng.randint(low, high))]
    return "".join(f.line(zlib.crc32(callee.name.encode()) % 8 * 40) for f, callee in zip(picked, [picked[-1]] + picked))


def write(path, size, seed):
    rng = random.Random(seed)
    functions = [Function(n, rng) for n in range(FUNCTIONS)]
    prefixes = [chain(functions, rng, 12, 45) for _ in range(PREFIXES)]
    tails = [[(rng.choice(functions), chain(functions, rng, 1, 8)) for _ in range(TAILS_PER_PREFIX)] for _ in range(PREFIXES)]
    written, time = 0, 0
    with open(path, "w", buffering=1 << 20) as out:
        while written < size:
            which = int(PREFIXES * rng.random() ** 2)  # low numbers are hot
            leaf, tail = tails[which][rng.randrange(TAILS_PER_PREFIX)]
            comm, pid = THREADS[which % len(THREADS)]
            time += rng.randint(1, 200)
            header = f"{comm} {pid}/{pid + which % 16} [{which % 8:03d}] {1000 + time // 10**6}.{time % 10**6:06d}:     {250000 + which} cycles:u: \n"
            text = header + leaf.line(rng.randrange(32) * 4) + tail + prefixes[which] + "\n"
            written += out.write(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(options.file, options.megabytes * 1_000_000, options.seed)
