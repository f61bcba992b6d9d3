# SPDX-License-Identifier: Apache-2.0
"""What every benchmark shares: commands run turn by turn, so that a noisy machine disturbs both sides alike, and one row of a table."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
import go_peer  # noqa: E402

WORK = ROOT / "build" / "bench"
PEERS = ROOT / "build" / "peers"
ATYS = os.environ.get("ATYS", str(ROOT / "build" / "release" / "bin" / "atys"))

HEADER = ("| what | ours | peer | ratio, median (spread) | CPU ratio | ours peak MB | peer peak MB | aim |\n"
          "|---|---|---|---|---|---|---|---|")


class Run:
    """One run of a command: wall seconds, CPU seconds, peak resident MB."""

    def __init__(self, command, stdout=subprocess.DEVNULL, cwd=None):
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=stdout, stderr=subprocess.DEVNULL, cwd=cwd)
        _, status, usage = os.wait4(process.pid, 0)
        self.wall = time.perf_counter() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak_mb = usage.ru_maxrss / 1024
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command[0]} failed with status {process.returncode}")


def interleaved(runs, ours, peer):
    """Runs both `runs` times, turn by turn. `ours` and `peer` are functions that make a Run."""
    pairs = [(ours(), peer()) for _ in range(runs)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def row(what, ours, peer, aim):
    ratios = sorted(p.wall / o.wall for o, p in zip(ours, peer))
    cpu = statistics.median(p.cpu / o.cpu for o, p in zip(ours, peer))
    return (f"| {what} | {statistics.median(o.wall for o in ours):.2f} s | {statistics.median(p.wall for p in peer):.2f} s "
            f"| {statistics.median(ratios):.1f} ({ratios[0]:.1f}–{ratios[-1]:.1f}) | {cpu:.1f} "
            f"| {max(o.peak_mb for o in ours):.0f} | {max(p.peak_mb for p in peer):.0f} | {aim} |")


def figures(what, ours, peer, ratios, aim, cpu=None, ours_mb=None, peer_mb=None):
    """A row of figures that are no times of runs; what there is nothing to say about stays empty."""
    ratios = sorted(ratios)
    spread = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})" if ratios else ""
    cells = [f"{value:{form}}" if value is not None else "" for value, form in ((cpu, ".1f"), (ours_mb, ".0f"), (peer_mb, ".0f"))]
    return f"| {what} | {ours} | {peer} | {spread} | {' | '.join(cells)} | {aim} |"


def go_pprof():
    """Go's pprof, built once below build/peers."""
    try:
        return go_peer.install(PEERS / "bin" / "pprof", go_peer.PPROF, go_peer.PPROF_FOR_OLD_GO)
    except go_peer.Unavailable as why:
        sys.exit(f"pprof cannot be had: {why}")


def rust_program(name, crate):
    found = shutil.which(name, path=f"{PEERS / 'bin'}:{os.environ.get('PATH', '')}")
    if not found:
        subprocess.run(["cargo", "install", "--quiet", "--root", str(PEERS), crate, "--bin", name], check=True)
    return found or str(PEERS / "bin" / name)
