#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that src/profile/loss.cpp knows every reason that something is counted as lost for: answers say of each whether the samples
are there nevertheless, and what the table does not have would be called lost in full."""
import re

from tracked_files import run, tracked_files

TABLE = "src/profile/loss.cpp"
OF_TESTS = re.compile(r"_(test|fuzzer|bench)\.cpp$")
KNOWN = re.compile(r'\{(?:"([^"]+)"|(k\w+)), LossOf::')
# add_loss("…", losses["…"], losses_["…"], and the same with a constant.
COUNTED = re.compile(r'(?:add_loss\(|\blosses_?\[)\s*(?:"([^"]+)"|(?:\w+::)*(k[A-Z]\w*))')


def constant(name, texts):
    """What a constant of that name is, in the first file that has it."""
    found = (re.search(rf'\b{name}(?:\[\])?\s*=\s*"([^"]+)"', text) for text in texts)
    return next((match.group(1) for match in found if match), None)


def check(root):
    sources = {path: path.read_text(errors="replace") for path in tracked_files(root)
               if path.suffix in {".cpp", ".h"} and "src" in path.relative_to(root).parts and not OF_TESTS.search(path.name)}
    table = sources.get(root / TABLE, "")
    known = [text or constant(name, sources.values()) for text, name in KNOWN.findall(table)]
    if not known:
        yield f"{TABLE} has no reasons"
    for path, source in sources.items():
        for text, name in COUNTED.findall(source):
            reason = text or constant(name, [source, *sources.values()])
            if reason is None:
                yield f"{path.relative_to(root)}: no text for the reason {name}"
            elif not any(reason.startswith(one) for one in known):
                yield f"{path.relative_to(root)}: '{reason}' is not in {TABLE}: say there whether the samples are lost or only cut"


SOUND = {
    TABLE: 'constexpr Reason kReasons[] = {\n    {kCut, LossOf::Stacks},\n    {"ring full", LossOf::Samples},\n};\n',
    "src/profile/loss.h": 'inline constexpr std::string_view kCut = "stacks cut";\n',
    "src/capture/a.cpp": 'profile.add_loss("stacks cut: too deep", 1);\n++losses_["ring full"];\n',
    "src/capture/a_test.cpp": 'profile.add_loss("anything", 1);\n',
}
BROKEN = {
    "src/capture/b.cpp": 'profile.add_loss("new reason", 1);\n',
    "src/capture/c.cpp": 'totals.losses["another"] += 1;\n',
    "src/capture/d.cpp": 'constexpr char kOther[] = "other";\nvoid f() { p.add_loss(kOther, 1); }\n',
    "src/capture/e.cpp": "void f() { p.add_loss(kNowhere, 1); }\n",
    TABLE: "",
}

if __name__ == "__main__":
    run(check, BROKEN, SOUND)
