# SPDX-License-Identifier: Apache-2.0
"""Truth: nothing but calls and returns, in two chains that never mix: a1, b1, c1, a1 … and a2, c2, b2, a2 …. Frames lie where others lay a
moment ago, so that a stack that is read while it changes shows a caller that never called. The truth names the pairs that can be.

    hostile.py SECONDS
"""
import truth


def a1(depth):
    if depth:
        b1(depth - 1)


def b1(depth):
    if depth:
        c1(depth - 1)


def c1(depth):
    if depth:
        a1(depth - 1)


def a2(depth):
    if depth:
        c2(depth - 1)


def b2(depth):
    if depth:
        a2(depth - 1)


def c2(depth):
    if depth:
        b2(depth - 1)


def chains(known):
    while known.goes_on():
        for depth in range(40):
            a1(depth)
            a2(depth)
            known.work += 2 * depth + 2
        known.publish()


def main():
    known = truth.begin()
    chains(known)
    known.tell(pairs=[["chains", "a1"], ["a1", "b1"], ["b1", "c1"], ["c1", "a1"], ["chains", "a2"], ["a2", "c2"], ["c2", "b2"], ["b2", "a2"]])


if __name__ == "__main__":
    main()
