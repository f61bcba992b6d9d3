#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenTelemetry's profcheck must accept the OTLP that we write, of real profiles and of generated odd ones."""
import pathlib

import peers

FLAGS = ["-check-dupes", "-check-sample-shapes=true"]
ODD_SEEDS = range(1, 21)


def problem(profcheck, path):
    peers.run([profcheck, *FLAGS, path])


def main():
    report = peers.Report()
    try:
        profcheck = peers.install("profcheck", "github.com/open-telemetry/sig-profiling/profcheck/cmd/profcheck@latest")
    except RuntimeError as error:
        # Its rules are checked without it too: src/format/otlp/conformance_test.cpp.
        print("ok profcheck # skip: it cannot be installed here:", str(error).splitlines()[0][:120])
        return
    with peers.scratch() as name:
        folder = pathlib.Path(name)
        for original in peers.profiles("pprof") + peers.profiles("otlp"):
            report.check(original.name, peers.problem_of(
                lambda: problem(profcheck, peers.convert(original, folder / "ours.otlp"))))
        for seed in ODD_SEEDS:
            report.check(f"odd profile {seed}", peers.problem_of(
                lambda: problem(profcheck, peers.odd_profile(seed, folder / "odd.otlp"))))
    report.finish()


if __name__ == "__main__":
    main()
