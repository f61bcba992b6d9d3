#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of the guide: each ```sh block of docs/guide/*.md has to end with exit status 0. The blocks of one page share a
folder, which begins with the files of tests/inputs and profile.pb.gz, before.pb.gz and after.pb.gz made from them. What only shows
something (another machine's commands, output) is marked ```console or ```text.

    run.py [--self-test] [PAGE…]
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from scratch import ROOT, Scratch  # noqa: E402

BLOCK = re.compile(r"^( *)```sh\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
SAMPLES = [("base.collapsed", "profile.pb.gz"), ("base.collapsed", "before.pb.gz"), ("new.collapsed", "after.pb.gz")]


def blocks_of(text: str):
    """(line number, script) of each block; a prompt `$ ` is taken off."""
    for match in BLOCK.finditer(text):
        lines = [line.removeprefix(match.group(1)).removeprefix("$ ") for line in match.group(2).splitlines()]
        yield text.count("\n", 0, match.start()) + 1, "\n".join(lines)


def run_page(page: pathlib.Path, atys: str | None = None) -> int:
    failed = 0
    with Scratch(atys) as scratch:
        for source, target in SAMPLES:
            scratch.run(f"atys convert {source} -o {target}")
        for line, script in blocks_of(page.read_text()):
            status, output = scratch.run(script, stop_at_failure=True)
            name = f"{page.name} line {line}"
            failed += status != 0
            print(f"ok {name}" if status == 0 else f"{script}\n{output}\nnot ok {name}: exit status {status}")
    return failed


def self_test() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        fake, page = pathlib.Path(folder, "atys"), pathlib.Path(folder, "page.md")
        fake.write_text('#!/bin/sh\n[ "$1" != bad ]\n')
        fake.chmod(0o755)
        page.write_text("```sh\natys good\n```\n```console\natys bad\n```\n")
        sound = list(blocks_of(page.read_text())) == [(1, "atys good")]
        with Scratch(str(fake)) as scratch:
            sound = sound and scratch.run("atys good", True)[0] == 0 and scratch.run("atys bad\ntrue", True)[0] != 0
        return sound and leaves_nothing_behind(str(fake))


def leaves_nothing_behind(atys: str) -> bool:
    """A command in the background that writes file after file, and does not end when it is asked to."""
    with Scratch(atys) as scratch:
        top = pathlib.Path(scratch.folder.name)
        scratch.run("(trap '' TERM; i=0; while :; do mkdir -p deep/$i; i=$((i + 1)); done) >/dev/null 2>&1 &")
        writers = scratch.left_behind()
        for fd in writers:
            os.close(fd)
    return bool(writers) and not top.exists()


def main() -> int:
    if not self_test():
        print("not ok docs self-test: a failing command passes, or a passing one fails")
        return 1
    print("ok docs self-test")
    if "--self-test" in sys.argv:
        return 0
    pages = [pathlib.Path(name) for name in sys.argv[1:]] or sorted((ROOT / "docs/guide").glob("*.md"))
    return 1 if sum(run_page(page) for page in pages) else 0


if __name__ == "__main__":
    sys.exit(main())
