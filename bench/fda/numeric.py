# SPDX-License-Identifier: Apache-2.0
"""A numeric program that measures itself: layers of a small network over and over, their mix another one in each phase. Each tenth of
a second it writes the CPU time that each layer has taken so far, and the Unix time: the truth. Several workers do the same, each with a log."""
import os
import sys
import time

import numpy

SECONDS, PHASE_SECONDS, LOG, WORKERS = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], int(sys.argv[4])
IMAGE = numpy.random.default_rng(1).random((96, 96))
KERNEL = numpy.random.default_rng(2).random((3, 3))
WEIGHTS = numpy.random.default_rng(3).random((96, 96))


def convolve():
    out = numpy.zeros((94, 94))
    for i in range(3):
        for j in range(3):
            out += KERNEL[i, j] * IMAGE[i:i + 94, j:j + 94]
    return out


def pool():
    return [max(IMAGE[i, j] for i in range(k, k + 3)) for k in range(0, 60, 3) for j in range(0, 12, 3)]


def rectify():
    return numpy.maximum(IMAGE - 0.5, 0).sum() + sum(x if x > 0 else 0 for x in range(-300, 300))


def linear():
    return (IMAGE @ WEIGHTS).sum()


LAYERS = [convolve, pool, rectify, linear]
MIXES = [[6, 2, 3, 1], [1, 6, 1, 1], [2, 1, 9, 4], [9, 1, 1, 6]]


def work(path: str) -> None:
    spent = [0.0] * len(LAYERS)
    began = time.time()
    due = began
    with open(path, "w", buffering=1) as log:
        while (now := time.time()) < began + SECONDS:
            if now >= due:
                print(now, *spent, file=log)
                due += 0.1
            mix = MIXES[int((now - began) / PHASE_SECONDS) % len(MIXES)]
            for number, layer in enumerate(LAYERS):
                before = time.thread_time()
                for _ in range(mix[number]):
                    layer()
                spent[number] += time.thread_time() - before


for worker in range(1, WORKERS):
    if os.fork() == 0:
        work(f"{LOG}.{worker}")
        os._exit(0)
work(f"{LOG}.0")
