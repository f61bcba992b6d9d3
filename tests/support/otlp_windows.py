# SPDX-License-Identifier: Apache-2.0
"""Windows as agents send them, in OTLP's protobuf form, written by hand from stacks like "main;f"."""
import struct

from protobuf import field, fields, varint

EXPORT = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
REPORT = "/atys.control.v1.Control/Report"


def fixed64(number: int, value: int) -> bytes:
    return varint(number << 3 | 1) + struct.pack("<Q", value)


def packed(number: int, values) -> bytes:
    return field(number, b"".join(varint(value) for value in values))


class Table:
    """Entries of a table of the dictionary, each once; entry 0 is the empty one."""

    def __init__(self, number: int):
        self.number, self.known, self.entries = number, {b"": 0}, [b""]

    def add(self, entry) -> int:
        entry = entry.encode() if isinstance(entry, str) else entry
        if entry not in self.known:
            self.known[entry] = len(self.entries)
            self.entries.append(entry)
        return self.known[entry]

    def encode(self) -> bytes:
        return b"".join(field(self.number, entry) for entry in self.entries)


def attribute(key: str, value) -> bytes:
    return field(1, key) + field(2, field(3, value) if isinstance(value, int) else field(1, value))


def window(resources, start_ns: int, duration_ns: int = 10 * 10**9, profile_id: bytes = b"", bad_stack: bool = False) -> bytes:
    """An ExportProfilesServiceRequest: `resources` is a list of (attributes, {stack: nanoseconds}); frames of a stack
    are names, or NAME@FILE:LINE with where the function begins."""
    tables = {name: Table(number) for number, name in enumerate(
        ["mapping", "location", "function", "link", "string", "attribute", "stack"], 1)}
    strings = tables["string"]

    def frame(text):
        name, _, place = text.partition("@")
        file, _, line = place.partition(":")
        began = field(3, strings.add(file)) + field(4, int(line)) if place else b""
        function = tables["function"].add(field(1, strings.add(name)) + began)
        return tables["location"].add(field(3, field(1, function)))

    message = b""
    value_type = lambda name, unit: field(1, strings.add(name)) + field(2, strings.add(unit))
    for attributes, stacks in resources:
        samples = b""
        for text, value in stacks.items():
            stack = tables["stack"].add(packed(1, [frame(name) for name in reversed(text.split(";"))]))
            samples += field(2, field(1, stack + (1000 if bad_stack else 0)) + packed(4, [value]))
        profile = field(1, value_type("cpu", "nanoseconds")) + samples + fixed64(3, start_ns) + field(4, duration_ns)
        profile += field(7, profile_id) if profile_id else b""
        resource = b"".join(field(1, attribute(key, value)) for key, value in attributes.items())
        message += field(1, field(1, resource) + field(2, field(2, profile)))
    return message + field(2, b"".join(table.encode() for table in tables.values()))


def report(node: str, metrics: str = "", sender: bytes = b"s" * 16) -> bytes:
    return field(1, node) + field(2, sender) + field(3, "test") + (field(4, metrics) if metrics else b"")


def orders(answer: bytes):
    """The tasks of an Orders message, as YAML."""
    return [value.decode() for number, value in fields(answer) if number == 1]
