# SPDX-License-Identifier: Apache-2.0
"""Truth: split.py by three threads named worker-N that take turns with the GIL; with IDLE, by the main thread beside so many that wait.

    threads.py SECONDS [IDLE]
"""
import sys
import threading

import split
import truth

WORKERS = 3


def work(known):
    known.run((split.sixty, split.thirty, split.ten))


def wait():
    truth.told_to_end.wait()


def main():
    known = truth.begin()
    idle = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    parts = [truth.Truth(truth.seconds_argument(), seed) for seed in range(0 if idle else WORKERS)]
    threads = [threading.Thread(target=work, args=(part,), name=f"worker-{i}") for i, part in enumerate(parts)]
    threads += [threading.Thread(target=wait, name=f"idle-{i}") for i in range(idle)]
    for thread in threads:
        thread.start()
    if idle:
        work(known)
        truth.told_to_end.set()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.1)
    for part in parts:
        known.include(part.answer())
    known.tell()


if __name__ == "__main__":
    main()
