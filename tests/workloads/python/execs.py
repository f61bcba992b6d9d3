# SPDX-License-Identifier: Apache-2.0
"""Becomes another program, or the same one again, when it is sent SIGUSR1.

    execs.py SECONDS COMMAND…
"""
import os
import signal
import sys

import split
import truth


def main():
    signal.signal(signal.SIGUSR1, lambda *_: os.execvp(sys.argv[2], sys.argv[2:]))
    known = truth.begin()
    known.run((split.sixty, split.thirty, split.ten))
    known.tell()


if __name__ == "__main__":
    main()
