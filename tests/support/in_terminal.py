# SPDX-License-Identifier: Apache-2.0
"""A program in a terminal of our own, with keys as a person presses them."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from captured import Failure

PATIENCE_S = 60  # until the screen shows what it should; a busy machine takes long
ESCAPE = re.compile(rb"\x1b(\[[0-9;?=>]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])|[\x00\x07\x0e\x0f]")


class InTerminal:
    """Standard input, output and errors are a terminal; `drawn` is what came since the last key."""

    def __init__(self, command: list[str], rows: int = 24, columns: int = 100, environment: dict | None = None, cwd: str | None = None):
        self.terminal, other = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.terminal)
        self.program = subprocess.Popen(command, stdin=other, stdout=other, stderr=other, cwd=cwd, start_new_session=True,
                                        env=environment, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(other)
        self.drawn = b""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: bytes) -> None:
        self.drawn = b""  # what is shown from now on is the answer
        os.write(self.terminal, keys)

    def read(self, seconds: float) -> None:
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.drawn += os.read(self.terminal, 65536)
            except OSError:  # the other side is closed
                time.sleep(min(seconds, 0.05))

    def text(self) -> str:
        return ESCAPE.sub(b"", self.drawn).decode(errors="replace").replace("\r", "")

    def wait_for(self, pattern: str, patience: float = PATIENCE_S) -> str:
        end = time.monotonic() + patience
        while not re.search(pattern, self.text()):
            if self.program.poll() is not None:
                self.read(0.1)  # what it said last
                if re.search(pattern, self.text()):
                    break
                raise Failure(f"it ended with {self.program.poll()}: {self.text()[-400:]}")
            if time.monotonic() > end:
                raise Failure(f"not shown: {pattern}; the screen: {self.text()[-400:]}")
            self.read(0.2)
        return self.text()

    def wait_for_end(self) -> int:
        end = time.monotonic() + PATIENCE_S
        while self.program.poll() is None and time.monotonic() < end:
            self.read(0.2)
        for _ in range(3):
            self.read(0.1)
        if self.program.poll() is None:
            raise Failure(f"it does not end; the screen: {self.text()[-400:]}")
        return self.program.returncode

    def is_as_before(self) -> bool:
        """Whether the terminal echoes and waits for lines as it did."""
        return termios.tcgetattr(self.terminal)[3] == self.before[3]

    def close(self) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self.terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
