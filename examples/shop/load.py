#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends requests to each port named, some a second, for ever."""
import sys
import threading
import time
import urllib.request

RATE = float(sys.argv[1])  # requests a second, to each


def drive(port: int) -> None:
    number = 0
    due = time.monotonic()
    while True:
        number += 1
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/?seed={number % 90}&q=word{number % 97}", timeout=10).read()
        except OSError:
            time.sleep(0.2)
        due = max(due + 1 / RATE, time.monotonic() - 1)
        time.sleep(max(0.0, due - time.monotonic()))


for port in sys.argv[2:]:
    threading.Thread(target=drive, args=(int(port),), daemon=True).start()
threading.Event().wait()
