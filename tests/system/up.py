#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`atys up`, as somebody meets it who has just got the program: on a machine that does nothing, with the example services, and its end.

A machine that does nothing is a pid namespace, in which nobody else can be seen.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checks import check, report, status  # noqa: E402
from scratch import ROOT, atys_binary  # noqa: E402

PATIENCE_S = 120
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
# What each of the examples is known to spend its time in, as its own functions, and what has to be installed for it. Copies of a parameter are
# made by the caller; what reduce() calls has no name.
HOTSPOTS = {"search.py": ("tokenize", "python3"), "pricing": ("price_of_basket|discount_of", "g++"), "recommend.js": (r"byId|\(anonymous\)", "node"),
            "Checkout": ("itemIds|UUID", "javac")}


def command(folder, *options) -> list[str]:
    """Windows so long that a Java machine which has just begun is asked for its names within the first."""
    return [atys_binary(), "up", "--listen", "127.0.0.1:0", "--data", str(folder), "--window", "8s", "--services", "64", *options]


def environment(**more) -> dict:
    return {key: value for key, value in os.environ.items() if key != "ATYS_EXAMPLES"} | more


def examples_here() -> dict:
    return environment(ATYS_EXAMPLES=str(ROOT / "examples"))


def missing(table: dict) -> str | None:
    """Services without their known hotspot."""
    rows = {service["service"]: " ".join(row["name"] for row in service["rows"]) for service in table["services"]}
    lost = [f"{name}: {rows.get(name)}" for name, (function, needs) in HOTSPOTS.items() if shutil.which(needs) and not re.search(function, rows.get(name, ""))]
    return "; ".join(lost) or None


def left_over() -> list[str]:
    return subprocess.run(["pgrep", "-af", str(ROOT / "examples/shop")], capture_output=True, text=True).stdout.splitlines()


def idle_machine(folder):
    """One command, nothing else: a table of the examples' hotspots."""
    ran = subprocess.run([*ALONE, *command(folder, "--once", "--json")], env=examples_here(), capture_output=True, text=True, timeout=PATIENCE_S)
    report("a checkout on an idle machine starts its examples, and says so", None if "nothing here is busy" in ran.stderr else ran.stderr)
    return missing(json.loads(ran.stdout)) if ran.returncode == 0 else ran.stderr


def examples_at_once(folder):
    ran = subprocess.run(command(folder, "--once", "--examples", "--json"), env=examples_here(), capture_output=True, text=True, timeout=PATIENCE_S)
    if ran.returncode != 0:
        return ran.stderr
    deadline = time.monotonic() + PATIENCE_S
    while left_over() and time.monotonic() < deadline:
        time.sleep(0.1)
    report("the examples end with it", None if not left_over() else left_over())
    return missing(json.loads(ran.stdout))


@contextlib.contextmanager
def started(folder, *options, alone=False, env=None):
    """Running, with its standard error read up to what it says of its page."""
    process = subprocess.Popen([*(ALONE if alone else []), *command(folder, *options)], env=env or environment(), stderr=subprocess.PIPE, text=True)
    try:
        yield process, re.search(r"http://(\S+)/#token=(\S+)", process.stderr.readline())
    finally:
        process.send_signal(signal.SIGKILL if process.poll() is None else 0)
        process.wait()


def waits(folder):
    """Not in a checkout, or not wanted: it says that it waits."""
    for options, env in (((), environment()), (("--no-examples",), examples_here())):
        with started(folder, *options, alone=True, env=env) as (process, _):
            if "waiting until something does" not in (line := process.stderr.readline()):
                return line
    return None


def page(folder):
    """It is for who knows the token, and ends with Ctrl-C."""
    with started(folder, "--no-examples") as (process, address):
        if not address:
            return "no address"
        try:
            urllib.request.urlopen(f"http://{address[1]}/api/v1/services", timeout=PATIENCE_S)
            return "it answers without a token"
        except urllib.error.HTTPError as error:
            if error.code != 401:
                return error
        asked = urllib.request.Request(f"http://{address[1]}/api/v1/services", headers={"Authorization": f"Bearer {address[2]}"})
        answer = json.loads(urllib.request.urlopen(asked, timeout=PATIENCE_S).read())
        if "services" not in answer:
            return answer
        process.send_signal(signal.SIGINT)
        ended = process.wait(PATIENCE_S)
        return None if ended == 0 else f"Ctrl-C ends it with {ended}"


def main() -> int:
    if os.geteuid() != 0:
        print("skip atys up: to see other processes it has to be root")
        return 0
    with tempfile.TemporaryDirectory(prefix="up") as top:
        for number, (name, test) in enumerate({"an idle machine: hotspots of all examples": idle_machine, "the examples when asked for": examples_at_once,
                                               "nothing is busy and nothing to start": waits, "the page": page}.items()):
            check(name, lambda test=test, number=number: test(pathlib.Path(top, str(number))))
    return status()


if __name__ == "__main__":
    sys.exit(main())
