# SPDX-License-Identifier: Apache-2.0
"""What is special to Python: the workloads of tests/workloads/python, forks, embedding, and interpreters that nobody knows."""
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess

import judge
import live
from languages import LONG, Runtime, Target, number, started
from live import Skip, expect
from survival import shot_of

FIRST_WITH_QUALIFIED_NAMES = (3, 11)
WHOLE = 200  # frames that have to be there
FIRST_WITH_THREAD_NAMES = (3, 14)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    source: str
    arguments: tuple[str, ...] = (LONG,)
    roots: str = ""  # others than the language's
    more: object = None  # (target, shot, truth) -> what is wrong, one line each


def qualified_names(target: Target, shot: live.Capture, truth: dict) -> list[str]:
    if number(target.runtime.version) < FIRST_WITH_QUALIFIED_NAMES:
        return []
    seen = {live.plain(row["name"]) for row in shot.profile.summary["rows"]}
    return [f"{name} is not there but {sorted(seen & set(judge.NAMES))}" for name in truth["qualified"] if name not in seen]


def whole_recursion(target: Target, shot: live.Capture, truth: dict) -> list[str]:
    """As many frames of descend() as there were; where there are more than are taken, that is told."""
    wrong = []
    for name, depth in truth["depth"].items():
        stacks = [(frames, weight) for frames, weight in shot.profile.stacks if any(judge.is_function(frame, name) for frame in frames)]
        whole = sum(weight for _, weight in stacks)
        counted = sum(weight for frames, weight in stacks if sum(judge.is_function(frame, "descend") for frame in frames) == depth + 1)
        told = min(1.0, shot.profile.loss(judge.CUT) / max(shot.profile.samples * whole / shot.profile.total, 1)) if depth > WHOLE else 0
        if whole and counted / whole + told < 0.97:
            wrong.append(f"{counted / whole:.1%} of the stacks of {name} have {depth + 1} frames of descend, {told:.1%} are told to be cut")
    return wrong


def native_below(target: Target, shot: live.Capture, truth: dict) -> list[str]:
    """numpy's own functions are below the Python function that called them, and above nothing of Python."""
    below = whole = 0.0
    for frames, weight in shot.profile.stacks:
        at = [i for i, frame in enumerate(frames) if any(judge.is_function(frame, name) for name in judge.NAMES)]
        if at:
            whole += weight
            below += weight if len(frames) > at[-1] + 1 else 0
    modules = {row["module"] for row in shot.profile.summary["rows"] if "multiarray" in row["module"]}
    return ([] if below / max(whole, 1) > 0.9 else [f"{below / max(whole, 1):.1%} of the stacks have native frames below their function"]) + \
        ([] if modules else ["no function of numpy's library is there"])


def threads_told_apart(target: Target, shot: live.Capture, truth: dict) -> list[str]:
    """By their names in Python where the Linux kernel knows them too, as it does from 3.14 on; by their numbers anyway."""
    ids = shot.profile.ask("summary", str(shot.path), "--by", "label:thread.id", "--top", "100")["rows"]
    if len(ids) < 3:
        return [f"three threads worked, but there is only {[row['name'] for row in ids]}"]
    if number(target.runtime.version) < FIRST_WITH_THREAD_NAMES:
        return []
    rows = shot.profile.ask("summary", str(shot.path), "--by", "thread", "--top", "100")["rows"]
    names = " ".join(row["name"] for row in rows)
    return [f"no thread is called worker-{i}: {names}" for i in range(3) if f"worker-{i}" not in names]


def no_torn_stacks(target: Target, shot: live.Capture, truth: dict) -> list[str]:
    share, _ = judge.torn(shot.profile, truth["pairs"])
    seen = judge.share_below(shot.profile, "a1")
    return ([] if share < 0.001 else [f"{share:.2%} of the stacks have a caller that cannot be"]) + \
        ([] if seen > 0.2 else [f"a1 has {seen:.1%}"])


CASES = [
    Case("methods", "python/methods.py", more=qualified_names),
    Case("generators", "python/generators.py"),
    Case("coroutines", "python/coroutines.py"),
    Case("exceptions", "python/exceptions.py"),
    Case("recursion", "python/recursion.py", more=whole_recursion),
    Case("numpy", "python/arrays.py", more=native_below),
    Case("threads", "python/threads.py", more=threads_told_apart),
    Case("beside 50 idle threads", "python/threads.py", (LONG, "50")),
    Case("fast recursion", "python/hostile.py", more=no_torn_stacks),
]


def run(case: Case, runtime: Runtime) -> str:
    if case.name == "numpy":
        require_numpy(runtime)
    with live.folder() as top, started(runtime, *case.arguments, source=case.source) as target:
        shot = shot_of(target, top, tier="ebpf")
        truth = target.truth()
        wrong = [] if case.name == "fast recursion" else judge.judge_all(
            shot.profile, truth, runtime.language, "python/split.py" if "threads" in case.source else case.source, case.roots)
        wrong += case.more(target, shot, truth) if case.more else []
        expect(not wrong, "; ".join(wrong) + (f" # notes: {shot.notes()}" if shot.notes() else ""))
        return f"{shot.profile.samples} samples"


def require_numpy(runtime: Runtime) -> None:
    chroot = ["chroot", str(runtime.top)] if runtime.release else []
    done = subprocess.run([*chroot, runtime.executable, "-c", "import numpy"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"no numpy for it: {(done.stderr.strip().splitlines() or ['?'])[-1][:120]}")


# ---------------------------------------------------------------------------------------------------------------- with this machine's own

def workers_that_were_forked(runtime: Runtime) -> str:
    """As application servers do: all of the interpreter's structures are copies, at the addresses of the master's."""
    with live.folder() as top, started(runtime, LONG, "2", source="python/prefork.py") as target:
        pids = ",".join(map(str, target.children()))
        shot = live.capture(top, "ebpf", *live.RATE, "--duration", "2s", "--pid", pids).succeeded()
        wrong = judge.judge_shares(shot.profile, target.truth()) + judge.judge_lines(shot.profile, "python/split.py")
        expect(not any(wrong), "; ".join(filter(None, wrong)))
        return f"{shot.profile.samples} samples"


def workers_that_are_forked_meanwhile(runtime: Runtime) -> str:
    """A command with all that it starts; the first workers are killed and replaced while it is recorded."""
    with live.folder() as top:
        shutil.copytree(judge.SOURCES / "python", top, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))

        def kill_workers(process):
            for master in children(process.pid):
                for worker in children(master):
                    os.kill(worker, signal.SIGKILL)

        shot = live.capture(top, "ebpf", *live.RATE, "--", runtime.executable, str(top / "prefork.py"), "4", "2", then=kill_workers).succeeded()
        wrong = judge.judge_shares(shot.profile, live.truth_of(top), relative=True)
        expect(not any(wrong), "; ".join(filter(None, wrong)))
        processes = shot.profile.ask("summary", str(shot.path), "--by", "label:process.pid", "--top", "100")["rows"]
        expect(len(processes) >= 4, f"four workers were forked, but there is only {[row['name'] for row in processes]}")
        return f"{shot.profile.samples} samples of {len(processes)} processes"


def children(pid: int) -> list[int]:
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def a_program_that_becomes_another_script(runtime: Runtime) -> str:
    """exec of the same interpreter: another address space, with other addresses of everything."""
    with live.folder() as top:
        with started(runtime, LONG, runtime.executable, "-c", LATER, source="python/execs.py") as target:
            shot = shot_of(target, top, "--duration", "4s", tier="ebpf", then=lambda _: os.kill(target.pid, signal.SIGUSR1))
            before, after = judge.share_below(shot.profile, "sixty"), judge.share_below(shot.profile, "later")
            expect(before > 0.05 and after > 0.3, f"sixty has {before:.1%} before the exec, later has {after:.1%} after it; {shot.notes()}")
            return f"{before:.0%} before, {after:.0%} after"


LATER = """
def later():
    x = 1
    for i in range(10000000):
        x = (x * 1103515245 + i) & 0x7FFFFFFF
while True:
    later()
"""


def a_program_that_becomes_no_python(runtime: Runtime) -> str:
    with live.folder() as top, started(runtime, LONG, live.workload("split_fp"), "600", source="python/execs.py") as target:
        shot = shot_of(target, top, "--duration", "3s", tier="ebpf", then=lambda _: os.kill(target.pid, signal.SIGUSR1))
        native = sum(row["total_percent"] for row in shot.profile.summary["rows"]
                     if row["name"].startswith("sixty") and row["frame_kind"] == "native")
        expect(native > 10, f"the native sixty has {native:.1f} % after the exec")
        return f"{native:.0f} % native sixty"


def an_interpreter_inside_a_program(runtime: Runtime) -> str:
    """C++ that has libpython: its own frames are above the script's."""
    program = live.workload("embedded_python")
    with live.folder() as top, started(runtime, source="python/split.py", wrapped=(program,)) as target:
        shot = shot_of(target, top, tier="ebpf")
        wrong = judge.judge_all(shot.profile, target.truth(), runtime.language, "python/split.py")
        expect(not wrong, "; ".join(wrong))
        names = [[live.plain(frame) for frame in frames] for frames, _ in shot.profile.stacks]
        both = [one for one in names if "server::serve" in one and "<module>" in one]
        expect(both, "server::serve and the script are never in one stack")
        expect(all(one.index("server::serve") < one.index("<module>") for one in both), "server::serve is below what it calls")
        return f"{shot.profile.samples} samples"


def an_interpreter_of_a_version_that_nobody_knows(runtime: Runtime) -> str:
    """Its version number, wherever it is written, says 3.99: native frames, and one line that says why."""
    with live.folder() as top:
        copy = made_up_version(runtime, top)
        with started(runtime, wrapped=(str(copy),)) as target:
            shot = shot_of(target, top)
            lines = [line for line in shot.notes() if "3.99" in line]
            expect(len(lines) == 1, f"one line should name version 3.99; said is {shot.notes()}")
            kinds = {row["frame_kind"] for row in shot.profile.summary["rows"]}
            expect("cpython" not in kinds and shot.profile.samples >= live.MIN_SAMPLES, f"frames are of {sorted(kinds)}")
            target.truth()
            return lines[0]


def made_up_version(runtime: Runtime, top: pathlib.Path) -> pathlib.Path:
    """A copy of the executable whose Py_Version (from 3.11 on a constant of its own) is another, called as that version would be."""
    path = os.path.realpath(runtime.executable)
    line = next((line.split() for line in subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True)
                 .stdout.splitlines() if line.split()[-1:] == ["Py_Version"]), None)
    if not line or number(runtime.version) < (3, 11):
        raise Skip("the executable has no Py_Version of its own")
    data, address = bytearray(pathlib.Path(path).read_bytes()), int(line[1], 16)
    where = file_offset(path, address)
    expect(data[where + 3] == 3, "Py_Version is not where it should be")
    data[where + 2] = 99
    copy = top / "python3.99"
    copy.write_bytes(data)
    copy.chmod(0o755)
    return copy


def file_offset(path: str, address: int) -> int:
    for line in subprocess.run(["readelf", "-W", "-l", path], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, start, size = int(words[1], 16), int(words[2], 16), int(words[4], 16)
            if start <= address < start + size:
                return address - start + offset
    raise live.Failure("no segment has Py_Version")


HOST_TESTS = [workers_that_were_forked, workers_that_are_forked_meanwhile, a_program_that_becomes_another_script, a_program_that_becomes_no_python,
              an_interpreter_inside_a_program, an_interpreter_of_a_version_that_nobody_knows]
