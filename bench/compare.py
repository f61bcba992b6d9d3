#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far `atys compare` can be trusted, on this machine as it is: comparisons of a program with itself (false alarms, of the run time and
of functions), and of a program with itself and 5 % more in one function (found, and in the right function). Prints a table; each
comparison is a line in build/bench/compare-*.jsonl, so that a run that was broken off is not lost (--keep goes on from there)."""
import argparse
import collections
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from measure import ATYS, ROOT, WORK

FUNCTIONS = ["parse", "lookup", "render", "log_line"]


def build():
    WORK.mkdir(parents=True, exist_ok=True)
    program = WORK / "victim"
    subprocess.run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", program, ROOT / "bench" / "compare" / "victim.c"], check=True)
    return program


def parts_for(program, milliseconds):
    """How many parts make a run of so much CPU time here: the least of a few runs, as others use the machine."""
    def cpu(parts):
        before = os.times()
        subprocess.run([program, str(parts)], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system
    return max(1, round(4000 * milliseconds / 1000 / min(cpu(4000) for _ in range(3))))


def compare(options, program, parts, extra, seed):
    function = random.Random(seed).randrange(4)
    a, b = f"{program} {parts} {function} 0", f"{program} {parts} {function} {extra}"
    started = time.time()
    command = [ATYS, "compare", "--json", "--seed", str(seed), "--metric", options.metric, "--max-runs", str(options.max_runs),
               "--max-time", options.max_time, "--profile-runs", str(options.profile_runs), "--no-keep", "--top", "100", a, b]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    answer = json.loads(done.stdout)
    if "error" in answer:
        sys.exit(f"{command}: {answer['error']['message']}")
    found = answer["functions"]
    return {"planted": FUNCTIONS[function] if extra else "", "verdict": answer["verdict"], "metric": answer["metric"],
            "wall": answer["wall"], "cpu": answer["cpu"], "runs": answer["a"]["runs"], "cpu_ns": answer["a"]["cpu_ns"],
            "spread": [answer["a"]["wall_spread_percent"], answer["a"]["cpu_spread_percent"]],
            "tested": found["tested"], "profiles": found["profiles"], "functions": found["verdict"],
            "significant": [row["name"] for row in found["rows"] if row["significant"]], "seconds": time.time() - started}


def campaign(options, name, program, parts, count, extra):
    path = WORK / f"compare-{name}.jsonl"
    if not options.keep:
        path.unlink(missing_ok=True)
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    with path.open("a") as out:
        while len(done) < count:
            done.append(compare(options, program, parts, extra, 1000 * (1 if extra else 0) + len(done) + 1))
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
    return done


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"


def describe(rows):
    verdicts = collections.Counter(row["verdict"] for row in rows)
    metrics = collections.Counter(row["metric"] for row in rows)
    return (f"verdicts {dict(verdicts)}, by {dict(metrics)}; runs of each side: median {statistics.median(r['runs'] for r in rows):.0f}, most "
            f"{max(r['runs'] for r in rows)}; one run differs by {statistics.median(r['spread'][1] for r in rows):.1f} % in CPU time, "
            f"{statistics.median(r['spread'][0] for r in rows):.1f} % in wall time; {statistics.median(r['cpu_ns'] for r in rows) / 1e6:.0f} ms CPU "
            f"a run; {statistics.median(r['seconds'] for r in rows):.0f} s a comparison")


def table(same, slower):
    changed = ("faster", "slower")
    print("| what | figure | aim |\n|---|---|---|")
    if same:
        profiled = [row for row in same if row["profiles"] >= 2]
        print(f"| A/A: a verdict of faster or slower | {share(sum(r['verdict'] in changed for r in same), len(same))} | ≤ 5 % |")
        for metric in ("cpu", "wall"):
            print(f"| … by {metric} time alone | {share(sum(r[metric]['verdict'] in changed for r in same), len(same))} | ≤ 5 % |")
            outside = [r for r in same if None not in r[metric]["ratio_ci95"]
                       and not r[metric]["ratio_ci95"][0] <= 1 <= r[metric]["ratio_ci95"][1]]
            print(f"| … interval of {metric} time without 1 | {share(len(outside), len(same))} | ≤ 5 % |")
        print(f"| A/A: comparisons in which some function was marked | {share(sum(bool(r['significant']) for r in profiled), len(profiled))} | ≤ 5 % |")
        print(f"| A/A: functions marked, of those tested | {share(sum(len(r['significant']) for r in profiled), sum(r['tested'] for r in profiled))} | ≤ 5 % |")
    if slower:
        profiled = [row for row in slower if row["profiles"] >= 2]
        print(f"| 5 % planted: a verdict of slower | {share(sum(r['verdict'] == 'slower' for r in slower), len(slower))} | ≥ 90 % |")
        print(f"| … by CPU time alone | {share(sum(r['cpu']['verdict'] == 'slower' for r in slower), len(slower))} | |")
        print(f"| … a verdict of faster or same | {share(sum(r['verdict'] in ('faster', 'same') for r in slower), len(slower))} | |")
        print(f"| 5 % planted: the right function marked | {share(sum(r['planted'] in r['significant'] for r in profiled), len(profiled))} | |")
        print(f"| 5 % planted: some other function of the program marked | "
              f"{share(sum(any(f in FUNCTIONS and f != r['planted'] for f in r['significant']) for r in profiled), len(profiled))} | |")
    for name, rows in (("A/A", same), ("5 % planted", slower)):
        if rows:
            print(f"\n{name}: {describe(rows)}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="comparisons of each kind")
    parser.add_argument("--slow-count", type=int, default=-1, help="of those with a slow-down, if not as many")
    parser.add_argument("--milliseconds", type=float, default=25)
    parser.add_argument("--metric", default="auto")
    parser.add_argument("--max-runs", type=int, default=100)
    parser.add_argument("--max-time", default="2m")
    parser.add_argument("--profile-runs", type=int, default=6)
    parser.add_argument("--extra", type=float, default=5)
    parser.add_argument("--name", default="", help="of the files with the results")
    parser.add_argument("--keep", action="store_true", help="go on with earlier results")
    options = parser.parse_args()
    slow_count = options.count if options.slow_count < 0 else options.slow_count
    program = build()
    parts = parts_for(program, options.milliseconds)
    with tempfile.TemporaryDirectory() as home:
        os.environ["ATYS_HOME"] = str(pathlib.Path(home))
        same = campaign(options, "same" + options.name, program, parts, options.count, 0)
        slower = campaign(options, "slower" + options.name, program, parts, slow_count, options.extra)
    table(same, slower)


if __name__ == "__main__":
    main()
