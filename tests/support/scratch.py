# SPDX-License-Identifier: Apache-2.0
"""A folder to run commands in: it holds the files of tests/inputs, has `atys` on PATH, and leaves nothing behind."""
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 60


def atys_binary() -> str:
    """$ATYS, else whichever build is there."""
    builds = [str(ROOT / "build" / preset / "bin/atys") for preset in ("dev", "release")]
    return os.environ.get("ATYS") or next((path for path in builds if os.access(path, os.X_OK)), builds[0])


class Scratch:
    def __init__(self, atys: str | None = None):
        self.folder = tempfile.TemporaryDirectory(prefix="atys-test-")
        top = pathlib.Path(self.folder.name)
        self.path = top / "here"
        shutil.copytree(ROOT / "tests/inputs", self.path)
        (top / "bin").mkdir()
        (top / "bin/atys").symlink_to(atys or atys_binary())
        self.environment = {
            "PATH": f"{top / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(top), "ATYS_HOME": str(top / "home"), "XDG_DATA_HOME": str(top / "data"),
            "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1", "COLUMNS": "100",
        }

    def run(self, script: str, stop_at_failure: bool = False) -> tuple[int, str]:
        """Exit status and output, standard output and errors together."""
        command = ["sh", "-eu", "-c", script] if stop_at_failure else ["sh", "-c", script]
        try:
            done = subprocess.run(command, cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired as late:
            return 124, (late.stdout or b"").decode(errors="replace") + f"(still running after {TIMEOUT_S} s)\n"
        return done.returncode, done.stdout.decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()
