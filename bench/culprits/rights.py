# SPDX-License-Identifier: Apache-2.0
"""The same question with every right and without any: does the answer name the culprit in a container, too?

Twenty cases, every language in turn, are put to `atys mcp` as a client puts them (profile_capture with a command, then profile_summary, both
with the form and the cap that come unasked), as root and behind a container's filter as an ordinary user (tests/support/jail.py --user)."""
import dataclasses
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading

import answers
from atys import ATYS, LONGEST_S
import programs
from programs import run
from tables import FIRST_ROWS, figures, table

sys.path.insert(0, str(programs.ROOT / "tests" / "support"))
from jail import jailed  # noqa: E402

RESULTS = programs.WORK / "rights.json"
NUMBER = 20
ASYNC_PROFILER, LIBRARY = "4.5", "libasyncProfiler.so"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HEAD = ["named", f"in the first {FIRST_ROWS} rows", "row, median", "tokens, median", "most"]


def chosen(cases):
    """The first of every language, then the second of every language …"""
    by_language = {}
    for case in cases:
        by_language.setdefault(case.language, []).append(case)
    in_turn = [case for turn in itertools.zip_longest(*by_language.values()) for case in turn if case]
    return in_turn[:NUMBER]


def async_profiler():
    """Java's sampler, where an ordinary user may read it: that of root is in root's own folder."""
    def install(folder):
        run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact=tools.profiler:async-profiler:{ASYNC_PROFILER}", f"-DoutputDirectory={folder}"])
        run(["unzip", "-q", "-j", next(folder.glob("*.jar")), f"linux-{'x64' if platform.machine() == 'x86_64' else 'arm64'}/{LIBRARY}", "-d", folder])
        (folder / LIBRARY).chmod(0o755)
    return str(programs.once(programs.WORK / "async-profiler", install) / LIBRARY)


class Server:
    """`atys mcp` in a folder of its own, as a client starts it."""

    def __init__(self, program, in_jail):
        self.folder = tempfile.TemporaryDirectory(prefix="atys-culprits-")
        environment = {**os.environ, **program.environment, "ATYS_HOME": self.folder.name, "ATYS_ASYNC_PROFILER": async_profiler()}
        command = [ATYS, "mcp", "--allow-any"]  # root's server runs nothing unasked
        self.process = subprocess.Popen(jailed(command, "--user") if in_jail else command, cwd=self.folder.name, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.timer = threading.Timer(LONGEST_S, self.process.kill)
        self.timer.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()

    def ask(self, name, **arguments):
        """The text of the answer, and its fields."""
        call = {"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": META}}
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()
        said = next((line for line in map(json.loads, self.process.stdout) if line.get("id") == name), {})
        if "result" not in said:
            raise RuntimeError(f"no answer to {name}: {said}")
        return "\n".join(part["text"] for part in said["result"]["content"] if part["type"] == "text"), said["result"].get("structuredContent", {})


def asked(case, program, in_jail, tokens):
    with Server(program, in_jail) as server:
        _, said = server.ask("profile_capture", command=program.command)
        text, _ = server.ask("profile_summary", profile=said["id"])
    return {**dataclasses.asdict(answers.judge(case, text, tokens)), "tier": said.get("tier", ""), "samples": said.get("samples", 0),
            "notes": said.get("notes", []), "text": text}


def judged(case, tokens):
    program = programs.program(case, "slow")
    return {"language": case.language, "outside": asked(case, program, False, tokens), "inside": asked(case, program, True, tokens)}


def hit(found):
    return bool(found["row"]) and found["row"] <= FIRST_ROWS


def with_and_without(cases, tokens):
    results = {}
    for case, result in programs.each(chosen(cases), lambda case: judged(case, tokens)):
        results[case.id] = result
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1))
        print(f"{case.id}: row {result['outside']['row']} outside, {result['inside']['row']} inside", file=sys.stderr, flush=True)
    show(results)


def show(results):
    print("## The culprit, with every right and without any\n")
    table(["case", "language", "row, every right", "tier", "samples", "row, no right", "tier", "samples"],
          [[name, result["language"], *(cell for where in ("outside", "inside") for cell in cells(result[where]))] for name, result in results.items()])
    table(["who asks", *HEAD], [[words, *figures([result[where] for result in results.values()], [0] * len(results))[:len(HEAD)]]
                                for words, where in (("every right", "outside"), ("no right", "inside"))])
    differ = [name for name, result in results.items() if hit(result["outside"]) != hit(result["inside"])]
    print(f"Found in the first {FIRST_ROWS} rows by one of the two only: {', '.join(differ) or 'none'}.")


def cells(found):
    return [found["row"] or "–", found["tier"], found["samples"]]
