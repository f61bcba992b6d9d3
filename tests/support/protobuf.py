# SPDX-License-Identifier: Apache-2.0
"""Writes protobuf messages by hand, for tests that need ones that no writer would make, and takes them apart."""


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number: int, value) -> bytes:
    """A protobuf field: an int as a varint, bytes or str as length-delimited."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def read_varint(message: bytes, at: int):
    """The number at a place, and the place after it."""
    number = shift = 0
    while True:
        byte = message[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def fields(message: bytes):
    """(number, value) of each field: an int, or bytes where it has a length or a fixed size."""
    at = 0
    while at < len(message):
        tag, at = read_varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = read_varint(message, at)
        else:
            size, at = read_varint(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = message[at:at + size], at + size
        yield tag >> 3, value


def numbers(packed: bytes):
    at = 0
    while at < len(packed):
        number, at = read_varint(packed, at)
        yield number
