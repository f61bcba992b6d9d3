#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# speedscope's own schema and its own viewer accept what we write, and we read back what we wrote.
import json
import shutil
import sys

import peer

OUT = peer.PEERS / "speedscope-files"


def weights_by_stack(file):
    """Per profile of the file, the sum of weights of each stack."""
    frames = [json.dumps(frame, sort_keys=True) for frame in file["shared"]["frames"]]
    result = {}
    for profile in file["profiles"]:
        sums = result.setdefault(profile["name"], {})
        for sample, weight in zip(profile["samples"], profile["weights"]):
            stack = tuple(frames[index] for index in sample)
            sums[stack] = sums.get(stack, 0) + weight
    return result


def expect_same_again(path):
    again = peer.convert(path, OUT / ("again-" + path.name))
    first, second = (weights_by_stack(json.loads(file.read_text())) for file in (path, again))
    assert first == second, "reading and writing again changed the weights"


def heaviest_function(file):
    """Of the profile that the viewer shows first: name and self weight of the function with the most."""
    profile = file["profiles"][file["activeProfileIndex"]]
    sums = {}
    for sample, weight in zip(profile["samples"], profile["weights"]):
        if sample:
            name = file["shared"]["frames"][sample[-1]]["name"]
            sums[name] = sums.get(name, 0) + weight
    return max(sums, key=sums.get)


def expect_shown(modules, path):
    """The viewer, in a browser without a screen, lists the heaviest function in its table and reports no error."""
    script = peer.ROOT / "tests" / "interop" / "speedscope_view.mjs"
    shown = json.loads(peer.run(["node", script, modules, path], seconds=180))
    name = heaviest_function(json.loads(path.read_text()))
    assert not shown["errors"], shown["errors"]
    assert "speedscope" in shown["title"], f"title is {shown['title']!r}"
    assert name in shown["rows"][:3], f"{name!r} is not among the first rows {shown['rows'][:3]}"


def main():
    profiles = peer.profiles()
    modules = peer.install("speedscope", "ajv", "playwright-core")
    files = []
    for source in profiles:
        name = peer.stem(source)
        path = OUT / f"{name}.speedscope.json"
        peer.check(f"speedscope converts {name}", lambda: peer.convert(source, path))
        if path.exists():
            files.append(path)
            peer.check(f"speedscope round trip {name}", lambda: expect_same_again(path))
    validator = peer.ROOT / "tests" / "interop" / "speedscope_schema.mjs"
    for path in files:
        peer.check(f"speedscope schema {path.name}", lambda: peer.run(["node", validator, modules, path]))
    if shutil.which("chromium") is None:
        print("skipped: speedscope viewer: chromium is not installed")
        peer.finish()
    for path in files:
        peer.check(f"speedscope viewer {path.name}", lambda: expect_shown(modules, path))
    peer.finish()


if __name__ == "__main__":
    sys.exit(main())
