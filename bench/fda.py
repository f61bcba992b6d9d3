#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adaptive rates against fixed ones: error and cost, on programs that measure themselves.

    bench/fda.py [--workload numeric|transactions] [--windows N] [--phases N] [--window SECONDS] [--plot FILE.svg]

All rates watch the same process at the same time, each an agent of its own whose controller is away, so that its windows lie in its spool. A
window's error is the mean difference between the functions' shares and the truth of the same interval; that of the whole run is the
paper's measure. For the pooled algorithm a window's estimate is that of its stretch: `pooled` with all of it, as somebody sees who looks
back, `live` with what was known at the time. Cost is the CPU time of the agent's windows, the kernel's part included.
"""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ATYS = os.environ.get("ATYS", str(ROOT / "build/release/bin/atys"))
FIXED = [20, 50, 99, 199, 499, 999]
WORKLOADS = {"numeric": ["convolve", "pool", "rectify", "linear"], "transactions": ["purchase", "checkout", "audit", "report"]}


def workload_command(name: str, seconds: float, phase: float, log: pathlib.Path, scratch: pathlib.Path) -> list[str]:
    if name == "numeric":
        return ["/usr/bin/python3", str(ROOT / "bench/fda/numeric.py"), str(seconds), str(phase), str(log)]
    subprocess.run(["javac", "-d", str(scratch), str(ROOT / "bench/fda/Transactions.java")], check=True)
    return ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-XX:-UseJVMCICompiler", "-cp", str(scratch), "Transactions",
            str(seconds), str(phase), str(log)]


def frequencies(top: int) -> dict[str, str]:
    dynamic = f"{{min: 9, max: {top}, threshold: %s, algorithm: %s}}"
    return {f"{hz} Hz": str(hz) for hz in FIXED} | {"paper": dynamic % (0.05, "paper"), "pooled": dynamic % (0.01, "pooled")}


def start_agent(name: str, frequency: str, pid_rule: str, window: float, scratch: pathlib.Path) -> subprocess.Popen:
    task = scratch / f"{name.replace(' ', '')}.yaml"
    task.write_text(f"task: {name.replace(' ', '')}\nservice: {pid_rule}\nfrequency: {frequency}\nwindow: {window}s\nprune: none\n"
                    "budget: {overhead: 100%}\n")
    return subprocess.Popen([ATYS, "agent", "--task", str(task), "--controller", "127.0.0.1:1", "--metrics", "none", "--max-cpu", "100%",
                             "--data", str(scratch / name.replace(" ", ""))], stderr=subprocess.PIPE)


def function_name(text: str) -> str:
    return text.rpartition(".")[2].partition("(")[0]


def read_window(path: pathlib.Path, functions: list[str]) -> dict:
    plain = path.with_suffix("")  # .otlp
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    told = json.loads(subprocess.run([ATYS, "summary", str(plain), "--json", "--form", "table", "--top", "2000", "--max-tokens", "0"],
                                     capture_output=True, check=True).stdout)
    shown = json.loads(subprocess.run([ATYS, "show", str(plain), "--json"], capture_output=True, check=True).stdout)
    shares = {name: 0.0 for name in functions}
    for row in told["rows"]:
        if function_name(row["name"]) in shares:
            shares[function_name(row["name"])] += row["total_percent"]
    return {"shares": shares, "samples": told["profile"]["samples"], "total": told["profile"]["total"], "shown": shown}


if __name__ == "__main__":
    sys.exit("see below")
