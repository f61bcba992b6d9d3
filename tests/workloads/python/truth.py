# SPDX-License-Identifier: Apache-2.0
"""What the workloads in Python share: pieces of work in random order, six of ten of the first function, three of the second and one of
the third, each measured by the thread's own clock of CPU time, and the truth about the run as ../truth.h has it. Lines where the time
goes are marked `hot NAME`. Runs on every CPython from 3.8 on.

For those who look at a part of the run, WORKLOAD_PROGRESS names a file that has the same as it grows: as 64-bit numbers, the work, and the
nanoseconds of sixty, thirty and ten. WORKLOAD_READY names one that appears when the work begins: until then it is modules that are loaded."""
import json
import mmap
import os
import random
import signal
import struct
import sys
import threading
import time

PARTS = (6, 3, 1)
NAMES = ("sixty", "thirty", "ten")
UNIT = 4000  # turns of a loop: some 250 µs, against which a call and two looks at a clock are nothing

told_to_end = threading.Event()


def on_told(*_):
    told_to_end.set()


def seconds_argument():
    return float(sys.argv[1]) if len(sys.argv) > 1 else 2.0


def shared_page(path):
    if not path:
        return None
    with open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), 4096)


def tell_ready(path):
    if path:
        open(path, "a").close()  # a server has said more in it


class Truth:
    """What was done, and what it cost. One for each thread; they are added up at the end."""

    def __init__(self, seconds, seed=42):
        self.ns = {}
        self.work = 0
        self.until = time.monotonic() + seconds
        self.dice = random.Random(seed)
        self.begin = time.process_time_ns()
        self.progress = shared_page(os.environ.get("WORKLOAD_PROGRESS"))
        self.is_ready = False

    def goes_on(self):
        if not self.is_ready:
            self.is_ready = True
            tell_ready(os.environ.get("WORKLOAD_READY"))
        return time.monotonic() < self.until and not told_to_end.is_set()

    def order(self, functions):
        """Ten pieces of work: (function, turns)."""
        pieces = [function for function, part in zip(functions, PARTS) for _ in range(part)]
        self.dice.shuffle(pieces)
        return [(piece, self.dice.randrange(UNIT // 2, UNIT * 3 // 2)) for piece in pieces]

    def add(self, function, ns, turns):
        name = function.__name__
        self.ns[name] = self.ns.get(name, 0) + ns
        self.work += turns

    def publish(self):
        if self.progress:
            struct.pack_into("=4Q", self.progress, 0, self.work, *(self.ns.get(name, 0) for name in NAMES))

    def run(self, functions):
        """Until the time is over."""
        while self.goes_on():
            for function, turns in self.order(functions):
                begin = time.thread_time_ns()
                function(turns)
                self.add(function, time.thread_time_ns() - begin, turns)
            self.publish()

    def include(self, other):
        for name, ns in other["ns"].items():
            self.ns[name] = self.ns.get(name, 0) + ns
        self.work += other["work"]

    def answer(self):
        return {"total_ns": time.process_time_ns() - self.begin, "work": self.work, "ns": self.ns}

    def tell(self, **more):
        told = dict(self.answer(), **more)
        path = os.environ.get("WORKLOAD_TRUTH")
        if path:
            with open(path, "w") as file:
                json.dump(told, file)
        else:
            print(json.dumps(told))


def begin(seed=42):
    """SIGTERM ends it early."""
    signal.signal(signal.SIGTERM, on_told)
    return Truth(seconds_argument(), seed)
