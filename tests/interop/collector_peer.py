#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's bindings must decode what we write; what its Collector makes of it must read the same to us.

The Collector rewrites attributes as references into the string table, so this also checks that we resolve them.
"""
import pathlib

import peer

ODD_SEEDS = range(1, 21)


def difference(collector, folder, source):
    ours = source if source.name.endswith(".otlp") else peer.convert(source, folder / "ours.otlp")
    # As we write it: files of others may use numbers that are no longer current.
    ours = peer.convert(ours, folder / "current.otlp")
    expected = peer.convert(ours, folder / "expected.otlp.json").read_bytes()
    their_json, their_binary = folder / "theirs.otlp.json", folder / "theirs.otlp"
    peer.run([collector, ours, their_json])
    peer.run([collector, their_json, their_binary])
    peer.run([collector, folder / "expected.otlp.json", folder / "from-our-json.otlp"])
    for theirs in (their_json, their_binary, folder / "from-our-json.otlp"):
        if peer.convert(theirs, folder / "actual.otlp.json").read_bytes() != expected:
            return f"{theirs.name} reads differently"
    return None


def main():
    collector = peer.build_go("otlp_peer", pathlib.Path(__file__).parent / "otlp_peer")
    with peer.scratch() as name:
        folder = pathlib.Path(name)
        for source in peer.profiles("pprof", "otlp"):
            peer.check(source.name, (lambda: difference(collector, folder, source)))
        for seed in ODD_SEEDS:
            odd = peer.odd_profile(seed, folder / "odd.otlp")
            peer.check(f"odd profile {seed}", (lambda: difference(collector, folder, odd)))
    peer.finish()


if __name__ == "__main__":
    main()
