#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/new_kernel makes a kernel that compiles without a warning and passes its own test, is in the list, and never takes the
place of another one."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-missing-field-initializers"]
# What a reader and its test need of the rest of the product.
BESIDE = ["capture/walking/walk_remote.cpp", "capture/walking/pieces_ahead.cpp", "capture/walking/code_cookie.cpp", "linux/memory_reader.cpp", "linux/remote_memory.cpp", "linux/deadly_filter.cpp",
          "linux/call_filter.cpp"]


class Copy:
    """A repository with nothing but the list of kernels."""

    def __init__(self, folder: pathlib.Path):
        self.root = folder
        self.capture = folder / "src/capture"
        self.capture.mkdir(parents=True)
        shutil.copy(ROOT / "src/capture/CMakeLists.txt", self.capture)

    def new_kernel(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([ROOT / "tools/new_kernel", "--root", self.root, *arguments], capture_output=True, text=True)

    def listed(self) -> list[str]:
        text = (self.capture / "CMakeLists.txt").read_text()
        return text.split("set(ATYS_KERNELS\n")[1].split(")")[0].split()

    def compile(self, *arguments) -> str:
        done = subprocess.run(["g++", *FLAGS, f"-I{self.root / 'src'}", f"-I{ROOT / 'src'}", f"-I{ROOT / 'tests'}", *map(str, arguments)],
                              capture_output=True, text=True)
        return done.stderr if done.returncode else ""


def adds_a_word_to_the_list(copy: Copy):
    before = copy.listed()
    done = copy.new_kernel("lua", "--symbol", "lua_main_state")
    if done.returncode:
        return done.stderr
    return "" if copy.listed() == before + ["lua"] else f"the list is {copy.listed()}"


def compiles(copy: Copy):
    files = sorted((copy.capture / "lua").glob("*.cpp"))
    return next(filter(None, (copy.compile("-fsyntax-only", file) for file in files)), "") if len(files) == 4 else f"made {files}"


def passes_its_own_test(copy: Copy):
    program = copy.root / "lua_test"
    sources = [file for file in (copy.capture / "lua").glob("*.cpp") if file.name != "lua_kernel.cpp"]
    complaint = copy.compile("-o", program, *sources, *(ROOT / "src" / file for file in BESIDE), "-lgtest_main", "-lgtest", "-lfmt")
    if complaint:
        return complaint
    done = subprocess.run([program], capture_output=True, text=True)
    return "" if done.returncode == 0 and "[  PASSED  ] 5 tests" in done.stdout else done.stdout


def leaves_no_blanks(copy: Copy):
    return next((f"{file.name}: {line}" for file in (copy.capture / "lua").iterdir() for line in file.read_text().splitlines()
                 if "@" in line), "")


def refuses(copy: Copy):
    before = (copy.capture / "CMakeLists.txt").read_text()
    (copy.capture / "taken").mkdir()
    for arguments in (["php"], ["lua"], ["native"], ["taken"], ["Lua"], ["a/b"], ["../x"], ["new"], [""], ["two words"],
                      ["perl", "--symbol", 'a"b'], ["perl", "--title", 'P"rl']):
        done = copy.new_kernel(*arguments)
        if done.returncode == 0 or not done.stderr.startswith("new_kernel: ") or "Traceback" in done.stderr:
            return f"{arguments}: {done.stderr or 'made it'}"
    same = (copy.capture / "CMakeLists.txt").read_text() == before and not (copy.capture / "perl").exists()
    return "" if same else "what it refused has left something behind"


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="atys-test-") as folder:
        copy = Copy(pathlib.Path(folder))
        for case in (adds_a_word_to_the_list, compiles, passes_its_own_test, leaves_no_blanks, refuses):
            complaint = case(copy)
            failed += bool(complaint)
            print(f"not ok {case.__name__}: {complaint}" if complaint else f"ok {case.__name__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
