# SPDX-License-Identifier: Apache-2.0
"""Several processes of a runtime that samples itself: each that is recorded has names, and one that is not is not touched."""
import contextlib
import dataclasses
import os
import pathlib
import socket
import time

import live
import survival
from languages import Runtime, Target, put_sources, started
from live import expect

WORKERS = 8
PROCESSES = 4


def free_port() -> int:
    """Not one of those that the kernel hands out: who asks for any port must not get it meanwhile."""
    for number in range(100):
        port = 15_000 + (os.getpid() * 7 + number * 101 + time.monotonic_ns() // 1000) % 15_000
        with contextlib.suppress(OSError), socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            return port
    raise live.Skip("no port is free")


def nodes(runtime: Runtime, port: int, *options: str) -> Runtime:
    """The same runtime, on that port."""
    language = dataclasses.replace(runtime.language, host_options=(), options=(*runtime.language.options, *options, f"--inspect-port={port}"))
    return dataclasses.replace(runtime, language=language)


def workers_of(pid: int) -> list[int]:
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def named(shot: live.Capture, function: str, pids: list[int]) -> list[int]:
    """Those of the processes that have that function; on a busy machine it takes a while until a runtime samples itself."""
    found = []
    for pid in pids:
        rows = shot.profile.ask("summary", str(shot.path), "--label", f"process.pid={pid}", "--top", "1000000")
        share = sum(row["total"] for row in rows["rows"] if row["name"] == function) / max(rows["profile"]["total"], 1)
        found += [pid] if share > 0 else []
    return found


def a_cluster_has_names(runtime: Runtime) -> str:
    """All of its workers want one port; none may be left with it, and none may find it taken."""
    with live.folder() as top, started(runtime, "3600", str(WORKERS), str(free_port()), source="cluster.js", settle=False) as target:
        ready, end = target.folder / "ready", time.monotonic() + live.TIMEOUT_S
        while not ready.exists():
            expect(time.monotonic() < end, f"the cluster does not begin: {target.all_said()[-300:]}")
            time.sleep(0.02)
        workers = workers_of(target.pid)
        shot = live.capture(top, "", "--duration", "6s", "--pid", ",".join(map(str, [target.pid, *workers]))).succeeded()
        have = named(shot, "hot", workers)
        expect(len(have) == WORKERS, f"{len(have)} of {WORKERS} workers have names; notes: {shot.notes()}")
        left = {pid: survival.listening(pid) for pid in [target.pid, *workers] if survival.listening(pid)}
        expect(not left, f"inspectors are left open: {left}")
        expect("in use" not in target.all_said(), f"it said: {target.said()[-300:]}")
        before = target.all_said()
        shot = live.capture(top, "", "--duration", "1s", "--pid", str(target.pid)).succeeded()
        expect(target.all_said() == before, f"a capture of the primary alone makes it say: {target.all_said()[len(before):][:300]}")
        expect(any("primary of a cluster" in note for note in shot.notes()), f"why it has no names is not told: {shot.notes()}")
        return f"{len(have)} workers"


def a_cluster_that_is_started_has_names(runtime: Runtime) -> str:
    """From its first moment: a primary that has no workers yet, and then has them."""
    with live.folder() as top:
        put_sources(runtime, top, "cluster.js")
        command = [runtime.executable, str(top / "cluster.js"), live.seconds(8), str(WORKERS), str(free_port())]
        shot = live.capture(top, "", "--", *command).succeeded()
        facts = shot.profile.ask("summary", str(shot.path), "--by", "label:process.pid", "--focus", "^hot$", "--top", "1000000")
        have = {row["name"] for row in facts["rows"] if row["total"] > 0}
        expect(len(have) == WORKERS, f"{len(have)} of {WORKERS} workers have names; notes: {shot.notes()}; it said: {shot.err[-300:]}")
        expect("in use" not in shot.err, f"it said: {shot.err[-300:]}")
        return f"{len(have)} workers"


def several_processes_have_names(runtime: Runtime) -> str:
    """That have nothing to do with each other, and all want the same port."""
    with live.folder() as top, contextlib.ExitStack() as stack:
        on_port = nodes(runtime, free_port())
        targets = [stack.enter_context(started(on_port)) for _ in range(PROCESSES)]
        shot = live.capture(top, "", "--duration", "6s", "--pid", ",".join(str(target.pid) for target in targets)).succeeded()
        have = named(shot, "sixty", [target.pid for target in targets])
        left = [target.pid for target in targets if survival.listening(target.pid)]
        expect(len(have) == PROCESSES and not left, f"{have} of {PROCESSES} have names, {left} listen; notes: {shot.notes()}")
        return f"{len(have)} processes"


def an_inspector_of_somebody_else_is_not_touched(runtime: Runtime) -> str:
    """It has the port that the target wants."""
    port = free_port()
    with live.folder() as top, started(nodes(runtime, port, f"--inspect=127.0.0.1:{port}")) as other, started(nodes(runtime, port)) as target:
        before, said = survival.belongings(other.pid), other.all_said()
        shot = live.capture(top, "", "--duration", "2s", "--pid", str(target.pid)).succeeded()
        expect(other.all_said() == said, f"it said: {other.all_said()[len(said):][:300]}")
        expect(survival.listening(other.pid) == [port], f"it listens on {survival.listening(other.pid)}")
        unchanged(before, other)
        expect(any(f"process {other.pid} " in note and f"port {port}" in note for note in shot.notes()), f"who has the port is not told: {shot.notes()}")
        return "told who has it"


def unchanged(before: dict, other: Target) -> None:
    now = survival.belongings(other.pid)
    wrong = [f"{what}: {survival.difference(before[what], now[what])}" for what in before if not survival.same(what, before[what], now[what])]
    expect(not wrong, "; ".join(wrong)[:900])


def a_process_that_is_not_the_target_is_left_alone(runtime: Runtime) -> str:
    """Of the same runtime, and busy beside it."""
    with live.folder() as top, started(runtime) as other, started(runtime) as target:
        before, said = survival.belongings(other.pid), other.all_said()
        survival.shot_of(target, top)
        unchanged(before, other)
        expect(other.all_said() == said, f"it said: {other.all_said()[len(said):][:300]}")
        return "no file, thread, mapping or word"


def tests_of(runtime: Runtime):
    """(name, test) for a runtime that samples itself."""
    tests = [a_process_that_is_not_the_target_is_left_alone]
    if runtime.language.name == "node":
        tests += [several_processes_have_names, an_inspector_of_somebody_else_is_not_touched]
        tests += [] if runtime.release else [a_cluster_has_names, a_cluster_that_is_started_has_names]
    for test in tests:
        yield test.__name__.replace("_", " "), lambda test=test: test(runtime)
