# SPDX-License-Identifier: Apache-2.0
"""Truth: as split.py, by a method, a static method and a nested function, whose qualified names are Worker.sixty, Worker.thirty and
make.<locals>.ten.

    methods.py SECONDS
"""
import truth


class Worker:
    def sixty(self, turns):
        x = 60
        for i in range(turns):  # hot sixty
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot sixty
        return x

    @staticmethod
    def thirty(turns):
        x = 30
        for i in range(turns):  # hot thirty
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot thirty
        return x


def make(start):
    def ten(turns):
        x = start
        for i in range(turns):  # hot ten
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot ten
        return x
    return ten


def main():
    known = truth.begin()
    known.run((Worker().sixty, Worker.thirty, make(10)))
    known.tell(qualified=["Worker.sixty", "Worker.thirty", "make.<locals>.ten"])


if __name__ == "__main__":
    main()
