#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests: real captures of workloads that know the truth about themselves. tests/live/CASE.test says what to run and what has to be
seen, one directive a line; other tests are the Python files beside it.

    # what the case shows, and why it matters
    WORKLOAD split_fp 2s          a program of tests/workloads and its arguments; those in seconds end in s
    TARGET pid                    how it is captured: command (the default) or pid; a pid is captured for --duration
    RECORD --kind off-cpu         more options of `atys capture`
    TIER perf                     only this tier; without it, the case runs once for each
    LOAD                          with every CPU busy with something else
    EXPECT_SHARE sixty 60%        share of the samples below that function; where the workload measured it, that is the truth
    EXPECT_VALUE nap 5%           the value below that function, beside the workload's own measure of it, and how much it may differ
    EXPECT_TOTAL 10%              the value of the whole, beside the workload's own CPU time, and how much it may differ
    EXPECT_ROOT 99%               share of the stacks that reach their root (captured.ROOTS); `99% or counted`: or are counted as loss
    EXPECT_LINE sixty split.c     some sample of that function is of that file, with a line
    EXPECT_LOSS unwind|stack      a loss with such a reason is in the profile
    REQUIRES root                 root, or a program

A share holds if it is within one point plus four standard errors of the samples taken. `.test_slow` cases run with --slow.
ATYS_LIVE_SCALE=4: workloads and captures last four times as long, and so do the times that a test waits; for slow machines (emulated ones).
No tolerance changes with it.

    run.py [--slow] [--self-test] [WORD…]     only cases with WORD in their name
"""
import argparse
import concurrent.futures
import contextlib
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import Failure, Skip, expect  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ONCE = {"WORKLOAD", "TARGET", "RECORD", "TIER", "LOAD", "EXPECT_TOTAL"}
MANY = {"EXPECT_SHARE", "EXPECT_ROOT", "EXPECT_VALUE", "EXPECT_LINE", "EXPECT_LOSS", "REQUIRES"}
DURATION = ["--duration", "2s"]
FEWEST = 7  # without rights, on a machine that is full of others, where each stands for more: so the tolerance is wider
SECONDS = re.compile(r"\d+(\.\d+)?s")
SETTLE_S = 0.3 * live.SCALE  # a program that is attached to runs already


def parse(text: str) -> dict[str, list[str]]:
    """Directive to its arguments, one string for each time that it was given."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# "):
        raise Failure("no header line that says what the case shows")
    found: dict[str, list[str]] = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        if not line.strip() or line.startswith("#"):
            continue
        if word not in ONCE | MANY or (word in ONCE and word in found):
            raise Failure(f"not understood, or said twice: {line}")
        found.setdefault(word, []).append(rest.strip())
    if "WORKLOAD" not in found or not any(word.startswith("EXPECT") for word in found):
        raise Failure("no WORKLOAD, or nothing is expected")
    return found


def percent(text: str) -> float:
    return float(text.rstrip("%")) / 100


def record(case: dict, tier: str, top: pathlib.Path, longer: float = 1) -> live.Capture:
    program, *arguments = case["WORKLOAD"][0].split()
    command = [live.workload(program), *(live.seconds(longer * float(word[:-1])) if SECONDS.fullmatch(word) else word for word in arguments)]
    options = options_of(case)
    if case.get("TARGET", ["command"])[0] == "command":
        return live.capture(top, tier, *options, "--", *command).succeeded()
    with live.running(*command, top=top) as process:
        time.sleep(SETTLE_S)
        shot = live.capture(top, tier, *([] if "--duration" in options else DURATION), *options, "--pid", str(process.pid)).succeeded()
        process.wait(live.TIMEOUT_S)
    return shot


def options_of(case: dict) -> list[str]:
    options = case.get("RECORD", [""])[0].split()
    return options if "--freq" in options else [*live.RATE, *options]


def period_of_waits(case: dict) -> float:
    options = options_of(case)
    return 1e9 / float(options[options.index("--freq") + 1]) if "off-cpu" in options else 0


def judge(case: dict, profile: live.Profile, truth: dict, fewest: int = live.MIN_SAMPLES) -> list[str]:
    """Every expectation that does not hold."""
    program = case["WORKLOAD"][0].split()[0]
    wrong = [judge_share(words, profile, truth, program, fewest) for words in case.get("EXPECT_SHARE", [])]
    wrong += [judge_value(words, profile, truth, period_of_waits(case)) for words in case.get("EXPECT_VALUE", [])]
    wrong += [judge_total(words, profile, truth) for words in case.get("EXPECT_TOTAL", [])]
    wrong += [judge_root(words, profile, program, fewest) for words in case.get("EXPECT_ROOT", [])]
    wrong += [judge_line(words, profile) for words in case.get("EXPECT_LINE", [])]
    wrong += ["" if profile.loss(words) else f"no loss like {words} is told" for words in case.get("EXPECT_LOSS", [])]
    return [why for why in wrong if why]


def judge_share(words: str, profile: live.Profile, truth: dict, program: str, fewest: int) -> str:
    name, share = words.rsplit(" ", 1)
    known = live.true_shares(truth).get(name, percent(share))
    worth = live.worth_without_rights(profile.effective) if fewest < live.MIN_SAMPLES else profile.effective
    return live.judge_share(name, known, profile.shares(program).get(name, 0), worth, fewest)


def judge_value(words: str, profile: live.Profile, truth: dict, period_ns: float) -> str:
    """A wait shorter than a period is recorded by chance and stands for a period: a sum has the standard error of as many records."""
    name, allowed = words.rsplit(" ", 1)
    known, seen = truth["ns"][name], profile.values().get(name, 0)
    if abs(seen - known) <= percent(allowed) * known + 4 * (known * period_ns) ** 0.5:
        return ""
    return f"{name} has {seen / 1e6:.1f} ms, truth {known / 1e6:.1f} ms ±{allowed}"


def judge_total(allowed: str, profile: live.Profile, truth: dict) -> str:
    if abs(profile.total - truth["total_ns"]) <= percent(allowed) * truth["total_ns"]:
        return ""
    lost = ", ".join(f"{one['count']} {one['reason']}" for one in profile.summary["profile"]["loss"])
    return f"the whole is {profile.total / 1e6:.0f} {profile.summary['profile']['unit']}/10⁶, truth {truth['total_ns'] / 1e6:.0f} ms " \
        f"±{allowed}; lost: {lost or 'nothing'}"


def judge_root(words: str, profile: live.Profile, program: str, fewest: int) -> str:
    wanted, _, counted = words.partition(" ")
    share, others = profile.rooted(program)
    if counted:
        share += profile.loss("root|truncat|unwind|stack|deep") / max(profile.samples, 1)
    if profile.samples >= fewest and share >= percent(wanted):
        return ""
    worst = sorted(others.items(), key=lambda item: -item[1])[:3]
    whole = sum(weight for _, weight in profile.stacks)
    return f"{share:.2%} of {profile.samples} samples reach the root; others begin with " + \
        ", ".join(f"{name} ({weight / whole:.1%})" for name, weight in worst)


def judge_line(words: str, profile: live.Profile) -> str:
    name, file = words.rsplit(" ", 1)
    rows = profile.ask("summary", str(profile.path), "--by", "line", "--top", "1000000")["rows"]
    if any(live.plain(row["name"]) == name and row["file"].endswith(file) and row["line"] > 0 for row in rows):
        return ""
    lines = {f"{row['file']}:{row['line']}" for row in rows if live.plain(row["name"]) == name}
    return f"{name} is not of {file} but of {', '.join(sorted(lines)[:3]) or 'nowhere'}"


def run_case(path: pathlib.Path, tier: str) -> str:
    case = parse(path.read_text())
    for need in case.get("REQUIRES", []):
        live.require_root() if need == "root" else live.require_program(need)
    with live.folder() as top, live.load() if "LOAD" in case else contextlib.nullcontext():
        shot = record(case, tier, top)
        # On a busy machine few of the threads that are ready run, and only those count.
        if tier in ("signal", "stop") and shot.profile.effective < 2 * live.MIN_SAMPLES:
            shot = record(case, tier, top, longer=min(10, max(6, 4 * live.MIN_SAMPLES / max(shot.profile.effective, 1))))
        truth, profile = live.truth_of(top), shot.profile
        wrong = judge(case, profile, truth, FEWEST if tier in ("signal", "stop") else live.MIN_SAMPLES)
        expect(not wrong, "; ".join(wrong))
        return f"{profile.samples} samples, {profile.rooted(case['WORKLOAD'][0].split()[0])[0]:.2%} rooted"


def self_test() -> None:
    """The judges refuse what is wrong."""
    sound = "# a case\nWORKLOAD split_fp 2s\nEXPECT_SHARE sixty 60%\n"
    parse(sound)
    for broken in (sound.replace("# a case\n", ""), sound + "EXPECT_NOTHING x\n", sound + "WORKLOAD a\n", "# a case\nWORKLOAD a\n"):
        with contextlib.suppress(Failure):
            parse(broken)
            raise AssertionError(f"understood: {broken}")
    assert not live.judge_share("f", 0.60, 0.63, 1000) and live.judge_share("f", 0.60, 0.68, 1000) and live.judge_share("f", 0.6, 0.6, 9)
    assert live.plain("a::f<int>(b, c)") == "a::f<int>" and live.plain("s::f::h0123456789abcdef") == "s::f"
    assert live.plain("(anonymous namespace)::f()") == "(anonymous namespace)::f" and live.plain("f_[k]") == "f"
    assert live.true_shares({"units": {"a": 3, "b": 1}}) == {"a": 0.75, "b": 0.25}
    with live.folder() as top:
        (top / "p.collapsed").write_text("_start;main;sixty 60\n_start;main;ten 38\nmain;ten 2\n")
        profile, truth = live.Profile(top / "p.collapsed"), {"total_ns": 100, "ns": {"sixty": 61, "ten": 39, "thirty": 30}}
        tries = {"EXPECT_SHARE sixty 60%": True, "EXPECT_SHARE thirty 30%": False, "EXPECT_ROOT 97%": True, "EXPECT_ROOT 99%": False,
                 "EXPECT_VALUE sixty 5%": True, "EXPECT_VALUE sixty 1%": False, "EXPECT_TOTAL 1%": True, "EXPECT_LOSS x": False,
                 "EXPECT_LINE sixty split.c": False, "EXPECT_SHARE six 50%": False}
        for words, holds in tries.items():
            wrong = judge(parse(f"# a case\nWORKLOAD split_fp 2s\n{words}\n"), profile, truth)
            assert bool(wrong) != holds, f"{words}: {wrong}"
        truth["total_ns"] = 50
        assert judge(parse("# a case\nWORKLOAD split_fp 2s\nEXPECT_TOTAL 1%\n"), profile, truth)
    print("ok live self-test", flush=True)


def tiers_for(text: str) -> tuple[str, ...]:
    """Without rights only commands that we start are recorded: by our library in them, or by stops where it cannot be. Some by both."""
    if re.search("^TARGET|^RECORD.*(off-cpu|adaptive)", text, re.MULTILINE):
        return live.TIERS
    program = re.search(r"^WORKLOAD (\S+)", text, re.MULTILINE).group(1)
    if re.search("_go|musl|static", program):
        return (*live.TIERS, "stop")
    return (*live.TIERS, "signal", *(["stop"] if program in ("forks", "execs", "split_nofp", "threads_nofp", "jit") else []))


def jobs(chosen) -> list[tuple[pathlib.Path, str]]:
    found = []
    for path in sorted([*HERE.glob("*.test"), *(HERE.glob("*.test_slow") if chosen.slow else [])]):
        only = re.search(r"^TIER (\w+)", path.read_text(), re.MULTILINE)
        found += [(path, tier) for tier in ([only.group(1)] if only else tiers_for(path.read_text()))]
    return [(path, tier) for path, tier in found if all(word in f"{path.stem} ({tier})" for word in chosen.words)]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--slow", "--self-test"):
        options.add_argument(name, action="store_true")
    options.add_argument("words", nargs="*")
    chosen = options.parse_args()
    self_test()
    if chosen.self_test:
        return 0
    if not live.has_capture():
        print("skip live captures: this atys has no verb capture")
        return 0
    failed = 0
    live.workloads.build_all()
    with concurrent.futures.ThreadPoolExecutor(live.AT_ONCE) as pool:
        for passed in pool.map(lambda job: live.report(f"{job[0].stem} ({job[1]})", lambda: run_case(*job), job[1]), jobs(chosen)):
            failed += not passed
    live.remove_perf_maps()
    for path in sorted(HERE.glob("*_test.py")):
        more = [word for word in chosen.words if word != path.stem]
        if not chosen.words or len(more) < len(chosen.words):
            failed += subprocess.run([sys.executable, path, *(["--slow"] if chosen.slow else []), *more]).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Skip, Failure) as why:
        sys.exit(f"not ok live: {why}")
