#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does an answer name the function that makes a program slow?

    bench/culprits/run.py                 all cases: speed-ups, answers by form and cap, beside other profilers
    bench/culprits/run.py django-wrap crc these only
    bench/culprits/run.py --measure       only the CPU time of the slow and of the fixed side, and the lines for cases.toml
    bench/culprits/run.py --again         the questions only, of the profiles that the last run took
    bench/culprits/run.py --plans         `capture --plan fixed` against `--plan adaptive`, at equal budgets (--again: as above)
    bench/culprits/run.py --folders       `atys diff` of the slow and the fixed version, each in a folder of its own (--again: as above)
    bench/culprits/run.py --rights        20 cases asked of `atys mcp` with every right, and without any in a container's jail
    bench/culprits/run.py --list          the cases

cases.toml has the programs (see there), drivers/ what they run. Packages come by name and version through pip, npm, mvn, go and cargo,
into build/culprits; the first run takes a while. Needs root (or CAP_BPF and CAP_PERFMON), perf, go
(for pprof) and py-spy, which is installed too; what is missing is left out and said. ATYS names another binary.

For each case the slow side is recorded once, at the default rate, and every form of `atys summary` is asked for at every cap. The culprit
is found where a row names a function that the fix changed. Rows of collapsed stacks and of hot paths name many functions at once. Tokens
are those of o200k_base. All results are in build/culprits/results.json.

A bias to know: a program that is made to be slow is slow in one place, and `direct` ones do little else.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import answers  # noqa: E402
import folders  # noqa: E402
from atys import CAPS, DEFAULT, capture, forms, summary  # noqa: E402
import peers  # noqa: E402
import plans  # noqa: E402
import programs  # noqa: E402
import rights  # noqa: E402
import tables  # noqa: E402

RESULTS = programs.WORK / "results.json"


def spend(program):
    """CPU and wall seconds of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(program.command, env={**os.environ, **program.environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(program.command)} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def measure(case):
    slow, fixed = (spend(programs.program(case, side)) for side in programs.SIDES)
    return {"slow_s": round(slow[0], 3), "fixed_s": round(fixed[0], 3), "speedup": round(slow[0] / fixed[0], 2)}


def ask(case, program, profile, tokens, with_peers):
    found = {}
    for form in forms():
        for cap in CAPS:
            text = summary(profile, form, cap)
            found[f"{form} {cap or 'none'}"] = dataclasses.asdict(answers.judge(case, text, tokens, form == "raw"))
    if with_peers:
        for name, peer in peers.PEERS.items():
            try:
                text = peer(case, program, profile, profile.parent)
            except (OSError, RuntimeError, subprocess.TimeoutExpired) as why:
                print(f"{case.id}: no {name}: {why}", file=sys.stderr)
                continue
            if text:
                found[name] = dataclasses.asdict(answers.judge(case, text, tokens, name in peers.COLLAPSED))
    return found


def judged(case, tokens, options, before):
    """All about one case."""
    result = {"language": case.language, "real": case.real(), "depth": case.depth, "regexp": case.regexp}
    folder = programs.WORK / "profiles" / case.id
    folder.mkdir(parents=True, exist_ok=True)
    profile, program = folder / "slow.pb.gz", programs.program(case, "slow")
    if options.again and profile.exists():
        kept = before.get(case.id, {})
        result.update({key: kept[key] for key in ("slow_s", "fixed_s", "speedup", "samples") if key in kept})
        result["found"] = {**{key: value for key, value in kept.get("found", {}).items() if key in peers.PEERS},
                           **ask(case, program, profile, tokens, False)}
        return result
    result.update(measure(case))
    result["samples"] = capture(program, profile).get("samples", 0)
    result["found"] = ask(case, program, profile, tokens, True)
    return result


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*")
    for flag in ("measure", "again", "plans", "folders", "rights", "list"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--runs", type=int, default=6, help="of each version, for --folders")
    parser.add_argument("--budgets", default="0,1,2", help="seconds, for --plans; 0: the whole run")
    return parser.parse_args()


def main():
    options = parse()
    cases = programs.read_cases(options.case)
    if options.list:
        for case in cases:
            print(f"{case.id:22} {case.language:11} {case.package or 'own':40} {case.defect}")
        return
    if options.measure:
        for case, figure in programs.each(cases, measure):
            print(f"{case.id:22} seconds = [{figure['slow_s']:.2f}, {figure['fixed_s']:.2f}]  # {figure['speedup']}", flush=True)
        return
    if options.folders:
        folders.compare_folders(cases, options.runs, options.again)
        return
    tokens = answers.Tokens()
    if options.rights:
        rights.with_and_without(cases, tokens)
        return
    if options.plans:
        plans.compare_plans(cases, tokens, [float(word) for word in options.budgets.split(",")], options.again)
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for case, result in programs.each(cases, lambda case: judged(case, tokens, options, results)):
        results[case.id] = result
        RESULTS.write_text(json.dumps(results, indent=1))
        print(f"{case.id}: {result.get('speedup')}x, row {result['found'][f'{DEFAULT} 1000']['row']}", file=sys.stderr, flush=True)
    shown = {case.id: results[case.id] for case in cases if case.id in results}
    tables.show_cases(shown, cases)
    for show in (tables.show_forms, tables.show_peers, tables.show_each, tables.show_aims):
        show(shown)


if __name__ == "__main__":
    main()
