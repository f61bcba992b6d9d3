# SPDX-License-Identifier: Apache-2.0
"""What tests of real captures share: running `atys capture` on a workload, reading its profile, and judging it against the truth."""
import contextlib
import ctypes
import dataclasses
import functools
import json
import math
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "workloads"))
import build as workloads  # noqa: E402
from scratch import ROOT, atys_binary  # noqa: E402, F401

TIERS = ("ebpf", "perf")
MIN_SAMPLES = 100  # fewer say nothing about shares
TIMEOUT_S = 60
MOMENT_S = 1.0
# A rate that gives enough samples in two seconds, odd so that it is in step with nothing, and a cap that lets us keep it: how the
# cap is held is a test of its own.
RATE = ["--freq", "997", "--max-overhead", "50%"]
TWINS = {"split_stripped": "split_unstripped"}  # who has the symbols of a program that has none

# The outermost frames of stacks that are whole, by what starts a thread of execution.
ROOTS = {
    "_start", "_start_c", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "_dl_start", "_dl_start_user",
    "clone", "__clone", "clone3", "__clone3", "__clone_internal", "start_thread", "thread_start",
    "runtime.goexit", "runtime.goexit.abi0", "runtime.mstart", "runtime.mstart.abi0", "runtime.rt0_go", "runtime.rt0_go.abi0",
    "runtime.mcall", "runtime.systemstack", "runtime.systemstack.abi0", "runtime.sigreturn", "runtime.clone", "runtime.clone.abi0",
    "_rt0_amd64_linux", "_rt0_arm64_linux", "_rt0_amd64", "runtime.morestack", "runtime.gogo", "runtime.mstart1",
    "ret_from_fork", "ret_from_fork_asm", "secondary_startup_64", "secondary_startup_64_no_verify", "start_kernel",
    "__secondary_switched", "__primary_switched", "start_secondary", "x86_64_start_kernel", "common_startup_64",
}


class Skip(Exception):
    """Why a test cannot be run here."""


class Failure(Exception):
    """Why a test failed."""


def expect(condition, why: str) -> None:
    if not condition:
        raise Failure(why)


# ------------------------------------------------------------------------------------------------------------ what is possible here

@functools.cache
def has_capture() -> bool:
    done = subprocess.run([atys_binary(), "--help"], capture_output=True, text=True)
    return re.search(r"^ +capture\b", done.stdout, re.MULTILINE) is not None


def effective_capabilities() -> int:
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE).group(1), 16)


@functools.cache
def perf_events_work() -> bool:
    """Whether this process may open a software event on itself, kernel included."""
    number = {"x86_64": 298, "aarch64": 241}.get(platform.machine())
    if number is None:
        return False
    attributes = bytearray(136)
    attributes[0:4] = (1).to_bytes(4, sys.byteorder)  # type: software; config 0 is the CPU clock
    attributes[4:8] = (136).to_bytes(4, sys.byteorder)
    attributes[40:48] = (1).to_bytes(8, sys.byteorder)  # disabled
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(number, (ctypes.c_char * 136).from_buffer(attributes), 0, -1, -1, 0)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


@functools.cache
def why_not(tier: str) -> str:
    """Why captures of this tier cannot work here, or nothing."""
    if not has_capture():
        return "this atys has no verb capture"
    if not perf_events_work():
        return "perf_event_open is not permitted here"
    capabilities = effective_capabilities()
    if tier == "ebpf":
        if not capabilities >> 39 & 1 and not capabilities >> 21 & 1:
            return "needs CAP_BPF (root)"
        if not os.path.exists("/sys/kernel/btf/vmlinux"):
            return "the kernel has no BTF"
    return ""


def require_root() -> None:
    if os.geteuid() != 0:
        raise Skip("needs root")


def require_program(*names: str) -> None:
    for name in names:
        if subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True).returncode != 0:
            raise Skip(f"{name} is not installed")


@functools.cache
def workload(name: str) -> str:
    reason = workloads.build_all([name]).get(name, "no such workload")
    if reason:
        raise Skip(f"no workload {name}: {reason}")
    return str(workloads.OUT / name)


# -------------------------------------------------------------------------------------------------------------------------- captures

@dataclasses.dataclass
class Capture:
    status: int
    out: str
    err: str
    path: pathlib.Path
    wall_s: float

    @functools.cached_property
    def answer(self) -> dict:
        """What `--json` said: the last line that is a JSON object, for the captured command may print as well."""
        for line in reversed(self.out.splitlines()):
            if line.startswith("{"):
                with contextlib.suppress(ValueError):
                    return json.loads(line)
        with contextlib.suppress(ValueError):
            return json.loads(self.out)
        raise Failure(f"no JSON answer; it said: {self.said()}")

    def said(self) -> str:
        return " | ".join((self.err.strip() or self.out.strip() or "nothing").splitlines()[-3:])[:400]

    def succeeded(self, status: int = 0) -> "Capture":
        expect(self.status == status, f"exit status {self.status}, expected {status}; it said: {self.said()}")
        expect(self.path.exists(), f"no profile was written; it said: {self.said()}")
        return self

    @functools.cached_property
    def profile(self) -> "Profile":
        return Profile(self.succeeded(self.status).path)


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
        lines = [line.rsplit(" ", 1) for line in folded.read_text(errors="replace").splitlines()]
        return [(stack.split(";"), float(weight)) for stack, weight in lines]

    @property
    def samples(self) -> int:
        return int(self.summary["profile"]["samples"])

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
            if any(is_root(frame, program) for frame in frames[:2]):
                good += weight
            else:
                others[frames[0]] = others.get(frames[0], 0) + weight
        return (good / total if total else 0.0), others


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="atys-live-") as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


def environment(top: pathlib.Path) -> dict[str, str]:
    return dict(os.environ, ATYS_HOME=str(top / "home"), WORKLOAD_TRUTH=str(top / "truth.json"), NO_COLOR="1")


def capture_command(top: pathlib.Path, tier: str, *arguments: str, out: str = "profile.pb.gz") -> list[str]:
    """`atys capture`; the arguments may end in `--` and a command."""
    options = ["--tier", tier] if tier else []
    return [atys_binary(), "capture", *options, "-o", str(top / out), "--json", *arguments]


def wait_until_attached(pid: int, timeout: float = 10) -> None:
    """Until that process has events open, or BPF: from then on it records."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            links = [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
            if any("[perf_event]" in link or "bpf" in link for link in links):
                return
        time.sleep(0.02)


def capture(top: pathlib.Path, tier: str, *arguments: str, timeout: float = TIMEOUT_S, out: str = "profile.pb.gz",
            then=None) -> Capture:
    """Runs a capture to its end; `then` is called once it has recorded for a moment."""
    begin = time.monotonic()
    process = subprocess.Popen(capture_command(top, tier, *arguments, out=out), env=environment(top), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        if then:
            wait_until_attached(process.pid)
            time.sleep(MOMENT_S)
            then(process)
        said, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"still running after {timeout:.0f} s: atys capture {' '.join(arguments)}") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return Capture(process.returncode, said, errors, top / out, time.monotonic() - begin)


@contextlib.contextmanager
def running(*command: str, top: pathlib.Path | None = None, **more):
    """A process that is gone afterwards, with all of its group."""
    env = environment(top) if top else dict(os.environ, WORKLOAD_TRUTH=os.devnull)
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=more.pop("stdout", subprocess.DEVNULL),
                               start_new_session=True, **more)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def processes(*command: str) -> list[int]:
    """Those that run exactly this."""
    wanted, found = b"".join(word.encode() + b"\0" for word in command), []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes() == wanted:
                found.append(int(path.parent.name))
    return found


@contextlib.contextmanager
def load():
    """Every CPU is busy with something else."""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count() or 1):
            stack.enter_context(running(workload("split_fp"), "600"))
        yield


def remove_perf_maps() -> None:
    """A JIT leaves its perf map behind, for profilers that come late; those of our workload are ours to remove."""
    for path in pathlib.Path("/tmp").glob("perf-*.map"):
        with contextlib.suppress(OSError):
            if not path.is_symlink() and path.is_file() and b" jit_seventy\n" in path.read_bytes()[:200]:
                path.unlink()


def truth_of(top: pathlib.Path) -> dict:
    path = top / "truth.json"
    expect(path.exists(), "the workload did not come to its end")
    return json.loads(path.read_text())


# ----------------------------------------------------------------------------------------------------------------------------- names

def plain(name: str) -> str:
    """A function's name without parameters, marks of kernel or inlined frames, and the hash of Rust."""
    name = re.sub(r"(_\[[a-z]\]| \[inlined\]| \(inlined\))$", "", name)
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    cut = re.search(r"(?<!operator)\((?!anonymous namespace\))", name)
    return name[:cut.start()].rstrip() if cut and cut.start() else name


OFFSET = re.compile(r"(?:.*/)?([^/+]+)\+0x([0-9a-f]+)$")


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


def judge_share(name: str, share: float, seen: float, samples: int) -> str:
    """Why a share is wrong, or nothing."""
    if samples < MIN_SAMPLES:
        return f"only {samples} samples"
    if abs(seen - share) <= allowance(share, samples):
        return ""
    return f"{name} has {seen:.1%}, truth {share:.1%} ±{allowance(share, samples):.1%} of {samples} samples"


def true_shares(truth: dict) -> dict[str, float]:
    """Shares by the workload's own measure: of its CPU time, or of its units of work."""
    parts = truth.get("ns") or truth["units"]
    whole = truth.get("total_ns") if "ns" in truth else sum(parts.values())
    return {name: part / whole for name, part in parts.items()}


# --------------------------------------------------------------------------------------------------------------- tests in Python files

def run_tests(tests, tiers=TIERS) -> int:
    """Runs functions as tests, those that take `tier` once for each; their names are sentences. Words on the command line choose."""
    words, slow = [word for word in sys.argv[1:] if not word.startswith("-")], "--slow" in sys.argv
    failed = 0
    for test in tests:
        arguments = test.__code__.co_varnames[:test.__code__.co_argcount]
        for tier in tiers if "tier" in arguments else [""]:
            name = " ".join([test.__name__.replace("_", " "), *([f"({tier})"] if tier else [])])
            if (words and not any(word in name for word in words)) or (test.__name__.endswith("_slow") and not slow):
                continue
            failed += not report(name, lambda: test(tier) if tier else test(), tier or "perf")
    return 1 if failed else 0


def report(name: str, test, tier: str) -> bool:
    try:
        if reason := why_not(tier):
            raise Skip(reason)
        note = test()
    except Skip as skip:
        print(f"skip {name}: {skip}", flush=True)
        return True
    except (Failure, subprocess.TimeoutExpired, OSError) as failure:
        print(f"not ok {name}: {' '.join(str(failure).split())}", flush=True)
        return False
    print(f"ok {name}" + (f" # {note}" if note else ""), flush=True)
    return True
