#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bytes that an agent sends, counted on the wire (gzip, gRPC and TCP's payload), beside the raw stacks of the same windows.

Raw, in two ways: `binary`, each sample as perf.data has it (40 bytes and 8 for each frame); `text`, each sample as a line of its frames' names,
which is what the paper's raw stack files are. Text at the highest rate is named too: with the adaptive rate, pooled windows are to have its error.
The service is the example shop, several instances of each program; needs root.
"""
import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from fleet_sink import Agent, Sink
from measure import ATYS, ROOT

SETTINGS = {
    "default": "",
    "99 Hz": "frequency: 99\n",
    "999 Hz": "frequency: 999\n",
    "999 Hz, 60 s windows": "frequency: 999\nwindow: 60s\n",
    "999 Hz, nothing pruned": "frequency: 999\nprune: none\n",
}
TOP_HZ = 499  # of the adaptive rate
WARM_UP_S = 30  # compilers at work have stacks that nobody sees again
RULE = 'command~"search[.]py|examples/pricing|recommend[.]js|Checkout"'


def rows_of(path, value):
    done = subprocess.run([ATYS, "summary", path, "--form", "raw", "--top", "1000000", "--value", value, "--json"], capture_output=True, text=True,
                          check=True)
    return [(row["self"], row["path"]) for row in json.loads(done.stdout)["rows"]]


def text_bytes(frames):
    return sum(len(name.encode()) + 1 for name in frames)


def raw_bytes(path):
    """(samples, binary, text, text at the top rate) of the window in a file."""
    rows = rows_of(path, "samples")
    return (sum(count for count, _ in rows), sum(count * (40 + 8 * len(frames)) for count, frames in rows),
            sum(count * text_bytes(frames) for count, frames in rows),
            sum(ns / 1e9 * TOP_HZ * text_bytes(frames) for ns, frames in rows_of(path, "cpu")))


def measure(folder, name, text, windows):
    sink = Sink()
    task = f"task: shop\nservice: {RULE}\nbudget: {{overhead: 50%}}\n{text}"
    agent = Agent(folder, sink, [task], "--max-cpu", "100%", "--max-memory", "1GB")
    try:
        if not sink.wait(windows, 90 + windows * 65):
            sys.exit(f"no windows of {name}: {agent.log.read_text()}")
        sent, messages = sink.bytes_up, list(sink.messages)
    finally:
        agent.end()
        sink.end()
    totals = [0, 0, 0, 0]
    for message in messages:
        path = folder / "window.otlp"
        path.write_bytes(message)
        totals = [a + b for a, b in zip(totals, raw_bytes(path))]
    samples, binary, text, top = totals
    print(f"| {name} | {len(messages)} | {samples} | {sent / len(messages) / 1000:.1f} kB | {binary / 1e6:.2f} MB | {text / 1e6:.2f} MB "
          f"| {sent / max(binary, 1):.2%} | {sent / max(text, 1):.2%} | {sent / max(top, 1):.2%} |", flush=True)
    return messages


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1, help="as for the others; not used")
    parser.add_argument("--windows", type=int, default=6)
    parser.add_argument("--keep", help="a folder for the messages")
    parser.add_argument("settings", nargs="*", default=list(SETTINGS))
    options = parser.parse_args()
    shops = [subprocess.Popen([sys.executable, str(ROOT / "examples" / "start"), "--port", str(18100 + 10 * number), "--rate", "60"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(2)]
    print("| setting | windows | samples | sent per window | raw, binary | raw, text | sent/binary | sent/text "
          f"| sent/text at {TOP_HZ} Hz |\n|---|---|---|---|---|---|---|---|---|")
    try:
        time.sleep(WARM_UP_S)
        for name in options.settings or SETTINGS:
            with tempfile.TemporaryDirectory(prefix="atys-bench-") as folder:
                messages = measure(pathlib.Path(folder), name, SETTINGS[name], 1 if "60 s" in name else options.windows)
            if options.keep:
                for number, message in enumerate(messages):
                    pathlib.Path(options.keep, f"{name.replace(' ', '_')}.{number}.otlp").write_bytes(message)
    finally:
        for shop in shops:
            shop.send_signal(signal.SIGTERM)
            shop.wait()


if __name__ == "__main__":
    main()
