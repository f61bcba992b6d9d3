# SPDX-License-Identifier: Apache-2.0
"""Real agents and real controllers of a test that breaks what is around them, and what each of them says of the windows."""
import json
import os
import pathlib
import re
import subprocess
import time
import urllib.request

import controllers
from programs import end
from scratch import atys_binary

ATYS = atys_binary()
FAKETIME = next(iter(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")), None)


def off_by(offset: str) -> dict:
    """The environment of a program whose clock is off, say "+2h"; time that passes is as ever."""
    return {"LD_PRELOAD": str(FAKETIME), "FAKETIME": offset, "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_RESET": "1"}


def metrics_of(text: str, name: str) -> float:
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(re.escape(name) + r"[ {]", line))


class Controller(controllers.Controller):
    """With what it answers."""

    def __init__(self, folder, *options, environment=None, **more):
        self.environment = environment or {}
        super().__init__(folder, *options, **more)

    def spawn(self, command, log):
        return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **self.environment})

    def get(self, path: str) -> str:
        request = urllib.request.Request(self.url + path, headers={"Authorization": "Bearer " + self.token})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def counter(self, name: str) -> float:
        return metrics_of(self.get("/metrics"), name)

    def atys(self, *arguments: str) -> str:
        environment = {**os.environ, "ATYS_CONTROLLER": self.url, "ATYS_TOKEN": self.token, "NO_COLOR": "1"}
        done = subprocess.run([ATYS, *arguments], env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"atys {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def node(self, name: str) -> dict:
        nodes = json.loads(self.atys("nodes", "--json"))["nodes"]
        return next((node for node in nodes if node["node"] == name), {})

    def nanoseconds(self, service: str, more: str = "") -> int:
        """CPU time of the service, all that is stored."""
        try:
            answer = self.atys("summary", f"service:{service}{more}@2020-01-01T00:00:00Z..2035-01-01T00:00:00Z", "--form", "raw", "--top", "10000", "--json")
        except RuntimeError:  # nothing has arrived yet
            return 0
        return sum(row["self"] for row in json.loads(answer)["rows"])


class Agent:
    """Ended with the block, if not before."""

    def __init__(self, folder, controller: str, token_file, node: str, *options, environment=None):
        self.folder, self.node, self.log = pathlib.Path(folder), node, pathlib.Path(str(folder) + ".log")
        self.command = [ATYS, "agent", "--controller", controller, "--token-file", str(token_file), "--node", node, "--data", str(folder),
                        "--metrics", "127.0.0.1:0", "--max-cpu", "100%", *map(str, options)]
        self.environment = environment or {}
        self.start()

    def start(self) -> None:
        with open(self.log, "a") as log:
            at = log.tell()
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **self.environment})
        deadline = time.monotonic() + 60
        while not (found := re.search(r"metrics are at (\S+)", self.log.read_text()[at:])):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the agent does not start: {self.log.read_text()[-400:]}")
            time.sleep(0.05)
        self.metrics_url = found.group(1)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def says(self, pattern: str) -> bool:
        return re.search(pattern, self.log.read_text()) is not None

    def metrics(self) -> str:
        with urllib.request.urlopen(self.metrics_url, timeout=30) as answer:
            return answer.read().decode()

    def metric(self, name: str) -> float:
        return metrics_of(self.metrics(), name)

    def recorded(self) -> tuple[int, int]:
        """Windows, and the nanoseconds of CPU time in them."""
        text = self.metrics()
        return int(metrics_of(text, "atys_task_windows_total")), round(metrics_of(text, "atys_function_cpu_seconds_total") * 1e9)

    def spooled(self) -> list[pathlib.Path]:
        return sorted((self.folder / "spool").glob("*.otlp.gz"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            end(self.process)
