#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of capturing a command: its exit status, its end by a signal, Ctrl-C, its output, and options that are wrong."""
import json
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder, workload  # noqa: E402


def the_exit_status_is_that_of_the_command(tier):
    with folder() as top:
        for status in (0, 7, 255):
            shot = capture(top, tier, *live.RATE, "--", workload("split_fp"), live.seconds(0.1))
            shot.succeeded()
            shot = capture(top, tier, "--", "sh", "-c", f"exit {status}")
            expect(shot.status == status, f"exit status {shot.status} of a command that ended with {status}: {shot.said()}")


def a_command_that_a_signal_ends_gives_128_and_its_number(tier):
    with folder() as top:
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            script = f"{workload('split_fp')} {live.seconds(0.3)} >/dev/null; kill -{int(number)} $$"
            shot = capture(top, tier, *live.RATE, "--", "sh", "-c", script)
            shot.succeeded(128 + number)
            expect(shot.profile.samples > 0, "the profile is empty")


def interrupted(tier: str, interrupt) -> None:
    with folder() as top:
        try:
            shot = capture(top, tier, *live.RATE, "--", workload("split_fp"), "120", then=interrupt, timeout=20)
        finally:
            left = live.processes(workload("split_fp"), "120")
            for pid in left:
                os.kill(pid, signal.SIGKILL)
        expect(shot.status in (0, 128 + signal.SIGINT), f"exit status {shot.status}: {shot.said()}")
        expect(not left, "the command still runs")
        expect(shot.path.exists(), f"no profile is written: {shot.said()}")
        expect(live.Profile(shot.path).samples > 0, "the profile is empty")


def ctrl_c_ends_both_and_the_profile_is_written(tier):
    """From the terminal, SIGINT comes to the whole group."""
    interrupted(tier, lambda process: os.killpg(process.pid, signal.SIGINT))


def an_interrupt_of_ours_alone_ends_both_as_well(tier):
    """A supervisor sends it to the process that it knows."""
    interrupted(tier, lambda process: process.send_signal(signal.SIGINT))


def the_output_of_the_command_is_its_own(tier):
    with folder() as top:
        shot = capture(top, tier, "--", "sh", "-c", "echo to-out; echo to-err >&2")
        expect(shot.status == 0 and "to-out" in shot.out and "to-err" in shot.err, f"status {shot.status}, {shot.said()}")


def children_are_included(tier):
    with folder() as top:
        script = f"WORKLOAD_TRUTH=/dev/null {workload('split_fp')} {live.seconds(1)} & {workload('forks')} {live.seconds(0.5)} & wait"
        shares = capture(top, tier, *live.RATE, "--", "sh", "-c", script).succeeded().profile.shares()
        for name in ("sixty", "parent_work", "child_work", "grandchild_work"):
            expect(shares.get(name, 0) > 0.01, f"{name} of a child is not there")


def a_command_that_is_not_there_is_told(tier):
    with folder() as top:
        for command in ("/nowhere/at-all", str(top)):
            shot = capture(top, tier, "--", command)
            expect(shot.status in (1, 126, 127), f"exit status {shot.status}: {shot.said()}")
            expect(command in shot.err and "atys: " in shot.err, f"the message does not name it: {shot.said()}")
            expect(not shot.path.exists(), "there is a profile of nothing")


def budget_and_provenance_are_in_the_answer(tier):
    with folder() as top:
        shot = capture(top, tier, "--freq", "199", "--label", "colour=blue", "--", workload("split_fp"), live.seconds(1)).succeeded()
        budget = shot.answer.get("budget", {})
        expect({"asked", "granted", "used"} <= budget.keys(), f"budget says {json.dumps(budget)[:200]}")
        expect(str(shot.path) in (shot.answer.get("path"), shot.answer["profile"].get("path")), "the answer does not name the file")
        facts = json.dumps(shot.profile.facts)
        for fact in (os.uname().release, "split_fp", tier, "colour"):
            expect(fact in facts, f"the profile does not tell {fact}")


def options_that_are_wrong_exit_with_2():
    wrong = [["--freq", "0"], ["--freq", "x"], ["--freq", "-5"], ["--duration", "soon"], ["--duration", "0s"], ["--max-overhead", "0%"],
             ["--max-overhead", "-1%"], ["--max-overhead", "much"], ["--max-samples", "-1"], ["--max-samples", "many"], ["--tier", "magic"], ["--kind", "nothing"],
             ["--label", "novalue"], ["--no-such-option"]]
    with folder() as top:
        bad = []
        for options in [*wrong, ["--pid", "1"], ["--host"]]:  # two targets at once are wrong as well
            shot = capture(top, "", *options, "--", "true")
            if shot.path.exists():
                shot.path.unlink()
                bad.append(f"{' '.join(options)}: there is a profile")
            if shot.status != 2 or not shot.err.startswith("atys: "):
                bad.append(f"{' '.join(options)}: status {shot.status}, {shot.said()[:80]}")
        for options in ([], ["--pid", "x"], ["--pid", "-1"], ["--pid", ""]):
            shot = capture(top, "", *options)
            if shot.status != 2:
                bad.append(f"{' '.join(options) or 'no target'}: status {shot.status}, {shot.said()[:80]}")
        expect(not bad, "; ".join(bad))


def a_bad_place_for_the_profile_is_told_before_the_command_runs(tier):
    with folder() as top:
        shot = capture(top, tier, "--", "touch", str(top / "ran"), out="no/such/folder/p.pb.gz")
        expect(shot.status == 1 and "no/such/folder" in shot.err, f"status {shot.status}, {shot.said()}")
        expect(not (top / "ran").exists(), "the command was run although its profile could not be kept")


def other_formats_are_written(tier):
    with folder() as top:
        for name in ("p.otlp", "p.collapsed", "p.speedscope.json"):
            shot = capture(top, tier, *live.RATE, "--", workload("split_fp"), live.seconds(0.3), out=name).succeeded()
            # Collapsed text does not say how many samples there were.
            expect(live.Profile(shot.path).total > 0, f"{name} is empty")


def ended_by_its_duration(top, tier, *options: str, script: str):
    """A capture that ends before its command does, and which of the command's processes are left; they are gone afterwards."""
    marker = f"atys-test-{os.getpid()}-{top.name}"
    shot = capture(top, tier, *live.RATE, "--duration", "0.5s", *options, "--", "sh", "-c", script, marker)
    left = [int(path.parent.name) for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if is_of(path, marker)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return shot, left


def is_of(path: pathlib.Path, marker: str) -> bool:
    try:
        return marker.encode() in path.read_bytes()
    except OSError:
        return False


BUSY = "exec >/dev/null 2>&1; while :; do :; done"  # holds none of our pipes


def a_command_that_goes_on_is_told(tier):
    with folder() as top:
        shot, left = ended_by_its_duration(top, tier, script=BUSY)
        expect(shot.status == 0, f"exit status {shot.status}: {shot.said()}")
        expect(len(left) == 1, f"{len(left)} processes go on")
        expect(f"goes on, as process {left[0]}" in shot.err and "--stop" in shot.err, f"the answer does not say so: {shot.said()}")
        expect(shot.answer["command"] == {"state": "goes on", "pid": left[0]}, f"the JSON says {shot.answer.get('command')}")


def stop_ends_the_command_and_what_it_started(tier):
    with folder() as top:
        shot, left = ended_by_its_duration(top, tier, "--stop", script=f"sh -c '{BUSY}' \"$0\" & {BUSY}")
        expect(not left, f"{len(left)} processes go on")
        expect(shot.status == 0, f"exit status {shot.status}: {shot.said()}")
        expect(shot.answer["command"] == {"state": "stopped", "pid": 0}, f"the JSON says {shot.answer.get('command')}")
        expect(shot.answer["exit_status"] == 128 + signal.SIGTERM, f"its status was {shot.answer['exit_status']}")
        expect(shot.profile.samples > 0, "the profile is empty")


def a_command_that_does_not_stop_is_told(tier):
    with folder() as top:
        shot, left = ended_by_its_duration(top, tier, "--stop", script=f"trap '' TERM; {BUSY}")
        expect(shot.status == 1, f"exit status {shot.status}: {shot.said()}")
        expect(len(left) == 1 and f"kill -KILL {left[0]}" in shot.err, f"the answer does not say how to end it: {shot.said()}")
        expect(shot.answer["command"] == {"state": "not ended", "pid": left[0]}, f"the JSON says {shot.answer.get('command')}")
        expect(shot.profile.samples > 0, "the profile is empty")


def stop_ends_what_was_started_by_who_has_ended(tier):
    """A daemon has no parent that leads to it, and this one hardly ran."""
    with folder() as top:
        shot, left = ended_by_its_duration(top, tier, "--stop", script=f"(setsid sh -c 'exec >/dev/null 2>&1; sleep 600; :' \"$0\" &); {BUSY}")
        expect(not left, f"{len(left)} processes go on")
        expect(shot.status == 0, f"exit status {shot.status}: {shot.said()}")
        expect("ended" not in shot.err and f"with exit status {128 + signal.SIGTERM}" in shot.err, f"how it ended is not told: {shot.said()}")


def what_a_command_started_and_does_not_stop_is_told(tier):
    with folder() as top:
        shot, left = ended_by_its_duration(top, tier, "--stop", script=f"sh -c \"trap '' TERM; {BUSY}\" \"$0\" & {BUSY}")
        expect(shot.status == 1, f"exit status {shot.status}: {shot.said()}")
        expect(len(left) == 1 and f"process {left[0]} goes on: kill -KILL {left[0]}" in shot.err, f"the answer does not say so: {shot.said()}")
        expect(shot.answer["command"] == {"state": "not ended", "pid": left[0]}, f"the JSON says {shot.answer.get('command')}")
        expect(shot.answer["exit_status"] == 128 + signal.SIGTERM, f"its status was {shot.answer['exit_status']}")


def a_command_that_ended_by_itself_needs_no_stop(tier):
    with folder() as top:
        shot = capture(top, tier, "--duration", "60s", "--stop", "--", "sh", "-c", "exit 5")
        expect(shot.status == 5, f"exit status {shot.status}: {shot.said()}")
        expect("command" not in shot.answer and "goes on" not in shot.err, shot.said())


def options_behind_the_command_are_its_own(tier):
    """Without --: the first word that is no option of ours begins it."""
    with folder() as top:
        shot = capture(top, tier, "sh", "-c", "echo got \"$@\" >&2", "sh", "--freq", "7", "[1,2]", "--", "--json", "top")
        expect(shot.status == 0, f"exit status {shot.status}: {shot.said()}")
        expect("got --freq 7 [1,2] -- --json top" in shot.err, f"the command got something else: {shot.said()}")
        expect("--freq goes to sh" in shot.err and "--json goes to sh" in shot.err, f"nothing is said of who gets them: {shot.said()}")
        shot = capture(top, tier, "--", "sh", "-c", "echo got \"$@\" >&2", "sh", "--freq", "7")
        expect("goes to sh" not in shot.err, f"a note although it was marked: {shot.said()}")


if __name__ == "__main__":
    sys.exit(live.run_tests([
        a_command_that_goes_on_is_told, stop_ends_the_command_and_what_it_started, a_command_that_does_not_stop_is_told,
        stop_ends_what_was_started_by_who_has_ended, what_a_command_started_and_does_not_stop_is_told,
        a_command_that_ended_by_itself_needs_no_stop, options_behind_the_command_are_its_own,
        the_exit_status_is_that_of_the_command, a_command_that_a_signal_ends_gives_128_and_its_number,
        ctrl_c_ends_both_and_the_profile_is_written, an_interrupt_of_ours_alone_ends_both_as_well, the_output_of_the_command_is_its_own, children_are_included,
        a_command_that_is_not_there_is_told, budget_and_provenance_are_in_the_answer, options_that_are_wrong_exit_with_2,
        a_bad_place_for_the_profile_is_told_before_the_command_runs, other_formats_are_written]))
