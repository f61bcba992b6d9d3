# SPDX-License-Identifier: Apache-2.0
"""Truth: as split.py, by coroutines that three tasks of an event loop await; each is suspended in the middle. Tasks are named worker-N.

    coroutines.py SECONDS
"""
import asyncio
import time

import truth


async def sixty(turns, known):
    x = 60
    for _ in range(2):
        begin = time.thread_time_ns()
        for i in range(turns // 2):  # hot sixty
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot sixty
        known.add(sixty, time.thread_time_ns() - begin, turns // 2)
        await asyncio.sleep(0)
    return x


async def thirty(turns, known):
    x = 30
    for _ in range(2):
        begin = time.thread_time_ns()
        for i in range(turns // 2):  # hot thirty
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot thirty
        known.add(thirty, time.thread_time_ns() - begin, turns // 2)
        await asyncio.sleep(0)
    return x


async def ten(turns, known):
    x = 10
    for _ in range(2):
        begin = time.thread_time_ns()
        for i in range(turns // 2):  # hot ten
            x = (x * 1103515245 + i) & 0x7FFFFFFF  # hot ten
        known.add(ten, time.thread_time_ns() - begin, turns // 2)
        await asyncio.sleep(0)
    return x


async def worker(known):
    while known.goes_on():
        for function, turns in known.order((sixty, thirty, ten)):
            await function(turns, known)


async def main():
    known = truth.begin()
    await asyncio.gather(*(asyncio.create_task(worker(known), name=f"worker-{i}") for i in range(3)))
    known.tell()


if __name__ == "__main__":
    asyncio.run(main())
