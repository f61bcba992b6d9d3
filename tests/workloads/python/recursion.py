# SPDX-License-Identifier: Apache-2.0
"""Truth: as split.py, each piece of work below 150 calls of descend() or, for sixty(), 600: more than are read at once.

    recursion.py SECONDS
"""
import sys

import truth


def sixty(turns):
    x = 60
    for i in range(turns):  # hot sixty
        x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot sixty
    return x


def thirty(turns):
    x = 30
    for i in range(turns):  # hot thirty
        x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot thirty
    return x


def ten(turns):
    x = 10
    for i in range(turns):  # hot ten
        x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot ten
    return x


def descend(depth, function, turns):
    if depth == 0:
        return function(turns)
    return descend(depth - 1, function, turns)


def below(depth, function):
    def piece(turns):
        return descend(depth, function, turns * 8)
    piece.__name__ = function.__name__
    return piece


def main():
    sys.setrecursionlimit(2000)
    known = truth.begin()
    known.run((below(600, sixty), below(150, thirty), below(150, ten)))
    known.tell(depth={"sixty": 600, "thirty": 150, "ten": 150})


if __name__ == "__main__":
    main()
