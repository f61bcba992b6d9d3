#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the workloads into build/workloads. What a compiler is missing for is left out, and a file NAME.skip says why.

    build.py [NAME…]     prints the names that are there and, with the reason, those that are not

WORKLOADS_CROSS=aarch64-linux-gnu builds for that machine with its cross compilers, which link with what WORKLOADS_SYSROOT has;
WORKLOADS_OUT is another folder. On that machine, those that were built so are taken as they are.
"""
import concurrent.futures
import dataclasses
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(os.environ.get("WORKLOADS_OUT") or HERE.parents[1] / "build" / "workloads")

CROSS, SYSROOT = os.environ.get("WORKLOADS_CROSS", ""), os.environ.get("WORKLOADS_SYSROOT", "")
GO_NAMES = {"aarch64": "arm64", "x86_64": "amd64"}

C = ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O2"]
FP = ["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"]
NO_FP = ["-fomit-frame-pointer"]
CXX = ["g++", "-std=c++20", "-Wall", "-Wextra"]


@dataclasses.dataclass
class Workload:
    name: str
    source: str
    command: list[str]
    after: list[str] = dataclasses.field(default_factory=list)  # run on the program when it is built


def python_flags() -> list[str]:
    """For a program with the Debian's own Python inside."""
    config = "/usr/bin/python3-config"
    if CROSS or not os.access(config, os.X_OK):
        return []
    return subprocess.run([config, "--includes", "--ldflags", "--embed"], capture_output=True, text=True).stdout.split()


def split(name: str, flags: list[str], after: list[str] | None = None) -> Workload:
    return Workload(name, "split.c", [*C, *flags], after or [])


WORKLOADS = [
    split("split_fp", ["-g", *FP]),
    split("split_nofp", ["-g", *NO_FP]),
    split("split_stripped", NO_FP, ["strip"]),
    split("split_unstripped", NO_FP),  # the same, to look its addresses up
    split("split_O0", ["-O0"]),
    split("split_static_pie", ["-static-pie", *NO_FP]),
    Workload("split_musl", "split.c", ["musl-gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", "-static", *NO_FP]),
    Workload("inlined", "inlined.cpp", [*CXX, "-O3", "-g", *NO_FP]),
    Workload("recursion", "recursion.c", [*C, *FP]),
    Workload("recursion_nofp", "recursion.c", [*C, *NO_FP]),
    Workload("threads", "threads.c", [*C, *FP, "-pthread"]),
    Workload("threads_nofp", "threads.c", [*C, *NO_FP, "-pthread"]),
    Workload("churn", "churn.c", [*C, *FP]),
    Workload("in_step", "in_step.c", [*C, *FP]),
    Workload("phases", "phases.c", [*C, *FP]),
    Workload("libplugin_seventy.so", "plugin.c", [*C, *FP, "-shared", "-fPIC", "-DPLUGIN_FUNCTION=plugin_seventy"]),
    Workload("libplugin_thirty.so", "plugin.c", [*C, *FP, "-shared", "-fPIC", "-DPLUGIN_FUNCTION=plugin_thirty"]),
    Workload("dlopen_loop", "dlopen_loop.c", [*C, *FP, "-ldl"]),
    Workload("replaces_itself", "replaces_itself.c", [*C, *FP]),
    Workload("execs", "execs.c", [*C, *FP]),
    Workload("execs_second", "execs.c", [*C, *FP, "-DSECOND"]),
    Workload("forks", "forks.c", [*C, *FP]),
    Workload("off_cpu", "off_cpu.c", [*C, *FP, "-pthread"]),
    Workload("faults", "faults.c", [*C, *FP]),
    Workload("switcher", "switcher.c", [*C, *FP, "-pthread"]),
    Workload("signals", "signals.c", [*C, *FP]),
    Workload("signals_nofp", "signals.c", [*C, *NO_FP]),
    Workload("interrupted", "interrupted.c", [*C, *NO_FP, "-pthread"]),
    Workload("polite_signals", "polite_signals.c", [*C, *NO_FP, "-pthread"]),
    Workload("polite_programs", "polite_programs.c", [*C, *NO_FP, "-pthread"]),
    Workload("polite_stacks", "polite_stacks.c", [*C, *NO_FP, "-pthread"]),
    Workload("polite_state", "polite_state.c", [*C, *NO_FP]),
    Workload("polite_short", "polite_short.c", [*C, *NO_FP, "-pthread"]),
    Workload("polite_musl", "polite_state.c", ["musl-gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O2", *NO_FP]),
    Workload("polite_static", "polite_state.c", [*C, *NO_FP, "-static"]),
    Workload("polite_sanitized", "polite_state.c", [*C, "-fsanitize=address"]),
    Workload("libpolite.so", "polite_library.c", [*C, "-shared", "-fPIC"]),
    Workload("jit", "jit.c", [*C, *FP]),
    Workload("spans", "spans.cpp", [*CXX, "-O2", *NO_FP, "-pthread", "-rdynamic"]),
    Workload("spans_static", "spans.cpp", [*CXX, "-O2", *NO_FP, "-pthread", "-static-pie", "-rdynamic"]),
    Workload("libspans.so", "spans_library.c", [*C, *NO_FP, "-shared", "-fPIC"]),
    Workload("libspans_desc.so", "spans_library.c", [*C, *NO_FP, "-shared", "-fPIC", "-mtls-dialect=gnu2"]),
    Workload("embedded_python", "embedded_python.cpp", [*CXX, "-O2", *NO_FP, *python_flags()]),
    Workload("split_rs", "split.rs", ["rustc", "--edition=2021", "--crate-name=split", "-Copt-level=2", "-g"]),
    Workload("split_go", "split.go", ["go", "build"]),
    Workload("split_go_stripped", "split.go", ["go", "build", "--ldflags=-s -w"]),
    Workload("spans_go", "spans.go", ["go", "build", "--ldflags=-s -w"]),
    Workload("split_java", "Split.java", ["javac", "--release", "8", "-Xlint:none"]),
    Workload("split_f90", "split.f90", ["gfortran", "-O2", "-fno-inline", "-fno-ipa-icf", *NO_FP]),
]


def compiler_of(name: str) -> str | None:
    """The program of that name that builds for the machine that is wanted."""
    return shutil.which(name if name in ("go", "javac") or not CROSS else f"{CROSS}-{name}")


@functools.cache
def takes(compiler: str, flag: str) -> bool:
    """Some flags are of one architecture only (leaf frame pointers, for one)."""
    done = subprocess.run([compiler, flag, "-fsyntax-only", "-x", "c", os.devnull], capture_output=True)
    return done.returncode == 0


def stamp_of(workload: Workload, command: list[str]) -> str:
    digest = hashlib.sha256("\0".join([*command, *workload.after]).encode())
    for path in (HERE / workload.source, HERE / "truth.h", HERE / "polite.h"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def java_program(made: pathlib.Path, target: pathlib.Path) -> pathlib.Path:
    """Writes a program that becomes the Java machine; returns the folder that it looks for classes in."""
    classes = target.with_suffix(".classes")
    classes.mkdir(exist_ok=True)
    made.write_text(f'#!/bin/sh\nexec java -cp "{classes}" Split "$@"\n')
    made.chmod(0o755)
    return classes


def build(workload: Workload) -> tuple[Workload, str]:
    """Builds one, if it is not there as it should be. Returns why it cannot be built, or nothing."""
    compiler = compiler_of(workload.command[0])
    missing, stamp, target = (OUT / f"{workload.name}{suffix}" for suffix in (".skip", ".stamp", ""))
    flags = [flag for flag in workload.command[1:] if not flag.startswith("-m") or compiler is None or takes(compiler, flag)]
    wanted = stamp_of(workload, [workload.command[0], *flags])
    if target.exists() and stamp.exists() and stamp.read_text() == wanted:
        missing.unlink(missing_ok=True)
        return workload, ""
    if compiler is None:
        missing.write_text(f"{workload.command[0]} is not installed\n")
        return workload, missing.read_text().strip()
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        # Go names caches after HOME; a module is no need of one file. Fortran puts its modules where it runs.
        environment = {"HOME": folder, "GOFLAGS": "-mod=mod", "GO111MODULE": "off"} | os.environ
        if CROSS:
            environment |= {"GOARCH": GO_NAMES[CROSS.partition("-")[0]], "CGO_ENABLED": "0"}
        made = pathlib.Path(folder) / workload.name
        libraries = [flag for flag in flags if flag.startswith("-l")]
        rest = [flag for flag in flags if flag not in libraries]
        if CROSS and SYSROOT and not workload.source.endswith((".go", ".java")):
            rest = [f"--sysroot={SYSROOT}", *rest]
        command = [compiler, *rest, "-o", str(made), str(HERE / workload.source), *libraries]
        if workload.source.endswith(".java"):
            command = [compiler, *rest, "-d", str(java_program(made, target)), str(HERE / workload.source)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode == 0 and workload.after:
            done = subprocess.run([compiler_of(workload.after[0]) or "", *workload.after[1:], str(made)], capture_output=True, text=True)
        if done.returncode != 0:
            missing.write_text(f"{workload.command[0]} cannot build it: {(done.stderr.strip().splitlines() or ['?'])[-1][:200]}\n")
            return workload, missing.read_text().strip()
        if done.stderr.strip():
            print(done.stderr.strip(), file=sys.stderr)
        made.replace(target)
    stamp.write_text(wanted)
    missing.unlink(missing_ok=True)
    return workload, ""


def build_all(names: list[str] | None = None) -> dict[str, str]:
    """Name to the reason why it is not there; an empty one if it is."""
    OUT.mkdir(parents=True, exist_ok=True)
    chosen = [workload for workload in WORKLOADS if not names or workload.name in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {workload.name: reason for workload, reason in pool.map(build, chosen)}


if __name__ == "__main__":
    for name, reason in build_all(sys.argv[1:]).items():
        print(f"{name}: {reason}" if reason else name)
