# SPDX-License-Identifier: Apache-2.0
"""Writes protobuf messages by hand: for tests that need ones that no writer would make."""


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
