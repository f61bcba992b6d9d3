# SPDX-License-Identifier: Apache-2.0
"""Two versions in two folders: what does `atys diff` say of functions that nobody changed?

Each case is installed three times, driver and all: the slow version in one folder, the fixed one in two others, in the second of which
all of the driver is some lines further down. Several runs of each are recorded in turns, in random order. Then

    fixed against fixed, in two folders   nothing may be significant, but for chance: 5 % of comparisons
    slow against fixed                    a function that did not change must not be marked; the culprit is to be the first row of the form
                                          that charges what the runtime costs to who called it (`brief`, which clients get)

A function did not change if no culprit is on the stack in nine tenths of what it costs, in both versions: what a culprit calls does
change, and so does the collector that cleans up after it; functions of the runtime are counted apart for that reason. Only functions that
cost a thousandth of the whole or more can be marked; those are what is counted."""
import json
import os
import pathlib
import random
import re
import statistics
import subprocess

from atys import ATYS, capture
import programs
from tables import table

RESULTS = programs.WORK / "folders.json"
FOLDERS = ("slow", "fixed", "again")
MOVED_LINES = {"slow": 0, "fixed": 7, "again": 21}
LEAST_PERCENT = 0.1
FREQUENCY = "499"


def prepared(case, folder):
    """The program of one folder; the driver lies in it, moved down by some lines."""
    root = programs.WORK / "folders" / case.id / folder
    drivers = root / "source"
    driver = drivers / case.driver
    if not driver.exists():
        programs.moved_down(programs.DRIVERS / case.driver, driver, MOVED_LINES[folder])
    return programs.program(case, "slow" if folder == "slow" else "fixed", programs.Folder(root, drivers))


def record(case, runs, again):
    """Profiles by folder, taken in turns."""
    kept = programs.WORK / "folders" / case.id / "profiles"
    profiles = {folder: [kept / f"{folder}-{run}.pb.gz" for run in range(runs)] for folder in FOLDERS}
    if again and all(path.exists() for paths in profiles.values() for path in paths):
        return profiles
    commands = {folder: prepared(case, folder) for folder in FOLDERS}
    kept.mkdir(parents=True, exist_ok=True)
    for run in range(runs):
        for folder in random.sample(FOLDERS, len(FOLDERS)):
            said = capture(commands[folder], profiles[folder][run], "--freq", FREQUENCY, "--max-overhead", "20%")
            if not said.get("samples"):
                raise RuntimeError(f"nothing was recorded in {folder}")
    return profiles


def ask(*words):
    done = subprocess.run([ATYS, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"atys {words[0]}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def diff(base, new, *options):
    return ask("diff", "--json", "--top", "100000", "--base", *base, "--new", *new, *options)


def key(row):
    return row["name"], pathlib.PurePath(row["file"]).name


def costs(profiles, *options):
    """What each function costs by itself in all profiles, and whose code it is."""
    merged = profiles[0].parent / "merged.pb.gz"
    subprocess.run([ATYS, "merge", "-o", merged, *profiles], check=True, capture_output=True)
    answer = ask("summary", "--json", "--top", "100000", merged, *options)
    found = {}
    for row in answer["rows"]:
        value, _ = found.get(key(row), (0, ""))
        found[key(row)] = value + row["self"], row.get("origin", "")
    return found


def is_culprit(case, row):
    names = {re.split(r"[.:]", name)[-1] for name in case.culprits} | set(case.culprits)
    said = row["name"]
    return any(said == name or re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", said) for name in names) and (
        not case.file or not row["file"] or case.file.endswith(pathlib.PurePath(row["file"]).name))


def unchanged(case, base, new):
    """(name, file name) of functions that a culprit is not on the stack of, to whether they are the runtime's."""
    names = {re.split(r"[.:]", name)[-1] for name in case.culprits} | set(case.culprits)
    pattern = "|".join(rf"(^|[^\w$]){re.escape(name)}([^\w$]|$)" for name in names)
    result = {}
    for profiles in (base, new):
        everything, outside = costs(profiles), costs(profiles, "--ignore", pattern)
        for name, (value, origin) in everything.items():
            is_apart = outside.get(name, (0, ""))[0] >= 0.9 * value
            result[name] = (result.get(name, (True, ""))[0] and is_apart, origin)
    return {name: origin == "runtime" for name, (is_apart, origin) in result.items() if is_apart}


def false_alarms(answer, same, work):
    """Of functions that did not change: how many were large enough to be marked, and how many were; the program's and the runtime's."""
    counts = {False: [0, 0], True: [0, 0]}
    for row in answer["rows"]:
        if key(row) not in same:
            continue
        if work:
            whole = answer["total_work"]
            size = 50 * (row["work"]["base"] / whole["base"] + row["work"]["new"] / whole["new"])
        else:
            size = (row["base_percent"] + row["new_percent"]) / 2
        if size < LEAST_PERCENT:
            continue
        counts[same[key(row)]][0] += 1
        counts[same[key(row)]][1] += bool(row["significant"])
    return counts


def first_culprit(case, answer):
    return next((number for number, row in enumerate(answer["rows"], 1) if is_culprit(case, row)), None)


def judged(case, runs, again):
    profiles = record(case, runs, again)
    same = unchanged(case, profiles["slow"], profiles["fixed"])
    result = {"language": case.language, "kind": f"{case.package} {case.slow} → {case.fixed}" if case.real() else "planted"}
    for mode, options in (("run", ("--per", "run")), ("share", ())):
        answer = diff(profiles["slow"], profiles["fixed"], *options)
        alarms = false_alarms(answer, same, mode == "run")
        charged = diff(profiles["slow"], profiles["fixed"], "--form", "brief", *options)
        result[mode] = {"own": alarms[False], "runtime": alarms[True], "culprit": first_culprit(case, charged),
                        "significant": sum(bool(row["significant"]) for row in answer["rows"])}
        alike = diff(profiles["fixed"], profiles["again"], *options)
        result[mode]["alike"] = sum(bool(row["significant"]) for row in alike["rows"])
    answer = diff(profiles["slow"][:1], profiles["fixed"][:1])
    alarms = false_alarms(answer, same, False)
    charged = diff(profiles["slow"][:1], profiles["fixed"][:1], "--form", "brief")
    result["one"] = {"own": alarms[False], "runtime": alarms[True], "culprit": first_culprit(case, charged),
                     "alike": sum(bool(row["significant"]) for row in diff(profiles["fixed"][:1], profiles["again"][:1])["rows"])}
    result["matching"] = answer.get("matching", {})
    return result


def rate(pair):
    return f"{pair[1]} of {pair[0]}"


def summed(results, mode, whose):
    pairs = [result[mode][whose] for result in results]
    marked, all_rows = sum(pair[1] for pair in pairs), sum(pair[0] for pair in pairs)
    return f"{marked} of {all_rows} ({100 * marked / all_rows:.1f} %)" if all_rows else "none"


def compare_folders(cases, runs, again):
    random.seed(os.environ.get("SEED"))
    results = json.loads(RESULTS.read_text()) if again and RESULTS.exists() else {}
    for case, result in programs.each(cases, lambda case: judged(case, runs, again)):
        results[case.id] = result
        RESULTS.write_text(json.dumps(results, indent=1))
        print(f"{case.id}: {result['run']}", flush=True)
    shown = {case.id: results[case.id] for case in cases if case.id in results}
    if shown:
        show(shown, runs)


def show(results, runs):
    print(f"\n## Two versions in two folders ({runs} runs of each)\n\nUnchanged functions marked significant, of those large enough to be; "
          "row of the culprit; rows marked where nothing changed.\n")
    modes = (("run", f"{runs} runs, per run"), ("share", f"{runs} runs, shares"), ("one", "1 run, shares"))
    head = ["case", "language", "versions"]
    for _, title in modes:
        head += [f"{title}: own", "runtime", "culprit", "A/A"]
    rows = [[name, result["language"], result["kind"],
             *(cell for mode, _ in modes for cell in (rate(result[mode]["own"]), rate(result[mode]["runtime"]), result[mode]["culprit"] or "–",
                                                      result[mode]["alike"]))] for name, result in results.items()]
    everything = list(results.values())
    last = ["all", "", f"{len(everything)} pairs"]
    for mode, _ in modes:
        ranks = [result[mode]["culprit"] for result in everything]
        last += [summed(everything, mode, "own"), summed(everything, mode, "runtime"), f"first in {ranks.count(1)}",
                 f"in {sum(result[mode]['alike'] > 0 for result in everything)} pairs"]
    table(head, [*rows, last])
    ranks = [result["run"]["culprit"] for result in everything if result["run"]["culprit"]]
    print(f"Culprit per run: first in {ranks.count(1)} of {len(everything)}, median row {statistics.median(ranks) if ranks else '–'}.")
