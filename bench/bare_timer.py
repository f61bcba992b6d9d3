# SPDX-License-Identifier: Apache-2.0
"""    bench/bare_timer.py HZ SECONDS

The timer of a sampler and nothing else: each CPU is interrupted so often, and nobody looks at what was interrupted. What this costs a
target is the least that any profiler which interrupts it can cost on this machine."""
import ctypes
import os
import platform
import struct
import sys
import time

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[platform.machine()]
SOFTWARE, CPU_CLOCK, EXCLUDES_HYPERVISOR_AND_GUEST = 1, 0, 1 << 6
SAMPLE_IP = 1


def open_timer(cpu: int, hz: int) -> int:
    size = 128
    attributes = struct.pack("IIQQQQQ", SOFTWARE, size, CPU_CLOCK, 10**9 // hz, SAMPLE_IP, 0, EXCLUDES_HYPERVISOR_AND_GUEST).ljust(size, b"\0")
    fd = ctypes.CDLL(None, use_errno=True).syscall(PERF_EVENT_OPEN, attributes, -1, cpu, -1, 8)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "cannot open a timer")
    return fd


def main() -> None:
    hz, seconds = int(sys.argv[1]), float(sys.argv[2])
    timers = [open_timer(cpu, hz) for cpu in os.sched_getaffinity(0)]
    time.sleep(seconds)
    for fd in timers:
        counted = struct.unpack("Q", os.read(fd, 8))[0]
        print(f"{counted / 1e9:.2f} s counted")


if __name__ == "__main__":
    main()
