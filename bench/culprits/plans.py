# SPDX-License-Identifier: Apache-2.0
"""The fixed against the adaptive plan of a capture, at equal budgets."""
import dataclasses
import json
import statistics
import subprocess
import sys

import answers
from atys import ATYS, DEFAULT, capture, summary
import programs
from tables import HEAD, figures, table

RESULTS = programs.WORK / "plans.json"


def compare_plans(cases, tokens, budgets, again):
    """Each plan gets the same time and the same share of the target's CPU; what it used of them is what it says. Time 0 is the whole run."""
    text = subprocess.run([ATYS, "capture", "--help"], capture_output=True, text=True, check=True).stdout
    if "--plan" not in text:
        sys.exit("this atys has no `capture --plan`")
    results, rows = {}, []
    kept = json.loads(RESULTS.read_text()) if again and RESULTS.exists() else {}
    for seconds in budgets:
        for plan in ("fixed", "adaptive"):
            before = kept.get(f"{plan} {seconds}", {})
            outcomes = dict((case.id, outcome) for case, outcome in programs.each(cases, lambda case: one_plan(case, tokens, plan, seconds, before)))
            results[f"{plan} {seconds}"] = outcomes
            rows.append([seconds or "whole run", plan, *plan_figures(list(outcomes.values()))])
            RESULTS.write_text(json.dumps({**kept, **results}, indent=1))
    costs = ["samples, median", "s recorded, median", "s recorded, all", "CPU used, ms, median", "CPU used, ms, all"]
    table(["budget, s", "plan", *HEAD[:3], *costs], rows)


def plan_figures(outcomes):
    def of(key):
        return [one[key] for one in outcomes]
    return [*figures(of("found"), [0] * len(outcomes))[:3], round(statistics.median(of("samples"))),
            *(f"{measure(of(key)):.{digits}f}" for key, digits in (("recorded_s", 2), ("used_ms", 1)) for measure in (statistics.median, sum))]


def one_plan(case, tokens, plan, seconds, before):
    """`before` has what a capture said that is not taken again."""
    folder = programs.WORK / "profiles" / case.id
    folder.mkdir(parents=True, exist_ok=True)
    profile = folder / f"{plan}-{seconds:g}.pb.gz"
    said = before.get(case.id)
    if not said or not profile.exists():
        captured = capture(programs.program(case, "slow"), profile, "--plan", plan, *(["--duration", f"{seconds}s"] if seconds else []))
        used = captured.get("budget", {}).get("used", {})
        said = {"samples": captured.get("samples", 0), "recorded_s": used.get("duration_ns", 0) / 1e9, "plan": captured.get("plan"),
                "used_ms": sum(used.get(key, 0) for key in ("setup_cpu_ns", "own_cpu_ns", "kernel_cpu_ns", "finish_cpu_ns")) / 1e6}
    return {**said, "found": dataclasses.asdict(answers.judge(case, summary(profile, DEFAULT, 1000), tokens))}
