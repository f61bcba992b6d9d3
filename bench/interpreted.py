# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of languages share: a target whose progress can be read while it runs, profilers that take turns on it, and what each
turn cost both."""
import dataclasses
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

from measure import ATYS, ROOT, WORK
import native

sys.path[:0] = [str(ROOT / "tests" / "runtimes"), str(ROOT / "tests" / "support")]

SOURCES = ROOT / "tests" / "workloads"
NAMES = ("sixty", "thirty", "ten")
LONGEST_S = "3600"


@dataclasses.dataclass
class Moment:
    """What the target had done by then."""
    work: int
    ns: tuple[int, ...]
    cpu_ns: int
    wall: float


@dataclasses.dataclass
class Turn:
    """One recording: what the profiler spent and saw, and what the target did meanwhile."""
    spent: native.Spent
    shares: dict
    work: int
    cpu_ns: int
    wall: float
    true_shares: dict
    stacks: list

    def per_cpu(self):
        return self.work / max(self.cpu_ns, 1)

    def per_wall(self):
        return self.work / self.wall

    def error(self):
        """Mean difference of shares of what the three functions take together, in points: profilers do not agree on what else to count."""
        seen, true = (sum(shares.get(name, 0) for name in NAMES) or 1 for shares in (self.shares, self.true_shares))
        return sum(abs(self.shares.get(name, 0) / seen - self.true_shares.get(name, 0) / true) for name in NAMES) / len(NAMES) * 100


class Target:
    """A workload in Python with `python` (a command), and its load, if it is a server."""

    def __init__(self, python, source, *arguments, client=False):
        self.folder = tempfile.TemporaryDirectory(prefix="atys-bench-")
        top = self.folder.name
        self.truth_path = f"{top}/truth.json"
        self.page_path = f"{top}/progress"
        with open(self.page_path, "wb") as file:
            file.write(bytes(4096))
        with open(self.page_path, "rb") as file:
            self.page = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)
        environment = dict(os.environ, WORKLOAD_TRUTH=self.truth_path, WORKLOAD_PROGRESS=self.page_path, WORKLOAD_READY=f"{top}/ready",
                           PYTHONDONTWRITEBYTECODE="1")
        command = [*python, str(SOURCES / "python" / source), LONGEST_S, *arguments]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        self.last_work = 0
        self.client = None
        if client:
            while not os.path.exists(f"{top}/ready") or not os.path.getsize(f"{top}/ready"):
                time.sleep(0.05)
            self.client = subprocess.Popen([*python, str(SOURCES / "python" / source), LONGEST_S, "client", f"{top}/ready"])
        self.pid = self.process.pid
        end = time.monotonic() + 30
        while not self.moment().work and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)

    def progress(self):
        """The target writes zeros before it writes numbers: what was read in between is read again."""
        while True:
            first, second = (struct.unpack_from("=4Q", self.page) for _ in range(2))
            if first == second and first[0] >= self.last_work:
                self.last_work = first[0]
                return first

    def moment(self):
        work, *ns = self.progress()
        clock = (~self.pid << 3) | 2  # the CPU time of that process, see clock_getcpuclockid(3)
        try:
            cpu_ns = time.clock_gettime_ns(clock)
        except OSError:
            cpu_ns = 0
        return Moment(work, tuple(ns), cpu_ns, time.perf_counter())

    def turn(self, profile):
        before = self.moment()
        spent, shares, stacks = profile(self)
        after = self.moment()
        cpu = after.cpu_ns - before.cpu_ns
        true_shares = {name: (new - old) / max(cpu, 1) for name, old, new in zip(NAMES, before.ns, after.ns)}
        return Turn(spent, shares, after.work - before.work, cpu, after.wall - before.wall, true_shares, stacks)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        if self.client:
            self.client.kill()
            self.client.wait()
        with open(self.truth_path) as file:
            truth = json.load(file)
        self.folder.cleanup()
        return truth


def nobody(seconds):
    def profile(_):
        time.sleep(seconds)
        return native.Spent(), {}, []
    return profile


def shares_of(stacks):
    """Function to its share of the weight, of (frames, weight)."""
    whole, found = sum(weight for _, weight in stacks) or 1, {}
    for frames, weight in stacks:
        for name in set(frames):
            found[name] = found.get(name, 0) + weight / whole
    return found


def read_collapsed(path, name_of):
    """(names of the frames, weight) of a file of collapsed stacks."""
    stacks = []
    with open(path, errors="replace") as lines:
        for line in lines:
            stack, _, weight = line.rstrip("\n").rpartition(" ")
            if stack:
                stacks.append(([name_of(frame) for frame in stack.split(";")], float(weight)))
    return stacks


def ours(freq, seconds, name_of, tier=""):
    def profile(target):
        spent, out, answer_path = native.Spent(), WORK / f"ours-{os.getpid()}.pb.gz", WORK / f"ours-{os.getpid()}.json"
        with open(answer_path, "wb") as answer:
            native.spend(spent, [ATYS, "capture", *(["--tier", tier] if tier else []), "--pid", target.pid, "--freq", freq,
                                 "--duration", f"{seconds}s", "--max-overhead", native.FAR, "-o", out, "--json"], answer)
        said = json.loads(answer_path.read_text())
        spent.in_target_s = native.kernel_seconds(said)
        spent.cpu_s += spent.in_target_s
        spent.samples = said["samples"]
        folded = WORK / f"ours-{os.getpid()}.collapsed"
        subprocess.run([ATYS, "convert", out, "-o", folded], check=True, capture_output=True)
        stacks = read_collapsed(folded, name_of)
        for path in (out, answer_path, folded):
            path.unlink()
        return spent, shares_of(stacks), stacks
    return profile
