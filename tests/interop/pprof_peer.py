#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pprof tool must see no difference between a profile, the same rewritten by us, and the same after a trip through OTLP."""
import pathlib
import re

import peer
from peer import go_peer

WAYS = {"pprof": [], "otlp": [".otlp"], "otlp-json": [".otlp.json"], "otlp and otlp-json": [".otlp", ".otlp.json"]}


def sample_types(pprof, path):
    raw = peer.run([pprof, "-raw", path], errors="replace")
    line = raw.split("Samples:\n", 1)[1].split("\n", 1)[0]
    return [re.sub(r"\[dflt\]$", "", part).split("/")[0] for part in line.split()]


def difference(pprof, original, ours):
    views = [["-raw"]] + [["-top", f"-sample_index={i}"] for i in range(len(sample_types(pprof, original)))]
    for view in views:
        # The tool prints where a profile came from when it has no name for it: the same file name for both.
        expected, actual = (peer.run([pprof, "-symbolize=none", *view, path], text=False) for path in (original, ours))
        if expected != actual:
            return f"{' '.join(view)} differs"
    return None


def trip(folder, original, extensions):
    path = original
    for number, extension in enumerate(extensions):
        path = peer.convert(path, folder / f"step{number}{extension}")
    return peer.convert(path, folder / "ours.pb.gz")


def main():
    pprof = peer.install_go("pprof", go_peer.PPROF, go_peer.PPROF_FOR_OLD_GO)
    for original in peer.profiles("pprof"):
        for way, extensions in WAYS.items():
            with peer.scratch() as folder:
                peer.check(f"{original.name} through {way}", (
                    lambda: difference(pprof, original, trip(pathlib.Path(folder), original, extensions))))
    peer.finish()


if __name__ == "__main__":
    main()
