# SPDX-License-Identifier: Apache-2.0
"""A folder to run commands in: it holds the files of tests/inputs, has `atys` on PATH, and leaves nothing behind: no file, and no
process that a command left in the background, which would go on writing there while the folder is removed."""
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 60


def atys_binary() -> str:
    """$ATYS, else the build that is there; of two the newer."""
    builds = [ROOT / "build" / preset / "bin/atys" for preset in ("release", "dev")]
    made = [path for path in builds if os.access(path, os.X_OK)]
    return os.environ.get("ATYS") or str(max(made, key=lambda path: path.stat().st_mtime, default=builds[0]))


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
        while left := self.left_behind():
            end_all(left)
        self.folder.cleanup()

    def left_behind(self) -> list[int]:
        """Descriptors of the processes that were started in here and still run: they have our folder as their HOME."""
        home = f"HOME={self.environment['HOME']}".encode()
        return [fd for pid in os.listdir("/proc") if pid.isdigit() and (fd := descriptor_if_of(int(pid), home)) is not None]


def descriptor_if_of(pid: int, home: bytes) -> int | None:
    """Opened before it is asked who the process is, so that a number which comes round names no other."""
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return None
    try:
        if home in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            return fd
    except OSError:
        pass  # it has ended, or is another user's
    os.close(fd)
    return None


def end_all(processes: list[int]) -> None:
    """Asks them to end, and ends those that do not; returns when all have."""
    for number, patience_ms in ((signal.SIGTERM, 5000), (signal.SIGKILL, 60000)):
        for fd in processes:
            try:
                signal.pidfd_send_signal(fd, number)
            except ProcessLookupError:
                pass
        processes = [fd for fd in processes if not has_ended(fd, patience_ms)]


def has_ended(fd: int, patience_ms: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    if not poll.poll(patience_ms):
        return False
    os.close(fd)
    return True
