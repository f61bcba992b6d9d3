#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whoever we are and wherever we run, `doctor` and the errors of `capture` name who refused it, in one line, and nobody else; and what
needs no right works."""
import dataclasses
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checks import check, status  # noqa: E402
from jail import CAPABILITIES as CAPABILITIES_BY_NAME  # noqa: E402
from jail import jailed, why_not  # noqa: E402
from scratch import atys_binary  # noqa: E402

TIMEOUT_S = 120
PARANOID = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())

FILTER = "a system-call filter (seccomp) refuses"
CAPABILITIES = "cap_bpf and cap_perfmon are missing"
NAMESPACE = "we are in a user namespace, whose capabilities do not count"
SYSCTL = "kernel.perf_event_paranoid ="
MODULE = "security module"
EVERY = [FILTER, CAPABILITIES, NAMESPACE, SYSCTL, MODULE]
# What the perf tier says on its last try: user space of our own command. 3 and more are settings of distributions.
STRICT = [SYSCTL] if PARANOID > 2 else []


@dataclasses.dataclass
class Guise:
    """Who we are. For each tier what is in the way, in any order; none: it works."""
    name: str
    options: list[str]
    perf: list[str]
    ebpf: list[str]
    rows: dict[str, list[str]] = dataclasses.field(default_factory=dict)  # of doctor: who refuses it; none: it works


GUISES = [
    Guise("a user behind a filter", ["--user"], [FILTER, *STRICT], [FILTER, CAPABILITIES],
          {"stopping": [], "signals": [], "preloading": [], "memory of processes": []}),
    Guise("a user behind a filter that hides calls", ["--user", "--errno", "ENOSYS"], [FILTER, *STRICT], [FILTER, CAPABILITIES]),
    Guise("a user behind a filter that refuses ptrace too", ["--user", "--no-ptrace"], [FILTER, *STRICT], [FILTER, CAPABILITIES],
          {"stopping": ["filter"], "signals": [], "preloading": [], "memory of processes": []}),
    Guise("a user without memory files and signals", ["--user", "--refuse", "memfd_create", "--refuse", "rt_tgsigqueueinfo"],
          [FILTER, *STRICT], [FILTER, CAPABILITIES], {"stopping": [], "signals": ["filter"], "preloading": ["filter"]}),
    Guise("a user whom the filter kills", ["--user", "--no-ptrace", "--kill"], [FILTER, *STRICT], [FILTER, CAPABILITIES],
          {"stopping": ["filter"], "signals": [], "preloading": [], "memory of processes": []}),
    Guise("a user where nothing can be written", ["--user", "--read-only", "--no-new-privs"], [FILTER, *STRICT], [FILTER, CAPABILITIES]),
    Guise("a user from whom /proc hides others", ["--user", "--hide-proc"], [FILTER, *STRICT], [FILTER, CAPABILITIES],
          {"processes of others": ["hidden proc", "capability"]}),
    Guise("an ordinary user", ["--user", "--no-filter"], STRICT, [CAPABILITIES],
          {"whole host": ["sysctl", "capability"] if PARANOID > 0 else []}),
    Guise("root of a user namespace without capabilities", ["--rootless"], [FILTER, *STRICT], [FILTER, NAMESPACE]),
    Guise("root of a user namespace", ["--namespace-root", "--no-filter"], STRICT, [NAMESPACE],
          {"whole host": ["user namespace", "sysctl"] if PARANOID > 0 else []}),
    Guise("root of a container", ["--container-root"], [FILTER, *STRICT], [FILTER, CAPABILITIES]),
    Guise("root of a container without a filter", ["--container-root", "--no-filter"], STRICT, [CAPABILITIES]),
    Guise("root of a container that was started with the capabilities", ["--container-root", "--cap-add", "perfmon,bpf"], [], []),
    Guise("root behind a filter", [], [FILTER], [FILTER]),
]


def has_every_right() -> bool:
    """Whether nothing but the jail refuses us anything."""
    fields = dict(line.split(":\t") for line in pathlib.Path("/proc/self/status").read_text().splitlines() if ":\t" in line)
    wanted = sum(1 << CAPABILITIES_BY_NAME[name] for name in ("perfmon", "bpf", "sys_ptrace", "sys_admin"))
    own_namespace = pathlib.Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]
    return fields["Seccomp"] == "0" and int(fields["CapEff"], 16) & wanted == wanted and own_namespace


def run(guise: Guise, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(jailed([atys_binary(), *words], *guise.options), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT_S)


def differences(text: str, wanted: list[str]) -> str | None:
    missing = [cause for cause in wanted if cause not in text]
    wrong = [cause for cause in EVERY if cause not in wanted and cause in text]
    return f"not named: {missing}; named: {wrong}; {text.strip()}" if missing or wrong else None


def capture(guise: Guise, tier: str, wanted: list[str]):
    def test():
        done = run(guise, "capture", "--tier", tier, "--", "true")
        if not wanted:
            return None if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr.strip()}"
        if done.returncode != 1 or len(done.stderr.splitlines()) != 1:
            return f"exit status {done.returncode}, {len(done.stderr.splitlines())} lines: {done.stderr.strip()}"
        if "all the same" not in done.stderr:
            return f"does not say what works: {done.stderr.strip()}"
        return differences(done.stderr, wanted)
    return test


def doctor(guise: Guise):
    def test():
        done = run(guise, "doctor", "--json")
        if done.returncode:
            return f"exit status {done.returncode}: {done.stderr.strip()}"
        answer = json.loads(done.stdout)
        if "\n" in answer["cause"] or bool(answer["cause"]) != bool(guise.perf or guise.ebpf):
            return f"cause: {answer['cause']!r}"
        if wrong := differences(answer["cause"], list(dict.fromkeys(guise.perf + guise.ebpf))):
            return wrong
        checks = {row["name"]: row for row in answer["checks"]}
        found = {name: checks[name]["causes"] for name in guise.rows}
        if found != guise.rows:
            return f"{found} instead of {guise.rows}"
        works = {name for name, causes in guise.rows.items() if not causes and checks[name]["status"] != "works"}
        return f"do not work: {works}" if works else None
    return test


SPIN = "import time\ndef hot():\n    while True: sum(range(1000))\nhot()"


def interpreter_behind_a_filter(*options: str):
    """Frames are read of a running interpreter, though process_vm_readv is refused."""
    def test():
        script = f"/usr/bin/python3 -c '{SPIN}' & target=$!; sleep 0.5; {atys_binary()} capture --tier memory --pid $target --duration 1s; kill $target"
        done = subprocess.run(jailed(["sh", "-c", script], "--user", *options), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        return None if " hot " in done.stdout else f"{done.stdout[-300:]} {done.stderr[-300:]}"
    return test


def main() -> int:
    if not has_every_right():
        print("skip who refuses what: we are no root with every capability and without a filter ourselves")
        return 0
    for guise in GUISES:
        if reason := why_not(*guise.options):
            print(f"skip {guise.name}: {reason}")
            continue
        check(f"{guise.name}: doctor", doctor(guise))
        check(f"{guise.name}: tier perf", capture(guise, "perf", guise.perf))
        check(f"{guise.name}: tier ebpf", capture(guise, "ebpf", guise.ebpf))
    check("frames of Python where process_vm_readv is refused", interpreter_behind_a_filter("--no-ptrace"))
    check("frames of Python where process_vm_readv kills", interpreter_behind_a_filter("--no-ptrace", "--kill"))
    return status()


if __name__ == "__main__":
    sys.exit(main())
