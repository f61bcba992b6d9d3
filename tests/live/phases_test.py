#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of the phases of a run: a program that does one thing after another, and knows when it changed."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder  # noqa: E402

SECONDS = 4 * live.SCALE
TOLERANCE_S = 0.2 * SECONDS  # phases are made of parts of 0.2 s and more, which end when something else wakes the sampler
MOST = 0.75  # of what a function did is in its own phase: a part may have some of both


def answer_of(shot) -> tuple[list[dict], list[dict]]:
    answer = shot.profile.ask("summary", str(shot.path), "--form", "paths", "--top", "1000")
    return answer.get("phases", []), answer["rows"]


def in_phase(rows: list[dict], name: str, phase: int) -> float:
    """The part of a function's time that is in that phase."""
    mine = [row for row in rows if live.plain(row["name"]) == name]
    return sum(row["self"] for row in mine if row["phase"] == phase) / max(sum(row["self"] for row in mine), 1e-9)


def one_thing_after_another(tier):
    with folder() as top:
        shot = capture(top, tier, *live.RATE, "--", live.workload("phases"), str(SECONDS)).succeeded()
        truth = live.truth_of(top)["ns"]
        phases, rows = answer_of(shot)
        expect(len(phases) == 2, f"there are {len(phases)} phases: {phases}")
        change, known = phases[0]["to_s"], truth["change"] / 1e9
        expect(phases[1]["from_s"] == change and phases[0]["from_s"] == 0, f"phases do not follow each other: {phases}")
        expect(abs(change - known) <= TOLERANCE_S, f"the change is at {change:.2f} s, truth {known:.2f} s")
        parts = [in_phase(rows, "first", 1), in_phase(rows, "second", 2)]
        expect(min(parts) >= MOST, f"of first() {parts[0]:.1%} is in the first phase, of second() {parts[1]:.1%} in the second")
        expect(abs(sum(phase["percent"] for phase in phases) - 100) < 0.1, f"phases are not all of it: {phases}")
        return f"changed at {change:.2f} s, truth {known:.2f} s"


def the_same_all_the_time_has_no_phases(tier):
    with folder() as top:
        shot = capture(top, tier, *live.RATE, "--", live.workload("split_fp"), str(SECONDS)).succeeded()
        phases, _ = answer_of(shot)
        expect(not phases, f"phases are told: {phases}")


if __name__ == "__main__":
    sys.exit(live.run_tests([one_thing_after_another, the_same_all_the_time_has_no_phases]))
