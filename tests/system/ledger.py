#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A ledger under 50 callers at once, some of them killed at any moment, never overspends and loses nothing that was settled.

Who is killed when is chance (the seed is printed); the judge is not: it reads the journal line by line and adds up by itself, and
what it demands holds for every order of events.

    ledger.py [--callers N] [--rounds N] [--seed N]
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from scratch import Scratch, atys_binary  # noqa: E402

RESOURCES = ["captures", "profiled_ns", "wall_ns", "overhead_ns", "tokens"]
CALLS = [["summary", "base.collapsed", "--max-tokens", "1200"], ["summary", "base.collapsed", "--form", "tree", "--max-tokens", "1200"],
         ["diff", "base.collapsed", "new.collapsed", "--max-tokens", "1350"]]
TOKENS = 90_000
PATIENCE_S = 120


class Judge:
    """Adds a journal up, with no help from the program that wrote it."""

    def __init__(self, path: pathlib.Path):
        self.limit, self.spent, self.open = {}, collections.Counter(), {}
        self.settled, self.lapsed, self.problems = [], 0, []
        lines = path.read_text().split("\n")
        if lines.pop() != "":
            self.problems.append("the journal ends in the middle of a line")
        for number, line in enumerate(lines, 1):
            self.take(number, line.split()[1:])

    def take(self, line: int, words: list[str]) -> None:
        kind, fields = words[0], dict(word.split("=") for word in words[1:])
        amounts = collections.Counter({name: int(fields.get(name, 0)) for name in RESOURCES})
        if kind == "new":
            self.limit = {name: int(fields[name]) for name in RESOURCES if name in fields}
        elif kind == "reserve":
            self.open[fields["number"]] = amounts
        elif kind in ("settle", "lapse"):
            if fields["number"] not in self.open:
                self.problems.append(f"line {line} ends a call that is not under way")
            most = self.open.pop(fields["number"], collections.Counter())
            self.spent += most if kind == "lapse" else amounts
            self.lapsed += kind == "lapse"
            if kind == "settle":
                self.settled.append(amounts)
        for name, limit in self.limit.items():
            total = self.spent[name] + sum(most[name] for most in self.open.values())
            if total > limit:
                self.problems.append(f"line {line}: {total} of {limit} {name} spent and reserved")


def call(scratch: Scratch, ledger: str, chance: random.Random) -> tuple[str, dict | None]:
    """How it ended, and what a caller that was not killed was told."""
    command = [atys_binary(), *chance.choice(CALLS), "--ledger", ledger, "--json"]
    process = subprocess.Popen(command, cwd=scratch.path, env=scratch.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    kills = chance.random() < 0.4
    if kills:
        time.sleep(chance.random() * chance.choice([0.02, 0.1, 0.5]))
        process.send_signal(signal.SIGKILL)
    output, _ = process.communicate(timeout=PATIENCE_S)
    if process.returncode == -signal.SIGKILL:
        return "killed", None
    return {0: "done", 3: "refused"}.get(process.returncode, f"status {process.returncode}"), json.loads(output)


def make_ledger(scratch: Scratch) -> str:
    status, ledger = scratch.run(f"atys ledger new --tokens {TOKENS} --wall 10m --overhead 5m")
    if status != 0:
        sys.exit(f"not ok ledger new: {ledger}")
    return ledger.strip()


def report(name: str, problem: str) -> int:
    print(f"not ok {name}: {problem}" if problem else f"ok {name}")
    return bool(problem)


def check(arguments) -> int:
    failed = 0
    with Scratch() as scratch:
        ledger = make_ledger(scratch)

        def caller(number: int):
            chance = random.Random(arguments.seed * 1000 + number)
            return [call(scratch, ledger, chance) for _ in range(arguments.rounds)]

        with concurrent.futures.ThreadPoolExecutor(arguments.callers) as pool:
            outcomes = [outcome for outcomes in pool.map(caller, range(arguments.callers)) for outcome in outcomes]
        shown = json.loads(scratch.run(f"atys ledger show {ledger} --json")[1])
        judge = Judge(pathlib.Path(scratch.environment["ATYS_HOME"], "ledgers", f"{ledger}.ledger"))
        counts = collections.Counter(kind for kind, _ in outcomes)
        print(f"  seed {arguments.seed}: {dict(counts)}, {judge.lapsed} reservations of the dead, {dict(judge.spent)}")

        failed += report("never above the budget, after no line of the journal", "; ".join(judge.problems[:3]))
        odd = [kind for kind in counts if kind not in ("done", "refused", "killed")]
        failed += report("each caller is served, refused or killed", ", ".join(odd))
        told = collections.Counter(answer["budget"]["charged"]["tokens"] for kind, answer in outcomes if kind == "done")
        kept = collections.Counter(amounts["tokens"] for amounts in judge.settled)
        failed += report("what callers were told is in the journal", f"lost: {told - kept}" if told - kept else "")
        said = {name: shown["spent"][name] for name in RESOURCES}
        summed = {name: judge.spent[name] for name in RESOURCES}
        failed += report("the ledger says what the judge adds up", "" if said == summed else f"{said} is not {summed}")
        left = {name: judge.limit[name] - judge.spent[name] for name in judge.limit}
        failed += report("and what is left", "" if all(shown["left"][name] == left[name] for name in left) else f"{shown['left']}")
        failed += report("nothing stays reserved by the dead",
                         "" if not judge.open and shown["calls_under_way"] == 0 else f"{judge.open}")
        # A test in which nobody was served or nobody was killed shows nothing.
        failed += report("some were served and some were killed", "" if counts["done"] and counts["killed"] else f"{counts}")
        failed += spend_all(scratch, ledger)
        failed += torn_end(scratch)
    return failed


def spend_all(scratch: Scratch, ledger: str) -> int:
    """Until it is spent: then the answer says so, and the sum is still inside."""
    for _ in range(1000):
        status, output = scratch.run(f"atys summary base.collapsed --ledger {ledger}")
        if status != 0:
            break
    # What the others left may be a little: enough to be asked for, too little for any answer.
    is_told = "the budget is spent" in output and "left: " in output or "no answer fits into the" in output
    problem = "" if status == 3 and is_told else f"exit status {status}: {output}"
    return report("a spent ledger is told with exit status 3", problem)


def torn_end(scratch: Scratch) -> int:
    """A journal cut at every byte of its last record opens, and has what the whole records say."""
    ledger = make_ledger(scratch)
    for _ in range(2):
        scratch.run(f"atys summary base.collapsed --ledger {ledger} --max-tokens 400")
    path = pathlib.Path(scratch.environment["ATYS_HOME"], "ledgers", f"{ledger}.ledger")
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    problems = []
    for size in range(last, len(whole), 7):
        path.write_bytes(whole[:size])
        status, output = scratch.run(f"atys ledger show {ledger} --json")
        # The call whose settlement was torn counts as lost, at all that it reserved.
        if status != 0 or json.loads(output)["calls_lost"] != 1 or json.loads(output)["calls"] != 1:
            problems.append(f"cut at {size}: {output}")
    return report("a torn end is mended", problems[0] if problems else "")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--callers", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    return 1 if check(parser.parse_args()) else 0


if __name__ == "__main__":
    sys.exit(main())
