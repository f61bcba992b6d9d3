#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of what samples carry of the work of their thread: programs publish traces, spans and routes, and know what each spent."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder  # noqa: E402

PYTHON_PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "workloads" / "python" / "spans.py"
SECONDS = live.seconds(3)
ROUTES = ("/orders/{id}", "/login", "/health")


def shares(shot, key: str) -> dict[str, float]:
    rows = shot.profile.ask("summary", str(shot.path), "--by", f"label:{key}", "--top", "1000000")["rows"]
    whole = sum(row["self"] for row in rows if row["name"] != "(none)")
    return {row["name"]: row["self"] / whole for row in rows if row["name"] != "(none)"}


def judge(shot, truth: dict) -> str:
    """Of all that is of some route, each route's share."""
    parts = {name: value for name, value in (truth.get("ns") or truth["units"]).items() if name in ROUTES}
    seen = shares(shot, "http.route")
    expect(set(seen) == set(ROUTES), f"routes are {sorted(seen)}")
    wrong = [live.judge_share(route, part / sum(parts.values()), seen[route], shot.profile.samples) for route, part in parts.items()]
    expect(not any(wrong), "; ".join(why for why in wrong if why))
    labelled = sum(row["self"] for row in shot.profile.ask("summary", str(shot.path), "--by", "label:http.route")["rows"] if row["name"] != "(none)")
    return f"{shot.profile.samples} samples, {labelled / shot.profile.total:.1%} with a route"


def recorded(top, tier, *command):
    return capture(top, tier, *live.RATE, "--", *command, out="profile.otlp").succeeded()


def routes_of(tier, *command):
    with folder() as top:
        shot = recorded(top, tier, *command, SECONDS)
        return judge(shot, live.truth_of(top))


def a_program_in_cpp(tier):
    return routes_of(tier, live.workload("spans"))


def a_static_program(tier):
    return routes_of(tier, live.workload("spans_static"))


def python_with_a_library(tier):
    return routes_of(tier, sys.executable, str(PYTHON_PROGRAM), live.workload("libspans.so"))


def python_with_a_library_by_descriptors(tier):
    return routes_of(tier, sys.executable, str(PYTHON_PROGRAM), live.workload("libspans_desc.so"))


def labels_of_goroutines(tier):
    return routes_of(tier, live.workload("spans_go"))


def link_joins_traces_and_functions(tier):
    with folder() as top:
        shot = recorded(top, tier, live.workload("spans"), SECONDS)
        truth, path = live.truth_of(top)["ns"], str(shot.path)
        trace = shot.profile.ask("link", path, "--trace", "a0" * 16)
        routes = sum(truth[route] for route in ROUTES)
        seen = shares(shot, "trace_id")["a0" * 16]
        wrong = live.judge_share("trace", truth[ROUTES[0]] / routes, seen, shot.profile.samples)
        expect(not wrong, wrong)
        expect(abs(trace["value"] - trace["percent"] / 100 * shot.profile.total) < 1, "value and share do not agree")
        expect(trace["groups_by"] == "label:span_id" and len(trace["groups"]) > 1, "a trace has spans")
        one = shot.profile.ask("link", path, "--span", trace["groups"][0]["name"])
        expect(one["value"] == trace["groups"][0]["value"], "a span spent what its trace says")
        behind = shot.profile.ask("link", path, "--behind", "handle", "--group-by", "label:http.route")
        names = {row["name"] for row in behind["groups"]}
        expect(names == {*ROUTES, "(none)"}, f"behind handle are {sorted(names)}")
        return f"{trace['samples']} samples of the trace"


if __name__ == "__main__":
    tests = [a_program_in_cpp, a_static_program, python_with_a_library, python_with_a_library_by_descriptors, labels_of_goroutines,
             link_joins_traces_and_functions]
    sys.exit(live.run_tests(tests, tiers=("ebpf",)))
