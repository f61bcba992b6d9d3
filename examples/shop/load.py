#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends requests to each port named, some a second, for ever, over one connection where the server keeps it."""
import http.client
import sys
import threading
import time

RATE = float(sys.argv[1])  # requests a second, to each


def drive(port: int) -> None:
    server = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    number = 0
    due = time.monotonic()
    while True:
        number += 1
        try:
            server.request("GET", f"/?seed={number % 90}&q=word{number % 97}")
            server.getresponse().read()
        except (OSError, http.client.HTTPException):
            server.close()
            time.sleep(0.2)
        due = max(due + 1 / RATE, time.monotonic() - 1)
        time.sleep(max(0.0, due - time.monotonic()))


for port in sys.argv[2:]:
    threading.Thread(target=drive, args=(int(port),), daemon=True).start()
threading.Event().wait()
