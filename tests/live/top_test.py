#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of the screen of `atys top`: in a terminal of our own, with keys as a person presses them."""
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import expect, folder, running  # noqa: E402

ROWS, COLUMNS = 24, 100
PATIENCE_S = 40  # until the screen shows what it should; a busy machine takes long
ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """`atys top` in a terminal, and what it drew last."""

    def __init__(self, *arguments: str):
        self.terminal, other = pty.openpty()
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.before = termios.tcgetattr(self.terminal)
        self.program = subprocess.Popen([live.atys_binary(), "top", *arguments], stdin=other, stdout=other, stderr=other)
        os.close(other)
        self.drawn = b""

    def press(self, keys: bytes) -> None:
        self.drawn = b""  # what is shown from now on is the answer
        os.write(self.terminal, keys)

    def read(self, seconds: float) -> None:
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.drawn += os.read(self.terminal, 65536)
            except OSError:  # the other side is closed
                time.sleep(seconds)

    def text(self) -> str:
        return ESCAPE.sub(b"", self.drawn).decode(errors="replace")

    def wait_for(self, pattern: str) -> str:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if re.search(pattern, self.text()):
                return self.text()
            expect(self.program.poll() is None, f"it ended: {self.text()[-300:]}")
            self.read(0.2)
        raise live.Failure(f"not shown: {pattern}; the screen: {self.text()[-300:]}")

    def quit(self) -> None:
        self.press(b"q")
        end = time.monotonic() + PATIENCE_S
        while self.program.poll() is None and time.monotonic() < end:
            self.read(0.2)
        expect(self.program.poll() == 0, f"q ended it with {self.program.poll()}")
        self.read(0.2)
        expect(termios.tcgetattr(self.terminal)[3] == self.before[3], "the terminal is not as it was")

    def close(self) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self.terminal)


def with_screen(look):
    with folder() as top, running(live.workload("split_fp"), "120", top=top) as target:
        screen = Screen("--pid", str(target.pid), "--window", "1s")
        try:
            look(screen)
        finally:
            screen.close()


def shows_functions_and_ends_with_q():
    def look(screen):
        screen.wait_for(r"sixty\b(.|\n)*thirty\b")
        expect(max(len(line) for line in screen.text().splitlines()) <= COLUMNS, "a line is wider than the screen")
        screen.quit()
    with_screen(look)


def enter_shows_callers_and_backspace_goes_back():
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.press(b"\r")
        screen.wait_for(r"callers of (spin|sixty)\b")
        screen.press(b"\x7f")
        screen.wait_for(r"thirty\b")
        screen.quit()
    with_screen(look)


def pauses_and_goes_on():
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.press(b"p")
        screen.wait_for(r"paused")
        for _ in range(15):
            screen.read(0.2)
        screen.drawn = b""
        for _ in range(15):
            screen.read(0.2)
        expect(not screen.text().strip(), f"it draws while it is paused: {screen.text()[:200]}")
        screen.press(b"p")
        screen.wait_for(r"sixty\b")
        screen.quit()
    with_screen(look)


def sorts_by_all_time():
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.press(b"s")
        # main and what called it have all of the time, and nothing of their own.
        screen.wait_for(r"(_start|main|__libc_start\w*)\b(.|\n)*sixty\b")
        screen.quit()
    with_screen(look)


if __name__ == "__main__":
    tests = [shows_functions_and_ends_with_q, enter_shows_callers_and_backspace_goes_back, pauses_and_goes_on, sorts_by_all_time]
    sys.exit(live.run_tests(tests))
