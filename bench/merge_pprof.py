#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading, merging and writing many pprof files beside Go's pprof. Prints one row."""
import argparse
import re
import subprocess
import sys

from measure import ATYS, ROOT, WORK, Run, go_pprof, interleaved, row


def total(pprof, path):
    """The whole of the profile in Go's own reading, with its five costliest functions."""
    text = subprocess.run([pprof, "-top", "-nodecount=5", "-unit=ns", path], capture_output=True, text=True, check=True).stdout
    return re.findall(r"Total samples = (\S+)", text) + [line.split()[0] + line.split()[-1] for line in text.splitlines()[-5:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    folder = WORK / f"profiles-{options.files}"
    if not folder.exists():
        subprocess.run([sys.executable, ROOT / "bench" / "make_profiles.py", folder, "--files", str(options.files)], check=True)
    files = sorted(folder.glob("*.pb.gz"))
    pprof = go_pprof()
    ours_out, peer_out = WORK / "ours.pb.gz", WORK / "peer.pb.gz"
    ours, peer = interleaved(options.runs, lambda: Run([ATYS, "merge", *files, "-o", ours_out]),
                             lambda: Run([pprof, "-proto", f"-output={peer_out}", *files]))
    if total(pprof, ours_out) != total(pprof, peer_out):
        sys.exit(f"results differ: ours {total(pprof, ours_out)}, peer {total(pprof, peer_out)}")
    print(row(f"read, merge and write {options.files} pprof files, beside pprof -proto", ours, peer, "≥ 10, memory ≤ ¼"))


if __name__ == "__main__":
    main()
