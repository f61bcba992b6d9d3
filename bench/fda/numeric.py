# SPDX-License-Identifier: Apache-2.0
"""A numeric program that measures itself: layers of a small network over and over, their mix another one in each phase. Each tenth of
a second it writes the CPU time that each layer has taken so far, and the Unix time: the truth. Several workers do the same, each with a log.
All layers work on what a first-level cache holds: what other programs do to the caches changes none of their shares."""
import os
import sys
import time

import numpy

SECONDS, PHASE_SECONDS, LOG, WORKERS = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], int(sys.argv[4])
IMAGE = numpy.random.default_rng(1).random((48, 48))
KERNEL = numpy.random.default_rng(2).random((3, 3))
WEIGHTS = numpy.random.default_rng(3).random((48, 16))


def convolve():
    out = numpy.zeros((46, 46))
    for i in range(3):
        for j in range(3):
            out += KERNEL[i, j] * IMAGE[i:i + 46, j:j + 46]
    return out


def pool():
    best = IMAGE[0::3, 0::3].copy()
    for i in range(3):
        for j in range(3):
            numpy.maximum(best, IMAGE[i::3, j::3], out=best)
    return best


def rectify():
    return numpy.maximum(IMAGE - 0.5, 0).sum()


def linear():
    out = numpy.zeros(16)
    for row in range(0, 48, 6):
        out += IMAGE[row] @ WEIGHTS
    return out


LAYERS = [convolve, pool, rectify, linear]
MIXES = [[6, 4, 6, 2], [1, 12, 2, 2], [2, 2, 18, 8], [9, 2, 2, 12]]


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
