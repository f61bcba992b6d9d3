#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests that only the target is touched: whoever wakes its threads is a stranger, of whom a profile has frames and nothing else."""
import contextlib
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
import strangers  # noqa: E402
from live import capture, expect, folder, require_program, running  # noqa: E402

# Waits for a byte, then computes for a moment.
READER = """import os, sys
end = int(sys.argv[2])
with open(sys.argv[1], "rb", buffering=0) as pipe:
    for _ in range(end):
        if not pipe.read(1):
            break
        sum(i * i for i in range(3000))
"""
SECRET = "a-word-that-only-the-stranger-has"

WAKERS = {
    "python": lambda pipe, top: [sys.executable, "-c", f"""import os, time
with open({str(pipe)!r}, "wb", buffering=0) as out:
    while True:
        out.write(b"x")
        time.sleep(0.005)
""", SECRET],
    "node": lambda pipe, top: ["node", "-e", f"""const fs = require('fs');
const out = fs.openSync({str(pipe)!r}, 'w');
setInterval(() => fs.writeSync(out, 'x'), 5);
""", SECRET],
    "java": lambda pipe, top: ["java", str(write(top / "Waker.java", f"""
public class Waker {{
  public static void main(String[] arguments) throws Exception {{
    try (var out = new java.io.FileOutputStream("{pipe}")) {{
      while (true) {{ out.write('x'); Thread.sleep(5); }}
    }}
  }}
}}
""")), SECRET],
}


def write(path: pathlib.Path, text: str) -> pathlib.Path:
    path.write_text(text)
    return path


@contextlib.contextmanager
def woken_by(language: str, top: pathlib.Path):
    """The stranger, with what it says in a file. Its pipe stays open after the target."""
    pipe = top / "pipe"
    os.mkfifo(pipe)
    with open(pipe, "r+b", buffering=0), open(top / "said", "wb") as said, running(*WAKERS[language](pipe, top), stdout=said, stderr=said, cwd=str(top)) as stranger:
        yield stranger, pipe


def is_left_alone(language: str, kind: str) -> str:
    require_program({"python": "python3"}.get(language, language))
    with folder() as top, woken_by(language, top) as (stranger, pipe):
        wait_until_it_writes(stranger.pid, pipe)
        before = strangers.state_of(stranger.pid)
        shot = capture(top, "ebpf", "--kind", kind, *live.RATE, "--", sys.executable, "-c", READER, str(pipe), "600").succeeded()
        after = strangers.state_of(stranger.pid)
        expect((changed := strangers.changes(before, after)) == [], f"the stranger has {', '.join(changed)}")
        expect((top / "said").read_bytes() == b"", f"the stranger said: {(top / 'said').read_text()[:200]}")
        expect_only_the_target(shot, stranger.pid)
        return f"{shot.profile.samples} samples"


def wait_until_it_writes(pid: int, pipe: pathlib.Path) -> None:
    end = time.monotonic() + live.TIMEOUT_S
    while str(pipe) not in strangers.files(pid):
        expect(time.monotonic() < end, "the stranger did not begin")
        time.sleep(0.1)
    time.sleep(live.MOMENT_S)  # a runtime makes further threads when it has begun


def expect_only_the_target(shot: live.Capture, stranger: int) -> None:
    shown = subprocess.run([live.atys_binary(), "show", str(shot.path)], capture_output=True, text=True).stdout
    expect(SECRET not in shown, "the stranger's command line is in the profile")
    pids = shot.profile.ask("summary", str(shot.path), "--by", "label:process.pid", "--top", "100")["rows"]
    expect(str(stranger) not in {row["name"] for row in pids}, "samples of the stranger are in the profile")
    woken = shot.profile.ask("summary", str(shot.path), "--value", "wakeup", "--top", "100")
    expect(woken["profile"]["total"] > 0, "nobody is told to have woken it")


def a_java_that_wakes_the_target():
    return is_left_alone("java", "wall")


def a_node_js_that_wakes_the_target():
    return is_left_alone("node", "wall")


def a_python_that_wakes_the_target():
    return is_left_alone("python", "off-cpu")


if __name__ == "__main__":
    sys.exit(live.run_tests([a_java_that_wakes_the_target, a_node_js_that_wakes_the_target, a_python_that_wakes_the_target]))
