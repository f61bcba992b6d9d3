#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests, on a machine with far more to do than it can: every stack of an interpreted program is one that the program had. The
programs are made so that a stack shows by itself whether it can have been: all its functions are of one turn, one request, one chain."""
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import capture, expect, folder, require_program, running, workload  # noqa: E402

LOAD = 8
MOST_WRONG = 0.0001
SECONDS = 6
LONGEST = 50  # of what runs already
GONE = ("[code that was gone]", "<freed code>")

# Each turn runs code of its own, which is freed after it: the next one gets the same memory for like functions of other names.
FRESH_PYTHON = """import time
def turn(n):
    source = f'''def alpha_{n:06}(k):
    s = 0
    for i in range(k):
        s += i * i
    return beta_{n:06}(k)
def beta_{n:06}(k):
    s = 0
    for i in range(k):
        s += i * i
    return s
alpha_{n:06}(6000)
'''
    exec(compile(source, f"/turn_{n:06}.py", "exec"), {})
def main():
    n = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        turn(n)
        n += 1
main()
"""

# As ordinary programs begin: each module's own code is freed when it has been imported, and functions come to lie in its place.
IMPORTING_PYTHON = """import importlib, sys, time
def handle_request():
    return read_request() + write_response()
def read_request():
    return sum(i * i for i in range(3000))
def write_response():
    s = 0
    for i in range(3000):
        s += i * i
    return s
def import_all(turn):
    for name in [name for name in sys.modules if name.startswith("part_")]:
        del sys.modules[name]
    importlib.invalidate_caches()
    importlib.import_module("part_000")
def serve():
    end = time.monotonic() + SECONDS
    turn = 0
    while time.monotonic() < end:
        import_all(turn)
        turn += 1
        for _ in range(20):
            handle_request()
serve()
"""
PARTS = 60


@contextlib.contextmanager
def far_too_much_to_do():
    with contextlib.ExitStack() as stack:
        for _ in range(LOAD):
            stack.enter_context(running(workload("split_fp"), "600"))
        yield


def stacks(shot: live.Capture) -> list[tuple[list[tuple[str, str]], float]]:
    """Functions and files, outermost first, and weight."""
    path = shot.path.with_suffix(".speedscope.json")
    done = subprocess.run([live.atys_binary(), "convert", str(shot.path), "-o", str(path)], capture_output=True, text=True)
    expect(done.returncode == 0, f"atys convert: {done.stderr.strip()}")
    file = json.loads(path.read_text())
    frames = [(frame["name"], frame.get("file", "")) for frame in file["shared"]["frames"]]
    return [([frames[number] for number in stack], weight)
            for profile in file["profiles"] for stack, weight in zip(profile["samples"], profile["weights"])]


def judge(shot: live.Capture, ours, is_possible) -> str:
    """`ours`: whether a frame is of the program, and what it is; `is_possible`: whether a list of those is a stack that it can have had."""
    total = wrong = gone = 0.0
    example = None
    for frames, weight in stacks(shot):
        names = [name for frame in frames if (name := ours(*frame))]
        if not names:
            continue
        total += weight
        gone += weight * any(name in GONE for name in names)
        if not is_possible([name for name in names if name not in GONE]):
            wrong += weight
            example = example or names
    expect(shot.profile.samples >= live.MIN_SAMPLES and total, f"only {shot.profile.samples} samples")
    expect(wrong <= MOST_WRONG * total, f"{wrong / total:.3%} of the time has stacks that the program did not have, as {example}")
    return f"{shot.profile.samples} samples, none wrong, {gone / total:.2%} with code that was gone"


def code_that_is_freed_within_milliseconds(tier):
    with folder() as top, far_too_much_to_do():
        (top / "main.py").write_text(FRESH_PYTHON.replace("SECONDS", seconds_of(tier)))
        shot = capture_python(top, tier)

        def ours(name, file):
            if name in GONE:
                return name
            base = pathlib.PurePath(file).name
            if base == "main.py":
                return f"main.py {name}"
            turn = re.fullmatch(r"turn_(\d+)\.py", base)
            return f"{turn.group(1)} {name}" if turn else ""

        def is_possible(names):
            chain = ["main.py <module>", "main.py main", "main.py turn"]
            turns = [name.split(" ")[0] for name in names if not name.startswith("main.py")]
            if turns:
                chain += [f"{turns[0]} <module>", f"{turns[0]} alpha_{turns[0]}", f"{turns[0]} beta_{turns[0]}"]
            return is_part_of(names, chain)

        return judge(shot, ours, is_possible)


def modules_that_are_imported(tier):
    with folder() as top, far_too_much_to_do():
        (top / "main.py").write_text(IMPORTING_PYTHON.replace("SECONDS", seconds_of(tier)))
        for part in range(PARTS):
            call = f"import part_{part + 1:03}\n" if part + 1 < PARTS else ""
            (top / f"part_{part:03}.py").write_text(f"TABLE = [i * i for i in range(400)]\n{call}def of_{part:03}():\n    return TABLE\n")
        shot = capture_python(top, tier)

        def ours(name, file):
            if name in GONE:
                return name
            base = pathlib.PurePath(file).name
            return f"{base} {name}" if base == "main.py" or base.startswith("part_") else ""

        def is_possible(names):
            requests = ["main.py <module>", "main.py serve", "main.py handle_request"]
            imports = ["main.py <module>", "main.py serve", "main.py import_all", *[f"part_{part:03}.py <module>" for part in range(PARTS)]]
            names = names[:-1] if names and names[-1].endswith("<listcomp>") else names
            return (is_part_of(names, [*requests, "main.py read_request", "main.py read_request.<locals>.<genexpr>"]) or
                    is_part_of(names, [*requests, "main.py write_response"]) or is_part_of(names, imports))

        return judge(shot, ours, is_possible)


def is_part_of(names: list[str], chain: list[str]) -> bool:
    """In the same order; some may be missing, each is there once."""
    left = iter(chain)
    return all(name in left for name in names)


def seconds_of(tier: str) -> str:
    return live.seconds(LONGEST if tier == "memory" else SECONDS)


def capture_python(top: pathlib.Path, tier: str) -> live.Capture:
    if tier == "memory":  # which records what runs already
        with running(sys.executable, str(top / "main.py"), top=top) as program:
            for seconds in (SECONDS - 2, LONGEST - SECONDS):  # on a very busy machine it seldom runs, and so do we
                shot = capture(top, tier, "--freq", "499", "--max-overhead", "50%", "--duration", f"{seconds}s", "--pid", str(program.pid)).succeeded()
                if shot.profile.samples >= live.MIN_SAMPLES:
                    break
            return shot
    return capture(top, tier, *live.RATE, "--", sys.executable, str(top / "main.py")).succeeded()


PHP_SCRIPT = """<?php
function NAME_outer($k) { return NAME_inner($k); }
function NAME_inner($k) { $s = 0; for ($i = 0; $i < $k; $i++) { $s += $i * $i; } return $s; }
echo NAME_outer(40000);
"""


def scripts_of_a_server_in_turn(tier):
    """Without opcache all of a script's code is freed after the request, and the next script's lies in its place."""
    require_program("php")
    with folder() as top, far_too_much_to_do():
        names = [f"script{number}" for number in range(10)]
        for name in names:
            (top / f"{name}.php").write_text(PHP_SCRIPT.replace("NAME", name))
        with php_server(top, names) as server:
            shot = capture(top, tier, *live.RATE, "--duration", f"{SECONDS}s", "--pid", str(server.pid)).succeeded()

        def ours(name, file):
            script = pathlib.PurePath(file).stem if file.endswith(".php") else ""
            return name if name in GONE else f"{script} {name}" if script else ""

        def is_possible(seen):
            script = seen[0].split(" ")[0] if seen else ""
            return is_part_of(seen, [f"{script} <main>", f"{script} {script}_outer", f"{script} {script}_inner"])

        return judge(shot, ours, is_possible)


@contextlib.contextmanager
def php_server(top: pathlib.Path, names: list[str]):
    """Serves them one after the other, for as long as it is there."""
    with running("php", "-d", "opcache.enable=0", "-d", "opcache.enable_cli=0", "-S", "127.0.0.1:0", "-t", str(top), stdout=subprocess.DEVNULL,
                 stderr=subprocess.PIPE) as server:
        address = re.search(rb"http://([\d.]+:\d+)", server.stderr.readline())
        expect(address, "the server does not say where it listens")
        over = threading.Event()

        def ask():
            while not over.is_set():
                for name in names:
                    with contextlib.suppress(OSError):
                        urllib.request.urlopen(f"http://{address.group(1).decode()}/{name}.php", timeout=10).read()

        threading.Thread(target=lambda: server.stderr.read(), daemon=True).start()
        client = threading.Thread(target=ask, daemon=True)
        client.start()
        time.sleep(live.MOMENT_S)
        try:
            yield server
        finally:
            over.set()


NODE = """
const end = Date.now() + SECONDS * 1000;
function spin(k) { let s = 0; for (let i = 0; i < k; i++) s += Math.sqrt(i); return s; }
let n = 0;
function turn() {
  const source = `function alpha_${n}(k) { let s = 0; for (let i = 0; i < k; i++) s += Math.sqrt(i * s); return s + beta_${n}(k); }
  function beta_${n}(k) { let s = 0; for (let i = 0; i < k; i++) s += Math.sqrt(i * s); return s; }
  alpha_${n}(20000);`;
  n++;
  new Function(source)();
}
function main() { while (Date.now() < end) turn(); }
main();
"""

JAVA = """
public class Main {
  static volatile double sink;
  static double leaf(int k, double by) { double s = 0; for (int i = 0; i < k; i++) s += Math.sqrt(i * by); return s; }
  static double red_inner(int k) { double s = 0; for (int i = 0; i < k; i++) s += Math.sqrt(i * s + 1); return s; }
  static double red_outer(int k) { return red_inner(k) + 1; }
  static double green_inner(int k) { double s = 0; for (int i = 0; i < k; i++) s += Math.sqrt(i * s + 2); return s; }
  static double green_outer(int k) { return green_inner(k) + 2; }
  static double blue_inner(int k) { double s = 0; for (int i = 0; i < k; i++) s += Math.sqrt(i * s + 3); return s; }
  static double blue_outer(int k) { return blue_inner(k) + 3; }
  public static void main(String[] arguments) {
    long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
    while (System.nanoTime() < end) sink += red_outer(20000) + green_outer(20000) + blue_outer(20000);
  }
}
"""


def functions_that_node_js_makes_and_drops(tier):
    require_program("node")
    with folder() as top, far_too_much_to_do():
        (top / "main.js").write_text(NODE.replace("SECONDS", live.seconds(SECONDS + 4)))
        with running("node", str(top / "main.js"), stderr=subprocess.DEVNULL) as program:
            time.sleep(live.MOMENT_S)
            shot = capture(top, tier, *live.RATE, "--allow-inspector", "--duration", f"{SECONDS}s", "--pid", str(program.pid)).succeeded()

        def ours(name, _):
            return name if name in ("main", "turn") or re.fullmatch(r"(alpha|beta)_\d+", name) else ""

        def is_possible(names):
            turns = [name.split("_")[1] for name in names if "_" in name]
            return is_part_of(names, ["main", "turn", *([f"alpha_{turns[0]}", f"beta_{turns[0]}"] if turns else [])])

        return judge(shot, ours, is_possible)


def methods_of_java(tier):
    require_program("javac", "java")
    with folder() as top, far_too_much_to_do():
        (top / "Main.java").write_text(JAVA)
        expect(subprocess.run(["javac", "-d", str(top), str(top / "Main.java")]).returncode == 0, "it does not compile")
        with running("java", "-cp", str(top), "Main", live.seconds(SECONDS + 20)) as program:
            time.sleep(live.MOMENT_S)
            shot = capture(top, tier, *live.RATE, "--duration", f"{SECONDS}s", "--pid", str(program.pid)).succeeded()

        def ours(name, _):
            match = re.search(r"\bMain\.(\w+)", name)
            return match.group(1) if match else ""

        def is_possible(names):
            return any(is_part_of(names, ["main", f"{colour}_outer", f"{colour}_inner"]) for colour in ("red", "green", "blue"))

        return judge(shot, ours, is_possible)


if __name__ == "__main__":
    sys.exit(live.run_tests([code_that_is_freed_within_milliseconds, modules_that_are_imported], tiers=("ebpf", "memory")) |
             live.run_tests([scripts_of_a_server_in_turn, functions_that_node_js_makes_and_drops, methods_of_java], tiers=("ebpf",)))
