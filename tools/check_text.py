#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what every text of the repository must be: free of the paths of somebody's machine and of the hosts of package
registries, clean at line ends, licensed, and small."""
import re

from tracked_files import run, tracked_files

MAX_BYTES = 256 * 1024
LICENSED = {".cpp", ".h", ".in", ".py", ".sh", ".ts", ".js", ".mjs", ".css"}
VERBATIM = ("tests/corpus/", "tests/golden/")  # inputs and outputs: bytes that we did not choose
MACHINE_PATH = re.compile(r"(?<![\w.*~$}-])/(?:root|work|Users|tmp/[\w.-]+)/")
REGISTRY = re.compile(r"\b(?:registry\.[a-z]+\.(?:org|com|dev|io)|npmjs\.(?:org|com)|pypi\.org|pythonhosted\.org|crates\.io"
                      r"|proxy\.golang\.org|deb\.debian\.org|snapshot\.debian\.org)\b")
PER_LINE = [
    (MACHINE_PATH, "a path of some machine"),
    (REGISTRY, "the host of a package registry"),
    (re.compile(r"[ \t]+$"), "space at the end of the line"),
    (re.compile(r"^(?:<{7}|>{7}) "), "a merge conflict"),
    (re.compile(r"\r$"), "a carriage return"),
]
BPF = re.compile(r"\.bpf\.[ch]$")


def check(root):
    for path in tracked_files(root):
        name = path.relative_to(root).as_posix()
        data = path.read_bytes()
        if len(data) > MAX_BYTES:
            yield f"{name}: {len(data)} bytes; the most is {MAX_BYTES}"
        if b"\0" in data or name.startswith(VERBATIM):
            continue
        text = data.decode(errors="replace")
        script = text.startswith("#!")
        # What runs in the kernel must be under a licence that the kernel takes.
        licence = "(MIT OR GPL-2.0-only|Apache-2.0)" if BPF.search(path.name) else "Apache-2.0"
        if (path.suffix in LICENSED or script) and not re.search("SPDX-License-Identifier: " + licence, "".join(
                text.splitlines(True)[:3])):
            yield f"{name}: no SPDX line at the top"
        if text and not text.endswith("\n"):
            yield f"{name}: the last line does not end"
        for number, line in enumerate(text.split("\n"), 1):
            for pattern, what in PER_LINE:
                if pattern.search(line):
                    yield f"{name}:{number}: {what}"


SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
SOUND = {
    "src/a.cpp": SPDX + '#include "framework/work/x.h"\n',
    "run": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\nHOME=/root ls $x/work/\n",
    "tests/golden/a.test": "ends in space \n",
    "tests/corpus/a/b": "no line end",
}
BROKEN = {
    "src/no_licence.h": "#pragma once\n",
    "script": "#!/bin/sh\ntrue\n",
    "docs/path.md": "see /" + "work/x\n",
    "docs/scratch.md": "see /" + "tmp/peers/x\n",
    "web/lock.json": '"https://registry.npmjs' + '.org/x"\n',
    "docs/space.md": "space \n",
    "docs/end.md": "no end",
    "docs/conflict.md": "<" * 7 + " HEAD\n",
    "docs/big.svg": "x\n" * 200000,
}
if __name__ == "__main__":
    run(check, BROKEN, SOUND)
