#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes small Java Flight Recorder files, sound ones and such that lie.

    jfr_file.py FOLDER    writes them there: the seeds of the fuzzer
"""
import pathlib
import struct
import sys

BOOL, INT, LONG, STRING, SYMBOL, CLASS, METHOD, KIND, FRAME, TRACE, THREAD, STATE = range(10, 22)
EXECUTION, WALL, ALLOC, MONITOR, SETTING, RECORDING, MACHINE = range(101, 108)
# id: (name, [(field, class, form)]); form v: value, c: constant, a: array
CLASSES = {
    BOOL: ("boolean", []), INT: ("int", []), LONG: ("long", []), STRING: ("java.lang.String", []),
    SYMBOL: ("jdk.types.Symbol", [("string", STRING, "v")]),
    CLASS: ("java.lang.Class", [("name", SYMBOL, "c")]),
    METHOD: ("jdk.types.Method", [("type", CLASS, "c"), ("name", SYMBOL, "c"), ("descriptor", SYMBOL, "c")]),
    KIND: ("jdk.types.FrameType", [("description", STRING, "v")]),
    FRAME: ("jdk.types.StackFrame", [("method", METHOD, "c"), ("lineNumber", INT, "v"), ("type", KIND, "c")]),
    TRACE: ("jdk.types.StackTrace", [("truncated", BOOL, "v"), ("frames", FRAME, "a")]),
    THREAD: ("java.lang.Thread", [("osName", STRING, "v"), ("osThreadId", LONG, "v"), ("javaName", STRING, "v")]),
    STATE: ("jdk.types.ThreadState", [("name", STRING, "v")]),
    EXECUTION: ("jdk.ExecutionSample", [("sampledThread", THREAD, "c"), ("stackTrace", TRACE, "c")]),
    WALL: ("profiler.WallClockSample", [("sampledThread", THREAD, "c"), ("stackTrace", TRACE, "c"), ("state", STATE, "c"), ("samples", INT, "v")]),
    ALLOC: ("jdk.ObjectAllocationInNewTLAB", [("stackTrace", TRACE, "c"), ("objectClass", CLASS, "c"), ("allocationSize", LONG, "v"), ("tlabSize", LONG, "v")]),
    MONITOR: ("jdk.JavaMonitorEnter", [("duration", LONG, "v"), ("stackTrace", TRACE, "c")]),
    SETTING: ("jdk.ActiveSetting", [("id", LONG, "v"), ("name", STRING, "v"), ("value", STRING, "v")]),
    RECORDING: ("jdk.ActiveRecording", []),
    MACHINE: ("jdk.JVMInformation", [("jvmVersion", STRING, "v"), ("pid", LONG, "v")]),
}


class Chunk:
    def __init__(self, compressed=True, classes=CLASSES):
        self.compressed, self.classes, self.pools, self.events = compressed, classes, {}, b""

    def number(self, value: int, width: int) -> bytes:
        if not self.compressed:
            return value.to_bytes(width, "big")
        out = b""
        while value > 0x7f:
            out, value = out + bytes([0x80 | value & 0x7f]), value >> 7
        return out + bytes([value])

    def i32(self, *values) -> bytes:
        return b"".join(self.number(value, 4) for value in values)

    def i64(self, *values) -> bytes:
        return b"".join(self.number(value, 8) for value in values)

    def text(self, value: str) -> bytes:
        return b"\3" + self.i32(len(value.encode())) + value.encode()

    def event(self, kind: int, fields: bytes) -> bytes:
        rest = self.i64(kind) + fields
        size = len(rest) + 4
        head = bytes(size >> 7 * n & 0x7f | (0x80 if n < 3 else 0) for n in range(4)) if self.compressed else size.to_bytes(4, "big")
        return head + rest

    def add(self, kind: int, fields: bytes) -> None:
        self.events += self.event(kind, fields)

    def constant(self, kind: int, key: int, value: bytes) -> None:
        self.pools.setdefault(kind, []).append(self.i64(key) + value)

    def checkpoint(self) -> bytes:
        pools = b"".join(self.i64(kind) + self.i32(len(items)) + b"".join(items) for kind, items in self.pools.items())
        return self.event(1, self.i64(0, 0, 0) + b"\0" + self.i32(len(self.pools)) + pools)

    def metadata(self) -> bytes:
        names: list[str] = []

        def name(text: str) -> bytes:
            if text not in names:
                names.append(text)
            return self.i32(names.index(text))

        def element(what: str, attributes: dict, *children: bytes) -> bytes:
            pairs = b"".join(name(key) + name(str(value)) for key, value in attributes.items())
            return name(what) + self.i32(len(attributes)) + pairs + self.i32(len(children)) + b"".join(children)
        forms = {"v": {}, "c": {"constantPool": "true"}, "a": {"dimension": "1"}}
        described = [element("class", {"name": title, "id": number},
                             *(element("field", {"name": field, "class": kind, **forms[form]}) for field, kind, form in fields))
                     for number, (title, fields) in self.classes.items()]
        tree = element("root", {}, element("metadata", {}, *described))
        return self.event(0, self.i64(0, 0, 0) + self.i32(len(names)) + b"".join(map(self.text, names)) + tree)

    def bytes(self, size=None, metadata=None) -> bytes:
        before = self.events + (self.checkpoint() if self.pools else b"")
        content = before + self.metadata()
        return b"FLR\0" + struct.pack(">HHQQQQQQQI", 2, 0, size or 68 + len(content), 0, metadata or 68 + len(before), 1_700_000_000 * 10**9,
                                      10**9, 0, 10**9, int(self.compressed)) + content


def sound(compressed=True, **changes) -> Chunk:
    """Every kind of event that there is a class for; five stacks."""
    chunk = Chunk(compressed, **changes)
    i32, i64, text = chunk.i32, chunk.i64, chunk.text
    for key, symbol in enumerate(["org/x/App", "main", "()V", "libc.so.6", "memset", "()L;"] + [f"f{n}" for n in range(5)], 1):
        chunk.constant(SYMBOL, key, text(symbol))
    chunk.constant(CLASS, 1, i64(1))
    chunk.constant(CLASS, 2, i64(4))
    chunk.constant(METHOD, 1, i64(1, 2, 3))
    chunk.constant(METHOD, 2, i64(2, 5, 6))
    for n in range(5):
        chunk.constant(METHOD, 3 + n, i64(1, 7 + n, 3))
        frames = [i64(2) + i32(0) + i64(3), i64(3 + n) + i32(10 + n) + i64(1), i64(1) + i32(7) + i64(2)]
        chunk.constant(TRACE, 1 + n, bytes([n % 2]) + i32(len(frames)) + b"".join(frames))
    for key, description in enumerate(["Interpreted", "JIT compiled", "Native"], 1):
        chunk.constant(KIND, key, text(description))
    chunk.constant(THREAD, 1, text("os") + i64(42) + text("worker"))
    chunk.constant(STATE, 1, text("STATE_RUNNABLE"))
    for about, name, value in [(RECORDING, "version", "4.5"), (RECORDING, "event", "cpu"), (EXECUTION, "interval", "1000000")]:
        chunk.add(SETTING, i64(about) + text(name) + text(value))
    chunk.add(MACHINE, text("17.0.1") + i64(99))
    for n in range(20):
        chunk.add(EXECUTION, i64(1, 1 + n % 5))
    chunk.add(WALL, i64(1, 2, 1) + i32(3))
    chunk.add(ALLOC, i64(3, 1, 100, 1000))
    chunk.add(MONITOR, i64(12345, 4))
    return chunk


def multiplied(methods=40_000) -> bytes:
    """One megabyte that names 640: every method has the long name of its class in its own."""
    chunk = sound()
    i32, i64 = chunk.i32, chunk.i64
    chunk.constant(SYMBOL, 1000, chunk.text("x" * 16_000))
    chunk.constant(CLASS, 1000, i64(1000))
    for n in range(methods):
        chunk.constant(SYMBOL, 2000 + n, chunk.text(f"m{n}"))
        chunk.constant(METHOD, 2000 + n, i64(1000, 2000 + n, 3))
    frames = b"".join(i64(2000 + n) + i32(1) + i64(1) for n in range(methods))
    chunk.constant(TRACE, 1000, b"\0" + i32(methods) + frames)
    chunk.add(EXECUTION, i64(1, 1000))
    return chunk.bytes()


def lies() -> dict[str, bytes]:
    huge, looped = sound(), sound(classes=CLASSES | {EXECUTION: ("jdk.ExecutionSample", [("a", EXECUTION, "v"), ("b", EXECUTION, "v")])})
    huge.constant(TRACE, 99, b"\0" + huge.i32(0x7fffffff))
    nameless = sound(classes={key: value for key, value in CLASSES.items() if key != SYMBOL})
    return {"chunk longer than the file": sound().bytes(size=1 << 40), "chunk without end": sound().bytes(size=1),
            "metadata outside": sound().bytes(metadata=1 << 40), "metadata that are none": sound().bytes(metadata=68),
            "more frames than bytes": huge.bytes(), "class that contains itself": looped.bytes(), "class that is missing": nameless.bytes()}


def seeds() -> dict[str, bytes]:
    return {"compressed": sound().bytes(), "plain": sound(False).bytes(), "two-chunks": sound().bytes() + sound(False).bytes(),
            **{name.replace(" ", "-"): data for name, data in lies().items()}}


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for seed, content in seeds().items():
        (target / seed).write_bytes(content)
