#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bytes that an agent sends to a controller, counted on the wire (what is compressed, gRPC, reports, TCP's payload), beside the raw stacks of the same
windows. The first window brings all names; from the third on it is what a service costs that has been watched for a while.

Raw, in three ways: `binary`, each sample as perf.data has it (40 bytes and 8 for each frame); `text`, each sample as a line of its frames' names,
which is what the paper's raw stack files are; `with lines`, the same with file and line of each frame, which is what a window holds. Text at the
highest rate is named too: with the adaptive rate, pooled windows are to have its error. `--plain`: to any receiver of OTLP, which gets each window whole.
The service is the example shop, several instances of each program; needs root, and zstd.
"""
import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from fleet_sink import Agent, ControllerSink, Sink
from measure import ATYS, ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
from protobuf import fields, numbers  # noqa: E402

SETTINGS = {
    "default": "",
    "99 Hz": "frequency: 99\n",
    "999 Hz": "frequency: 999\n",
    "999 Hz, 60 s windows": "frequency: 999\nwindow: 60s\n",
    "999 Hz, nothing pruned": "frequency: 999\nprune: none\n",
}
TOP_HZ = 499  # of the adaptive rate
SETTLED = 2  # windows that are not counted as steady
WARM_UP_S = 30  # compilers at work have stacks that nobody sees again
RULE = 'command~"search[.]py|examples/pricing|recommend[.]js|Checkout"'


def rows_of(path, value):
    done = subprocess.run([ATYS, "summary", path, "--form", "raw", "--top", "1000000", "--value", value, "--json"], capture_output=True, text=True,
                          check=True)
    return [(row["self"], row["path"]) for row in json.loads(done.stdout)["rows"]]


def text_bytes(frames):
    return sum(len(name.encode()) + 1 for name in frames)


def place_bytes(message):
    """Of the text with lines: what is there beside names."""
    top = list(fields(message))
    tables = list(fields(next(value for number, value in top if number == 2)))
    table = lambda wanted: [value for number, value in tables if number == wanted]
    files = [len(value) for value in table(5)]
    functions = [files[dict(fields(value)).get(3, 0)] for value in table(3)]
    of_line = lambda line: functions[line.get(1, 0)] + len(str(line.get(2, 0))) + 2
    locations = [sum(of_line(dict(fields(value))) for number, value in fields(location) if number == 3) for location in table(2)]
    stacks = [sum(locations[place] for _, packed in fields(stack) for place in numbers(packed)) for stack in table(7)]
    names = table(5)
    total = 0
    for resource in (value for number, value in top if number == 1):
        for scope in (value for number, value in fields(resource) if number == 2):
            for profile in (list(fields(value)) for number, value in fields(scope) if number == 2):
                kind = next((dict(fields(value)) for number, value in profile if number == 1), {})
                if names[kind.get(1, 0)] != b"samples":
                    continue
                for sample in (dict(fields(value)) for number, value in profile if number == 2):
                    total += stacks[sample.get(1, 0)] * sum(numbers(sample.get(4, b"")))
    return total


def raw_bytes(message, folder):
    """[samples, binary, text, text with lines, text at the top rate] of a window."""
    path = folder / "window.otlp"
    path.write_bytes(message)
    rows = rows_of(path, "samples")
    text = sum(count * text_bytes(frames) for count, frames in rows)
    return [sum(count for count, _ in rows), sum(count * (40 + 8 * len(frames)) for count, frames in rows), text, text + place_bytes(message),
            sum(ns / 1e9 * TOP_HZ * text_bytes(frames) for ns, frames in rows_of(path, "cpu"))]


def row(name, sent, raw):
    windows = len(sent)
    samples, binary, text, lines, top = (max(sum(column), 1) for column in zip(*raw))
    print(f"| {name} | {windows} | {samples / windows:.0f} | {sum(sent) / windows / 1000:.1f} kB | {binary / windows / 1e6:.2f} MB "
          f"| {text / windows / 1e6:.2f} MB | {lines / windows / 1e6:.2f} MB | {sum(sent) / binary:.2%} | {sum(sent) / text:.3%} | {sum(sent) / lines:.3%} "
          f"| {sum(sent) / top:.3%} |", flush=True)


def measure(folder, name, text, windows, is_plain):
    sink = Sink() if is_plain else ControllerSink(folder / "controller")
    task = f"task: shop\nservice: {RULE}\nbudget: {{overhead: 50%}}\n{text}"
    agent = Agent(folder, sink, [task], "--max-cpu", "100%", "--max-memory", "1GB")
    try:
        if not sink.wait(windows, 90 + windows * 75):
            sys.exit(f"no windows of {name}: {agent.log.read_text()}")
        messages, marks = sink.messages[:windows], sink.marks[:windows]
    finally:
        agent.end()
        sink.end()
    sent = [mark - before for mark, before in zip(marks, [0, *marks])]
    raw = [raw_bytes(message, folder) for message in messages]
    row(name + ", first", sent[:1], raw[:1])
    row(name + ", steady", sent[SETTLED:], raw[SETTLED:])
    return messages


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1, help="as for the others; not used")
    parser.add_argument("--windows", type=int, default=8)
    parser.add_argument("--plain", action="store_true", help="to a receiver that is no controller")
    parser.add_argument("--keep", help="a folder for the messages")
    parser.add_argument("settings", nargs="*", default=list(SETTINGS))
    options = parser.parse_args()
    shops = [subprocess.Popen([sys.executable, str(ROOT / "examples" / "start"), "--port", str(18100 + 10 * number), "--rate", "60"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for number in range(2)]
    print("| per window | windows | samples | sent | raw, binary | raw, text | raw, with lines | sent/binary | sent/text | sent/with lines "
          f"| sent/text at {TOP_HZ} Hz |\n|---|---|---|---|---|---|---|---|---|---|---|")
    try:
        time.sleep(WARM_UP_S)
        for name in options.settings or SETTINGS:
            with tempfile.TemporaryDirectory(prefix="atys-bench-") as folder:
                messages = measure(pathlib.Path(folder), name, SETTINGS[name], SETTLED + 3 if "60 s" in name else options.windows,
                                   options.plain)
            if options.keep:
                for number, message in enumerate(messages):
                    pathlib.Path(options.keep, f"{name.replace(' ', '_')}.{number}.otlp").write_bytes(message)
    finally:
        for shop in shops:
            shop.send_signal(signal.SIGTERM)
            shop.wait()


if __name__ == "__main__":
    main()
