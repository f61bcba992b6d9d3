#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages: one for each verb and one for the program, which man renders without a warning, installed where man finds them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checks import check, differs, status  # noqa: E402
from scratch import Scratch, atys_binary  # noqa: E402

ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MAN_KEEP_STDERR": "1", "HOME": "/nonexistent"}


def verbs(scratch: Scratch) -> list[str]:
    listed = re.search(r"^VERBS\n(.*?)\n\n", scratch.run("atys help")[1], re.DOTALL | re.MULTILINE).group(1)
    return re.findall(r"^  ([a-z]+)", listed, re.MULTILINE)


def rendered(page: pathlib.Path) -> tuple[str, str]:
    done = subprocess.run(["man", "--warnings=w", "-l", str(page)], env=ENVIRONMENT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return re.sub(".\x08", "", done.stdout), done.stderr + (f"exit status {done.returncode}" if done.returncode else "")


def renders(scratch: Scratch, page: pathlib.Path, verb: str):
    def test():
        text, warnings = rendered(page)
        if warnings:
            return warnings
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION"):
            if f"\n{heading}\n" not in text:
                return f"no {heading}"
        # The same options as --help, and examples that can be copied: dashes and quotes are those of the keyboard.
        plain = " ".join(text.split())
        for option in re.findall(r"--[a-z][a-z-]+", scratch.run(f"atys help {verb}")[1]):
            if option not in plain:
                return f"{option} is missing"
        return "a typographic quote or dash" if re.search("[‐−‘’“”]", text) else None
    return test


def installed(folder: pathlib.Path):
    """`cmake --install` of the build that the program is from."""
    build = pathlib.Path(atys_binary()).resolve().parents[1]
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", str(folder)], capture_output=True, text=True)
    if done.returncode:
        return done.stderr[-500:]
    wanted = ["bin/atys", "lib/atys/atys-grpc.so", "share/man/man1/atys.1", "share/man/man1/atys-capture.1",
              "share/bash-completion/completions/atys", "share/zsh/site-functions/_atys", "share/fish/vendor_completions.d/atys.fish"]
    missing = [name for name in wanted if not (folder / name).exists()]
    return f"missing: {missing}" if missing else None


def found_by_man(folder: pathlib.Path):
    done = subprocess.run(["man", "-M", str(folder / "share/man"), "atys-capture"], env=ENVIRONMENT, capture_output=True, text=True)
    return None if "Record what a target does" in " ".join(done.stdout.split()) else done.stderr or "another page"


def main() -> int:
    with Scratch() as scratch, tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        (folder / "pages").mkdir()
        check("atys man --all writes them", lambda: differs(scratch.run(f"atys man --all {folder}/pages"), (0, "")))
        names = {"atys": "", **{f"atys-{verb}": verb for verb in verbs(scratch)}}
        check("there is one for each verb, and one for the program",
              lambda: differs(sorted(page.stem for page in (folder / "pages").iterdir()), sorted(names)))
        for name, verb in names.items():
            check(f"{name}.1 is rendered without a warning", renders(scratch, folder / "pages" / f"{name}.1", verb))
        check("atys man VERB prints the same",
              lambda: differs(scratch.run("atys man capture")[1], (folder / "pages/atys-capture.1").read_text()))
        if not (pathlib.Path(atys_binary()).resolve().parents[1] / "share/made").exists():
            print("skip installing: the build has no manual pages; build all of it")
        else:
            check("cmake --install puts everything in its place", lambda: installed(folder / "usr"))
            check("man finds what is installed", lambda: found_by_man(folder / "usr"))
    return status()


if __name__ == "__main__":
    sys.exit(main())
