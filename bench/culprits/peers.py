# SPDX-License-Identifier: Apache-2.0
"""What other profilers print of the same program. Each is a function of (case, program, the profile that atys took, folder) that gives
its text, or None where it does not speak the language; texts of collapsed stacks are named so."""
import os
import subprocess
import sys

from programs import WORK, once, run


def said(command, environment=None, seconds=600):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", timeout=seconds,
                          env={**os.environ, **(environment or {})})
    return done.stdout


def py_spy(case, program, _profile, folder):
    if case.language != "python":
        return None

    def install(to):
        run([sys.executable, "-m", "pip", "install", "--quiet", "--target", to, "py-spy"])
    binary = once(WORK / "py-spy", install) / "bin" / "py-spy"
    out = folder / "py-spy.txt"
    out.unlink(missing_ok=True)
    said([binary, "record", "--format", "raw", "--rate", "99", "--output", out, "--", *program.command], program.environment)
    return out.read_text() if out.exists() else None


def perf_report(case, program, _profile, folder):
    if case.language not in ("c", "c++", "rust", "go"):
        return None
    data = folder / "perf.data"
    said(["perf", "record", "--quiet", "--freq", "99", "--call-graph", "dwarf", "--output", data, "--", *program.command], program.environment)
    return said(["perf", "report", "--stdio", "--no-children", "--call-graph", "none", "--input", data])


def perf_report_calls(case, _program, _profile, folder):
    """With its call graph, as `perf report --stdio` prints it unasked."""
    data = folder / "perf.data"
    return said(["perf", "report", "--stdio", "--input", data]) if case.language in ("c", "c++", "rust", "go") and data.exists() else None


def pprof_top(_case, _program, profile, _folder):
    """Of our own profile, so that it is about all languages alike."""
    return said(["go", "tool", "pprof", "-top", profile])


def perf_script(case, _program, _profile, folder):
    """Every sample with its stack: the raw profiler text of a native program."""
    data = folder / "perf.data"
    return said(["perf", "script", "--input", data]) if case.language in ("c", "c++", "rust", "go") and data.exists() else None


def pprof_raw(_case, _program, profile, _folder):
    """All that is in our profile, as text."""
    return said(["go", "tool", "pprof", "-raw", profile])


def pprof_cumulative(_case, _program, profile, _folder):
    return said(["go", "tool", "pprof", "-top", "-cum", profile])


PEERS = {"py-spy raw": py_spy, "perf report": perf_report, "perf report -g": perf_report_calls, "pprof -top": pprof_top,
         "pprof -top -cum": pprof_cumulative, "perf script": perf_script, "pprof -raw": pprof_raw}
COLLAPSED = {"py-spy raw", "perf script", "pprof -raw"}
