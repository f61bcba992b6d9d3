# SPDX-License-Identifier: Apache-2.0
"""Truth: split.py by workers that a master forked, as application servers do; a worker that is killed is replaced by another.

    prefork.py SECONDS [WORKERS]
"""
import json
import os
import signal
import sys

import split
import truth


def serve(report):
    known = truth.begin(os.getpid())
    known.run((split.sixty, split.thirty, split.ten))
    os.write(report, json.dumps(known.answer()).encode() + b"\n")  # short enough to be written in one piece
    os._exit(0)


def start(report):
    pid = os.fork()
    if pid == 0:
        serve(report)
    return pid


def main():
    known = truth.begin()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    reports, report = os.pipe()
    workers = {start(report) for _ in range(count)}

    def end(*_):
        truth.told_to_end.set()
        for pid in workers:
            os.kill(pid, signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    while workers:
        pid, status = os.wait()
        workers.discard(pid)
        if os.WIFSIGNALED(status) and not truth.told_to_end.is_set():
            workers.add(start(report))
    os.close(report)
    total = 0
    with os.fdopen(reports) as lines:
        for line in lines:
            part = json.loads(line)
            known.include(part)
            total += part["total_ns"]
    known.tell(total_ns=total)


if __name__ == "__main__":
    main()
