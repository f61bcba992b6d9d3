# SPDX-License-Identifier: Apache-2.0
"""Truth: as split.py, by functions of numpy: the time is native, below the Python function that called it.

    arrays.py SECONDS
"""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy  # noqa: E402

import truth

VALUES = numpy.random.default_rng(42).random(20000)


def sixty(turns):
    for _ in range(turns // 1000):
        numpy.sort(VALUES)  # hot sixty


def thirty(turns):
    for _ in range(turns // 1000):
        numpy.sort(VALUES)  # hot thirty


def ten(turns):
    for _ in range(turns // 1000):
        numpy.sort(VALUES)  # hot ten


def main():
    known = truth.begin()
    known.run((sixty, thirty, ten))
    known.tell(native=True)


if __name__ == "__main__":
    main()
