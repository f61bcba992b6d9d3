#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's bindings must decode what we write; what its Collector makes of it must read the same to us.

The Collector rewrites attributes as references into the string table, so this also checks that we resolve them.
"""
import pathlib

import peers

ODD_SEEDS = range(1, 21)


def difference(peer, folder, source):
    ours = source if source.name.endswith(".otlp") else peers.convert(source, folder / "ours.otlp")
    # As we write it: files of others may use numbers that are no longer current.
    ours = peers.convert(ours, folder / "current.otlp")
    expected = peers.convert(ours, folder / "expected.otlp.json").read_bytes()
    their_json, their_binary = folder / "theirs.otlp.json", folder / "theirs.otlp"
    peers.run([peer, ours, their_json])
    peers.run([peer, their_json, their_binary])
    peers.run([peer, folder / "expected.otlp.json", folder / "from-our-json.otlp"])
    for theirs in (their_json, their_binary, folder / "from-our-json.otlp"):
        if peers.convert(theirs, folder / "actual.otlp.json").read_bytes() != expected:
            return f"{theirs.name} reads differently"
    return None


def main():
    report = peers.Report()
    peer = peers.build("otlp_peer", pathlib.Path(__file__).parent / "otlp_peer")
    with peers.scratch() as name:
        folder = pathlib.Path(name)
        for source in peers.profiles("pprof") + peers.profiles("otlp"):
            report.check(source.name, peers.problem_of(lambda: difference(peer, folder, source)))
        for seed in ODD_SEEDS:
            odd = peers.odd_profile(seed, folder / "odd.otlp")
            report.check(f"odd profile {seed}", peers.problem_of(lambda: difference(peer, folder, odd)))
    report.finish()


if __name__ == "__main__":
    main()
