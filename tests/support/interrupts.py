# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C reaches what a test starts. A shell without job control starts its background jobs with SIGINT ignored, and children inherit that."""
import signal


def hear() -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
