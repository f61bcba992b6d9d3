# SPDX-License-Identifier: Apache-2.0
"""A profile of a workload as our own verbs read it, and its judgement against the truth."""
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "workloads"))
import build as workloads  # noqa: E402
from scratch import atys_binary  # noqa: E402

# How much longer than on a machine of today everything runs and may take: for slow ones, where a capture would have too few samples. No
# tolerance depends on it.
SCALE = float(os.environ.get("ATYS_LIVE_SCALE") or 1)
TIMEOUT_S = 60 * SCALE
MIN_SAMPLES = 100  # fewer say nothing about shares
TWINS = {"split_stripped": "split_unstripped"}  # who has the symbols of a program that has none

# The outermost frames of stacks that are whole, by what starts a thread of execution.
ROOTS = {
    "_start", "_start_c", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "_dl_start", "_dl_start_user",
    "libc_start_main_stage2",  # musl has no unwinding rules: whoever called what calls main is not known
    "clone", "__clone", "clone3", "__clone3", "__clone_internal", "start_thread", "thread_start",
    "runtime.goexit", "runtime.goexit.abi0", "runtime.mstart", "runtime.mstart.abi0", "runtime.rt0_go", "runtime.rt0_go.abi0",
    "runtime.mcall", "runtime.systemstack", "runtime.systemstack.abi0", "runtime.sigreturn", "runtime.clone", "runtime.clone.abi0",
    "_rt0_amd64_linux", "_rt0_arm64_linux", "_rt0_amd64", "runtime.morestack", "runtime.gogo", "runtime.mstart1",
    "ret_from_fork", "ret_from_fork_asm", "secondary_startup_64", "secondary_startup_64_no_verify", "start_kernel",
    "__secondary_switched", "__primary_switched", "start_secondary", "x86_64_start_kernel", "common_startup_64",
}

# What a thread does in the kernel when it has no stack of its own in user space: not yet, or not any more.
WITHOUT_USER_STACK = {"do_exit", "do_group_exit", "begin_new_exec", "load_elf_binary", "bprm_execve", "do_execveat_common"}


class Skip(Exception):
    """Why a test cannot be run here."""


class Failure(Exception):
    """Why a test failed."""


def expect(condition, why: str) -> None:
    if not condition:
        raise Failure(why)


@functools.cache
def workload(name: str) -> str:
    reason = workloads.build_all([name]).get(name, "no such workload")
    if reason:
        raise Skip(f"no workload {name}: {reason}")
    return str(workloads.OUT / name)


class Profile:
    """A written profile, as our own verbs read it."""

    def __init__(self, path: pathlib.Path):
        self.path = path

    def ask(self, *words: str) -> dict:
        done = subprocess.run([atys_binary(), *words, "--json"], capture_output=True, text=True, timeout=TIMEOUT_S)
        expect(done.returncode == 0, f"atys {words[0]} cannot read the profile: {done.stderr.strip()}")
        return json.loads(done.stdout)

    @functools.cached_property
    def summary(self) -> dict:
        return self.ask("summary", str(self.path), "--by", "function", "--top", "1000000")

    @functools.cached_property
    def facts(self) -> dict:
        return self.ask("show", str(self.path))

    @functools.cached_property
    def stacks(self) -> list[tuple[list[str], float]]:
        """Frames, outermost first, and weight."""
        folded = self.path.with_suffix(".folded.collapsed")
        done = subprocess.run([atys_binary(), "convert", str(self.path), "-o", str(folded)], capture_output=True, text=True)
        expect(done.returncode == 0, f"atys convert cannot read the profile: {done.stderr.strip()}")
        lines = [line.rsplit(" ", 1) for line in folded.read_text(errors="replace").splitlines() if line]
        return [(stack.split(";"), float(weight)) for stack, weight in lines]

    @property
    def samples(self) -> int:
        return int(self.summary["profile"]["samples"])

    @property
    def effective(self) -> int:
        """As many of equal weight would say as much."""
        return int(self.summary["profile"].get("effective_samples") or self.samples)

    @property
    def total(self) -> float:
        return self.summary["profile"]["total"]

    def loss(self, pattern: str = "") -> int:
        return sum(one["count"] for one in self.summary["profile"]["loss"] if re.search(pattern, one["reason"]))

    def shares(self, program: str = "", which: str = "total") -> dict[str, float]:
        """Share of each function; the names of a program without symbols are those of its twin."""
        result: dict[str, float] = {}
        for row in self.summary["rows"]:
            name = resolve(row["name"], program)
            result[name] = result.get(name, 0) + row[f"{which}_percent"] / 100
        return result

    def values(self) -> dict[str, float]:
        result: dict[str, float] = {}
        for row in self.summary["rows"]:
            result[plain(row["name"])] = result.get(plain(row["name"]), 0) + row["total"]
        return result

    def rooted(self, program: str = "") -> tuple[float, dict[str, float]]:
        """Share of the weight whose stacks reach their root, and the outermost frames of the others. Before the root there may be
        one frame that names the process."""
        total, good, others = 0.0, 0.0, {}
        for frames, weight in self.stacks:
            total += weight
            if any(is_root(frame, program) for frame in frames[:2]) or is_kernel_alone(frames):
                good += weight
            else:
                others[frames[0]] = others.get(frames[0], 0) + weight
        return (good / total if total else 0.0), others


# ----------------------------------------------------------------------------------------------------------------------------- names

def plain(name: str) -> str:
    """A function's name without parameters, marks of kernel or inlined frames, and the hash of Rust."""
    name = re.sub(r"(_\[[a-z]\]| \[inlined\]| \(inlined\))$", "", name)
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    cut = re.search(r"(?<!operator)\((?!anonymous namespace\))", name)
    return name[:cut.start()].rstrip() if cut and cut.start() else name


OFFSET = re.compile(r"(?:.*/)?\[?([^/+\[]+)\+0x([0-9a-f]+)\]?$")  # `module+0x10`; `[module+0x10]` where a function begins


@functools.cache
def symbols(program: str) -> list[tuple[int, int, str]]:
    """(start, end, name) of the functions of an executable."""
    lines = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    sized = [(int(r[0], 16), int(r[0], 16) + int(r[1], 16), r[3]) for r in rows if len(r) == 4 and r[2] in "tTwW"]
    return sized + [(int(r[0], 16), int(r[0], 16) + 48, r[2]) for r in rows if len(r) == 3 and r[2] == "_start"]


def resolve(name: str, program: str) -> str:
    """The name, or for `module+0xoffset` of a stripped program the name that its twin has there."""
    match = OFFSET.match(name)
    if match and match.group(1) == program and program in TWINS:
        address = int(match.group(2), 16)
        return next((symbol for start, end, symbol in symbols(workload(TWINS[program])) if start <= address < end), name)
    return plain(name)


@functools.cache
def outermost_ranges(path: str) -> list[tuple[int, int]]:
    """Where a file's own unwinding rules say that there is no caller: the return address is undefined."""
    text = subprocess.run(["readelf", "--debug-dump=frames", path], capture_output=True, text=True, errors="replace").stdout
    ranges, here = [], None
    for line in text.splitlines():
        if match := re.search(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line):
            here = (int(match.group(1), 16), int(match.group(2), 16))
        elif " CIE" in line:
            here = None
        elif here and re.search(r"DW_CFA_undefined: r(16|30)\b", line):
            ranges.append(here)
    return ranges


@functools.cache
def library(name: str) -> str:
    """The file of a library that this machine's programs load."""
    text = subprocess.run(["ldd", atys_binary()], capture_output=True, text=True).stdout
    match = re.search(rf"(/\S*{re.escape(name)})\s", text)
    return match.group(1) if match else ""


def is_kernel_alone(frames: list[str]) -> bool:
    return all(frame.endswith("_[k]") for frame in frames) and any(plain(frame) in WITHOUT_USER_STACK for frame in frames)


@functools.cache
def is_root(frame: str, program: str = "") -> bool:
    if resolve(frame, program) in ROOTS:
        return True
    match = OFFSET.match(frame)
    if not match:
        return False
    module, address = match.group(1), int(match.group(2), 16)
    path = library(module) or (str(workloads.OUT / program) if module == program else "")
    return bool(path) and any(start <= address < end for start, end in outermost_ranges(path))


# -------------------------------------------------------------------------------------------------------------------------- judgement

def allowance(share: float, samples: int) -> float:
    """One point and four standard errors of so many samples."""
    return 0.01 + 4 * math.sqrt(share * (1 - share) / samples)


def machine_is_full() -> bool:
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


def worth_without_rights(samples: int) -> int:
    """Without rights a thread is seen when it has a CPU, on a full machine several times in a row. Of a known program beside eight others
    shares scattered by 1.3 times what so many samples of equal weight would (24 shares of 8 captures)."""
    return max(1, int(samples / 1.7)) if machine_is_full() else max(1, samples)


def judge_share(name: str, share: float, seen: float, samples: int, fewest: int = MIN_SAMPLES) -> str:
    """Why a share is wrong, or nothing."""
    if samples < fewest:
        return f"only {samples} samples"
    if abs(seen - share) <= allowance(share, samples):
        return ""
    return f"{name} has {seen:.1%}, truth {share:.1%} ±{allowance(share, samples):.1%} of {samples} samples"


def true_shares(truth: dict) -> dict[str, float]:
    """Shares by the workload's own measure: of its CPU time, or of its units of work."""
    parts = truth.get("ns") or truth["units"]
    whole = truth.get("total_ns") if "ns" in truth else sum(parts.values())
    return {name: part / whole for name, part in parts.items()}
