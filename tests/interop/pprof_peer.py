#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pprof tool must see no difference between a profile, the same rewritten by us, and the same after a trip through OTLP."""
import pathlib
import re

import peers

WAYS = {"pprof": [], "otlp": [".otlp"], "otlp-json": [".otlp.json"], "otlp and otlp-json": [".otlp", ".otlp.json"]}


def sample_types(pprof, path):
    raw = peers.run([pprof, "-raw", path]).decode(errors="replace")
    line = raw.split("Samples:\n", 1)[1].split("\n", 1)[0]
    return [re.sub(r"\[dflt\]$", "", part).split("/")[0] for part in line.split()]


def difference(pprof, original, ours):
    views = [["-raw"]] + [["-top", f"-sample_index={i}"] for i in range(len(sample_types(pprof, original)))]
    for view in views:
        # The tool prints where a profile came from when it has no name for it: the same file name for both.
        expected, actual = (peers.run([pprof, "-symbolize=none", *view, path]) for path in (original, ours))
        if expected != actual:
            return f"{' '.join(view)} differs"
    return None


def trip(folder, original, extensions):
    path = original
    for number, extension in enumerate(extensions):
        path = peers.convert(path, folder / f"step{number}{extension}")
    return peers.convert(path, folder / "ours.pb.gz")


def main():
    report = peers.Report()
    pprof = peers.install("pprof", "github.com/google/pprof@latest")
    for original in peers.profiles("pprof"):
        for way, extensions in WAYS.items():
            with peers.scratch() as folder:
                report.check(f"{original.name} through {way}", peers.problem_of(
                    lambda: difference(pprof, original, trip(pathlib.Path(folder), original, extensions))))
    report.finish()


if __name__ == "__main__":
    main()
