#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The paper's workflow with real parts: a task file, a controller, two agents on nodes of their own (network and pid namespaces), a workload with
a known split on each, a real Prometheus that finds the agents by HTTP discovery, and one flame graph merged over both nodes."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
import live  # noqa: E402
from checks import report  # noqa: E402
from controllers import Controller  # noqa: E402
from scratch import atys_binary  # noqa: E402

ATYS = atys_binary()
RUN = os.getpid()  # so that two runs at once do not share names and addresses
BRIDGE, NET = f"atys{RUN}", f"10.{200 + RUN // 256 % 50}.{RUN % 256}"
NODES = {"node-1": f"{NET}.11", "node-2": f"{NET}.12"}
WINDOW_S, WINDOWS = 2, 4


def sh(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


def namespace(node: str) -> str:
    return f"atys-{node}-{RUN}"


def make_network() -> None:
    sh("ip", "link", "add", BRIDGE, "type", "bridge")
    sh("ip", "addr", "add", f"{NET}.1/24", "dev", BRIDGE)
    sh("ip", "link", "set", BRIDGE, "up")
    for number, (node, address) in enumerate(NODES.items()):
        sh("ip", "netns", "add", namespace(node))
        sh("ip", "link", "add", f"av{number}-{RUN}", "type", "veth", "peer", "name", "eth0", "netns", namespace(node))
        sh("ip", "link", "set", f"av{number}-{RUN}", "master", BRIDGE, "up")
        inside = ["ip", "netns", "exec", namespace(node), "ip"]
        sh(*inside, "addr", "add", f"{address}/24", "dev", "eth0")
        sh(*inside, "link", "set", "eth0", "up")
        sh(*inside, "link", "set", "lo", "up")


def remove_network() -> None:
    for number, node in enumerate(NODES):
        subprocess.run(["ip", "netns", "del", namespace(node)], capture_output=True)
        subprocess.run(["ip", "link", "del", f"av{number}-{RUN}"], capture_output=True)
    subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)


class Fleet:
    """Everything that runs, ended again whatever happens."""

    def __init__(self, top: pathlib.Path):
        self.top, self.running = top, []

    def start(self, name: str, *words: str) -> subprocess.Popen:
        with open(self.top / f"{name}.log", "w") as log:
            self.running.append(subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True))
        return self.running[-1]

    def log(self, name: str) -> str:
        return (self.top / f"{name}.log").read_text()

    def end(self) -> None:
        for process in reversed(self.running):
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        for process in self.running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def until(seconds: float, ready) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if ready():
            return True
        time.sleep(0.3)
    return False


def start_node(fleet: Fleet, node: str, controller: Controller, workload: str) -> None:
    """Its own network and its own processes, as on another machine."""
    script = (f"{workload} 600 >/dev/null & exec {ATYS} agent --controller {controller.grpc} --token-file {controller.token_file} --insecure-token --node {node} "
              f"--metrics {NODES[node]}:9465 --metrics-token-file {controller.token_file} --data {fleet.top}/{node} --max-cpu 50%")
    fleet.start(node, "ip", "netns", "exec", namespace(node), "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script)


def start_prometheus(fleet: Fleet, controller: Controller) -> str:
    config = fleet.top / "prometheus.yml"
    config.write_text(json.dumps({
        "global": {"scrape_interval": "1s"},
        "scrape_configs": [{"job_name": "atys-agents", "authorization": {"type": "Bearer", "credentials": controller.token}, "http_sd_configs": [
            {"url": f"{controller.url}/sd", "refresh_interval": "1s", "authorization": {"type": "Bearer", "credentials": controller.token}}]}]}))
    address = f"{NET}.1:9466"
    fleet.start("prometheus", "prometheus", f"--config.file={config}", f"--storage.tsdb.path={fleet.top}/tsdb", f"--web.listen-address={address}")
    return address


def promql(address: str, query: str) -> list[dict]:
    try:
        with urllib.request.urlopen(f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=5) as answer:
            return json.load(answer)["data"]["result"]
    except OSError:
        return []


def asked(controller: Controller, *words: str) -> str:
    env = dict(os.environ, ATYS_CONTROLLER=controller.url, ATYS_TOKEN=controller.token, ATYS_INSECURE_TOKEN="1")
    done = subprocess.run([ATYS, *words], capture_output=True, text=True, env=env)
    if done.returncode != 0:
        raise RuntimeError(f"atys {' '.join(words)}: {done.stderr}")
    return done.stdout


def collapsed(top: pathlib.Path, controller: Controller, reference: str) -> dict[str, int]:
    path = top / "asked.collapsed"
    path.unlink(missing_ok=True)
    asked(controller, "convert", reference, "-o", str(path))
    rows: dict[str, int] = {}
    for line in path.read_text().splitlines():
        stack, _, value = line.rpartition(" ")
        rows[stack] = rows.get(stack, 0) + int(value)
    return rows


def windows_of(controller: Controller) -> list[int]:
    nodes = json.loads(asked(controller, "nodes", "--json"))["nodes"]
    return [sum(task["windows"] for task in node["tasks"]) for node in nodes]


def is_sum_of_nodes(top: pathlib.Path, controller: Controller) -> bool:
    """Not so while what the agents still had arrives between two of the questions."""
    whole = collapsed(top, controller, "service:split")
    parts = [collapsed(top, controller, f"service:split{{node={node}}}") for node in NODES]
    summed = {stack: sum(part.get(stack, 0) for part in parts) for stack in set().union(*parts)}
    return bool(whole) and all(parts) and whole == summed


def judge(fleet: Fleet, controller: Controller, prometheus: str) -> None:
    recorded = until(90, lambda: len(windows_of(controller)) == 2 and min(windows_of(controller)) >= WINDOWS)
    report("both nodes join and get the task", None if recorded else f"windows: {windows_of(controller)}; {fleet.log('node-1')} {fleet.log('node-2')}")
    targets = until(30, lambda: len(promql(prometheus, 'up{job="atys-agents"} == 1')) == 2)
    report("prometheus finds both agents by discovery", None if targets else f"{promql(prometheus, 'up')}; {fleet.log('prometheus')[-300:]}")
    query = 'sum by (function) (atys_function_inclusive_cpu_seconds_total{service="split",function=~"sixty|thirty|ten"})'
    until(30, lambda: len(promql(prometheus, query)) == 3)
    seconds = {row["metric"]["function"]: float(row["value"][1]) for row in promql(prometheus, query)}
    total = sum(seconds.values())
    shares = {name: value / total for name, value in seconds.items()} if total else {}
    fits = all(abs(shares.get(name, 0) - share) < 0.05 for name, share in (("sixty", 0.6), ("thirty", 0.3), ("ten", 0.1)))
    report("PromQL returns the tracked functions in their shares", None if fits else str(shares))
    asked(controller, "task", "stop", "split")
    until(30, lambda: all(not node["tasks"] for node in json.loads(asked(controller, "nodes", "--json"))["nodes"]))
    report("one flame graph is the sum of both nodes", None if until(30, lambda: is_sum_of_nodes(fleet.top, controller)) else "it is another one")


def main() -> int:
    missing = [program for program in ("ip", "unshare", "prometheus") if not shutil.which(program)]
    if os.geteuid() != 0 or missing:
        print(f"skip nodes of a fleet: {'needs root' if os.geteuid() else 'no ' + ', '.join(missing)}")
        return 0
    workload = str(live.workload("split_fp"))
    with tempfile.TemporaryDirectory(prefix="atys-fleet-") as name:
        fleet = Fleet(pathlib.Path(name))
        remove_network()
        try:
            make_network()
            with Controller(fleet.top / "controller", ports=(f"{NET}.1:0", f"{NET}.1:0")) as controller:
                task = fleet.top / "split.yaml"
                task.write_text(f"task: split\nservice: exe={workload}\nwindow: {WINDOW_S}s\nfrequency: 199\nprune: none\ntrack: [sixty, thirty, ten]\n"
                                "nodes: [node-*]\nbudget: {overhead: 20%}\n")
                asked(controller, "task", "apply", str(task))
                prometheus = start_prometheus(fleet, controller)
                for node in NODES:
                    start_node(fleet, node, controller, workload)
                judge(fleet, controller, prometheus)
        except Exception as error:  # whatever goes wrong is a result
            report("the fleet runs", f"{type(error).__name__}: {error}; {fleet.log('controller') if (fleet.top / 'controller.log').exists() else ''}")
        finally:
            fleet.end()
            remove_network()
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
