#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real controller under what happens to one: it is killed with -9 at a hundred moments while windows come in, sums are made
and questions are asked; its clock is a year ahead for a start and right again for the next; a bit of a day goes bad. What was
acknowledged is there, once; nothing is dropped because of the clock; what is missing is told."""

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ATYS = os.environ.get("ATYS", "build/release/bin/atys")
KILLS = 100
FAKETIME_400_DAYS = "+400d"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def message(service, number, start_ns):
    """One profile of one sample of the function wNUMBER, as OTLP in JSON."""
    return json.dumps({
        "dictionary": {
            "mappingTable": [{}],
            "locationTable": [{}, {"lines": [{"functionIndex": 1}]}],
            "functionTable": [{}, {"nameStrindex": 1}],
            "linkTable": [{}],
            "stringTable": ["", f"w{number}", "cpu", "nanoseconds"],
            "attributeTable": [{}],
            "stackTable": [{}, {"locationIndices": [1]}],
        },
        "resourceProfiles": [{
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
            "scopeProfiles": [{"profiles": [{
                "sampleType": {"typeStrindex": 2, "unitStrindex": 3},
                "samples": [{"stackIndex": 1, "values": ["1"]}],
                "timeUnixNano": str(start_ns),
                "durationNano": "1000000000",
                "profileId": f"{number:032x}",
            }]}],
        }],
    }).encode()


class Controller:
    started = []

    def __init__(self, folder, clock=None):
        environment = dict(os.environ)
        if clock is not None:
            library = faketime_library()
            environment.update(LD_PRELOAD=library, FAKETIME=clock, FAKETIME_DONT_FAKE_MONOTONIC="1",
                               FAKETIME_FORCE_MONOTONIC_FIX="0")
        self.process = subprocess.Popen(
            [ATYS, "controller", "--data", folder, "--listen", "127.0.0.1:0", "--grpc", "none", "--no-token"],
            stderr=subprocess.PIPE, text=True, env=environment)
        Controller.started.append(self)
        self.lines = []
        self.url = None
        for line in self.process.stderr:
            self.lines.append(line)
            if "listening on" in line:
                self.url = line.split()[-1].rstrip("/")
                break
        check(self.url, "the controller did not start: " + "".join(self.lines))
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def ask(self, path, body=None):
        request = urllib.request.Request(self.url + path, data=body, headers={"Content-Type": "application/json"})
        return urllib.request.urlopen(request, timeout=120)

    def send(self, service, number, start_ns):
        """Whether it was acknowledged."""
        try:
            with self.ask("/v1development/profiles", message(service, number, start_ns)) as answer:
                told = json.loads(answer.read() or b"{}")
                return int(told.get("partialSuccess", {}).get("rejectedProfiles", 0)) == 0
        except (OSError, http.client.HTTPException):  # the second where it died in the middle of its answer
            return False

    def counts(self, service, from_ns, to_ns):
        """Values by function, and the headers."""
        path = f"/api/v1/profile?service={service}&from={from_ns // 10**9}&to={to_ns // 10**9 + 1}&to_format=collapsed"
        try:
            with self.ask(path) as answer:
                lines = answer.read().decode().splitlines()
                return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines if line}, answer.headers
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return {}, error.headers
            raise

    def metric(self, name):
        with self.ask("/metrics") as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[-1])
        raise AssertionError("no metric " + name)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(timeout=120) == 0, "it did not end well")


def faketime_library():
    for folder in ("x86_64-linux-gnu", "aarch64-linux-gnu"):
        path = f"/usr/lib/{folder}/faketime/libfaketime.so.1"
        if os.path.exists(path):
            return path
    raise AssertionError("libfaketime is not here; install the package faketime")


def killed_at_random_points(folder):
    rng = random.Random(18)
    start = time.time_ns() - 3600 * 10**9
    acknowledged, number = set(), 0
    for kill in range(KILLS):
        controller = Controller(folder)
        ended = threading.Event()

        def ask_on():
            while not ended.is_set():
                try:
                    controller.counts("shop", start, start + 3600 * 10**9)
                except (OSError, http.client.HTTPException):
                    return

        asker = threading.Thread(target=ask_on, daemon=True)
        asker.start()
        killer = threading.Timer(rng.uniform(0, 0.15), controller.kill)
        killer.start()
        # What has no answer is sent again by the next one, as agents do.
        unanswered = [each for each in range(1, number + 1) if each not in acknowledged]
        while killer.is_alive():
            if unanswered:
                each = unanswered.pop(0)
            else:
                number += 1
                each = number
            if controller.send("shop", each, start + each * 10**9):
                acknowledged.add(each)
        killer.join()
        ended.set()
        asker.join()
    controller = Controller(folder)
    before, headers = controller.counts("shop", start, start + 7200 * 10**9)
    lost = [each for each in acknowledged if f"w{each}" not in before]
    check(not lost, f"acknowledged and lost: {lost[:5]}, {len(lost)} in all")
    for each in range(1, number + 1):
        check(controller.send("shop", each, start + each * 10**9), f"window {each} was not taken the second time")
    after, headers = controller.counts("shop", start, start + 7200 * 10**9)
    twice = {name: value for name, value in after.items() if value != 1}
    check(not twice, f"counted twice: {twice}")
    check(len(after) == number, f"{len(after)} windows of {number}")
    check(len(acknowledged) >= KILLS // 4, f"hardly anything was acknowledged: {len(acknowledged)}")
    controller.end()
    leftovers = [name for name in os.listdir(folder + "/store") if name.endswith((".new", ".part")) or "dropped." in name]
    check(not leftovers, f"left behind: {leftovers}")
    return f"{KILLS} times: {len(acknowledged)} acknowledged, {number} sent, each there once"


def clock_ahead(folder):
    start = time.time_ns() - 600 * 10**9
    controller = Controller(folder)
    for each in range(1, 6):
        check(controller.send("shop", each, start + each * 10**9), "not taken")
    controller.end()
    days = sorted(name for name in os.listdir(folder + "/store") if name.endswith(".db"))
    controller = Controller(folder, FAKETIME_400_DAYS)
    deadline = time.monotonic() + 120
    while controller.metric("atys_store_compactions_total") == 0 and time.monotonic() < deadline:
        time.sleep(0.2)
    check(controller.metric("atys_store_compactions_total") > 0, "it never came round to its upkeep")
    check(controller.metric("atys_controller_clock_ahead_seconds") > 399 * 86400, "the clock is not told in the metrics")
    check(controller.metric("atys_store_retention_dropped_files_total") == 0, "days were dropped because of the clock")
    while not any("400." in line or "399." in line for line in controller.lines) and time.monotonic() < deadline:
        time.sleep(0.2)
    check(any("the clock says" in line for line in controller.lines), "not told in the log: " + "".join(controller.lines))
    # Who sends with a clock that is right is heard.
    check(controller.send("shop", 6, start + 6 * 10**9), "a window with the right time was refused")
    controller.end()
    check(set(days) <= set(os.listdir(folder + "/store")), "day files are gone")
    controller = Controller(folder)
    counts, headers = controller.counts("shop", start, start + 600 * 10**9)
    check(counts == {f"w{each}": 1 for each in range(1, 7)}, f"after the clock was right again: {counts}")
    while controller.metric("atys_store_compactions_total") == 0 and time.monotonic() < deadline + 120:
        time.sleep(0.2)
    check(controller.metric("atys_store_compactions_total") > 0, "no sums since the clock is right again")
    controller.end()


def damaged_day(folder):
    start = time.time_ns() - 600 * 10**9
    controller = Controller(folder)
    for each in range(1, 200):
        check(controller.send("shop", each, start + each * 10**9), "not taken")
    controller.end()
    paths = [folder + "/store/" + name for name in os.listdir(folder + "/store") if name.endswith(".db")]
    for path in paths:
        with open(path, "r+b") as file:
            size = os.path.getsize(path)
            for page in range(2, size // 4096):
                file.seek(page * 4096 + 2000)
                byte = file.read(1)[0]
                file.seek(page * 4096 + 2000)
                file.write(bytes([byte ^ 1]))
    controller = Controller(folder)
    counts, headers = controller.counts("shop", start, start + 600 * 10**9)
    with controller.ask("/api/v1/services") as answer:
        services = json.loads(answer.read())
    check(services["problems"], "the list of services does not say that something is missing")
    if counts:
        check(headers["X-Atys-Exact"] == "false" and int(headers["X-Atys-Damaged"]) > 0, f"in silence: {headers}")
    check(controller.send("bank", 1, start), "the rest does not go on")
    counts, headers = controller.counts("bank", start - 10**9, start + 600 * 10**9)
    check(counts == {"w1": 1}, f"the rest does not go on: {counts}")
    check(headers["X-Atys-Exact"] == "false" and int(headers["X-Atys-Damaged"]) > 0, "what is set aside is not told")
    environment = dict(os.environ, ATYS_CONTROLLER=controller.url)
    printed = subprocess.run([ATYS, "services"], env=environment, capture_output=True, text=True)
    check("not whole" in printed.stdout, f"atys services says nothing: {printed.stdout}{printed.stderr}")
    controller.end()


def main():
    wanted, failed = sys.argv[1:], 0
    for case in (clock_ahead, damaged_day, killed_at_random_points):
        name = case.__name__.replace("_", " ")
        if wanted and case.__name__ not in wanted:
            continue
        folder = tempfile.mkdtemp(prefix="atys-store-faults-")
        try:
            detail = case(folder)
            print(f"ok {name}" + (f" # {detail}" if detail else ""), flush=True)
        except Exception as error:  # whatever it is, the next case is tried
            failed += 1
            print(f"not ok {name}: {error}", flush=True)
        finally:
            for controller in Controller.started:
                controller.kill()
            Controller.started.clear()
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
