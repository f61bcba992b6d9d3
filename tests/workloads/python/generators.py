# SPDX-License-Identifier: Apache-2.0
"""Truth: as split.py, by generators that are left and entered again many times, the last of them through another generator.

    generators.py SECONDS
"""
import truth

STEP = 200


def sixty(turns):
    x = 60
    for i in range(turns):  # hot sixty
        x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot sixty
        if i % STEP == 0:  # hot sixty
            yield x


def thirty(turns):
    x = 30
    for i in range(turns):  # hot thirty
        x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot thirty
        if i % STEP == 0:  # hot thirty
            yield x


def inner_ten(turns):
    x = 10
    for i in range(turns):  # hot inner_ten
        x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot inner_ten
        if i % STEP == 0:  # hot inner_ten
            yield x


def ten(turns):
    yield from inner_ten(turns)


def consumed(generator):
    def consume(turns):
        for _ in generator(turns):
            pass
    consume.__name__ = generator.__name__
    return consume


def main():
    known = truth.begin()
    known.run([consumed(generator) for generator in (sixty, thirty, ten)])
    known.tell()


if __name__ == "__main__":
    main()
