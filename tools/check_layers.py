#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that each layer of src/ includes only the layers that it may, and that CMake's USES say the same."""
import re

from tracked_files import run, tracked_files

# layer: what it may include besides itself. Data flows one way; the skins (present, cli) reach the machine, the kernels and the
# stores only through verbs, so that the command line, the page and the tools cannot drift apart.
MAY_USE = {
    "base": "",
    "profile": "base",
    "language": "base",
    "reduce": "base profile language",
    "linux": "base",
    "symbolize": "base profile linux",
    "format": "base profile language reduce",
    "budget": "base",
    "net": "base",
    "adapt": "base profile reduce budget",
    "unwind": "base linux symbolize",
    "capture": "base profile language reduce linux symbolize unwind format budget adapt",
    "store": "base profile reduce format",
    "fleet": "base net profile language reduce linux format budget adapt capture store",
    "verbs": "base net profile language reduce linux symbolize unwind format budget adapt capture store fleet",
    "present": "base net profile reduce format budget verbs",
    "cli": "base profile language reduce format verbs present",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
OF_TESTS = re.compile(r"_(test|fuzzer|bench)\.cpp$")


def cmake_uses(text: str) -> set[str]:
    """The layers that a layer's CMakeLists.txt names: `atys_layer(x USES a b)` or `target_link_libraries(x … atys_a)`."""
    used = set()
    for arguments in re.findall(r"atys_layer\(([^)]*)\)", text):
        match = re.search(r"\bUSES\s+((?:[a-z_]+\s*)+)", arguments)
        used |= set(match.group(1).split()) if match else set()
    for arguments in re.findall(r"target_link_libraries\(([^)]*)\)", text):
        used |= {name.removeprefix("atys_") for name in arguments.split()[1:] if name.startswith("atys_")}
    return used & set(MAY_USE)


def closure(layer: str, uses: dict[str, set[str]]) -> set[str]:
    seen, waiting = set(), [layer]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += uses.get(current, set())
    return seen


def check(root):
    source = root / "src"
    paths = [path for path in tracked_files(root) if source in path.parents and path.parent != source]
    uses = {path.parent.name: cmake_uses(path.read_text()) for path in paths
            if path.name == "CMakeLists.txt" and path.parent.parent == source}
    for layer, used in sorted(uses.items()):
        for name in sorted(used - set(MAY_USE.get(layer, "").split()) - {layer}):
            yield f"src/{layer}/CMakeLists.txt: {layer} may not use {name}"
    for path in paths:
        layer = path.relative_to(source).parts[0]
        if layer not in MAY_USE:
            yield f"src/{layer}: not a layer that tools/check_layers.py knows"
        elif path.suffix in (".h", ".cpp"):
            yield from check_file(path, path.relative_to(root), layer, closure(layer, uses))


def check_file(path, name, layer, linked):
    for included in INCLUDE.findall(path.read_text(errors="replace")):
        target = included.split("/")[0]
        if target == "support" and OF_TESTS.search(path.name):
            continue
        if "/" not in included:
            yield f'{name}: include "{included}" by its path from src/'
        elif target not in MAY_USE:
            yield f'{name}: "{included}" is of no layer'
        elif target != layer and target not in MAY_USE[layer].split():
            yield f"{name}: {layer} may not include {target} ({included})"
        elif target not in linked:
            yield f"{name}: includes {included}, but src/{layer}/CMakeLists.txt does not say that {layer} USES {target}"


SOUND = {
    "src/base/CMakeLists.txt": "atys_layer(base LINKS fmt::fmt)\n",
    "src/profile/CMakeLists.txt": "atys_layer(profile USES base)\n",
    "src/reduce/CMakeLists.txt": "atys_layer(reduce USES profile LINKS x)\n",
    "src/reduce/merge.cpp": '#include "base/result.h"\n#include "reduce/merge.h"\n#include <vector>\n',
    "src/reduce/merge_test.cpp": '#include "support/text.h"\n',
}
BROKEN = {
    "src/base/up.h": '#include "profile/profile.h"\n',
    "src/reduce/side.cpp": '#include "merge.h"\n',
    "src/reduce/merge.h": '#include "support/text.h"\n',
    "src/format/unlinked.h": '#include "reduce/merge.h"\n',
    "src/profile/CMakeLists.txt": "atys_layer(profile USES base reduce)\n",
    "src/misc/x.h": "",
}
if __name__ == "__main__":
    run(check, BROKEN, SOUND)
