# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of native capture share: a workload that tells its own work rate, and profilers that are run on it."""
import ctypes
import dataclasses
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

from measure import ATYS, PEERS, ROOT, WORK

sys.path.insert(0, str(ROOT / "tests" / "workloads"))
import build as workloads  # noqa: E402

LONGEST_S = "600"
FAR = "100%"  # a cap on overhead that is out of reach: rates are the ones asked for
LIMIT_S = 180  # of any one command: nobody waits longer for a profiler that does not end
PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
PR_SET_PDEATHSIG = 1
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 4096, 16384, 1 << 18


class Failed(SystemExit):
    """A profiler gave no profile, and why. Ends the benchmark unless it can go on without."""


def die_with_us():
    """For a child that is about to start: no workload outlives a benchmark that was killed, and keeps a core and its pipes."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def workload(name):
    reason = workloads.build_all([name]).get(name, "no such workload")
    if reason:
        sys.exit(f"no workload {name}: {reason}")
    return str(workloads.OUT / name)


class Target:
    """A workload that runs while others look at it, until it is asked what it did."""

    def __init__(self, name):
        WORK.mkdir(parents=True, exist_ok=True)
        self.truth_path = WORK / f"truth-{os.getpid()}.json"
        self.truth_path.unlink(missing_ok=True)
        self.process = subprocess.Popen([workload(name), LONGEST_S], stdout=subprocess.DEVNULL, preexec_fn=die_with_us,
                                        env=dict(os.environ, WORKLOAD_TRUTH=str(self.truth_path)))
        self.pid = self.process.pid
        time.sleep(0.3)

    def truth(self):
        self.process.terminate()
        if self.process.wait() != 0:
            sys.exit(f"the workload ended with {self.process.returncode}")
        return json.loads(self.truth_path.read_text())


@dataclasses.dataclass
class Spent:
    """What one profiler spent on one run, all of its processes together."""
    cpu_s: float = 0
    in_target_s: float = 0  # of it, in interrupts of the target
    peak_mb: float = 0
    attached_s: float = 0
    samples: int = 0
    shares: dict = dataclasses.field(default_factory=dict)
    rate: float = 0  # the target's work per second of its own CPU time

    def per_sample_us(self):
        return self.cpu_s * 1e6 / max(self.samples, 1)


def spend(spent, command, stdout=subprocess.DEVNULL, interrupt_after=0.0, limit_s=LIMIT_S, prepare=die_with_us):
    """Runs a command to its end and adds what it used. The time until its first event is open counts as start-up. `interrupt_after`
    seconds of recording it is sent what Ctrl+C sends, if that is how it is ended."""
    begin = time.perf_counter()
    words = [str(word) for word in command]
    process = subprocess.Popen(words, stdout=stdout, stderr=subprocess.PIPE, preexec_fn=prepare)
    errors, late = [], []
    timers = [threading.Timer(limit_s, lambda: (late.append(True), os.kill(process.pid, signal.SIGKILL)))]
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    timers[0].start()
    reader.start()
    attached = watch(process.pid, begin) if not spent.attached_s else 0
    if interrupt_after:
        timers.append(threading.Timer(interrupt_after, lambda: os.kill(process.pid, signal.SIGINT)))
        timers[1].start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    for timer in timers:
        timer.cancel()
    reader.join()
    if process.returncode != 0:
        why = f"no end within {limit_s} s" if late else f"status {process.returncode}: {errors[0].decode(errors='replace').strip()[-500:]}"
        raise Failed(f"{' '.join(words)} failed with {why}")
    spent.cpu_s += usage.ru_utime + usage.ru_stime
    spent.peak_mb = max(spent.peak_mb, usage.ru_maxrss / 1024)
    spent.attached_s = spent.attached_s or attached


def watch(pid, begin, longest=5.0):
    """Seconds until the process has a perf event open."""
    while time.perf_counter() - begin < longest:
        try:
            folder = f"/proc/{pid}/fd"
            if any("[perf_event]" in os.readlink(f"{folder}/{number}") for number in os.listdir(folder)):
                return time.perf_counter() - begin
        except OSError:
            pass
        time.sleep(0.002)
    return 0


def kernel_seconds(answer):
    """What our BPF programs and their interrupts ran, as the capture says: spent by us though no process of ours is charged."""
    return answer.get("budget", {}).get("used", {}).get("kernel_cpu_ns", 0) / 1e9


def ours(target, freq, seconds, tier=""):
    spent, out = Spent(), WORK / "ours.pb.gz"
    answer_path = WORK / "ours.json"
    who = ["--pid", target.pid] if target else ["--host"]
    with open(answer_path, "wb") as answer:
        spend(spent, [ATYS, "capture", *(["--tier", tier] if tier else []), *who, "--freq", freq, "--duration", f"{seconds}s",
                      "--max-overhead", FAR, "-o", out, "--json"], answer)
    said = json.loads(answer_path.read_text())
    spent.cpu_s += kernel_seconds(said)
    rows = subprocess.run([ATYS, "summary", out, "--json", "--top", "1000000"], capture_output=True, text=True, check=True).stdout
    summary = json.loads(rows)
    spent.samples = summary["profile"]["samples"]
    spent.shares = {re.sub(r"\(.*", "", row["name"]): row["total_percent"] / 100 for row in summary["rows"]}
    return spent


def perf(target, freq, seconds, call_graph="fp"):
    """perf record, and perf script for the names: text that is not aggregated yet, which is left out in its favour."""
    spent, data, text = Spent(), WORK / "peer.data", WORK / "peer.txt"
    who = ["-p", target.pid] if target else ["-a"]
    spend(spent, ["perf", "record", "-q", "-e", "cpu-clock", "-F", freq, "--call-graph", call_graph, *who, "-o", data, "--",
                  "sleep", seconds])
    with open(text, "wb") as out:
        spend(spent, ["perf", "script", "-i", data], out)
    count(spent, text)
    data.unlink()
    return spent


def count(spent, text):
    """Samples and shares of perf script's text."""
    found, stack = {}, set()
    with open(text, errors="replace") as lines:
        for line in lines:
            if line.startswith(("\t", " ")) and stack is not None:
                words = line.split()
                stack.add(words[1].partition("+")[0] if len(words) > 1 else "")
            elif line.strip():
                spent.samples += 1
                stack = set()
            else:
                for name in stack:
                    found[name] = found.get(name, 0) + 1
                stack = set()
    spent.shares = {name: number / max(spent.samples, 1) for name, number in found.items()}


def samply(target, freq, seconds):
    """Recording, and looking names up, which samply does when a profile is opened or, as here, at once into a file beside it. What it
    writes is a list of samples for a browser: as with perf, adding them up is left out in its favour, and so is what the kernel spends on
    copies of stacks. It knows no end but Ctrl+C: on Linux it takes no notice of --duration."""
    spent, out = Spent(), WORK / "peer.json.gz"
    spend(spent, [samply_path(), "record", "--save-only", "--unstable-presymbolicate", "-r", freq, "-o", out, "-p", target.pid],
          interrupt_after=seconds, prepare=lenient)
    with gzip.open(out, "rt") as file:
        spent.samples = sum(sum(thread["samples"]["weight"]) for thread in json.load(file)["threads"])
    out.unlink()
    return spent


def lenient():
    """For samply's process: without hardware counters it gives up where perf_event_paranoid is above 1, although it is root and the kernel
    lets it. In a mount namespace of its own it reads a 1; nothing is changed for anybody else."""
    die_with_us()
    libc = ctypes.CDLL(None)
    if int(PARANOID.read_text()) <= 1 or libc.unshare(CLONE_NEWNS) != 0:
        return
    one = WORK / "one"
    one.write_text("1\n")
    libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None)
    libc.mount(str(one).encode(), str(PARANOID).encode(), None, MS_BIND, None)


def samply_path():
    return shutil.which("samply", path=f"{PEERS / 'bin'}:{os.environ.get('PATH', '')}")


def need_perf():
    if not shutil.which("perf"):
        sys.exit("perf is not installed: apt-get install linux-perf")


def median(values):
    return statistics.median(list(values))
