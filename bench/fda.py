#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adaptive rates against fixed ones: error and cost, on programs that measure themselves.

    bench/fda.py [--workload numeric|transactions] [--windows N] [--phases N] [--window SECONDS] [--workers N] [--min HZ] [--goal PART] [--steady] [--only RATE…] [--json FILE]

All rates watch the same process at the same time (for Java one of its own), each an agent whose controller is away, so that its windows lie in its spool. A
window's error is the mean difference between the functions' shares and the truth of the same interval; that of the whole run is the
paper's measure. For ours there are two: `pooled` is what a controller that has got all windows answers to who asks for that one, `live` is by the
windows of its stretch up to it, as somebody sees who watches. Cost is the CPU time of the agent's windows, the kernel's part included, from the first shift
on: in the first phase all of them find the names of what the program consists of.
"""
import argparse
import bisect
import concurrent.futures
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
ATYS = os.environ.setdefault("ATYS", str(ROOT / "build/release/bin/atys"))
sys.path.insert(0, str(ROOT / "tests/support"))
from controllers import Controller  # noqa: E402
FIXED = [20, 50, 99, 199, 499, 999]
OWN = "own variation"
WORKLOADS = {"numeric": ["convolve", "pool", "rectify", "linear"], "transactions": ["purchase", "checkout", "audit", "report"]}


def workload_command(name: str, seconds: float, phase: float, log: pathlib.Path, chosen, scratch: pathlib.Path) -> list[str]:
    if name == "numeric":
        return ["/usr/bin/python3", str(ROOT / "bench/fda/numeric.py"), str(seconds), str(phase), str(log), str(chosen.workers), *(["steady"] if chosen.steady else [])]
    subprocess.run(["javac", "-d", str(scratch), str(ROOT / "bench/fda/Transactions.java")], check=True)
    # A method each: where HotSpot inlines one into another, it does not say of every instruction which of them it is of.
    return ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Transactions.*",
            "-cp", str(scratch), "Transactions", str(seconds), str(phase), f"{log}.0"]


def frequencies(chosen) -> dict[str, str]:
    dynamic = f"{{min: {chosen.min}, max: {chosen.top}, threshold: %s, algorithm: %s}}"
    return {f"{hz} Hz": str(hz) for hz in FIXED} | {"paper": dynamic % (0.05, "paper"), "pooled": dynamic % (0.01, f"pooled, goal: {chosen.goal}")}


def start_agent(name: str, frequency: str, pid_rule: str, window: float, scratch: pathlib.Path) -> subprocess.Popen:
    task = scratch / f"{name.replace(' ', '')}.yaml"
    task.write_text(f"task: {name.replace(' ', '')}\nservice: {pid_rule}\nfrequency: {frequency}\nwindow: {window}s\nprune: none\n"
                    "budget: {overhead: 100%}\n")
    return subprocess.Popen([ATYS, "agent", "--task", str(task), "--controller", "127.0.0.1:1", "--metrics", "none", "--max-cpu", "100%",
                             "--data", str(scratch / name.replace(" ", ""))], stderr=subprocess.PIPE)


def function_name(text: str) -> str:
    return text.rpartition(".")[2].partition("(")[0]


def read_window(path: pathlib.Path, functions: list[str]) -> dict:
    """Shares of the functions among themselves, where, when, how many samples, at which cost."""
    plain = path.with_suffix("")  # .otlp
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    told = json.loads(subprocess.run([ATYS, "summary", str(plain), "--json", "--top", "5000"], capture_output=True, check=True).stdout)
    shown = json.loads(subprocess.run([ATYS, "show", str(plain), "--json"], capture_output=True, check=True).stdout)
    begin = shown["time_ns"] / 1e9
    seconds = shown["profile"]["duration_ns"] / 1e9
    stretch = next((label["examples"][0] for label in shown["labels"] if label["key"] == "atys.stretch"), "0")
    return {"shares": shares_in(told, functions), "samples": told["profile"]["samples"], "cpu": told["profile"]["total"] / 1e9, "begin": begin,
            "end": begin + seconds, "stretch": stretch, "cost": told["profile"]["overhead"]["cpu_percent"] / 100 * seconds}


def shares_in(summary: dict, functions: list[str]) -> dict[str, float]:
    shares = dict.fromkeys(functions, 0.0)
    for row in summary["rows"]:
        if function_name(row["name"]) in shares:
            shares[function_name(row["name"])] += row["total_percent"] / 100
    return normalized(shares)


def normalized(shares: dict[str, float]) -> dict[str, float]:
    total = sum(shares.values())
    return {name: share / total if total else 0.0 for name, share in shares.items()}


class Log:
    """CPU time that each function has taken up to a moment, by what one process wrote of itself."""

    def __init__(self, path: pathlib.Path, columns: int):
        self.rows = [[float(word) for word in line.split()] for line in path.read_text().splitlines() if len(line.split()) == columns + 1]
        self.moments = [row[0] for row in self.rows]

    def at(self, moment: float) -> list[float]:
        place = min(max(bisect.bisect_right(self.moments, moment), 1), len(self.rows) - 1)
        before, after = self.rows[place - 1], self.rows[place]
        part = min(max((moment - before[0]) / (after[0] - before[0]), 0), 1)
        return [a + (b - a) * part for a, b in zip(before[1:], after[1:])]


class Truth:
    """Shares of the functions between two moments, over all processes of the service."""

    def __init__(self, log: pathlib.Path, functions: list[str]):
        self.functions = functions
        self.logs = [Log(path, len(functions)) for path in log.parent.glob(f"{log.name}.*")]
        self.begin, self.end = max(one.moments[0] for one in self.logs), min(one.moments[-1] for one in self.logs)

    def shares(self, begin: float, end: float) -> dict[str, float]:
        spent = [[b - a for a, b in zip(one.at(begin), one.at(end))] for one in self.logs]
        return normalized(dict(zip(self.functions, map(sum, zip(*spent)))))

    def covers(self, window: dict) -> bool:
        return self.begin <= window["begin"] and window["end"] <= self.end


def pooled(windows: list[dict]) -> dict[str, float]:
    """Each window counts by its samples."""
    total = sum(window["samples"] for window in windows) or 1
    return {name: sum(window["shares"][name] * window["samples"] for window in windows) / total for name in windows[0]["shares"]}


def live(windows: list[dict]) -> list[dict[str, float]]:
    """What each window's stretch said of it at the time."""
    stretches: dict[str, list[dict]] = {}
    told = []
    for window in windows:
        stretches.setdefault(window["stretch"], []).append(window)
        told.append(pooled(stretches[window["stretch"]]))
    return told


def looked_back(spool: list[pathlib.Path], windows: list[dict], functions: list[str], scratch: pathlib.Path) -> list[dict[str, float]]:
    """What a controller that got all windows answers to who asks for each of them."""
    with Controller(scratch / "controller") as controller:
        headers = {"Authorization": f"Bearer {controller.token}"}
        for path in spool:
            sending = {**headers, "Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
            urllib.request.urlopen(urllib.request.Request(controller.url + "/v1development/profiles", path.read_bytes(), sending)).read()
        asked = urllib.request.urlopen(urllib.request.Request(controller.url + "/api/v1/services", headers=headers)).read()
        service = json.loads(asked)["services"][0]["service"]
        asking = {**os.environ, "ATYS_CONTROLLER": controller.url, "ATYS_TOKEN": controller.token}
        told = []
        for window in windows:
            begin = int(window["begin"])  # the only window that begins in that second
            answer = subprocess.run([ATYS, "summary", f"service:{service}@{begin}..{begin + 1}", "--json", "--top", "5000"], capture_output=True,
                                    check=True, env=asking).stdout
            told.append(shares_in(json.loads(answer), functions))
        return told


def over_the_run(windows: list[dict], estimates: list[dict[str, float]]) -> dict[str, float]:
    """Each window counts by the CPU time that the service took in it."""
    return normalized({name: sum(window["cpu"] * estimate[name] for window, estimate in zip(windows, estimates)) for name in estimates[0]})


def error(seen: dict[str, float], truth: dict[str, float]) -> float:
    return sum(abs(seen[name] - truth[name]) for name in truth) / len(truth) * 100


def judge(name: str, spool: list[pathlib.Path], truth: Truth, first_shift: float, scratch: pathlib.Path) -> list[dict]:
    everything = [window for window in (read_window(path, truth.functions) for path in spool) if window["samples"] > 0]
    windows = [window for window in everything if truth.covers(window)]
    after_shift = [window for window in windows if window["end"] > first_shift]
    cost = sum(window["cost"] for window in after_shift) / sum(window["end"] - window["begin"] for window in after_shift) * 100
    rate = sum(window["samples"] for window in windows) / sum(window["cpu"] for window in windows)
    whole = truth.shares(windows[0]["begin"], windows[-1]["end"])
    estimates = {name: [window["shares"] for window in windows]}
    if name == "pooled":
        at_the_time = [told for told, window in zip(live(everything), everything) if truth.covers(window)]
        estimates = {"ours, live": at_the_time, "ours, pooled": looked_back(spool, windows, truth.functions, scratch)}
    rows = []
    for label, shares in estimates.items():
        per_window = [error(seen, truth.shares(window["begin"], window["end"])) for seen, window in zip(shares, windows)]
        late = [one for one, window in zip(per_window, windows) if window in after_shift]
        rows.append({"rate": label, "samples_per_cpu_second": rate, "cost_percent_of_core": cost, "window_error_points": sum(per_window) / len(per_window),
                     "late_error_points": sum(late) / len(late),
                     "run_error_points": error(over_the_run(windows, shares), whole), "windows": len(windows),
                     "errors": per_window, "samples": [window["samples"] for window in windows]})
    return rows


def own_variation(truth: Truth, phase: float, chosen) -> float:
    """What a window differs from its phase by, whoever looks: nothing that is known of the phase alone can tell more of a window."""
    errors = []
    for number in range(chosen.phases):
        begin = truth.begin + number * phase
        mean = truth.shares(begin, begin + phase)
        errors += [error(mean, truth.shares(begin + at * chosen.window, begin + (at + 1) * chosen.window)) for at in range(chosen.windows)]
    return sum(errors) / len(errors)


def watched(workload: str, names: list[str], chosen, top: pathlib.Path) -> list[dict]:
    """One process, and an agent for each of these rates beside it."""
    functions = WORKLOADS[workload]
    scratch = pathlib.Path(tempfile.mkdtemp(dir=top))
    phase = chosen.windows * chosen.window
    seconds = phase * chosen.phases + 4
    log = scratch / "truth"
    program = subprocess.Popen(workload_command(workload, seconds, phase, log, chosen, scratch), stdout=subprocess.DEVNULL)
    agents = []
    try:
        rates = frequencies(chosen)
        for name in names:
            agents.append(start_agent(name, rates[name], f'command~"{log}"', chosen.window, scratch))
        program.wait()
    finally:
        program.kill()
        for agent in agents:
            agent.terminate()
        for agent in agents:
            agent.wait()
    truth = Truth(log, functions)
    truth.end = min(truth.end, truth.begin + phase * chosen.phases)
    rows = []
    for name in names:
        spool = sorted((scratch / name.replace(" ", "") / "spool").glob("*.otlp.gz"))
        rows += judge(name, spool, truth, truth.begin + phase, scratch)
    return rows + [{"rate": OWN, "window_error_points": own_variation(truth, phase, chosen)}]


def run(workload: str, chosen) -> list[dict]:
    """A JVM is sampled by one at a time: there each rate has a process of its own, as many at once as there are CPUs."""
    names = [name for name in frequencies(chosen) if not chosen.only or name in chosen.only or name == f"{chosen.top} Hz"]
    groups = [[name] for name in names] if workload == "transactions" else [names]
    with tempfile.TemporaryDirectory(prefix="fda") as top, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [row for rows in pool.map(lambda group: watched(workload, group, chosen, pathlib.Path(top)), groups) for row in rows]


def table(workload: str, rows: list[dict], top: int) -> str:
    best = next(row for row in rows if row["rate"] == f"{top} Hz")
    varies = [row["window_error_points"] for row in rows if row["rate"] == OWN]
    rows = [row for row in rows if row["rate"] != OWN]
    lines = [f"## {workload}", "| rate | samples per CPU second | cost, % of a core | of the highest | error of a window, points | of the highest | "
             "the same from the first shift on | of the highest | error of the run, points | windows |", "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['rate']} | {row['samples_per_cpu_second']:.1f} | {row['cost_percent_of_core']:.3f} | "
                     f"{row['cost_percent_of_core'] / best['cost_percent_of_core']:.3f} | {row['window_error_points']:.2f} | "
                     f"{row['window_error_points'] / best['window_error_points']:.2f} | {row['late_error_points']:.2f} | "
                     f"{row['late_error_points'] / best['late_error_points']:.2f} | {row['run_error_points']:.2f} | {row['windows']} |")
    lines.append(f"\nWithin a phase the service's own windows differ from its mean by {sum(varies) / len(varies):.2f} points.")
    return "\n".join(lines)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workload", choices=[*WORKLOADS, "both"], default="both")
    options.add_argument("--windows", type=int, default=20, help="in each phase")
    options.add_argument("--phases", type=int, default=4)
    options.add_argument("--window", type=float, default=3, help="seconds")
    options.add_argument("--workers", type=int, default=1, help="processes of the numeric service")
    options.add_argument("--min", type=int, default=9, help="the lowest rate of the adaptive ones")
    options.add_argument("--top", type=int, default=999, choices=FIXED, help="the highest rate")
    options.add_argument("--goal", type=float, default=0.75, help="of a window at the highest rate, that ours wants after a change")
    options.add_argument("--steady", action="store_true", help="the numeric service holds its shares within a phase, however slow the machine is")
    options.add_argument("--only", nargs="+", metavar="RATE", help='these beside the highest, as the table names them: "99 Hz", paper, pooled')
    options.add_argument("--json", metavar="FILE")
    chosen = options.parse_args()
    found = {}
    for workload in WORKLOADS if chosen.workload == "both" else [chosen.workload]:
        found[workload] = run(workload, chosen)
        print(table(workload, found[workload], chosen.top), flush=True)
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
