# SPDX-License-Identifier: Apache-2.0
"""Truth: one thread; six of ten pieces of work are of sixty(), three of thirty(), one of ten().

    split.py SECONDS     (SIGTERM ends it early)
"""
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


def main():
    known = truth.begin()
    known.run((sixty, thirty, ten))
    known.tell()


if __name__ == "__main__":
    main()
