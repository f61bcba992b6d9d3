# SPDX-License-Identifier: Apache-2.0
"""A numeric program that measures itself: layers of a small network over and over, their mix another one in each phase. Each tenth of
a second it writes the CPU time that each layer has taken so far, and the Unix time: the truth. Several workers do the same, each with a log.
All layers work on what a first-level cache holds: what other programs do to the caches changes none of their shares. A machine that others
use still makes one layer slower than another for a while; with `steady` each layer is called as often as its share of the CPU time needs, so
that within a phase nothing changes but the pace."""
import os
import random
import sys
import time

import numpy

SECONDS, PHASE_SECONDS, LOG, WORKERS = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3], int(sys.argv[4])
IS_STEADY = sys.argv[5:] == ["steady"]
ROUND_S = (0.001, 0.005)  # drawn anew each time: no timer may fall into step with it
DRAWN = random.Random(1)
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


class Shares:
    """How often to call each layer in the next round, so that each gets its share of the CPU time of the phase."""

    def __init__(self, mix: list[int]):
        self.parts = [part / sum(mix) for part in mix]
        self.spent = [0.0] * len(mix)
        self.each = [ROUND_S[0] / 50] * len(mix)  # seconds of a call, as it was lately

    def calls(self) -> list[int]:
        goal = sum(self.spent) + DRAWN.uniform(*ROUND_S)
        return [max(0, round((goal * part - spent) / each)) for part, spent, each in zip(self.parts, self.spent, self.each)]

    def took(self, number: int, calls: int, seconds: float) -> None:
        self.spent[number] += seconds
        if calls:
            self.each[number] += (seconds / calls - self.each[number]) / 8


def work(path: str) -> None:
    spent = [0.0] * len(LAYERS)
    began = time.time()
    due, phase = began, -1
    with open(path, "w", buffering=1) as log:
        while (now := time.time()) < began + SECONDS:
            if now >= due:
                print(now, *spent, file=log)
                due += 0.1
            if phase != int((now - began) / PHASE_SECONDS):
                phase = int((now - began) / PHASE_SECONDS)
                mix = MIXES[phase % len(MIXES)]
                shares = Shares(mix)
            for number, calls in enumerate(shares.calls() if IS_STEADY else mix):
                before = time.thread_time()
                for _ in range(calls):
                    LAYERS[number]()
                took = time.thread_time() - before
                spent[number] += took
                shares.took(number, calls, took)


for worker in range(1, WORKERS):
    if os.fork() == 0:
        work(f"{LOG}.{worker}")
        os._exit(0)
work(f"{LOG}.0")
