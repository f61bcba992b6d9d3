# SPDX-License-Identifier: Apache-2.0
"""HTTP/2 by hand, a frame at a time: what no library would send."""
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, CONTINUATION = 0, 1, 3, 4, 6, 9
END_STREAM, END_HEADERS = 1, 4


def frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def text(value: str) -> bytes:
    raw = value.encode()
    if len(raw) < 127:
        return bytes([len(raw)]) + raw
    rest, size = len(raw) - 127, b"\x7f"
    while rest >= 128:
        size, rest = size + bytes([rest % 128 + 128]), rest // 128
    return size + bytes([rest]) + raw


def headers(path: str, token: str | None = None, more: dict[str, str] | None = None) -> bytes:
    """A header block in which nothing is indexed."""
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost", "content-type": "application/grpc", "te": "trailers"}
    if token is not None:
        fields["authorization"] = "Bearer " + token
    return b"".join(b"\0" + text(name) + text(value) for name, value in (fields | (more or {})).items())


def connect(address: str) -> socket.socket:
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return connection


def call(connection: socket.socket, path: str, token: str, message: bytes, stream: int = 1) -> None:
    body = b"\0" + struct.pack(">I", len(message)) + message
    connection.sendall(frame(HEADERS, END_HEADERS, stream, headers(path, token)) + frame(DATA, END_STREAM, stream, body))


def frames(connection: socket.socket):
    """What comes back: kind, flags, stream, body. Ends when the other side does."""
    file = connection.makefile("rb")
    while len(head := file.read(9)) == 9:
        body = file.read(int.from_bytes(head[:3], "big"))
        yield head[3], head[4], int.from_bytes(head[5:9], "big") & 0x7FFFFFFF, body
