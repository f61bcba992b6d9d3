#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spans: CPU time of each route of programs that publish their context, beside what the programs measured themselves; and what it costs to
read a context, as the sampler's time per sample with programs that publish and with the same ones silent, in turns."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from measure import ATYS, ROOT, WORK, figures

sys.path.insert(0, str(ROOT / "tests" / "workloads"))
import build  # noqa: E402

ROUTES = ("/orders/{id}", "/login", "/health")


def recorded(command, freq, folder):
    """(answer of capture, nanoseconds of each route as seen, truth)"""
    truth_path, out = folder / "truth.json", folder / "profile.otlp"
    environment = dict(os.environ, WORKLOAD_TRUTH=str(truth_path))
    done = subprocess.run([ATYS, "capture", "--tier", "ebpf", "--freq", str(freq), "--max-overhead", "20%", "-o", str(out), "--json", "--",
                           *map(str, command)], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"capture failed: {done.stderr.strip()}")
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    rows = json.loads(subprocess.run([ATYS, "summary", str(out), "--by", "label:http.route", "--json"], capture_output=True, text=True,
                                     check=True).stdout)["rows"]
    return answer, {row["name"]: row["self"] for row in rows}, json.loads(truth_path.read_text())["ns"]


def kernel_ns_per_sample(answer):
    used = answer["budget"]["used"]
    return used["kernel_cpu_ns"] / max(used["samples"], 1) if "kernel_cpu_ns" in used else None


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--freq", type=int, default=999)
    chosen, _ = options.parse_known_args()
    WORK.mkdir(parents=True, exist_ok=True)
    build.build_all(["spans", "libspans.so"])
    programs = {"C++": [build.OUT / "spans", chosen.seconds],
                "Python": [sys.executable, ROOT / "tests/workloads/python/spans.py", build.OUT / "libspans.so", chosen.seconds]}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, command in programs.items():
            errors = []
            for _ in range(chosen.runs):
                _, seen, truth = recorded(command, chosen.freq, folder)
                errors += [100 * (seen.get(route, 0) - truth[route]) / truth[route] for route in ROUTES]
            worst = max(errors, key=abs)
            print(figures(f"CPU time of spans, {title}, {chosen.freq} Hz, {chosen.seconds:g} s", f"{statistics.median(errors):+.1f} % (worst {worst:+.1f} %)",
                          "its own clock", [], "within 3 %"), flush=True)
        publishing, silent = [], []
        for _ in range(chosen.runs):
            publishing.append(kernel_ns_per_sample(recorded([*programs["C++"][:1], 5], chosen.freq, folder)[0]))
            silent.append(kernel_ns_per_sample(recorded([*programs["C++"][:1], 5, "silent"], chosen.freq, folder)[0]))
        if None not in publishing + silent:
            print(figures("sampler per sample, with contexts and without", f"{statistics.median(publishing) / 1e3:.1f} µs",
                          f"{statistics.median(silent) / 1e3:.1f} µs", [p / s for p, s in zip(publishing, silent)], "reported"), flush=True)


if __name__ == "__main__":
    main()
