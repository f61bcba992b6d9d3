#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs are linked and compiled as cmake/hardening.cmake says, by what readelf finds in the finished files: a small program
that is built with it as a release is, and what builds of Atys are there."""
import argparse
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = r"""
#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
  char text[64];
  std::strcpy(text, argv[argc - 1]);
  std::puts(text);
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(hardened LANGUAGES CXX)
{before}
add_executable(program main.cpp)
"""


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, str(path)], check=True, capture_output=True, text=True).stdout


def linked_wrongly(path):
    """Of every build."""
    header, segments, dynamic = readelf(path, "-h"), readelf(path, "-l"), readelf(path, "-d")
    if not re.search(r"Type:\s+DYN", header):
        yield "is not position independent"
    if "GNU_RELRO" not in segments:
        yield "has no part that is read only after the start (-z relro)"
    if not re.search(r"FLAGS.*\b(NOW|BIND_NOW)\b", dynamic):
        yield "is bound as it runs (-z now)"
    stack = re.search(r"GNU_STACK.*", segments)
    if not stack or re.search(r"\bRWE\b", stack.group()):
        yield "has a stack that can be executed (-z noexecstack)"
    if re.search(r"LOAD.*\bRWE\b", segments):
        yield "has a segment that can be written and executed"


def compiled_wrongly(path):
    """Of releases."""
    symbols = readelf(path, "--dyn-syms")
    if "__stack_chk_fail" not in symbols:
        yield "does not notice that its stack is overwritten (-fstack-protector-strong)"
    if not re.search(r"\b__\w+_chk\b", symbols):
        yield "calls no function that knows how much room there is (_FORTIFY_SOURCE)"
    if platform.machine() == "x86_64":
        note = readelf(path, "-n")
        for feature in ("IBT", "SHSTK"):
            if not re.search(rf"x86 feature:.*\b{feature}\b", note):
                yield f"has no {feature} (-fcf-protection)"
    elif "BTI" not in readelf(path, "-n"):
        yield "has no BTI (-mbranch-protection)"


def built(folder, before):
    """A program of a release with these lines before it."""
    folder = pathlib.Path(folder)
    (folder / "main.cpp").write_text(PROGRAM)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(before=before))
    for command in (["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", "-DCMAKE_BUILD_TYPE=Release"], ["cmake", "--build", folder / "build"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"cannot build a program with cmake/hardening.cmake: {done.stdout[-500:]}{done.stderr[-500:]}")
    return folder / "build/program"


def complaints():
    with tempfile.TemporaryDirectory() as folder:
        program = built(folder, f"include({ROOT}/cmake/hardening.cmake)")
        for wrong in [*linked_wrongly(program), *compiled_wrongly(program)]:
            yield f"a program that is built with cmake/hardening.cmake {wrong}"
    lists = (ROOT / "CMakeLists.txt").read_text()
    if "include(cmake/hardening.cmake)" not in lists or lists.index("include(cmake/hardening.cmake)") > lists.index("add_subdirectory(src)"):
        yield "CMakeLists.txt does not include cmake/hardening.cmake before src"
    for name in ("dev", "release"):
        for path in (ROOT / f"build/{name}/bin/atys", ROOT / f"build/{name}/bin/atys-grpc.so"):
            if path.exists():
                found = [*linked_wrongly(path), *(compiled_wrongly(path) if name == "release" else [])]
                yield from (f"{path.relative_to(ROOT)} {wrong}" for wrong in found)


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        soft = built(folder, "add_compile_options(-fno-stack-protector -U_FORTIFY_SOURCE -fcf-protection=none)\n"
                             "add_link_options(-no-pie -Wl,-z,norelro,-z,lazy,-z,execstack)" if platform.machine() == "x86_64" else
                             "add_compile_options(-fno-stack-protector -U_FORTIFY_SOURCE)\nadd_link_options(-no-pie -Wl,-z,norelro,-z,lazy,-z,execstack)")
        found = [*linked_wrongly(soft), *compiled_wrongly(soft)]
    for word in ("position independent", "relro", "now", "noexecstack", "stack-protector", "FORTIFY", "IBT" if platform.machine() == "x86_64" else "BTI"):
        if not any(word in line for line in found):
            yield f"does not complain of a program without {word}"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--self-test", action="store_true")
    wrong = list(self_test() if arguments.parse_args().self_test else complaints())
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
