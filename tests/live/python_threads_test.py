#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of what threads of Python are called, and of those that nobody sees. ATYS_PYTHON=FILE: of that Python, not of the installed one."""
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder, running  # noqa: E402

PYTHON = os.environ.get("ATYS_PYTHON", sys.executable)
NAMES = {"worker-7", "a-name-of-more-than-15-characters", "größe"}
PROGRAM = """import _thread, threading, time
def spin():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass
def rename():
    threading.current_thread().name = "größe"
    renamed.set()
    spin()
renamed = threading.Event()
for name in ("worker-7", "a-name-of-more-than-15-characters"):
    threading.Thread(target=spin, name=name, daemon=True).start()
threading.Thread(target=rename, daemon=True).start()
_thread.start_new_thread(spin, ())
renamed.wait()
print("ready", flush=True)
spin()
"""

FLEETING = """import threading, time
def spin():
    end = time.thread_time() + 0.004
    while time.thread_time() < end:
        pass
print("ready", flush=True)
while True:
    thread = threading.Thread(target=spin)
    thread.start()
    thread.join()
"""


def threads_are_called_as_the_program_calls_them(tier):
    with folder() as top:
        (top / "threads.py").write_text(PROGRAM)
        with running(PYTHON, str(top / "threads.py"), stdout=subprocess.PIPE) as program:
            expect(program.stdout.readline() == b"ready\n", "the program did not begin")
            comm = pathlib.Path(f"/proc/{program.pid}/comm").read_text().strip()
            shot = capture(top, tier, *live.RATE, "--duration", "3s", "--pid", str(program.pid)).succeeded()
        rows = shot.profile.ask("summary", str(shot.path), "--by", "thread", "--top", "1000")["rows"]
        names = {row["name"] for row in rows if not row["name"].isdigit()}  # which stands for a thread whose stack was lost
        # The one that the threading module does not know is called as the kernel calls it.
        expect(names == NAMES | {comm}, f"threads are called {sorted(names)}")
        return f"{shot.profile.samples} samples"


def threads_that_nobody_sees_are_counted(tier):
    """Most of them are gone when a tier that looks from outside comes by; their time is told all the same, as of stacks that are not known."""
    with folder() as top:
        (top / "fleeting.py").write_text(FLEETING)
        with running(PYTHON, str(top / "fleeting.py"), stdout=subprocess.PIPE) as program:
            expect(program.stdout.readline() == b"ready\n", "the program did not begin")
            clock = (~program.pid << 3) | 2  # its CPU time, see clock_getcpuclockid(3)
            before = time.clock_gettime(clock)
            shot = capture(top, tier, *live.RATE, "--duration", "2s", "--pid", str(program.pid)).succeeded()
            ran = time.clock_gettime(clock) - before
        told = shot.profile.ask("summary", str(shot.path))["profile"]["total"] / 1e9
        expect(told > ran / 2, f"{told:.2f} s of {ran:.2f} s are told")  # what ran before and after the recording is in the second only
        expect(told < ran * 1.02, f"{told:.2f} s are told where {ran:.2f} s ran")
        return f"{told:.2f} s of {ran:.2f} s"


if __name__ == "__main__":
    # The other tiers do not look into interpreters.
    sys.exit(live.run_tests([threads_are_called_as_the_program_calls_them, threads_that_nobody_sees_are_counted], tiers=("ebpf", "memory")))
