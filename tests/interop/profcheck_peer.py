#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's profcheck must accept the OTLP that we write, of real profiles and of generated odd ones."""
import pathlib

import peer

FLAGS = ["-check-dupes", "-check-sample-shapes=true"]
ODD_SEEDS = range(1, 21)


def problem(profcheck, path):
    peer.run([profcheck, *FLAGS, path])


def main():
    try:
        profcheck = peer.install_go("profcheck", "github.com/open-telemetry/sig-profiling/profcheck/cmd/profcheck")
    except RuntimeError as error:
        # Its rules are checked without it too: src/format/otlp/conformance_test.cpp.
        peer.skip("profcheck", f"it cannot be installed: {error}")
    with peer.scratch() as name:
        folder = pathlib.Path(name)
        for original in peer.profiles("pprof", "otlp"):
            peer.check(original.name, (
                lambda: problem(profcheck, peer.convert(original, folder / "ours.otlp"))))
        for seed in ODD_SEEDS:
            peer.check(f"odd profile {seed}", (
                lambda: problem(profcheck, peer.odd_profile(seed, folder / "odd.otlp"))))
    peer.finish()


if __name__ == "__main__":
    main()
