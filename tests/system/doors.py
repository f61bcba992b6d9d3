#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every port that Atys listens on, against strangers: whoever has no token and means no good. While they are at it others are served, and the process
needs at most twice the memory that it has when nothing happens; then it still ends when it is told to.

    doors.py [--agents N]    N connections of agents that have nothing to say (default: 600)"""
import argparse
import contextlib
import http.client
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
import http2_raw as raw  # noqa: E402
from checks import check  # noqa: E402
from controllers import Controller, end  # noqa: E402
from otlp_windows import REPORT, report  # noqa: E402
from scratch import atys_binary  # noqa: E402

ATYS = atys_binary()
MB = 1 << 20
MOST_SENT = 192 * MB  # by one attack that is never refused
PATIENCE_S = 60


class Door:
    """A process that listens, how a friend asks it, and what it weighs."""

    def __init__(self, name: str, process: subprocess.Popen, address: str, friend):
        self.name, self.process, self.address, self.friend = name, process, address, friend
        self.slowest_s = 0.0
        for _ in range(3):
            self.ask()
        self.idle = self.memory("VmRSS")

    def memory(self, which: str) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(which + r":\s+(\d+)", status).group(1)) << 10

    def ask(self) -> None:
        began = time.monotonic()
        self.friend(self)
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)

    def connect(self) -> socket.socket:
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=PATIENCE_S)

    def holds_against(self, attack) -> str | None:
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")  # the peak from here on
        with contextlib.ExitStack() as stack:
            for connection in attack(self):
                stack.callback(connection.close)
            for _ in range(5):
                self.ask()
        peak = self.memory("VmHWM")
        return None if peak <= 2 * self.idle else f"{peak >> 20} MB, and {self.idle >> 20} MB when nothing happens"


def push(connection: socket.socket, head: bytes, piece: bytes) -> None:
    """Until somebody has enough of it."""
    try:
        connection.sendall(head)
        for _ in range(MOST_SENT // len(piece)):
            connection.sendall(piece)
    except OSError:
        pass


def several(count: int, make):
    def attack(door: Door):
        for number in range(count):
            with contextlib.suppress(OSError):
                connection = door.connect()
                yield connection
                make(connection, number)
    return attack


def say(text: bytes):
    def make(connection: socket.socket, _: int) -> None:
        connection.sendall(text)
    return make


def flood(head: bytes, piece: bytes):
    return several(2, lambda connection, _: push(connection, head, piece))


HEADERS = b"X-Endless: " + b"a" * 1000 + b"\r\n"
CHUNK = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
HTTP = {
    "endless headers": flood(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n", HEADERS * 64),
    "one endless header": flood(b"GET / HTTP/1.1\r\nHost: ", b"a" * 0x10000),
    "an endless address": flood(b"GET /", b"a" * 0x10000),
    "a body for an address that is none": flood(b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNK),
    "a body of who has no token": flood(b"POST /v1development/profiles HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n"
                                        b"Transfer-Encoding: chunked\r\n\r\n", CHUNK),
    "a body for the tools of who has no token": flood(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNK),
    "slow requests": several(200, say(b"GET / HTTP/1.1\r\nHost: local")),
    "slow bodies": several(200, say(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\na")),
    "connections on which nothing happens": several(1100, lambda *_: None),
}

CALL = raw.headers(REPORT)
OPEN = raw.PREFACE + raw.frame(raw.SETTINGS, 0, 0)


def resets(per_piece: int = 500):
    """A stream that is opened and given up, again and again; on new connections when one is closed."""
    def make(connection: socket.socket, _: int) -> None:
        with contextlib.suppress(OSError):
            connection.sendall(OPEN)
            stream = 1
            for _ in range(20_000_000 // per_piece // (len(CALL) + 22)):
                piece = b""
                for _ in range(per_piece):
                    piece += raw.frame(raw.HEADERS, raw.END_HEADERS, stream, CALL) + raw.frame(raw.RST_STREAM, 0, stream, b"\0\0\0\x08")
                    stream += 2
                connection.sendall(piece)
    return several(8, make)


GRPC = {
    "connections on which nothing happens": several(1100, lambda *_: None),
    "connections that only begin": several(600, say(OPEN)),
    "streams that are given up at once": resets(),
    "pings": flood(OPEN, raw.frame(raw.PING, 0, 0, b"12345678") * 1000),
    "settings": flood(OPEN, raw.frame(raw.SETTINGS, 0, 0, b"\0\4\0\1\0\0") * 1000),
    "headers without an end": flood(OPEN + raw.frame(raw.HEADERS, 0, 1, CALL), raw.frame(raw.CONTINUATION, 0, 1, b"\0\1a\1b" * 200) * 50),
    "headers that are too long": flood(OPEN + raw.frame(raw.HEADERS, 0, 1, CALL), raw.frame(raw.CONTINUATION, 0, 1, b"\0" + raw.text("a") + raw.text("b" * 10_000))),
    "data of nothing": flood(OPEN + raw.frame(raw.HEADERS, raw.END_HEADERS, 1, CALL), raw.frame(raw.DATA, 0, 1) * 1000),
    "priorities of streams that are none": flood(OPEN, b"".join(raw.frame(2, 0, 2 * i + 1, b"\0\0\0\0\1") for i in range(1000))),
    "another protocol": flood(b"GET / HTTP/1.1\r\n", HEADERS * 64),
    "no token": several(50, lambda connection, _: connection.sendall(OPEN + b"".join(
        raw.frame(raw.HEADERS, raw.END_HEADERS, 2 * i + 1, CALL) + raw.frame(raw.DATA, 0, 2 * i + 1, b"a" * 8000) for i in range(8)))),
}

HELLO = bytes.fromhex("16030100c8010000c40303") + b"a" * 32
TLS = {
    "TLS that is never agreed on": several(400, say(HELLO)),
    "TLS of who says nothing": several(1100, lambda *_: None),
    "no TLS at all": flood(b"GET / HTTP/1.1\r\n", HEADERS * 64),
}


def get(path: str, token: str | None = None, context: ssl.SSLContext | None = None):
    def friend(door: Door) -> None:
        connection = http.client.HTTPSConnection(door.address, timeout=PATIENCE_S, context=context) if context else \
            http.client.HTTPConnection(door.address, timeout=PATIENCE_S)
        connection.request("GET", path, headers={"Authorization": "Bearer " + token} if token else {})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if answer.status not in (200, 405):
            raise RuntimeError(f"a friend is answered {answer.status}")
    return friend


def call(token: str):
    def friend(door: Door) -> None:
        with raw.connect(door.address) as connection:
            raw.call(connection, REPORT, token, report("friend"))
            if not is_answered(connection):
                raise RuntimeError("a friend's call is not answered")
    return friend


def is_answered(connection: socket.socket, stream: int = 1) -> bool:
    """The end of the answer, with the status of success."""
    for kind, flags, which, body in raw.frames(connection):
        if kind == raw.HEADERS and which == stream and flags & raw.END_STREAM:
            return True
    return False


def attack_all(door: Door, attacks: dict) -> None:
    for name, attack in attacks.items():
        check(f"{door.name}: {name}", lambda attack=attack: door.holds_against(attack))
    print(f"  {door.name}: {door.idle >> 20} MB idle, {door.memory('VmRSS') >> 20} MB after all; the slowest answer to a friend took {door.slowest_s:.2f} s")


def ends(door: Door) -> str | None:
    door.process.send_signal(signal.SIGTERM)
    door.process.wait(timeout=PATIENCE_S)
    return None


def agents_fit(door: Door, token: str, count: int) -> str | None:
    """Known connections stay, however many strangers come."""
    with contextlib.ExitStack() as stack:
        agents = []
        for number in range(count):
            agents.append(stack.enter_context(raw.connect(door.address)))
            raw.call(agents[-1], REPORT, token, report(f"node-{number}"))
            if not is_answered(agents[-1]):
                return f"agent {number} is not answered"
        print(f"  {count} agents: {(door.memory('VmRSS') - door.idle) / count / 1024:.1f} KB each")
        why = door.holds_against_strangers()
        for number, agent in enumerate(agents):
            raw.call(agent, REPORT, token, report(f"node-{number}"), stream=3)
            if not is_answered(agent, 3):
                return f"agent {number} was given up"
    return why


def strangers_beside_agents(door: Door) -> str | None:
    with contextlib.ExitStack() as stack:
        for connection in GRPC["connections on which nothing happens"](door):
            stack.callback(connection.close)
        door.ask()
    return None


Door.holds_against_strangers = strangers_beside_agents


def controller(folder: str, agents: int) -> None:
    with Controller(folder + "/controller") as running:
        door = Door("the controller's HTTP", running.process, running.http, get("/api/v1/services", running.token))
        attack_all(door, HTTP)
        calls = Door("the controller's gRPC", running.process, running.grpc, call(running.token))
        attack_all(calls, GRPC)
        check(f"{agents} agents stay connected, whoever else comes", lambda: agents_fit(calls, running.token, agents))
        check("the controller ends when it is told to", lambda: ends(door))


def certificate(folder: str, name: str, by: str | None = None) -> tuple[str, str]:
    cert, key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
    signed = ["-CA", f"{folder}/{by}.pem", "-CAkey", f"{folder}/{by}.key"] if by else []
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=IP:127.0.0.1", *signed, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


def by_certificate(folder: str) -> None:
    """Mutual TLS: who has no certificate is not heard, by HTTP as by gRPC."""
    authority, _ = certificate(folder, "authority")
    cert, key = certificate(folder, "server")
    mine, mine_key = certificate(folder, "agent-7", "authority")
    context = ssl.create_default_context(cafile=cert)
    with Controller(folder + "/mutual", "--cert", cert, "--key", key, "--ca", authority) as running:
        def without():
            for address in (running.http, running.grpc):
                try:
                    host, port = address.rsplit(":", 1)
                    with context.wrap_socket(socket.create_connection((host, int(port)), timeout=PATIENCE_S), server_hostname=host) as connection:
                        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        if connection.recv(100):
                            return f"{address} answers who has no certificate"
                except OSError:
                    pass  # which is how it should be
            return None

        def atys(**more):
            env = dict(os.environ, ATYS_CONTROLLER=running.url, ATYS_TOKEN=running.token, ATYS_CA=cert, **more)
            return subprocess.run([ATYS, "services"], env=env, capture_output=True, text=True, timeout=PATIENCE_S).returncode

        check("who has no certificate is heard neither by gRPC nor by HTTP", without)
        check("atys shows its certificate to a controller", lambda: checks.differs(
            (atys(ATYS_CERT=mine, ATYS_KEY=mine_key), atys(), atys(ATYS_CERT=cert, ATYS_KEY=key)), (0, 1, 1)))
        context.load_cert_chain(mine, mine_key)
        door = Door("TLS", running.process, running.http, get("/healthz", context=context))
        attack_all(door, TLS)


@contextlib.contextmanager
def started(folder: str, name: str, pattern: str, *words: str):
    log = pathlib.Path(folder) / (name + ".log")
    with open(log, "w") as file:
        process = subprocess.Popen([ATYS, *words], stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd=folder)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{name} does not start: {log.read_text()[-400:]}")
            time.sleep(0.05)
        yield process, found, log
    finally:
        end(process)


def tools(folder: str) -> None:
    with started(folder, "tools", r"listening on http://([^/]+)/mcp\n[\s\S]*token (\S+)\n", "mcp", "--http", "127.0.0.1:0") as (process, found, _):
        door = Door("the tools' server", process, found.group(1), get("/mcp", found.group(2)))
        attack_all(door, HTTP)
        check("the tools' server ends when it is told to", lambda: ends(door))


def agent(folder: str) -> None:
    with started(folder, "agent", r"metrics are at http://([^/]+)/metrics", "agent", "--controller", "127.0.0.1:1", "--metrics", "127.0.0.1:0", "--data", folder + "/agent",
                 "--metrics-token-file", folder + "/metrics-token", "--max-memory", "128MB") as (process, found, _):
        address, token = found.group(1), pathlib.Path(folder, "metrics-token").read_text().strip()

        def status(headers: dict[str, str]) -> int:
            connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
            connection.request("GET", "/metrics", headers=headers)
            return connection.getresponse().status

        def guarded():
            told = [status({}), status({"Authorization": "Bearer wrong"}), status({"Authorization": "Bearer " + token, "Host": "evil.example"}),
                    status({"Authorization": "Bearer " + token})]
            return checks.differs(told, [401, 401, 403, 200])

        def open_to_all():
            done = subprocess.run([ATYS, "agent", "--controller", "127.0.0.1:1", "--metrics", "0.0.0.0:0", "--data", folder + "/open"], capture_output=True, text=True, timeout=PATIENCE_S)
            return None if done.returncode != 0 and "--metrics-token-file" in done.stderr else f"{done.returncode} {done.stderr}"

        check("an agent's metrics ask for the token, and for a name of this machine", guarded)
        check("an agent's metrics without a token are for this machine", open_to_all)
        door = Door("an agent's metrics", process, address, get("/metrics", token))
        attack_all(door, HTTP)
        check("the agent ends when it is told to", lambda: ends(door))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--agents", type=int, default=600)
    agents = parser.parse_args().agents
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < 3000:
        print(f"skip doors: only {most} descriptors may be open here")
        return 0
    with tempfile.TemporaryDirectory(prefix="atys-doors-") as folder:
        controller(folder, agents)
        by_certificate(folder)
        tools(folder)
        agent(folder)
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
