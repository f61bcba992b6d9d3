# SPDX-License-Identifier: Apache-2.0
"""Programs that a test starts: ending them, and waiting for what they do."""
import signal
import subprocess
import time


def end(process: subprocess.Popen, seconds: float = 30) -> None:
    """As somebody would who switches it off; by force if it takes too long."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()


def eventually(question, wanted, seconds: float = 60) -> str | None:
    """None as soon as the answer is the one that is wanted."""
    deadline = time.monotonic() + seconds
    while (got := question()) != wanted and time.monotonic() < deadline:
        time.sleep(0.2)
    return None if got == wanted else f"{got!r} instead of {wanted!r}"
