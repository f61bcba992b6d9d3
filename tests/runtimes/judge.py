# SPDX-License-Identifier: Apache-2.0
"""What has to be seen of a workload in any language: shares, lines, kinds of frames, whole stacks."""
import functools
import pathlib
import re

import live
from languages import SOURCES, Language
from live import Failure, expect

MOST_READ = 0.5  # of the time, where a machine is full: at least so much could be read
MOST = 0.97  # of a function's weight is in the lines of its loop; the rest is its beginning and its end
CUT = "truncat|deep|root|cut"  # reasons of losses that say so
NAMES = ("sixty", "thirty", "ten")


def is_function(frame: str, name: str) -> bool:
    """Whether a frame is of that function, whatever stands before its name: Worker.ten, Split.ten, Worker::ten, split:ten/2."""
    return bool(re.search(rf"(?:^|[.:>#/ ]){re.escape(name)}(?:/\d+)?$", live.plain(frame)))


def share_below(profile: live.Profile, name: str) -> float:
    whole = sum(weight for _, weight in profile.stacks)
    return sum(weight for frames, weight in profile.stacks if any(is_function(frame, name) for frame in frames)) / max(whole, 1e-9)


def judge_shares(profile: live.Profile, truth: dict, relative: bool = False) -> list[str]:
    """`relative`: of the three together, where the capture has more in it than what the workload measured, as it has for workloads that
    count units of work only."""
    known = {name.rsplit(".", 1)[-1]: share for name, share in live.true_shares(truth).items()}
    seen = {name: share_below(profile, name) for name in NAMES}
    worth = live.worth_without_rights(profile.effective) if relative else profile.effective
    if relative and sum(seen.values()) < MOST_READ:
        return [f"only {sum(seen.values()):.1%} of the time has functions of the language"]
    if relative or "units" in truth:
        parts, whole = sum(known[name] for name in NAMES), max(sum(seen.values()), 1e-9)
        known, seen = {name: known[name] / parts for name in NAMES}, {name: seen[name] / whole for name in NAMES}
    return [live.judge_share(name, known[name], seen[name], worth) for name in NAMES]


@functools.cache
def hot_lines(path: pathlib.Path) -> dict[str, set[int]]:
    """Function to the lines that are marked `hot FUNCTION`; without marks, to all lines of its body."""
    lines = path.read_text().splitlines()
    found: dict[str, set[int]] = {}
    for number, line in enumerate(lines, 1):
        if match := re.search(r"\bhot (\w+)$", line):
            found.setdefault(match.group(1), set()).add(number)
    if not found:
        for number, line in enumerate(lines, 1):
            if match := re.match(rf"( *)(?:static long|function) ({'|'.join(NAMES)})\(.*\{{$", line):
                length = lines[number:].index(match.group(1) + "}")
                found[match.group(2)] = set(range(number, number + length + 1))
    return found


def judge_lines(profile: live.Profile, source: str) -> list[str]:
    rows = profile.ask("summary", str(profile.path), "--by", "line", "--top", "1000000")["rows"]
    per_sample = profile.total / max(profile.samples, 1)
    return [judge_lines_of(name, lines, rows, source, per_sample) for name, lines in hot_lines(SOURCES / source).items()]


def is_file(seen: str, file: str) -> bool:
    """A JVM tells the class, not the file."""
    return seen.endswith(file) or (not seen and file.endswith(".java"))


def judge_lines_of(name: str, lines: set[int], rows: list[dict], source: str, per_sample: float) -> str:
    mine = [row for row in rows if is_function(row["name"], name)]
    whole = sum(row["total"] for row in mine)
    if not whole:
        return f"nothing of {name} was seen"
    file = pathlib.Path(source).name
    good = sum(row["total"] for row in mine if is_file(row["file"], file) and row["line"] in lines)
    if good / whole >= MOST - live.allowance(MOST, max(int(whole / per_sample), 1)):
        return ""
    others = sorted((row for row in mine if row["line"] not in lines), key=lambda row: -row["total"])
    where = ", ".join(f"{row['file']}:{row['line']} ({row['total'] / whole:.1%})" for row in others[:3])
    return f"{good / whole:.1%} of {name} is in its hot lines of {file} {sorted(lines)}; there is {where or 'another file'}"


def judge_kinds(profile: live.Profile, language: Language) -> list[str]:
    wrong = []
    for name in NAMES:
        kinds = {row["frame_kind"] for row in profile.summary["rows"] if is_function(row["name"], name)}
        if kinds != {language.kind}:
            wrong.append(f"frames of {name} are labelled {sorted(kinds)}, not {language.kind}")
    return wrong


def judge_roots(profile: live.Profile, roots: str, wanted: float = 0.97) -> str:
    """Share of the weight below functions of the language that is below one of its roots, or is counted as cut."""
    whole = good = 0.0
    worst: dict[str, float] = {}
    for frames, weight in profile.stacks:
        if not any(is_function(frame, name) for frame in frames for name in NAMES):
            continue
        whole += weight
        if any(re.fullmatch(roots, live.plain(frame)) for frame in frames):
            good += weight
        else:
            worst[";".join(frames[:4])] = worst.get(";".join(frames[:4]), 0) + weight
    cut = profile.loss(CUT) / max(profile.samples, 1)
    if whole and good / whole + cut >= wanted:
        return ""
    return f"{good / max(whole, 1e-9):.1%} of the stacks reach {roots}; others begin with {max(worst, key=worst.get) if worst else 'nothing'}"


def judge_all(profile: live.Profile, truth: dict, language: Language, source: str, roots: str = "", relative: bool = False) -> list[str]:
    wrong = judge_shares(profile, truth, relative) + judge_kinds(profile, language) + judge_lines(profile, source)
    wrong.append(judge_roots(profile, roots or language.root))
    return [why for why in wrong if why]


def judge_native_only(shot: live.Capture, language: str) -> list[str]:
    """A runtime that has no kernel of its own: native frames, and one clear line that says so."""
    lines = [line for line in shot.notes() if re.search(language, line, re.IGNORECASE)]
    wrong = [] if len(lines) == 1 else [f"one line should say that {language} is shown as native frames; said is {lines or shot.notes()}"]
    return wrong + ([] if shot.profile.samples >= live.MIN_SAMPLES else [f"only {shot.profile.samples} samples"])


def torn(profile: live.Profile, pairs: list[list[str]]) -> tuple[float, float]:
    """Share of the weight in stacks with a caller that cannot be, and the weight that was looked at."""
    allowed = {tuple(pair) for pair in pairs}
    known = {name for pair in pairs for name in pair}
    bad = whole = 0.0
    for frames, weight in profile.stacks:
        names = [name for name in (live.plain(frame).rsplit(".", 1)[-1] for frame in frames) if name in known]
        whole += weight
        bad += weight if names and (names[0] != "chains" or any(pair not in allowed for pair in zip(names, names[1:]))) else 0
    return bad / max(whole, 1e-9), whole


def self_test() -> None:
    """The judges refuse what is wrong."""
    assert is_function("Split.sixty", "sixty") and is_function("Worker::ten", "ten") and not is_function("inner_ten", "ten")
    with live.folder() as top:
        (top / "p.collapsed").write_text("<module>;main;sixty 60\n<module>;main;thirty 30\n<module>;main;ten 9\nmain;ten 1\n")
        profile = live.Profile(top / "p.collapsed")
        whole = {"total_ns": 100, "ns": {"sixty": 60, "thirty": 30, "ten": 10}}
        assert not any(judge_shares(profile, whole)) and any(judge_shares(profile, {"total_ns": 100, "ns": {"sixty": 10, "thirty": 80, "ten": 10}}))
        assert not judge_roots(profile, "<module>") and judge_roots(profile, "<module>", 0.995) and judge_roots(profile, "nowhere")
        assert all(judge_lines(profile, "python/split.py")), "lines that are not there are found"
        (top / "t.collapsed").write_text("chains;a1;b1 50\nchains;a1;c1 40\na1;b1 10\n")
        share, _ = torn(live.Profile(top / "t.collapsed"), [["chains", "a1"], ["a1", "b1"]] + [["b1", "c1"]])
        assert abs(share - 0.5) < 1e-9, share
    rows = [{"name": "f", "file": "/x/split.py", "line": 3, "total": 98}, {"name": "f", "file": "/x/split.py", "line": 9, "total": 2}]
    assert not judge_lines_of("f", {3}, rows, "python/split.py", 1) and judge_lines_of("f", {4}, rows, "python/split.py", 1)
    expect(hot_lines(SOURCES / "python/split.py").keys() == set(NAMES), "hot lines are not found")
    for path in SOURCES.glob("python/*.py"):
        if not hot_lines(path).keys() <= {*NAMES, "inner_ten"}:
            raise Failure(f"{path.name}: marks lines of {sorted(hot_lines(path))}")
