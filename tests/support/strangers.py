# SPDX-License-Identifier: Apache-2.0
"""What of a process others can see, and a profiler that is none of its business must leave as it is: threads, files, ports, mappings."""
import contextlib
import os
import pathlib
import re


def state_of(pid: int) -> dict[str, set[str]]:
    return {"threads": threads(pid), "files": files(pid), "ports": ports(pid), "mappings": mappings(pid), "attach files": attach_files(pid)}


def changes(before: dict[str, set[str]], after: dict[str, set[str]]) -> list[str]:
    """What is new, by kind; what a program gives up is its own affair."""
    return [f"new {kind}: {' '.join(sorted(after[kind] - before[kind])[:5])}" for kind in after if after[kind] - before[kind]]


def threads(pid: int) -> set[str]:
    """By name: a runtime may replace one of its workers by another of the same kind."""
    names = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"):
        with contextlib.suppress(OSError):
            names.append(path.read_text().strip())
    return {re.sub(r"\d+", "#", name) for name in names}


def files(pid: int) -> set[str]:
    links = set()
    for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            links.add(re.sub(r":\[\d+\]", "", os.readlink(path)))
    return links


def ports(pid: int) -> set[str]:
    """That it listens at."""
    inodes = set()
    for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if match := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(path)):
                inodes.add(match.group(1))
    found = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and words[9] in inodes:
                    found.add(words[1])
    return found


def mappings(pid: int) -> set[str]:
    """Of files that hold code."""
    found = set()
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            words = line.split(None, 5)
            if len(words) == 6 and "x" in words[1]:
                found.add(words[5])
    return found


def attach_files(pid: int) -> set[str]:
    """What Java's way of being attached to leaves."""
    places = [pathlib.Path(f"/proc/{pid}/root/tmp"), pathlib.Path(f"/proc/{pid}/cwd")]
    return {str(path.name) for place in places for pattern in (f".java_pid{pid}", f".attach_pid{pid}") for path in place.glob(pattern)}
