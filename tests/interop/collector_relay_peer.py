#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real OpenTelemetry Collector between our senders and our controllers.

Profiles that pass through it, in by gRPC and HTTP, out by gRPC and (batched) by HTTP, must make the service's profile that they make when
they are sent directly; what our agent and our `--upstream` send must arrive in it with the same totals, by its own log.

The Collector is release 0.155.0, whose data model has the numbers of OTLP 1.10, as ours; profiles are behind a feature gate in it.
"""
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import peer

sys.path.insert(0, str(peer.ROOT / "tests" / "support"))
import captured  # noqa: E402
import controllers  # noqa: E402
from otlp_windows import window  # noqa: E402
from programs import end, eventually  # noqa: E402

SECOND = 10**9
PATH = "/v1development/profiles"

CONFIG = """
receivers:
  otlp: {{protocols: {{grpc: {{endpoint: "127.0.0.1:0"}}, http: {{endpoint: "127.0.0.1:0"}}}}}}
exporters:
  otlp: {{endpoint: "{grpc.grpc}", tls: {{insecure: true}}, headers: {{authorization: "Bearer {grpc.token}"}}}}
  otlphttp:
    endpoint: "http://{http.http}"
    headers: {{authorization: "Bearer {http.token}"}}
    sending_queue: {{batch: {{flush_timeout: 500ms, min_size: 1000}}}}
  debug: {{verbosity: detailed, use_internal_logger: false}}
service:
  telemetry: {{metrics: {{level: none}}}}
  pipelines: {{profiles: {{receivers: [otlp], exporters: [otlp, otlphttp, debug]}}}}
"""


class Program:
    """Started, and ended whatever happens; what it says is in a file."""

    def __init__(self, log, *words):
        self.log = log
        with open(log, "w") as file:
            self.process = subprocess.Popen([str(word) for word in words], stdout=file, stderr=file)

    def says(self, pattern, seconds=60):
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.log.read_text())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.log.name} does not say {pattern}: {self.log.read_text()[-400:]}")
            time.sleep(0.05)
        return found.group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)


class Controller(controllers.Controller):
    def __init__(self, folder, name, *options):
        self.home = folder / name
        super().__init__(self.home, "--name", name, *options)

    def stacks(self, service, more=""):
        """{stack: nanoseconds} of all that is there."""
        target = self.home / "asked.collapsed"
        target.unlink(missing_ok=True)
        environment = {**os.environ, "ATYS_CONTROLLER": self.url, "ATYS_TOKEN": self.token}
        done = subprocess.run([peer.ATYS, "convert", f"service:{service}{more}@-1d..now", "-o", target], env=environment,
                              capture_output=True, text=True)
        if done.returncode != 0:
            return {"error": done.stderr}
        rows = {}
        for line in target.read_text().splitlines():
            stack, _, value = line.rpartition(" ")
            rows[stack] = rows.get(stack, 0) + int(value)
        return rows

    def windows(self, service):
        environment = {**os.environ, "ATYS_CONTROLLER": self.url, "ATYS_TOKEN": self.token}
        told = json.loads(subprocess.run([peer.ATYS, "services", "--json"], env=environment, capture_output=True, text=True, check=True).stdout)
        return sum(row["windows"] for row in told["services"] if row["service"] == service)

    def metric(self, name):
        text = post(self.http, "/metrics", None, token=self.token)
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(name + r"[ {]", line))


class Collector(Program):
    def __init__(self, binary, folder, by_grpc, by_http):
        config = folder / "collector.yaml"
        config.write_text(CONFIG.format(grpc=by_grpc, http=by_http))
        super().__init__(folder / "collector.log", binary, "--config", f"file:{config}", "--feature-gates=service.profilesSupport")
        self.grpc = self.says(r'Starting GRPC server.*"endpoint": "([^"]+)"')
        self.http = self.says(r'Starting HTTP server.*"endpoint": "([^"]+)"')
        self.says("(Everything is ready)")

    def logged(self, service):
        """Sums of all values that it has seen of a service, by its own log, one for each value type: it does not name them."""
        totals, current, position = {}, "", ""
        for line in self.log.read_text().splitlines():
            if found := re.search(r"-> service\.name: Str\((.*)\)", line):
                current = found.group(1)
            if found := re.match(r"Profile #(\d+)", line):
                position = found.group(1)
            if (found := re.search(r"Values: \[([\d ]+)\]", line)) and current == service:
                totals[position] = totals.get(position, 0) + sum(int(value) for value in found.group(1).split())
        return set(totals.values())


def post(address, path, body, kind="application/x-protobuf", token=""):
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {"Content-Type": kind, **({"Authorization": "Bearer " + token} if token else {})}
    connection.request("GET" if body is None else "POST", path, body, headers)
    answer = connection.getresponse()
    said = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{address} answers {answer.status}: {said[:200]}")
    return said.decode(errors="replace")


BEGUN_NS = time.time_ns()  # a window that is sent again is of the same time


def windows(service, count=4):
    """Of two nodes and two versions; every other is of two instances in one message."""
    for number in range(count):
        resources = [({"service.name": service, "service.version": str(number % 2), "host.name": f"web-{number // 2}",
                       "service.instance.id": f"{number}-{each}"}, {"main;f": 1000 + number, f"main;g{each};h": 10 + each})
                     for each in range(1 + number % 2)]
        yield window(resources, BEGUN_NS - (60 + number) * SECOND, profile_id=bytes([number + 1] * 16))


def theirs_to_ours(collector, direct, by_grpc, by_http):
    def same(service, more=""):
        wanted = direct.stacks(service, more)
        if not wanted or "error" in wanted:
            return f"nothing arrived directly: {wanted}"
        return eventually(lambda: by_grpc.stacks(service, more), wanted) or eventually(lambda: by_http.stacks(service, more), wanted)

    def protobuf():
        for message in windows("relayed"):
            post(direct.http, PATH, message, token=direct.token)
            post(collector.http, PATH, message)
        return same("relayed") or same("relayed", "{node=web-1}") or same("relayed", "{version=1}")

    def again():
        """Grouped differently by then, perhaps: ids must not depend on that. A last window says that the others have passed."""
        for message in windows("relayed"):
            post(collector.http, PATH, message)
        last = window([({"service.name": "relayed"}, {"last": 1})], time.time_ns(), profile_id=b"l" * 16)
        post(direct.http, PATH, last, token=direct.token)
        post(collector.http, PATH, last)
        return same("relayed")

    def as_json():
        message = next(windows("of-json"))
        post(direct.http, PATH, message, token=direct.token)
        encoded = subprocess.run([peer.ATYS, "convert", "-", "--to", "otlp-json", "-o", "-"], input=message, capture_output=True).stdout
        post(collector.http, PATH, encoded, "application/json")
        return same("of-json")

    peer.check("profiles by HTTP through the Collector, on by gRPC and by HTTP in batches", protobuf)
    peer.check("what comes again is stored once", again)
    peer.check("JSON through the Collector", as_json)


def ours_to_theirs(collector, folder, by_grpc, by_http):
    def upstream():
        with Controller(folder, "site", "--upstream", collector.grpc, "--pass-on", "2s") as site:
            for message in windows("passed-on", 6):
                post(site.http, PATH, message, token=site.token)
            wanted = site.stacks("passed-on")
            return eventually(lambda: by_grpc.stacks("passed-on"), wanted) or eventually(lambda: by_http.stacks("passed-on"), wanted) or \
                eventually(lambda: collector.logged("passed-on"), {sum(wanted.values())}) or \
                eventually(lambda: site.metric("atys_upstream_connected"), 1)

    def agent():
        workload = shutil.copy(captured.workload("split_fp"), folder / "relay-live")
        task = folder / "live.yaml"
        task.write_text(f"task: live\nservice: exe={workload}\nwindow: 1s\nfrequency: 199\nprune: none\nbudget: {{overhead: 20%}}\n")
        with Program(folder / "workload.log", workload, "60"), \
                Program(folder / "agent.log", peer.ATYS, "agent", "--controller", collector.grpc, "--task", task, "--data", folder / "agent",
                        "--metrics", "none", "--max-cpu", "50%"):
            eventually(lambda: by_grpc.windows("live") >= 4, True)
        wanted = by_grpc.stacks("live")  # the agent has sent all that it had before it ended
        if "error" in wanted:
            return f"{wanted['error']} {(folder / 'agent.log').read_text()}"
        hot = sum(value for stack, value in wanted.items() if "sixty" in stack) / max(1, sum(wanted.values()))
        if not 0.4 < hot < 0.8:
            return f"sixty has {hot:.2f} of {wanted}"
        return eventually(lambda: (by_grpc.stacks("live") == by_http.stacks("live"),
                                   sum(by_grpc.stacks("live").values()) in collector.logged("live")), (True, True))

    peer.check("a controller passes on to the Collector, which has no orders to give", upstream)
    if os.geteuid() == 0:
        peer.check("an agent sends to the Collector", agent)
    else:
        print("skip an agent sends to the Collector: needs root")


def main():
    binary = peer.build_go("collector", pathlib.Path(__file__).parent / "collector")
    with peer.scratch() as name:
        folder = pathlib.Path(name)
        with Controller(folder, "direct") as direct, Controller(folder, "by-grpc") as by_grpc, Controller(folder, "by-http") as by_http, \
                Collector(binary, folder, by_grpc, by_http) as collector:
            theirs_to_ours(collector, direct, by_grpc, by_http)
            ours_to_theirs(collector, folder, by_grpc, by_http)
    peer.finish()


if __name__ == "__main__":
    main()
