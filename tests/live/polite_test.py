#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests that a program does the same whether it is captured without rights or not: what it prints is compared word for word, for
programs that start others, handle signals, have odd stacks, or print what they know of themselves."""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jail  # noqa: E402
import live  # noqa: E402
from live import Skip, expect, folder, workload  # noqa: E402

RATE = ["--freq", "999", "--max-overhead", "50%"]
FEW = 20  # samples: fewer, and nobody has looked
MOST_RUNS, FEW_OF_ALL = 6, 3
HELPERS = ("polite_state", "polite_static")
SHORT_RUNS = {"signal": 1000, "stop": 200}
OUR_SIGNAL = 1 << 22  # SIGURG, in a set
# What they do takes no time to speak of, or takes it in children that are over at once.
BRIEF = {"small_stack_starts", "shells_of_threads", "shells", "spawns", "sanitized", "gains_rights", "environment", "rights"}
# A daemon whose parent has ended is seen by our library in it alone.
NOT_SEEN = {("stop", "daemon_alone")}


@dataclasses.dataclass
class Run:
    status: int
    out: str
    answer: dict


def environment(top: pathlib.Path, more: dict[str, str]) -> dict[str, str]:
    """The same for both, and little, so that a difference is short."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(top), "ATYS_HOME": str(top / "home"), "ZETA": "last", **more}


def run(command: list[str], variables: dict[str, str]) -> Run:
    done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=live.TIMEOUT_S)
    lines = done.stdout.splitlines(True)
    begin = next((number for number, line in enumerate(lines) if line.startswith('{"id"')), len(lines))
    return Run(done.returncode, "".join(lines[:begin]), json.loads("".join(lines[begin:]) or "{}"))


def captured(top: pathlib.Path, tier: str, command: list[str]) -> list[str]:
    return [live.atys_binary(), "capture", *(["--tier", tier] if tier else []), *RATE, "-o", str(top / "profile.pb.gz"), "--json", "--", *command]


def first_difference(plain: str, seen: str) -> str:
    pairs = zip([*plain.splitlines(), "the end"], [*seen.splitlines(), "the end"])
    return next((f"{one!r} became {other!r}" for one, other in pairs if one != other), "nothing")


def compare(tier: str, command: list[str], fewest: int, **more: str) -> None:
    """On a machine that is full of others a short program is seldom looked at: it is run again then, and each run has to be the same."""
    looks = compare_once(tier, command, **more)
    for _ in range(MOST_RUNS - 1):
        if looks >= fewest:
            return
        looks += compare_once(tier, command, **more)
    expect(looks >= min(fewest, FEW_OF_ALL), f"{' '.join(command)}: only {looks} samples in {MOST_RUNS} runs")


def compare_once(tier: str, command: list[str], **more: str) -> int:
    with folder() as top:
        variables = environment(top, more)
        plain, seen = run(command, variables), run(captured(top, tier, command), variables)
        what = " ".join([pathlib.Path(command[0]).name, *command[1:], *more])
        expect(seen.answer.get("tier") == tier, f"{what}: tier {seen.answer.get('tier')}")
        expect(plain.status == seen.status, f"{what}: status {plain.status} became {seen.status}")
        expect(plain.out == seen.out, f"{what}: {first_difference(plain.out, seen.out)}")
        expect(plain.out, f"{what}: it printed nothing")
        return seen.answer["samples"]


def deeds_are_the_same(tier: str, program: str, **more: str) -> str:
    path = workload(program)
    deeds = subprocess.run([path], capture_output=True, text=True).stdout.split()
    expect(len(deeds) > 3, f"{program} has only {deeds}")
    with concurrent.futures.ThreadPoolExecutor(live.AT_ONCE) as pool:
        tries = [pool.submit(compare, tier, [path, deed], 0 if deed in BRIEF or (tier, deed) in NOT_SEEN else FEW, **more)
                 for deed in deeds if (program, deed) != ("polite_state", "all")]
        for one in tries:
            one.result()
    return f"{len(deeds)} deeds"


def no_call_is_interrupted(tier):
    with folder() as top:
        seen = run(captured(top, tier, [workload("interrupted"), "100"]), environment(top, {}))
        expect(seen.out == "0 calls were interrupted\n", seen.out.replace("\n", "; "))
        expect(seen.answer["samples"] >= FEW, f"only {seen.answer['samples']} samples")
        return f"{seen.answer['samples']} samples"


def signals_of_its_own_are_its_own(tier):
    return deeds_are_the_same(tier, "polite_signals")


def odd_stacks_hold(tier):
    return deeds_are_the_same(tier, "polite_stacks")


def programs_are_started_as_ever(tier):
    for helper in HELPERS:
        workload(helper)
    deeds_are_the_same(tier, "polite_programs")
    # Another library is preloaded anyway: its function stays in the place of the C library's, and children have it too.
    return deeds_are_the_same(tier, "polite_programs", LD_PRELOAD=workload("libpolite.so"))


def a_program_with_a_sanitizer_runs(tier):
    """Its runtime has to come first, and refuses to start behind another library."""
    workload("polite_state")
    path = workload("polite_sanitized")
    compare(tier if tier == "stop" else "signal", [workload("polite_programs"), "sanitized"], 0)
    with folder() as top:
        variables = environment(top, {})
        plain, seen = run([path, "environment"], variables), run(captured(top, "", [path, "environment"]), variables)
        expect(plain == dataclasses.replace(seen, answer={}), first_difference(plain.out, seen.out))


def what_a_program_knows_of_itself_is_the_same(tier):
    deeds_are_the_same(tier, "polite_state")
    for name in ("polite_state", "polite_musl"):
        for more in ({}, {"LD_PRELOAD": ""}, {"LD_PRELOAD": workload("libpolite.so")}):
            if name == "polite_musl" and more.get("LD_PRELOAD"):
                continue  # that library needs another C library
            with folder() as top:
                variables, command = environment(top, more), [workload(name), "all"]
                plain, seen = run(command, variables), run(captured(top, tier, command), variables)
                wanted = plain.out
                if tier == "signal":  # the one thing that cannot be hidden
                    wanted = wanted.replace(f"SigCgt:\t{0:016x}", f"SigCgt:\t{OUR_SIGNAL:016x}")
                expect("SigCgt" in wanted and "ZETA=last" in wanted, f"it printed {plain.out[:200]!r}")
                expect(wanted == seen.out, f"{name} {more}: {first_difference(wanted, seen.out)}")
                expect(seen.answer["samples"] >= FEW, f"only {seen.answer['samples']} samples")


def who_gains_rights_gains_them():
    """A setuid program that an ordinary user starts from a captured one."""
    if reason := jail.why_not("--user"):
        raise Skip(reason)
    live.require_root()
    with folder() as top:
        top.chmod(0o777)
        for name in ("polite_programs", "polite_state"):
            shutil.copy(workload(name), top / name)
        program = top / "setuid"
        shutil.copy(workload("polite_state"), program)
        program.chmod(stat.S_ISUID | 0o755)
        command = [str(top / "polite_programs"), "gains_rights"]
        variables = environment(top, {"SETUID_PROGRAM": str(program)})
        plain = run(jail.jailed(command, "--user"), variables)
        seen = run(jail.jailed([live.atys_binary(), "capture", "--json", "-o", str(top / "p.pb.gz"), "--", *command], "--user"), variables)
        if "secure 1" not in plain.out:
            raise Skip("setuid programs gain nothing here")
        wanted, got = ("\n".join(line for line in text.splitlines() if "atys-jail-" not in line) for text in (plain.out, seen.out))
        expect(wanted == got, first_difference(wanted, got))
        expect(seen.answer.get("tier") == "signal", f"tier {seen.answer.get('tier')}")


def a_thousand_short_runs_go_well(tier):
    count = SHORT_RUNS[tier]
    script = f"i=0; while [ $i -lt {count} ]; do {workload('polite_short')}; i=$((i+1)); done"
    with folder() as top:
        seen = run(captured(top, tier, ["sh", "-c", script]), environment(top, {}))
        lines = seen.out.splitlines()
        bad = [line for line in lines if line != "0 wrong"]
        expect(not bad and len(lines) == count, f"{len(bad)} of {len(lines)} went wrong: {bad[:3]}; {count} were started")
        expect(seen.answer["samples"] >= FEW, f"only {seen.answer['samples']} samples")
        return f"{count} runs, {seen.answer['samples']} samples"


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(live.run_tests([no_call_is_interrupted, signals_of_its_own_are_its_own, odd_stacks_hold, programs_are_started_as_ever,
                             a_program_with_a_sanitizer_runs, what_a_program_knows_of_itself_is_the_same, who_gains_rights_gains_them,
                             a_thousand_short_runs_go_well], tiers=("signal", "stop"), otherwise="signal"))
