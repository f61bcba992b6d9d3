#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tests: tests/golden/<area>/<case>.test holds commands and what they print.

    # what the case shows, and why it matters
    $ atys summary base.collapsed
    ----
    expected lines, standard output and errors together
    ~ a line that starts so is a regular expression for one line
    [exit 1]

Blocks may follow each other and share a folder, which begins as a copy of tests/inputs. `.test_slow` cases run with --slow.

    run.py [--update] [--slow] [--self-test] [WORD…]    --update writes what was printed into the cases; only cases with WORD
"""
import argparse
import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from scratch import Scratch  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXIT = re.compile(r"\[exit (\d+)\]")


@dataclasses.dataclass
class Block:
    commands: list[str]  # as written; a line without `$ ` belongs to the one before, as in a here-document
    expected: list[str]
    status: int = 0

    def script(self) -> str:
        return "\n".join(line.removeprefix("$ ") for line in self.commands)


def parse(text: str) -> tuple[list[str], list[Block]]:
    """The header lines and the blocks. An output that itself begins with `$ ` cannot be written; none of ours does."""
    header, blocks, in_output = [], [], False
    for line in text.splitlines():
        if line.startswith("$ "):
            if in_output or not blocks:
                blocks.append(Block([], []))
            in_output = False
            blocks[-1].commands.append(line)
        elif not blocks:
            header.append(line)
        elif line == "----" and not in_output:
            in_output = True
        elif in_output:
            blocks[-1].expected.append(line)
        else:
            blocks[-1].commands.append(line)
    for block in blocks:
        strip_end(block.expected)
        if block.expected and (match := EXIT.fullmatch(block.expected[-1])):
            block.status = int(match.group(1))
            block.expected.pop()
            strip_end(block.expected)
    return header, blocks


def strip_end(lines: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()


def fits(expected: str, line: str) -> bool:
    return expected == line or (expected.startswith("~ ") and re.fullmatch(expected[2:], line) is not None)


def with_patterns(printed: list[str], expected: list[str]) -> list[str]:
    """The lines printed, with those that a pattern of the old expectation fits given as that pattern, in their order."""
    patterns = [line for line in expected if line.startswith("~ ")]
    result = []
    for line in printed:
        while patterns and not any(fits(patterns[0], later) for later in printed[len(result):]):
            patterns.pop(0)
        result.append(patterns.pop(0) if patterns and fits(patterns[0], line) else line)
    return result


def run_case(path: pathlib.Path, update: bool, atys: str | None = None) -> tuple[bool, str]:
    header, blocks = parse(path.read_text())
    report, written = [], list(header)
    if not any(line.startswith("#") for line in header):
        report.append("no header line that says what the case shows")
    if not blocks:
        report.append("no command")
    with Scratch(atys) as scratch:
        for block in blocks:
            status, output = scratch.run(block.script())
            printed = output.splitlines()
            strip_end(printed)
            if status != block.status or len(printed) != len(block.expected) or not all(map(fits, block.expected, printed)):
                report += difflib.unified_diff(block.expected, with_patterns(printed, block.expected), "expected",
                                               f"printed by {block.commands[0]}", lineterm="")
                report += [f"exit status {status}, expected {block.status}"] if status != block.status else []
            written += [*block.commands, "----", *with_patterns(printed, block.expected)]
            written += ([f"[exit {status}]"] if status else []) + [""]
    if update and report and blocks:
        path.write_text("\n".join(written[:-1]) + "\n")
    return not report, "\n".join(report)


def self_test() -> int:
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        fake = pathlib.Path(folder, "atys")
        fake.write_text('#!/bin/sh\nif [ "$1" = bad ]; then echo "atys: no" >&2; exit 1; fi\necho "got $*"; echo "took $$ ms"\n')
        fake.chmod(0o755)
        case = pathlib.Path(folder, "case.test")
        sound = "# a case\n$ atys a\n----\ngot a\n~ took \\d+ ms\n\n$ ls base.collapsed\n$ atys bad\n----\nbase.collapsed\natys: no\n[exit 1]\n"
        tries = [(sound, True), (sound.replace("got a", "got b"), False), (sound.replace("[exit 1]\n", ""), False),
                 (sound.replace("\\d+", "x"), False), (sound.replace("# a case\n", ""), False), (sound + "more\n", False)]
        for number, (text, expected) in enumerate(tries):
            case.write_text(text)
            if run_case(case, False, str(fake))[0] != expected:
                print(f"not ok golden self-test {number}: {'fails' if expected else 'passes'}")
                return 1
        case.write_text(sound.replace("got a", "got b"))
        run_case(case, True, str(fake))
        if case.read_text() != sound:
            print("not ok golden self-test: --update wrote\n" + case.read_text())
            return 1
    print("ok golden self-test")
    return 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--update", "--slow", "--self-test"):
        options.add_argument(name, action="store_true")
    options.add_argument("words", nargs="*")
    chosen = options.parse_args()
    if self_test():
        return 1
    if chosen.self_test:
        return 0
    cases = sorted([*HERE.glob("*/*.test"), *(HERE.glob("*/*.test_slow") if chosen.slow else [])])
    cases = [case for case in cases if all(word in str(case.relative_to(HERE)) for word in chosen.words)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, (passed, report) in zip(cases, pool.map(lambda case: run_case(case, chosen.update), cases)):
            name = case.relative_to(HERE).with_suffix("")
            failed += not passed
            print(f"ok {name}" if passed else f"{report}\nnot ok {name}: " + ("rewritten" if chosen.update else "see above"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
