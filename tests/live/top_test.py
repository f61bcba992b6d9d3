#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of the screen of `atys top`: in a terminal of our own, with keys as a person presses them."""
import os
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from in_terminal import ESCAPE, PATIENCE_S, InTerminal  # noqa: E402
from live import expect, folder, running  # noqa: E402

ROWS, COLUMNS = 24, 100


class Screen(InTerminal):
    """`atys top` in a terminal."""

    def __init__(self, *arguments: str, rows: int = ROWS):
        super().__init__([live.atys_binary(), "top", *arguments], rows, COLUMNS, os.environ | {"TERM": "xterm"})

    def quit(self) -> None:
        self.press(b"q")
        expect(self.wait_for_end() == 0, f"q ended it with {self.program.poll()}")
        expect(self.is_as_before(), "the terminal is not as it was")

    def chosen(self) -> str | None:
        """The function that is marked on the last screen that was drawn whole."""
        for frame in reversed(self.drawn.split(b"\x1b[H")):
            if match := re.search(rb"\x1b\[7m(.*?)\x1b\[0m", frame):
                words = re.findall(r"[\w.*]+(?:%)?", ESCAPE.sub(b"", match.group(1)).decode(errors="replace"))
                return next((word for word in words if word in FUNCTIONS), " ".join(words))
        return None

    def wait_until_chosen(self, function: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while self.chosen() != function:
            expect(time.monotonic() < end, f"{function} is not chosen, but {self.chosen()}: {self.text()[-300:]}")
            self.read(0.2)


FUNCTIONS = ("spin", "sixty", "thirty", "ten", "main")


def with_screen(look, *arguments: str, **options):
    with folder() as top, running(live.workload("split_fp"), "120", top=top) as target:
        screen = Screen("--pid", str(target.pid), "--window", "1s", *arguments, **options)
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


def keys_pressed_at_once_all_take_effect():
    """Faster than the screen is drawn, and before there is a table at all."""
    def look(screen):
        screen.press(b"jj\x1b[Bkk\x1b[Ass")
        screen.wait_for(r"sixty\b")
        text = screen.wait_for(r"self\*")
        expect("total*" not in text.split("recording")[-1][:400], "s twice sorts as before")
        screen.press(b"jjjk?")
        screen.wait_for(r"any key goes back")
        screen.press(b"x")
        screen.wait_for(r"sixty\b")
        screen.quit()
    with_screen(look)


def shows_a_legend():
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.wait_for(r"\? keys")
        screen.press(b"?")
        screen.wait_for(r"who calls it(.|\n)*any key goes back")
        screen.press(b"?")
        screen.wait_for(r"sixty\b")
        screen.quit()
    with_screen(look)


def the_choice_stays_with_the_function():
    """Sorted by total, sixty is in another row; it is still the one that is chosen."""
    def look(screen):
        screen.wait_for(r"sixty\b")
        for _ in range(10):
            if screen.chosen() == "sixty":
                break
            screen.press(b"j")
            screen.wait_for(r"sixty\b")
            time.sleep(0.3)
            screen.read(0.2)
        screen.wait_until_chosen("sixty")
        screen.press(b"s")
        screen.wait_for(r"total\*")
        screen.wait_until_chosen("sixty")
        screen.press(b"\r")
        screen.wait_for(r"callers of sixty\b")
        screen.quit()
    with_screen(look)


def the_chosen_row_is_on_a_small_screen():
    def look(screen):
        screen.wait_for(r"self\*")
        screen.press(b"G")
        screen.wait_for(r"\? keys")
        end = time.monotonic() + PATIENCE_S
        while screen.chosen() is None:
            expect(time.monotonic() < end, "the last row is not to be seen")
            screen.read(0.2)
        screen.quit()
    with_screen(look, rows=6)


def follows_the_size_of_the_terminal():
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.drawn = b""
        screen.resize(ROWS, 50)
        screen.wait_for(r"sixty\b")
        frames = screen.drawn.split(b"\x1b[H")[1:]
        last = ESCAPE.sub(b"", frames[-1] if len(frames) < 2 else frames[-2]).decode(errors="replace")
        expect(max(len(line.rstrip("\r")) for line in last.split("\n")) <= 50, f"lines are wider than 50: {last}")
        screen.quit()
    with_screen(look)


def stays_as_it_is_while_it_is_paused():
    """A key must not bring a newer table while the screen is paused."""
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.press(b"p")
        first = re.search(r"paused; (.*)", screen.wait_for(r"paused; .*samples.*")).group(1)
        time.sleep(3)
        screen.press(b"j")
        later = re.search(r"paused; (.*)", screen.wait_for(r"paused; .*samples.*")).group(1)
        expect(first.split("overhead")[0] == later.split("overhead")[0], f"{first} became {later}")
        screen.quit()
    with_screen(look)


def the_last_table_stays_when_the_target_ends():
    with folder() as top, running(live.workload("split_fp"), "120", top=top) as target:
        screen = Screen("--pid", str(target.pid), "--window", "1s")
        try:
            screen.wait_for(r"sixty\b")
            os.kill(target.pid, signal.SIGKILL)
            expect(screen.wait_for_end() == 0, f"it ended with {screen.program.poll()}")
            # Behind the switch to the screen that was there before.
            left = screen.drawn.split(b"\x1b[?1049l")[-1]
            text = ESCAPE.sub(b"", left).decode(errors="replace")
            expect("the target has ended" in text, f"it does not say so: {text!r}")
            expect(re.search(r"sixty\b", text) is not None, f"no table is left: {text!r}")
            expect(screen.is_as_before(), "the terminal is not as it was")
        finally:
            screen.close()


def a_paused_screen_outlives_its_target():
    with folder() as top, running(live.workload("split_fp"), "120", top=top) as target:
        screen = Screen("--pid", str(target.pid), "--window", "1s")
        try:
            screen.wait_for(r"sixty\b")
            screen.press(b"p")
            screen.wait_for(r"paused")
            os.kill(target.pid, signal.SIGKILL)
            time.sleep(2)
            expect(screen.program.poll() is None, "it ended although somebody reads")
            screen.press(b"p")
            expect(screen.wait_for_end() == 0, f"it ended with {screen.program.poll()}")
            expect("the target has ended" in screen.text(), f"it does not say so: {screen.text()!r}")
        finally:
            screen.close()


def ctrl_c_is_no_end_of_the_target():
    def look(screen):
        screen.wait_for(r"sixty\b")
        screen.press(b"\x03")
        screen.wait_for_end()
        expect("has ended" not in screen.text(), f"it says that the target ended: {screen.text()!r}")
        expect(screen.is_as_before(), "the terminal is not as it was")
    with_screen(look)


if __name__ == "__main__":
    tests = [shows_functions_and_ends_with_q, enter_shows_callers_and_backspace_goes_back, pauses_and_goes_on, sorts_by_all_time,
             keys_pressed_at_once_all_take_effect, shows_a_legend, the_choice_stays_with_the_function, the_chosen_row_is_on_a_small_screen,
             follows_the_size_of_the_terminal, stays_as_it_is_while_it_is_paused, the_last_table_stays_when_the_target_ends,
             a_paused_screen_outlives_its_target, ctrl_c_is_no_end_of_the_target]
    sys.exit(live.run_tests(tests))
