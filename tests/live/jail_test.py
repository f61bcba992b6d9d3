#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of captures without any right: as a container has them, with no tier asked for, of programs in every language that is here. What
was seen is judged against what the programs know of themselves; where nothing can be done, one line says why."""
import contextlib
import functools
import glob
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import jail  # noqa: E402
import live  # noqa: E402
from live import Skip, expect, folder, workload  # noqa: E402

WORKLOADS = pathlib.Path(live.workloads.HERE)
RATE = ["--freq", "1999", "--max-overhead", "50%"]
USER, ROOTLESS, NO_PTRACE = ("--user",), ("--rootless",), ("--user", "--no-ptrace")
READ_ONLY, CONTAINER_ROOT = ("--user", "--read-only"), ("--container-root",)
GUISES = (USER, ROOTLESS, NO_PTRACE, READ_ONLY, CONTAINER_ROOT)
# Runs its arguments where it may write, and hands over what is there.
IN_ITS_FOLDER = 'cd "$TMPDIR" || exit 9; export WORKLOAD_TRUTH="$TMPDIR/truth.json"; "$@" >said 2>errors; echo $? >status; tar -cf - *'
FEWEST = 12  # samples: on a machine that is full of others few of them are had, and those stand for more
EXTENT, EXTENT_IF_FULL = 0.12, 0.2  # of all waits: where a thread waits is known when it is looked at, later on a full machine


@functools.cache
def why_no(guise: tuple[str, ...]) -> str | None:
    return jail.why_not(*guise)


class Shot:
    """What was left of a run in a jail."""

    def __init__(self, top: pathlib.Path, guise: tuple[str, ...], *command: str):
        if reason := why_no(guise):
            raise Skip(f"no jail {' '.join(guise)}: {reason}")
        variables = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "WORKLOAD_TRUTH", "ATYS_HOME")}
        top.chmod(0o777)
        inside = top / "inside"
        inside.mkdir(exist_ok=True)
        done = subprocess.run(jail.jailed(["sh", "-c", IN_ITS_FOLDER, "sh", *command], *guise), stdin=subprocess.DEVNULL, capture_output=True,
                              env={**variables, "TMPDIR": str(inside), "NO_COLOR": "1"}, timeout=live.TIMEOUT_S, cwd="/")
        expect(done.returncode == 0, f"{' '.join(guise)}: {done.stderr.decode(errors='replace').strip()}")
        self.place = top / "left"
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(self.place)
        self.errors, self.said = (self.text(name) for name in ("errors", "said"))
        self.status = int(self.text("status"))

    def text(self, name: str) -> str:
        return (self.place / name).read_text(errors="replace")

    def answer(self) -> dict:
        line = next((line for line in reversed(self.said.splitlines()) if line.startswith("{")), "{}")
        return json.loads(line)

    @functools.cached_property
    def profile(self) -> live.Profile:
        return live.Profile(self.place / "profile.pb.gz")

    def one_line(self) -> str:
        lines = [line for line in self.errors.splitlines() if line]
        expect(self.status != 0 and len(lines) == 1, f"status {self.status}, and it said: {self.errors[:300]}")
        return lines[0]


def shoot(top: pathlib.Path, guise: tuple[str, ...], command: list[str], *options: str, tier: str = "signal") -> Shot:
    shot = Shot(top, guise, live.atys_binary(), "capture", *(options or RATE), "-o", "profile.pb.gz", "--json", "--", *command)
    expect(shot.status == 0, f"{' '.join(guise)}: status {shot.status}: {shot.errors[-300:]}")
    told = shot.answer().get("tier")
    expect(told == tier, f"{' '.join(guise)}: tier {told}, not {tier}: {shot.errors[-200:]}")
    return shot


def judge(shot: Shot, what: str, program: str = "", line: str = "", whole: float = 0.99) -> None:
    truth = json.loads(shot.text("truth.json"))
    shares, wanted = shot.profile.shares(program), live.true_shares(truth)
    expect(shot.profile.samples >= FEWEST, f"{what}: only {shot.profile.samples} samples")
    # Some stand for more time than others, on a machine that is busy with others: they are worth fewer of equal weight.
    worth = live.worth_without_rights(shot.profile.effective)
    if not program:  # an interpreter: what it did before is in the profile, and not in the truth
        known = sum(shares.get(name, 0) for name in wanted)
        expect(known > 0.5, f"{what}: only {known:.0%} are of its functions")
        shares = {name: shares.get(name, 0) / known for name in wanted}
        wanted = {name: share / sum(wanted.values()) for name, share in wanted.items()}
    for name, share in wanted.items():
        seen, allowed = shares.get(name, 0), live.allowance(share, worth)
        expect(abs(seen - share) <= allowed, f"{what}: {name} has {seen:.1%}, truth {share:.1%} ±{allowed:.1%} of {worth} samples")
    if whole:
        share, others = shot.profile.rooted(program)
        worst = sorted(others.items(), key=lambda item: -item[1])[:3]
        expect(share >= whole, f"{what}: {share:.2%} of the stacks are whole; others begin with {worst}")
    if line:
        function, file = line.rsplit(" ", 1)
        rows = shot.profile.ask("summary", str(shot.profile.path), "--by", "line", "--top", "100000")["rows"]
        seen = any(live.plain(row["name"]) == function and row["file"].endswith(file) and row["line"] > 0 for row in rows)
        expect(seen, f"{what}: {function} is not of {file}")


def case(guise: tuple[str, ...], command: list[str], program: str = "", line: str = "", whole: float = 0.99, tier: str = "signal") -> int:
    with folder() as top:
        shot = shoot(top, guise, command, tier=tier)
        judge(shot, f"{' '.join(guise)}: {pathlib.Path(command[0]).name}", program, line, whole)
        return shot.profile.samples


def some(values) -> str:
    return f"{min(values)} to {max(values)} samples"


# ---------------------------------------------------------------------------------------------------------------------- languages

def c_is_seen_in_every_guise():
    return some([case(guise, [workload("split_nofp"), live.seconds(1.5)], "split_nofp", "sixty split.c") for guise in GUISES])


def pythons() -> list[str]:
    """Those that an ordinary user may run."""
    found = glob.glob("/usr/bin/python3.[0-9]*") + glob.glob("/usr/local/bin/python3.[0-9]*") + glob.glob("/opt/*/bin/python3.[0-9]*")
    return sorted(path for path in found if re.fullmatch(r"python3\.\d+", pathlib.Path(path).name))


def python_is_seen_in_every_guise():
    if not pythons():
        raise Skip("no Python that every user may run")
    script, seen = str(WORKLOADS / "python" / "split.py"), []
    for python in pythons():
        for guise in GUISES:
            seen.append(case(guise, [python, script, live.seconds(1.5)], "", "sixty split.py", whole=0))
    return some(seen)


def older_and_newer_pythons_are_seen():
    """Those of root alone: as root of a container."""
    found = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3.[0-9]*")))
    found = [path for path in found if re.fullmatch(r"python3\.(9|1\d)", pathlib.Path(path).name)]
    if not found:
        raise Skip("no other Python is here")
    script = str(WORKLOADS / "python" / "split.py")
    return some([case(CONTAINER_ROOT, [python, script, live.seconds(1.5)], "", "sixty split.py", whole=0) for python in found])


def compiled_languages_are_seen():
    seen = [case(USER, [workload("inlined"), live.seconds(1.5)], "inlined", "shop::Mixer<6>::step inlined.cpp")]
    for name, line in (("split_rs", "split::sixty split.rs"), ("split_f90", "")):
        with contextlib.suppress(Skip):
            seen.append(case(ROOTLESS, [workload(name), live.seconds(1.5)], name, line))
    return some(seen)


def go_is_stopped_for_moments():
    return some([case(USER, [workload("split_go"), live.seconds(4)], "split_go", "main.sixty split.go", whole=0.95, tier="stop")])


def php_is_seen():
    live.require_program("php")
    with folder() as top:
        shot = shoot(top, NO_PTRACE, ["php", str(WORKLOADS / "split.php"), live.seconds(1.5)])
        names = {name.rsplit("::", 1)[-1]: share for name, share in shot.profile.shares().items()}
        expect(names.get("sixty", 0) > names.get("ten", 0) > 0, f"functions of PHP: {sorted(names)[:9]}")
        return f"{shot.profile.samples} samples"


def node_tells_of_itself():
    live.require_program("node")
    with folder() as top:
        shot = shoot(top, USER, ["node", str(WORKLOADS / "split.js"), live.seconds(2)], *RATE, "--allow-inspector")
        shares = shot.profile.shares()
        expect(shares.get("sixty", 0) > shares.get("thirty", 0) > shares.get("ten", 0) > 0.01, f"{ {k: shares.get(k) for k in ('sixty', 'thirty', 'ten')} }")
        return f"{shot.profile.samples} samples"


def java_is_recorded():
    """By name where async-profiler is, else as what it is."""
    live.require_program("java")
    with folder() as top:
        shot = shoot(top, USER, [workload("split_java"), live.seconds(2)])
        expect(shot.profile.samples >= FEWEST, f"only {shot.profile.samples} samples")
        return f"{shot.profile.samples} samples"


def threads_forks_and_execs_are_seen():
    seen = []
    for guise, name, words in ((NO_PTRACE, "threads_nofp", ["20"]), (USER, "forks", []), (ROOTLESS, "execs", [])):
        workload("execs_second")
        seen.append(case(guise, [workload(name), *words, live.seconds(1.5)], name))
    return some(seen)


NAMED = """import threading, time
def spin():
    end = time.monotonic() + 3.5
    while time.monotonic() < end:
        pass
for name in ("worker-7", "a-name-of-more-than-15-characters"):
    threading.Thread(target=spin, name=name).start()
"""


def threads_have_their_names():
    if not pythons():
        raise Skip("no Python that every user may run")
    with folder() as top:
        shot = shoot(top, USER, [pythons()[0], "-c", NAMED])
        names = {row["name"] for row in shot.profile.ask("summary", str(shot.profile.path), "--by", "thread", "--top", "100")["rows"]}
        expect({"worker-7", "a-name-of-more-than-15-characters"} <= names, f"threads are called {sorted(names)}")


# ------------------------------------------------------------------------------------------------------------------------- waits

def waits_are_told():
    for kind, tier in (("off-cpu", ""), ("wall", "signal")):
        with folder() as top:
            command = [live.atys_binary(), "capture", "--kind", kind, *RATE, "-o", "profile.pb.gz", "--json", "--", workload("off_cpu"), live.seconds(2)]
            shot = Shot(top, USER, *command)
            expect(shot.status == 0, f"{kind}: {shot.errors[-300:]}")
            expect(not tier or shot.answer()["tier"] == tier, f"{kind}: tier {shot.answer()['tier']}")
            values, truth = shot.profile.values(), json.loads(shot.text("truth.json"))["ns"]
            whole = sum(truth.values())
            for name, ns in truth.items():
                expect(abs(values.get(name, 0) - ns) <= (EXTENT_IF_FULL if live.machine_is_full() else EXTENT) * whole, f"{kind}: {name} waited for {ns / 1e6:.0f} ms, told are {values.get(name, 0) / 1e6:.0f}")


# ---------------------------------------------------------------------------------------------------------------------- refusals

def what_cannot_be_is_one_line():
    with folder() as top:
        line = Shot(top, NO_PTRACE, live.atys_binary(), "capture", "--", workload("split_go"), "0.2").one_line()
        expect("statically linked" in line and "filter (seccomp) refuses ptrace" in line, line)
    with folder() as top:
        line = Shot(top, USER, live.atys_binary(), "capture", "--host", "--duration", "1s").one_line()
        expect("filter (seccomp) refuses" in line, line)
    live.require_root()
    with folder() as top, live.running("sleep", "60") as stranger:
        line = Shot(top, USER, live.atys_binary(), "capture", "--duration", "1s", "--pid", str(stranger.pid)).one_line()
        expect("belongs to user 0" in line, line)


# ----------------------------------------------------------------------------------------------------------------- the rest of it

def budgets_are_kept():
    program = workload("split_fp")
    with folder() as top:
        shot = shoot(top, USER, [program, live.seconds(20)], *RATE, "--max-samples", "50")
        expect(40 <= shot.answer()["samples"] <= 60, f"{shot.answer()['samples']} samples, 50 were allowed")
    with folder() as top:
        shot = shoot(top, USER, [program, live.seconds(20)], "--freq", "99", "--duration", "1s")
        expect("duration" in shot.answer()["ended"] or shot.answer()["budget"]["used"]["duration_ns"] < 5e9 * live.SCALE, shot.answer()["ended"])
    with folder() as top:
        shot = shoot(top, USER, [program, live.seconds(2)], "--freq", "9999", "--max-overhead", "1%")
        rates = [one["hz"] for one in shot.answer()["budget"]["granted"]]
        expect(min(rates) < 9999, f"it never went below what was asked: {rates}")


def the_adaptive_plan_works():
    with folder() as top:
        shot = shoot(top, USER, [workload("split_fp"), live.seconds(3)], "--plan", "adaptive")
        expect(shot.answer()["plan"]["name"] == "adaptive", f"plan {shot.answer()['plan']['name']}")
        return ", ".join(str(step.get("name", "")) for step in shot.answer()["plan"]["steps"])


SEVERAL = """set -e
atys=$1; program=$2; export WORKLOAD_TRUTH=/dev/null
$atys capture --freq 1999 --max-overhead 50% -o one.pb.gz -- "$program" 0.5 >one.txt
$atys capture --freq 1999 --max-overhead 50% -o two.pb.gz -- "$program" 0.5 >two.txt
$atys diff one.pb.gz two.pb.gz --json >diff.json
$atys link one.pb.gz --behind sixty --json >link.json
$atys compare "$program 0.1" "$program 0.1" --max-time 4s --json >compare.json
"""


def compare_diff_and_link_work():
    with folder() as top:
        shot = Shot(top, USER, "sh", "-c", SEVERAL, "sh", live.atys_binary(), workload("split_fp"))
        expect(shot.status == 0, f"status {shot.status}: {shot.errors[-300:]}")
        expect(json.loads(shot.text("diff.json"))["base"]["samples"] > 0, shot.text("diff.json")[:200])
        expect(json.loads(shot.text("link.json")), "no link")
        expect("verdict" in shot.text("compare.json"), shot.text("compare.json")[:200])


def mcp_captures():
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    question = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "profile_capture", "arguments": {"command": [workload("split_fp"), "1"]}, "_meta": meta}}
    with folder() as top:
        shot = Shot(top, USER, "sh", "-c", '(echo "$2"; sleep 5) | "$1" mcp --allow-command "$3"', "sh", live.atys_binary(), json.dumps(question),
                    live.workload("split_fp"))
        expect(shot.said, f"no answer: {shot.errors[-200:]}")
        answer = json.loads(shot.said.splitlines()[-1])
        text = json.dumps(answer.get("result", answer))
        expect("sixty" in text and not answer.get("result", {}).get("isError"), text[:300])


if __name__ == "__main__":
    sys.exit(live.run_tests([c_is_seen_in_every_guise, python_is_seen_in_every_guise, older_and_newer_pythons_are_seen, compiled_languages_are_seen,
                             go_is_stopped_for_moments, php_is_seen, node_tells_of_itself, java_is_recorded, threads_forks_and_execs_are_seen,
                             threads_have_their_names, waits_are_told, what_cannot_be_is_one_line, budgets_are_kept, the_adaptive_plan_works,
                             compare_diff_and_link_work, mcp_captures], otherwise="signal"))
