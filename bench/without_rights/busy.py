# SPDX-License-Identifier: Apache-2.0
"""A fixed amount of work in Python, timed in units as busy.c does: busy.py UNITS"""
import json
import sys
import time

AROUND, STEPS = 50, 1500


def mix(x):
    for _ in range(STEPS):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x


def timed_units(units, clock=time.thread_time_ns):
    lengths, x, begin = [], 1, clock()
    for _ in range(units):
        x = mix(x)
        end = clock()
        lengths.append(end - begin)
        begin = end
    return lengths


def excess(lengths):
    more = whole = 0
    for first in range(0, len(lengths) - AROUND + 1, AROUND):
        around = sorted(lengths[first:first + AROUND])
        more += sum(around) - around[AROUND // 2] * AROUND
        whole += around[AROUND // 2] * AROUND
    return more / whole if whole else 0


def main():
    began, cpu = time.monotonic_ns(), time.process_time_ns()
    found = excess(timed_units(int(sys.argv[1])))
    print("\n" + json.dumps({"began_ns": began, "wall_ns": time.monotonic_ns() - began, "cpu_ns": time.process_time_ns() - cpu,
                             "all_cpu_ns": time.process_time_ns(), "excess": found}))


main()
