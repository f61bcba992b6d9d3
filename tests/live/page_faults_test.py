#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of kind page-faults: a profile has as many as the Linux kernel counted of the process (getrusage), and they are of the functions
that touched the pages."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder, workload  # noqa: E402

MOST_OFF = 0.02
FEW_FAULTS = 60  # around a program: what starts and ends it


def record(top: pathlib.Path, tier: str, kind: str, *target: str) -> tuple[live.Profile, dict]:
    shot = capture(top, tier, "--kind", kind, *live.RATE, *target, "--", workload("faults"), live.seconds(2)).succeeded()
    return shot.profile, live.truth_of(top)


def judge(profile: live.Profile, truth: dict) -> str:
    said, counted = profile.total, truth["total_ns"]
    expect(abs(said - counted) <= MOST_OFF * counted + FEW_FAULTS, f"the profile has {said:.0f} page faults, getrusage {counted}")
    shares = live.true_shares(truth)
    wrong = [live.judge_share(name, share, profile.shares("faults").get(name, 0), profile.effective) for name, share in shares.items()]
    expect(not any(wrong), "; ".join(filter(None, wrong)))
    return f"{said:.0f} page faults, getrusage {counted} ({said / counted - 1:+.2%}), of {profile.samples} samples"


def as_many_as_the_kernel_counted_by_who_touched_the_pages(tier):
    with folder() as top:
        profile, truth = record(top, tier, "page-faults")
        summary = profile.summary["profile"]
        expect((summary["kind"], summary["unit"]) == ("page-faults", "count"), f"it is of {summary['kind']} in {summary['unit']}")
        return judge(profile, truth)


def the_same_by_the_name_of_the_event(tier):
    with folder() as top:
        profile, truth = record(top, tier, "event:page-faults")
        return judge(profile, truth)


if __name__ == "__main__":
    sys.exit(live.run_tests([as_many_as_the_kernel_counted_by_who_touched_the_pages, the_same_by_the_name_of_the_event]))
