#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Capturing a native process beside perf record + perf script, and beside samply where it is installed. All take turns on targets of
the same kind. Prints per rate and target: CPU per sample with names, the target's slowdown, and start-up. A peer that fails or does not
end is left out, with a note."""
import argparse
import sys
import time

import native
from measure import figures

TARGETS = {"split_fp": ("with frame pointers", "fp", "perf record -g + perf script"),
           "split_nofp": ("without", "dwarf", "perf record --call-graph dwarf + perf script")}


def watched(name, profile):
    """One run of the target with a profiler."""
    target = native.Target(name)
    try:
        spent = profile(target)
        truth = target.truth()
    finally:
        target.process.kill()  # nothing, if it has ended
    spent.rate = truth["work"] / (truth["total_ns"] / 1e9)
    return spent


def nobody(seconds):
    time.sleep(seconds)
    return native.Spent()


def rows(name, freq, options):
    kind, call_graph, peer_name = TARGETS[name]
    peers = {peer_name: lambda target: native.perf(target, freq, options.seconds, call_graph)}
    if native.samply_path():
        peers["samply record --unstable-presymbolicate"] = lambda target: native.samply(target, freq, options.seconds)
    turns, failed = [], {}
    for _ in range(options.runs):
        turns.append({"": watched(name, lambda _: nobody(options.seconds)),
                      "ours": watched(name, lambda target: native.ours(target, freq, options.seconds, options.tier))})
        for peer, profile in peers.items():
            if peer in failed:
                continue
            try:
                turns[-1][peer] = watched(name, profile)
            except native.Failed as why:
                failed[peer] = str(why)
    for peer in peers:
        what = f"capture at {freq} Hz, {kind}"
        if peer in failed:
            print(f"note: {what}: no figures of {peer}: {failed[peer]}", file=sys.stderr)
        else:
            yield from compare(what, peer, turns)


def compare(what, peer, turns):
    def each(who, value):
        return [value(turn[who]) for turn in turns]

    mine, theirs = each("ours", native.Spent.per_sample_us), each(peer, native.Spent.per_sample_us)
    yield figures(f"{what}, beside {peer}: CPU per sample", f"{native.median(mine):.1f} µs", f"{native.median(theirs):.1f} µs",
                  [p / o for o, p in zip(mine, theirs)], "≥ 2",
                  cpu=native.median(turn[peer].cpu_s / turn["ours"].cpu_s for turn in turns),
                  ours_mb=max(each("ours", lambda s: s.peak_mb)), peer_mb=max(each(peer, lambda s: s.peak_mb)))
    slower = {who: native.median(1 - turn[who].rate / turn[""].rate for turn in turns) for who in ("ours", peer)}
    yield figures(f"{what}, beside {peer}: target slower by", f"{slower['ours']:.2%}", f"{slower[peer]:.2%}", [], "")
    yield figures(f"{what}, beside {peer}: recording after", f"{native.median(each('ours', lambda s: s.attached_s)) * 1e3:.0f} ms",
                  f"{native.median(each(peer, lambda s: s.attached_s)) * 1e3:.0f} ms",
                  [turn[peer].attached_s / max(turn["ours"].attached_s, 1e-3) for turn in turns], "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--tier", default="")
    parser.add_argument("--freq", type=int, nargs="*", default=[99, 999, 4999])
    options = parser.parse_args()
    native.need_perf()
    if not native.samply_path():
        print("note: samply is not here (cargo install --root build/peers samply)", file=sys.stderr)
    for name in TARGETS:
        for freq in options.freq:
            for row in rows(name, freq, options):
                print(row, flush=True)


if __name__ == "__main__":
    main()
