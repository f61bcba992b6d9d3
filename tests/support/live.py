# SPDX-License-Identifier: Apache-2.0
"""What tests of real captures share: running `atys capture` on a workload, reading its profile, and judging it against the truth."""
import contextlib
import ctypes
import dataclasses
import functools
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import interrupts
from captured import (MIN_SAMPLES, OFFSET, SCALE, TIMEOUT_S, Failure, Profile, Skip, allowance, expect, is_root, judge_share,  # noqa: F401
                      machine_is_full, outermost_ranges, plain, true_shares, worth_without_rights, workload, workloads)
from scratch import ROOT, atys_binary  # noqa: F401

interrupts.hear()

TIERS = ("ebpf", "perf")
MOMENT_S = 1.0 * SCALE
# A rate that gives enough samples in two seconds, odd so that it is in step with nothing, and a cap that lets us keep it: how the
# cap is held is a test of its own.
RATE = ["--freq", "997", "--max-overhead", "50%"]

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
    if tier in ("signal", "stop"):
        return ""
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


# -------------------------------------------------------------------------------------------------------------------------- captures

@dataclasses.dataclass
class Capture:
    status: int
    out: str
    err: str
    path: pathlib.Path
    wall_s: float  # for a SCALE of 1

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

    def notes(self) -> list[str]:
        """What it told a person of this capture, a line each."""
        return self.answer.get("notes", [])

    def succeeded(self, status: int = 0) -> "Capture":
        expect(self.status == status, f"exit status {self.status}, expected {status}; it said: {self.said()}")
        expect(self.path.exists(), f"no profile was written; it said: {self.said()}")
        return self

    @functools.cached_property
    def profile(self) -> Profile:
        return Profile(self.succeeded(self.status).path)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="atys-live-") as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


def environment(top: pathlib.Path) -> dict[str, str]:
    return dict(os.environ, ATYS_HOME=str(top / "home"), WORKLOAD_TRUTH=str(top / "truth.json"), NO_COLOR="1")


def seconds(value: float) -> str:
    """A workload's argument: so long, on a machine that is not slow."""
    return f"{value * SCALE:g}"


def longer(options: list[str]) -> list[str]:
    """The same with whole seconds of --duration as a slow machine needs them; what is in milliseconds is not there for its samples."""
    return [f"{seconds(float(word[:-1]))}s" if before == "--duration" and re.fullmatch(r"\d+s", word) else word
            for before, word in zip(["", *options], options)]


ALWAYS: list[str] = []  # options of every capture


def capture_command(top: pathlib.Path, tier: str, *arguments: str, out: str = "profile.pb.gz") -> list[str]:
    """`atys capture`; the arguments may end in `--` and a command."""
    options = ["--tier", tier] if tier else []
    return [atys_binary(), "capture", *options, "-o", str(top / out), "--json", *ALWAYS, *longer(list(arguments))]


def wait_until_attached(pid: int, timeout: float = 10 * SCALE) -> None:
    """Until that process has events open, or BPF: from then on it records."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            links = [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
            if any("[perf_event]" in link or "bpf" in link for link in links):
                return
        time.sleep(0.02)


def capture(top: pathlib.Path, tier: str, *arguments: str, timeout: float = 60, out: str = "profile.pb.gz", then=None) -> Capture:
    """Runs a capture to its end; `then` is called once it has recorded for a moment."""
    timeout *= SCALE
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
    return Capture(process.returncode, said, errors, top / out, (time.monotonic() - begin) / SCALE)


@contextlib.contextmanager
def running(*command: str, top: pathlib.Path | None = None, **more):
    """A process that is gone afterwards, with all of its group."""
    env = more.pop("env", None) or (environment(top) if top else dict(os.environ, WORKLOAD_TRUTH=os.devnull))
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


# --------------------------------------------------------------------------------------------------------------- tests in Python files

def run_tests(tests, tiers=TIERS, otherwise="perf") -> int:
    """Runs functions as tests, those that take `tier` once for each; their names are sentences. Words on the command line choose. Those that
    take none need what the tier `otherwise` needs."""
    words, slow = [word for word in sys.argv[1:] if not word.startswith("-")], "--slow" in sys.argv
    failed = 0
    for test in tests:
        arguments = test.__code__.co_varnames[:test.__code__.co_argcount]
        for tier in tiers if "tier" in arguments else [""]:
            name = " ".join([test.__name__.replace("_", " "), *([f"({tier})"] if tier else [])])
            if (words and not any(word in name for word in words)) or (test.__name__.endswith("_slow") and not slow):
                continue
            failed += not report(name, lambda: test(tier) if tier else test(), tier or otherwise)
    return 1 if failed else 0


def say(line: str) -> None:
    """Lines come from several threads: one write each."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


AT_ONCE = 2  # captures that disturb each other are part of a test, but each has to get its samples
SECOND_TRY = threading.Lock()


def report(name: str, test, tier: str) -> bool:
    """A test of a real capture on a machine that others use as well gets a second try, by itself; the first is told, not hidden. What is
    wrong with us is wrong twice."""
    try:
        if reason := why_not(tier):
            raise Skip(reason)
        note = with_second_try(name, test)
    except Skip as skip:
        say(f"skip {name}: {skip}")
        return True
    except FAILURES as failure:
        say(f"not ok {name}: {one_line(failure)}")
        return False
    say(f"ok {name}" + (f" # {note}" if note else ""))
    return True


def with_second_try(name: str, test):
    try:
        return test()
    except FAILURES as failure:
        say(f"# {name} failed at its first try: {one_line(failure)}")
    with SECOND_TRY:
        return test()


def one_line(failure: Exception) -> str:
    return " ".join(str(failure).split())


FAILURES = (Failure, subprocess.TimeoutExpired, OSError)
