# SPDX-License-Identifier: Apache-2.0
"""Truth: a server on an event loop, with a task for each connection; GET /sixty is answered by sixty() and so on, and it depends on who
asks what the shares are. Its port goes to the file WORKLOAD_READY. With CLIENT and that file, it is the one who asks, six to three to one.

    server.py SECONDS [CLIENT FILE]
"""
import asyncio
import os
import random
import sys
import time

import split
import truth

CONNECTIONS = 4
HANDLERS = {"/sixty": split.sixty, "/thirty": split.thirty, "/ten": split.ten}


async def handle(known, reader, writer):
    while known.goes_on() and (line := await reader.readline()):
        handler = HANDLERS[line.decode().split()[1]]
        begin = time.thread_time_ns()
        body = handler(truth.UNIT)
        known.add(handler, time.thread_time_ns() - begin, 1)
        known.publish()
        writer.write(f"HTTP/1.1 200 OK {body}\n".encode())
        await writer.drain()
    writer.close()


async def serve():
    known = truth.begin()
    server = await asyncio.start_server(lambda reader, writer: handle(known, reader, writer), "127.0.0.1", 0)
    if os.environ.get("WORKLOAD_READY"):
        with open(os.environ["WORKLOAD_READY"], "w") as file:
            file.write(str(server.sockets[0].getsockname()[1]))
    while known.goes_on():
        await asyncio.sleep(0.05)
    known.tell()


async def ask(port, seed):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    dice = random.Random(seed)
    while True:
        paths = ["/sixty"] * 6 + ["/thirty"] * 3 + ["/ten"]
        dice.shuffle(paths)
        for path in paths:
            writer.write(f"GET {path} HTTP/1.1\n".encode())
            if not await reader.readline():
                return


async def client(path):
    with open(path) as file:
        port = int(file.read())
    await asyncio.gather(*(ask(port, seed) for seed in range(CONNECTIONS)), return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(client(sys.argv[3]) if len(sys.argv) > 3 else serve())
