# SPDX-License-Identifier: Apache-2.0
"""Truth: requests of three routes, of six, three and one parts of the time, each in a span that a library publishes; between them work for
nobody.

    spans.py LIBRARY SECONDS
"""
import ctypes
import random
import sys
import time

import truth

ROUTES = ("/orders/{id}", "/login", "/health")


def handle(rounds: int) -> int:
    x = 60
    for _ in range(rounds):
        x = (x * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    return x


def work(pieces: int) -> int:
    begin = time.thread_time_ns()
    for _ in range(pieces):
        handle(random.randrange(500, 1500))
    return time.thread_time_ns() - begin


def main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    library.begin_span.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.c_char_p)
    if not library.publish(b"orders"):
        sys.exit(3)
    told = truth.Truth(float(sys.argv[2]))
    told.ns = dict.fromkeys((*ROUTES, "none"), 0)
    while told.goes_on():
        route = random.choices(ROUTES, (6, 3, 1))[0]
        told.work += 1
        library.begin_span(bytes([0xA0 + ROUTES.index(route)]) * 16, told.work, route.encode())
        told.ns[route] += work(random.randrange(50, 150))
        library.end_span()
        told.ns["none"] += work(random.randrange(10, 30))
    told.tell()


main()
