# SPDX-License-Identifier: Apache-2.0
"""Files made to break a reader of profiles. Each maker returns {name: bytes}; what has to be refused and what only has to be
survived are told apart by the caller."""
import json
import pathlib
import random
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from protobuf import field, varint  # noqa: E402


def message(*fields: tuple) -> bytes:
    return b"".join(field(number, value) for number, value in fields)


def pprof(samples=((1, 1), (2, 5)), location=((1, 1), (4, message((1, 1)))), function=((1, 1), (2, 3)), sample_type=((1, 1), (2, 2)),
          strings=("", "cpu", "nanoseconds", "main"), more=b"") -> bytes:
    """A small pprof file: one sample, one location, one function, each as a list of fields."""
    return message((1, message(*sample_type)), (2, message(*samples)), (4, message(*location)), (5, message(*function)),
                   *((6, text) for text in strings)) + more


def pprof_lies() -> dict[str, bytes]:
    return {
        "sample of a location that is not there": pprof(samples=((1, 999), (2, 5))),
        "location of a function that is not there": pprof(location=((1, 1), (4, message((1, 999))))),
        "location of a mapping that is not there": pprof(location=((1, 1), (2, 7), (4, message((1, 1))))),
        "function name past the strings": pprof(function=((1, 1), (2, 1 << 30))),
        "negative string index": pprof(function=((1, 1), (2, (1 << 64) - 1))),
        "unit past the strings": pprof(sample_type=((1, 1), (2, 99))),
        "length past the end": pprof(more=varint(6 << 3 | 2) + varint(1 << 40)),
        "length of 2^64-1": pprof(more=varint(6 << 3 | 2) + varint((1 << 64) - 1) + b"x"),
        "endless varint": pprof(more=b"\x48" + b"\xff" * 20),
        "group that never ends": pprof(more=varint(3 << 3 | 3) * 100_000),
    }


def otlp(stack=1, location=1, function=1, name=1, any_value=b"") -> bytes:
    """OTLP profiles with one sample; each argument is the index that one row has of the next."""
    attribute = message((1, 1), (2, any_value)) if any_value else b""
    dictionary = message((1, b""), (2, b""), (2, message((3, message((1, function), (2, 10))))), (3, b""), (3, message((1, name))), (4, b""),
                         (5, ""), (5, "main"), (5, "cpu"), (5, "nanoseconds"), (6, b""), (6, attribute),
                         (7, b""), (7, message((1, varint(location)))))
    profile = message((1, message((1, 2), (2, 3))), (2, message((1, stack), (2, varint(1)), (4, varint(5)))))
    return message((1, message((2, message((2, profile))))), (2, dictionary))


def otlp_lies() -> dict[str, bytes]:
    far = 1 << 30
    return {"stack past the table": otlp(stack=far), "location past the table": otlp(location=far),
            "function past the table": otlp(function=far), "name past the strings": otlp(name=far)}


def nested_any_value(depth: int) -> bytes:
    """AnyValue{array_value: ArrayValue{values: AnyValue{…}}}, made from the inside, heads first collected."""
    heads, length = [], 0
    for level in range(2 * depth):
        head = varint((5 if level % 2 else 1) << 3 | 2) + varint(length)
        heads.append(head)
        length += len(head)
    return b"".join(reversed(heads))


def speedscope(frames=({"name": "main"},), **profile) -> bytes:
    whole = {"type": "sampled", "name": "x", "unit": "none", "startValue": 0, "endValue": 1, "samples": [[0]], "weights": [1]} | profile
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": list(frames)},
                       "profiles": [whole]}).encode()


def speedscope_lies() -> dict[str, bytes]:
    evented = {"type": "evented", "samples": None, "weights": None}
    return {
        "frame past the table": speedscope(samples=[[7]]),
        "negative frame": speedscope(samples=[[-1]]),
        "frame that is no number": speedscope(samples=[["x"]]),
        "frame of 1e300": speedscope().replace(b"[[0]]", b"[[1e300]]"),
        "weight of 1e999": speedscope().replace(b'"weights": [1]', b'"weights": [1e999]'),
        "more samples than weights": speedscope(samples=[[0], [0]]),
        "samples that are no list": speedscope(samples={"a": 1}),
        "closing what is not open": speedscope(**evented, events=[{"type": "C", "frame": 0, "at": 1}]),
    }


def firefox(prefix, frames=(0, 0), names=(0, 0)) -> bytes:
    """The viewer's processed form: a stack's prefix is an index into the same table, so a cycle can be written."""
    thread = {"name": "t", "pid": 1, "tid": 1, "processType": "default", "stringArray": ["main"],
              "samples": {"length": 1, "stack": [1], "time": [0], "weight": None, "weightType": "samples"},
              "stackTable": {"length": 2, "frame": list(frames), "prefix": prefix},
              "frameTable": {"length": 1, "func": [0], "address": [-1], "line": [None], "category": [0]},
              "funcTable": {"length": 1, "name": [names[0]], "resource": [-1], "fileName": [None], "lineNumber": [None]},
              "resourceTable": {"length": 0}, "nativeSymbols": {"length": 0}, "markers": {"length": 0}}
    return json.dumps({"meta": {"version": 27, "preprocessedProfileVersion": 48, "interval": 1, "startTime": 0, "product": "x",
                                "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}]},
                       "libs": [], "threads": [thread]}).encode()


def firefox_lies() -> dict[str, bytes]:
    return {"stack that is its own prefix": firefox([None, 1]), "two stacks in a ring": firefox([1, 0]),
            "prefix past the table": firefox([None, 99]), "frame past the table": firefox([None, 0], frames=(0, 99)),
            "name past the strings": firefox([None, 0], names=(99, 0))}


def deep_files() -> dict[str, bytes]:
    deep = 100_000
    return {"json lists": b"[" * deep, "closed json lists": b"[" * deep + b"]" * deep, "json objects": b'{"a":' * deep,
            "speedscope": speedscope().replace(b"[[0]]", b"[" * deep + b"]" * deep),
            "ignored part of speedscope": speedscope().replace(b'{"$s', b'{"x":' + b"[" * deep + b"]" * deep + b',"$s'),
            "otlp json": b'{"resourceProfiles":[{"resource":{"attributes":[{"key":"a","value":' + b'{"arrayValue":{"values":[' * deep,
            "otlp": otlp(any_value=nested_any_value(deep))}


def gzip_members(start: bytes, repeated: bytes, total: int) -> bytes:
    """gzip of `start`, then of `repeated` over and over until `total` bytes: one member compressed once, many times in the file."""
    chunk = repeated * ((64 << 20) // len(repeated))
    return gzip_of(start) + gzip_of(chunk) * (total // len(chunk))


def gzip_of(data: bytes) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    return deflate.compress(data) + deflate.flush()


def gzip_one_member(repeated: bytes, total: int) -> bytes:
    """The same in a single member: a fully flushed block stands on its own, so it may be repeated. Its checksum is wrong, but who
    reads on to there has already lost."""
    chunk = repeated * ((64 << 20) // len(repeated))
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = deflate.compress(chunk) + deflate.flush(zlib.Z_FULL_FLUSH)
    return gzip_of(b"")[:10] + block * (total // len(chunk)) + b"\x03\x00" + struct.pack("<II", 0, total & 0xFFFFFFFF)


def bombs() -> dict[str, bytes]:
    ten_gb = 10 << 30
    return {"zeros in many members": gzip_members(b"", b"\0", ten_gb), "zeros in one member": gzip_one_member(b"\0", ten_gb),
            "collapsed lines": gzip_members(b"main;f 1\n", b"main;f 1\n", ten_gb),
            "pprof samples": gzip_members(pprof(), field(2, message((1, 1), (2, 5))), ten_gb),
            "speedscope spaces": gzip_members(speedscope()[:-1], b" ", ten_gb)}


def other_files(elf: bytes) -> dict[str, bytes]:
    def png_chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    noise = random.Random(7)
    prose = "It was a bright cold day in the yard, and nobody\nhad thought of measuring anything.\n"
    return {"elf": elf, "empty": b"", "noise": noise.randbytes(100_000), "prose": prose.encode(),
            "png": b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + png_chunk(
                b"IDAT", zlib.compress(b"\0\0")) + png_chunk(b"IEND", b""),
            "gzip of nothing": gzip_of(b""), "gzip of prose": gzip_of(prose.encode()), "other json": b'{"hello": [1, 2, 3]}\n',
            "html": b"<!doctype html><title>x</title>\n", "zeros": bytes(100_000), "line ends": b"\n" * 1000}
