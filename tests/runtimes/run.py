#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of captures in every language. Each runtime runs workloads that know the truth about themselves: shares within one point and four
standard errors, lines, kinds of frames, whole stacks; and each has to survive being captured. This machine's own runtimes are tested by
default, those of runtimes.txt with --all: they are put into folders by debootstrap, once, and run in namespaces of their own.

    run.py [--all] [--slow] [--cycles N] [--list] [--self-test] [WORD…]     only tests with every WORD in their name

--cycles: how often each target is attached to and let go; 100, or 1000 with --slow.

The folders are build/roots (or $ATYS_ROOTS); `rm -rf build/roots` removes them.
"""
import argparse
import concurrent.futures
import contextlib
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import accounts  # noqa: E402
import company  # noqa: E402
import java_cases  # noqa: E402
import judge  # noqa: E402
import live  # noqa: E402
import python_cases  # noqa: E402
import survival  # noqa: E402
from languages import Runtime, Target, command_of, of_host, of_releases, put_sources, started  # noqa: E402
from live import Failure, expect  # noqa: E402


def split(runtime: Runtime, tier: str) -> str:
    """Six of ten, three of ten, one of ten. Without a way to see its language, native frames and one line that says so."""
    language = runtime.language
    with live.folder() as top, started(runtime) as target:
        # A runtime that samples itself has to get ready for it, which takes some of the capture's time on a busy machine.
        more = ["--duration", "5s"] if language.samples_itself else []
        shot = survival.shot_of(target, top, *more, tier=tier)
        truth = target.truth()
        if runtime.is_shown and tier in tiers_of(runtime):
            # What reads an interpreter from outside comes too late for some samples where it has to wait for a CPU; they show native frames.
            is_late = tier == "memory" or (tier == "perf" and not language.samples_itself and live.machine_is_full())
            wrong = judge.judge_all(shot.profile, truth, language, language.source, relative=is_late)
        else:
            wrong = judge.judge_native_only(shot, language.name)
        expect(not wrong, "; ".join(wrong) + (f" # notes: {shot.notes()}" if shot.notes() and language.kind else ""))
        return f"{shot.profile.samples} samples"


def tiers_of(runtime: Runtime) -> tuple[str, ...]:
    """Those that show its language: a runtime that samples itself does so in each."""
    return live.TIERS if runtime.language.samples_itself else (*live.TIERS, "memory")


def is_detected(runtime: Runtime) -> str:
    with started(runtime) as target:
        process = live.Profile(pathlib.Path()).ask("detect", str(target.pid))["processes"][0]
        found = [one for one in process["runtimes"] if one["name"].startswith(runtime.language.called)]
        expect(found, f"{runtime.language.name} is not found, but {process['runtimes']}")
        version, known = found[0]["version"], runtime.version
        same = re.match(rf"(1\.)?{re.escape(known)}(\D|$)", version)
        expect(same or not version or not runtime.language.tells_version, f"is said to be {version}")
        wanted = runtime.language.name if runtime.is_shown else "native"
        expect(wanted in process["kernel"].split(", "), f"its kernel is said to be {process['kernel']}")
        return version


def as_a_command(runtime: Runtime) -> str:
    """Started by us, and recorded from the first instruction to the last. Its start is in the profile too."""
    with live.folder() as top:
        put_sources(runtime, top, runtime.language.source)
        command = command_of(runtime, str(top), runtime.language.source, live.seconds(3))
        shot = live.capture(top, "", *live.RATE, "--", *command).succeeded()
        wrong = judge.judge_shares(shot.profile, live.truth_of(top), relative=True) if runtime.language.kind else []
        expect(not any(wrong), "; ".join(filter(None, wrong)))
        return f"{shot.profile.samples} samples"


def several_languages_at_once(runtimes: list[Runtime]) -> str:
    """One profile of processes in different languages: each with its own frames, and with the CPU time that it used."""
    with live.folder() as top, contextlib.ExitStack() as stack:
        targets = [stack.enter_context(started(runtime)) for runtime in runtimes]
        expect(len(targets) > 1, "there is only one language here")
        clocks: list[list[int]] = []

        def look(_=None):
            clocks.append([survival.cpu_ns_of(target.pid) for target in targets])

        def watch(_):
            look()
            time.sleep(3 * live.SCALE)
            look()

        look()
        pids = ",".join(str(target.pid) for target in targets)
        shot = live.capture(top, "ebpf", *live.RATE, "--duration", "5s", "--pid", pids, then=watch).succeeded()
        look()
        wrong = []
        for i, target in enumerate(targets):
            least, most = clocks[2][i] - clocks[1][i], clocks[3][i] - clocks[0][i]  # inside the capture, and around it
            wrong += judge_one_of_many(shot, target, least, most)
        expect(not wrong, "; ".join(wrong))
        return ", ".join(runtime.language.name for runtime in runtimes)


def judge_one_of_many(shot: live.Capture, target: Target, least: int, most: int) -> list[str]:
    language = target.runtime.language
    answer = shot.profile.ask("summary", str(shot.path), "--label", f"process.pid={target.pid}", "--top", "1000000")
    whole, rows = answer["profile"]["total"], answer["rows"]
    sixty = sum(row["total"] for row in rows if judge.is_function(row["name"], "sixty") and row["frame_kind"] == language.kind)
    wrong = [] if 0.98 * least <= whole <= 1.02 * most else [f"{language.name} has {whole / 1e6:.0f} ms, its CPU time is between "
                                                            f"{least / 1e6:.0f} and {most / 1e6:.0f} ms"]
    return wrong + ([] if sixty > 0.4 * whole else [f"sixty has {sixty / max(whole, 1):.1%} of {language.name}"])


def tests_of(runtime: Runtime, is_main: bool, cycles: int):
    """(name, tier, test) of one runtime. Those of this machine that are not the first of their language get the short list."""
    yield "is detected", "perf", lambda: is_detected(runtime)
    for tier in sorted({*live.TIERS, *(tiers_of(runtime) if runtime.language.kind else [])}):
        yield f"split ({tier})", "ebpf" if tier == "ebpf" else "perf", lambda tier=tier: split(runtime, tier)
    if runtime.language.name == "python":
        for case in python_cases.CASES:
            if is_main or runtime.release:
                yield case.name, "ebpf", lambda case=case: python_cases.run(case, runtime)
    if not is_main and not runtime.release:
        return
    if not runtime.release:
        yield "as a command", "ebpf", lambda: as_a_command(runtime)
        if runtime.language.name == "python":
            for test in python_cases.HOST_TESTS:
                yield test.__name__.replace("_", " "), "ebpf", lambda test=test: test(runtime)
    if runtime.language.samples_itself and runtime.is_shown:
        for name, test in [*accounts.tests_of(runtime), *company.tests_of(runtime)]:
            yield name, "ebpf", test
    if runtime.language.name == "java" and not runtime.release:
        for name, test in java_cases.tests_of(runtime):
            yield name, "ebpf", test
    for test in survival.TESTS:
        yield test.__name__.replace("_", " "), "ebpf", lambda test=test: test(runtime)
    yield "is captured again and again", "ebpf", lambda: survival.is_captured_again_and_again(runtime, cycles)


def all_tests(chosen):
    seen = set()
    first = {runtime.language.name: runtime for runtime in reversed(of_host()) if runtime.language.kind}
    name = "several languages at once"
    if all(word in name for word in chosen.words):
        yield name, "ebpf", lambda: several_languages_at_once(list(first.values()))
    for runtime in [*of_host(), *(of_releases() if chosen.all else [])]:
        is_main = runtime.language.name not in seen
        seen.add(runtime.language.name)
        for name, tier, test in tests_of(runtime, is_main, chosen.cycles):
            full = f"{runtime} {name}"
            if all(word in full for word in chosen.words):
                yield full, tier, test


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--all", "--slow", "--list", "--self-test"):
        options.add_argument(name, action="store_true")
    options.add_argument("--cycles", type=int)
    options.add_argument("words", nargs="*")
    chosen = options.parse_args()
    chosen.cycles = chosen.cycles or (survival.CYCLES_SLOW if chosen.slow else survival.CYCLES)
    judge.self_test()
    accounts.self_test()
    live.ALWAYS.append("--allow-inspector")  # for the names of Node.js; killed_test.py is about captures without
    print("ok languages self-test", flush=True)
    if chosen.self_test:
        return 0
    tests = list(all_tests(chosen))
    if chosen.list:
        print(*(f"# {name}" for name, _, _ in tests), sep="\n")
        return 0
    with concurrent.futures.ThreadPoolExecutor(live.AT_ONCE) as pool:
        return 0 if all([*pool.map(lambda one: live.report(one[0], one[2], one[1]), tests)]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as why:
        sys.exit(f"not ok languages: {why}")
