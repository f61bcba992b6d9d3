# SPDX-License-Identifier: Apache-2.0
"""Truth: as split.py, by functions that raise and catch all the time, and are left by an exception.

    exceptions.py SECONDS
"""
import truth


class Enough(Exception):
    pass


def sixty(turns):
    x = 60
    for i in range(turns // 4):  # hot sixty
        try:  # hot sixty
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot sixty
            raise Enough(x)  # hot sixty
        except Enough as enough:  # hot sixty
            x = enough.args[0]  # hot sixty
    raise Enough


def thirty(turns):
    x = 30
    for i in range(turns // 4):  # hot thirty
        try:  # hot thirty
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot thirty
            raise Enough(x)  # hot thirty
        except Enough as enough:  # hot thirty
            x = enough.args[0]  # hot thirty
    raise Enough


def ten(turns):
    x = 10
    for i in range(turns // 4):  # hot ten
        try:  # hot ten
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot ten
            raise Enough(x)  # hot ten
        except Enough as enough:  # hot ten
            x = enough.args[0]  # hot ten
    raise Enough


def caught(function):
    def catch(turns):
        try:
            function(turns)
        except Enough:
            pass
    catch.__name__ = function.__name__
    return catch


def main():
    known = truth.begin()
    known.run([caught(function) for function in (sixty, thirty, ten)])
    known.tell()


if __name__ == "__main__":
    main()
