#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live test that captures leave others alone: forty busy programs in every language that is installed, none of them the target, have no new
thread, file, port, mapping or word after captures of every kind and of every sort of target."""
import contextlib
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
import strangers  # noqa: E402
from live import capture, expect, folder, running, workload  # noqa: E402

NEIGHBOURS = 40
PATIENCE_S = 300
PAUSE = 0.02  # between two moments of work: forty busy loops would leave nothing to look at

JAVA = """
public class Neighbour {
  public static void main(String[] arguments) throws Exception {
    double sum = 0;
    for (int round = 0;; round++) {
      for (int i = 0; i < 20000; i++) sum += Math.sqrt(i + sum);
      Thread.sleep(20);
      if (round == 20) System.out.println("works");
    }
  }
}
"""


def commands(top: pathlib.Path) -> dict[str, list[str]]:
    """A program that works and rests, and says so once all of its runtime is there; by language, of those that are here."""
    java = top / "Neighbour.java"
    java.write_text(JAVA)
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", str(top), str(java)], check=True)
    known = {
        "c": [workload("split_fp"), "600"],
        "python": [sys.executable, "-c", f"import time\nsum(i * i for i in range(5000))\nprint('works', flush=True)\nwhile True:\n    sum(i * i for i in range(5000))\n    time.sleep({PAUSE})"],
        "node": ["node", "-e", "let round = 0; setInterval(() => { let s = 0; for (let i = 0; i < 20000; i++) s += Math.sqrt(i); if (++round == 20) console.log('works'); }, 20)"],
        # With threads that are there from the start: a machine makes compiler threads as it needs them.
        "java": ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UseDynamicNumberOfCompilerThreads", "-Xmx64m", "-cp", str(top), "Neighbour"],
        "php": ["php", "-r", "echo 'works'; while (true) { $s = 0; for ($i = 0; $i < 20000; $i++) { $s += sqrt($i); } usleep(20000); }"],
        "perl": ["perl", "-e", "$| = 1; print 'works'; while (1) { my $s = 0; $s += sqrt($_) for 0 .. 20000; select(undef, undef, undef, 0.02); }"],
        "ruby": ["ruby", "-e", "$stdout.sync = true; puts 'works'; loop { s = 0.0; 20000.times { |i| s += Math.sqrt(i) }; sleep 0.02 }"],
        "shell": ["bash", "-c", "echo works; while true; do i=$((i + 1)); done"],
        "awk": ["awk", "BEGIN { print \"works\"; fflush(); while (1) s += sqrt(s) }"],
    }
    return {language: command for language, command in known.items() if shutil.which(command[0])}


@contextlib.contextmanager
def neighbours(top: pathlib.Path):
    """Processes, and where each writes what it says."""
    here = commands(top)
    several = [language for language in ("python", "node", "java", "php", "perl") if language in here]
    chosen = [*here, *(several[number % len(several)] for number in range(NEIGHBOURS - len(here)))]
    with contextlib.ExitStack() as stack:
        started = []
        for number, language in enumerate(chosen):
            said = top / f"said-{number}"
            file = stack.enter_context(open(said, "wb"))
            process = stack.enter_context(running("nice", *here[language], stdout=file, stderr=file, cwd=str(top)))
            started.append((language, process, said))
        settle(started)
        yield started


def settle(started) -> None:
    """Until each has said that it works, and their runtimes have all the threads and files that they make."""
    deadline = time.monotonic() + PATIENCE_S
    while missing := [language for language, _, said in started if language != "c" and not said.read_bytes()]:
        expect(time.monotonic() < deadline, f"neighbours that do not work: {missing}")
        time.sleep(0.2)
    looks = [states(started)]
    while len(looks) < 4 or looks[-1] != looks[-4]:
        expect(time.monotonic() < deadline, "neighbours that never settle")
        time.sleep(2 * live.MOMENT_S)
        looks.append(states(started))


def states(started) -> list:
    return [(strangers.state_of(process.pid), said.read_bytes()) for _, process, said in started]


def expect_unchanged(what: str, started, before) -> None:
    for (language, process, said), (was, had_said) in zip(started, before):
        expect(process.poll() is None, f"{what}: a neighbour in {language} has ended")
        changed = strangers.changes(was, strangers.state_of(process.pid))
        expect(not changed, f"{what}: a neighbour in {language} has {', '.join(changed)}")
        words = said.read_bytes().removeprefix(had_said)
        expect(not words, f"{what}: a neighbour in {language} said: {words[:200]!r}")


def nobody_else_is_touched():
    live.require_root()
    with folder() as top, neighbours(top) as started:
        before = states(started)
        target = [sys.executable, "-c", "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end:\n    sum(i * i for i in range(5000))\n    time.sleep(0.001)"]
        for kind in ("cpu", "wall", "off-cpu", "event:page-faults", "event:context-switches"):
            capture(top, "", "--kind", kind, "--", *target).succeeded()
            expect_unchanged(f"a command, {kind}", started, before)
        with running(*target[:2], target[2].replace("+ 3", "+ 60")) as program:
            for kind in ("cpu", "wall", "off-cpu"):
                for more in ([], ["--children"], ["--tier", "memory"] if kind == "cpu" else []):
                    capture(top, "", "--kind", kind, "--duration", "2s", "--pid", str(program.pid), *more).succeeded()
                    expect_unchanged(f"a process, {kind} {' '.join(more)}", started, before)
            for tier in ("ebpf", "perf"):
                capture(top, tier, "--duration", "2s", "--service", "command~monotonic").succeeded()
                expect_unchanged(f"a service, {tier}", started, before)
        return f"{len(started)} neighbours in {len({language for language, _, _ in started})} languages"


if __name__ == "__main__":
    sys.exit(live.run_tests([nobody_else_is_touched]))
