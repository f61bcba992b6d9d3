#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does an answer name the function that makes a program slow?

    bench/culprits/run.py                 all cases: speed-ups, answers by form and cap, beside other profilers
    bench/culprits/run.py django-wrap crc these only
    bench/culprits/run.py --measure       only the CPU time of the slow and of the fixed side, and the lines for cases.toml
    bench/culprits/run.py --again         the questions only, of the profiles that the last run took
    bench/culprits/run.py --plans         `capture --plan fixed` against `--plan adaptive`, at equal budgets
    bench/culprits/run.py --list          the cases

cases.toml has the programs (see there), drivers/ what they run. Packages come from PyPI, npm, Maven Central, the Go proxy and crates.io
through pip, npm, mvn, go and cargo, into build/culprits; the first run takes a while. Needs root (or CAP_BPF and CAP_PERFMON), perf, go
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
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import answers  # noqa: E402
import peers  # noqa: E402
import programs  # noqa: E402

ATYS = os.environ.get("ATYS", str(programs.ROOT / "build" / "release" / "bin" / "atys"))
RESULTS = programs.WORK / "results.json"
CAPS = (250, 500, 1000, 2000, None)
DEFAULT = "(default)"
FIRST_ROWS = 5
LONGEST_S = 300


def forms():
    """The forms that this atys has, the one that clients get unasked first."""
    text = subprocess.run([ATYS, "summary", "--help"], capture_output=True, text=True, check=True).stdout
    said = next(line for line in text.splitlines() if "--form" in line).split(":", 1)[1]
    return [DEFAULT, *(word.strip() for word in said.replace(" or ", ",").split(",") if word.strip())]


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


def capture(program, profile, *options):
    """Records the slow side; what the capture says of itself."""
    command = [ATYS, "capture", "--json", "-o", str(profile), *options, "--", *program.command]
    done = subprocess.run(command, env={**os.environ, **program.environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          timeout=LONGEST_S)
    # The target writes to the same standard output; our answer is its last line.
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {}


def summary(profile, form, cap):
    command = [ATYS, "summary", str(profile), *(["--form", form] if form != DEFAULT else []), *(["--max-tokens", str(cap)] if cap else [])]
    return subprocess.run(command, capture_output=True, text=True).stdout


def ask(case, program, profile, tokens, with_peers):
    found = {}
    for form in forms():
        for cap in CAPS:
            found[f"{form} {cap or 'none'}"] = dataclasses.asdict(answers.judge(case, summary(profile, form, cap), tokens, form == "raw"))
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


def cell(found):
    return f"{found['row'] or '–'} / {found['tokens']}" if found else ""


def table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()


def show_cases(results, cases):
    print("## The programs (CPU seconds)\n")
    table(["case", "language", "kind", "depth", "slow", "fixed", "speed-up", "samples"],
          [[case.id, case.language, f"{case.package} {case.slow} → {case.fixed}" if case.real() else "own", case.depth, result.get("slow_s", ""),
            result.get("fixed_s", ""), result.get("speedup", ""), result.get("samples", "")] for case, result in both(results, cases)])


def both(results, cases):
    return [(case, results[case.id]) for case in cases if case.id in results]


def share(count, whole):
    return f"{count} of {whole} ({100 * count / whole:.0f} %)" if whole else ""


def figures(found, raw):
    rows = [one["row"] for one in found if one["row"]]
    fewer = [1 - one["tokens"] / other for one, other in zip(found, raw) if other]
    return [share(len(rows), len(found)), share(sum(row <= FIRST_ROWS for row in rows), len(found)), statistics.median(rows) if rows else "",
            round(statistics.median(one["tokens"] for one in found)), max(one["tokens"] for one in found),
            round(statistics.median(one["until"] for one in found if one["row"])) if rows else "",
            f"{100 * statistics.median(fewer):.1f} %" if fewer else ""]


HEAD = ["named", f"in the first {FIRST_ROWS} rows", "row, median", "tokens, median", "most", "tokens until named, median", "fewer than raw, median"]


def show_forms(results):
    print("## Forms and caps\n")
    rows = []
    for form in forms():
        for cap in CAPS:
            key = f"{form} {cap or 'none'}"
            pairs = [(result["found"][key], result["found"]["raw none"]["tokens"]) for result in results.values() if key in result["found"]]
            if pairs:
                rows.append([form, cap or "none", *figures(*zip(*pairs))])
    table(["form", "cap", *HEAD], rows)


def show_peers(results):
    print("## Beside others (pprof: of our profile; the last rows: the default form on the same programs)\n")
    rows = []
    for name in peers.PEERS:
        chosen = [result["found"] for result in results.values() if name in result["found"]]
        if chosen:
            raw = [found["raw none"]["tokens"] for found in chosen]
            rows.append([name, *figures([found[name] for found in chosen], raw)])
            rows.append([f"atys, cap 1000, where {name}", *figures([found[f"{DEFAULT} 1000"] for found in chosen], raw)])
    table(["profiler", *HEAD], rows)


def show_each(results):
    print("## Each program: row of the culprit / tokens of the answer (cap 1000; raw and others: none)\n")
    names = forms()
    rows = [[name, *(cell(result["found"].get(f"{form} {'none' if form == 'raw' else 1000}")) for form in names),
             *(cell(result["found"].get(peer)) for peer in peers.PEERS)] for name, result in results.items()]
    table(["case", *names, *peers.PEERS], rows)


def show_aims(results):
    chosen = [result["found"] for result in results.values()]
    hits = sum(bool(found[f"{DEFAULT} 1000"]["row"]) and found[f"{DEFAULT} 1000"]["row"] <= FIRST_ROWS and found[f"{DEFAULT} 1000"]["tokens"] <= 1000
               for found in chosen)
    ours, raw = sum(found[f"{DEFAULT} 1000"]["tokens"] for found in chosen), sum(found["raw none"]["tokens"] for found in chosen)
    print(f"Aims: culprit in the first {FIRST_ROWS} rows of the default form at no more than 1,000 tokens: {share(hits, len(chosen))}, aim 95 %; "
          f"tokens: {ours} against {raw} raw, {100 * (1 - ours / raw):.1f} % fewer, aim 99 %.")


def compare_plans(cases, tokens, budgets):
    """Each plan gets the same time and the same share of the target's CPU; what it used of them is what it says."""
    text = subprocess.run([ATYS, "capture", "--help"], capture_output=True, text=True, check=True).stdout
    if "--plan" not in text:
        sys.exit("this atys has no `capture --plan`")
    results, rows = {}, []
    for seconds in budgets:
        for plan in ("fixed", "adaptive"):
            outcomes = [one_plan(case, tokens, plan, seconds) for case in cases]
            results[f"{plan} {seconds}"] = dict(zip((case.id for case in cases), outcomes))
            found = [one["found"] for one in outcomes]
            rows.append([seconds, plan, *figures(found, [0] * len(found))[:3], round(statistics.median(one["samples"] for one in outcomes)),
                         f"{statistics.median(one['recorded_s'] for one in outcomes):.2f}", f"{statistics.mean(one['recorded_s'] for one in outcomes):.2f}"])
    table(["budget, s", "plan", *HEAD[:3], "samples, median", "s recorded, median", "mean"], rows)
    (programs.WORK / "plans.json").write_text(json.dumps(results, indent=1))


def one_plan(case, tokens, plan, seconds):
    folder = programs.WORK / "profiles" / case.id
    folder.mkdir(parents=True, exist_ok=True)
    profile, program = folder / f"{plan}.pb.gz", programs.program(case, "slow")
    start = time.perf_counter()
    said = capture(program, profile, "--plan", plan, "--duration", f"{seconds}s")
    recorded = said.get("duration_ns", 0) / 1e9 or time.perf_counter() - start
    return {"found": dataclasses.asdict(answers.judge(case, summary(profile, DEFAULT, 1000), tokens)), "samples": said.get("samples", 0),
            "recorded_s": recorded, "plan": said.get("plan")}


def each(cases, what):
    """Cases that cannot be had here are named and left out."""
    for case in cases:
        try:
            yield case, what(case)
        except (OSError, RuntimeError, subprocess.TimeoutExpired) as why:
            print(f"{case.id} is left out: {why}", file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*")
    for flag in ("measure", "again", "plans", "list"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--budgets", default="0.5,1,2", help="seconds, for --plans")
    return parser.parse_args()


def main():
    options = parse()
    cases = programs.read_cases(options.case)
    if options.list:
        for case in cases:
            print(f"{case.id:22} {case.language:11} {case.package or 'own':40} {case.defect}")
        return
    if options.measure:
        for case, figure in each(cases, measure):
            print(f"{case.id:22} seconds = [{figure['slow_s']:.2f}, {figure['fixed_s']:.2f}]  # {figure['speedup']}", flush=True)
        return
    tokens = answers.Tokens()
    if options.plans:
        compare_plans(cases, tokens, [float(word) for word in options.budgets.split(",")])
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for case, result in each(cases, lambda case: judged(case, tokens, options, results)):
        results[case.id] = result
        RESULTS.write_text(json.dumps(results, indent=1))
        print(f"{case.id}: {result.get('speedup')}x, row {result['found'][f'{DEFAULT} 1000']['row']}", file=sys.stderr, flush=True)
    shown = {case.id: results[case.id] for case in cases if case.id in results}
    show_cases(shown, cases)
    for show in (show_forms, show_peers, show_each, show_aims):
        show(shown)


if __name__ == "__main__":
    main()
