#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real controllers and real agents in trouble: disks that are full or cannot be written, no descriptors left, kills at random points, clocks that are
off, tokens, certificates and addresses that are wrong. What was recorded arrives, once: what the agents say that they recorded is what the controller
answers."""
import contextlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
import live  # noqa: E402
from checks import check, differs  # noqa: E402
from otlp_windows import window  # noqa: E402
from programs import end  # noqa: E402
from real_agents import ATYS, FAKETIME, Agent, Controller, off_by  # noqa: E402

PATIENCE_S = 180
SERVICE = "busy"


def until(ready, seconds: float = PATIENCE_S) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, RuntimeError):
            if ready():
                return True
        time.sleep(0.3)
    return False


class Place:
    """A folder with a workload that runs, and everything else that has to end."""

    def __init__(self, top: pathlib.Path, workload: str):
        self.top, self.workload, self.mounts = top, workload, []
        self.task = top / "busy.yaml"
        self.task.write_text(f"task: {SERVICE}\nservice: exe={workload}\nwindow: 1s\nfrequency: 99\nprune: none\nbudget: {{overhead: 50%}}\n")
        self.running = None

    def work(self) -> None:
        self.running = subprocess.Popen([self.workload, "3600"], stdout=subprocess.DEVNULL)

    def rest(self) -> None:
        if self.running:
            end(self.running)
            self.running.wait()
            self.running = None

    def tmpfs(self, folder: pathlib.Path, megabytes: int) -> None:
        folder.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", str(folder)], check=True)
        self.mounts.append(folder)

    def end(self) -> None:
        self.rest()
        for folder in self.mounts:
            subprocess.run(["umount", "-l", str(folder)], capture_output=True)


def fill(folder: pathlib.Path) -> pathlib.Path:
    """A file that takes all room that is left."""
    ballast = folder / "ballast"
    with open(ballast, "wb") as file:
        with contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), bytes(4096))
    return ballast


def settled(place: Place, controller: Controller, agents: list[Agent], before: int = 0) -> str | None:
    """The workload rests, what was recorded has arrived, and it is what the agents say."""
    place.rest()
    seen = {}

    def is_quiet() -> bool:
        now = {agent.node: (agent.recorded(), len(agent.spooled())) for agent in agents}
        was, seen["now"] = seen.get("now"), now
        time.sleep(2)
        return was == now and not any(spooled for _, spooled in now.values())

    if not until(is_quiet):
        return f"windows are left: {seen.get('now')}; {agents[0].log.read_text()[-300:]}"
    told = sum(agent.recorded()[1] for agent in agents)
    lost = sum(agent.metric("atys_agent_windows_dropped_total") for agent in agents)
    if told == 0:
        return "nothing was recorded"
    return differs(lost, 0) or differs(controller.nanoseconds(SERVICE) - before, told)


def answer_to_post(controller: Controller) -> tuple[int, str | None]:
    """Status and Retry-After of a window that is sent by HTTP."""
    message = window([({"service.name": "posted", "n": time.monotonic_ns()}, {"x": 1})], time.time_ns() - 10**9)
    request = urllib.request.Request(controller.url + "/v1development/profiles", message,
                                     {"Content-Type": "application/x-protobuf", "Authorization": "Bearer " + controller.token})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, None
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("Retry-After")


def full_disk(place: Place) -> str | None:
    folder = place.top / "full"
    place.tmpfs(folder / "store", 16)
    with Controller(folder) as controller, Agent(place.top / "agent-full", controller.grpc, controller.token_file, "full") as agent:
        controller.atys("task", "apply", str(place.task))
        place.work()
        if not until(lambda: agent.metric("atys_agent_windows_sent_total") >= 2):
            return f"no window arrives: {agent.log.read_text()}"
        ballast = fill(folder / "store")
        if not until(lambda: len(agent.spooled()) >= 4 and controller.counter("atys_store_trouble") == 1):
            return f"{len(agent.spooled())} wait; {controller.log.read_text()}"
        status, retry_after = answer_to_post(controller)
        told = until(lambda: "cannot store" in controller.node("full").get("trouble", "") and agent.says("cannot store anything now"), 60)
        problem = differs((status, retry_after is not None), (503, True)) or differs(agent.metric("atys_agent_windows_dropped_total"), 0) or \
            (None if told else f"it is not told: {controller.node('full')}; {agent.log.read_text()}")
        ballast.unlink()
        return problem or settled(place, controller, [agent])


def read_only_disk(place: Place) -> str | None:
    folder = place.top / "read-only"
    place.tmpfs(folder / "store", 16)
    controller = Controller(folder)
    with Agent(place.top / "agent-read-only", controller.grpc, controller.token_file, "read-only") as agent:
        try:
            controller.atys("task", "apply", str(place.task))
            place.work()
            if not until(lambda: agent.metric("atys_agent_windows_sent_total") >= 2):
                return f"no window arrives: {agent.log.read_text()}"
            controller.process.kill()
            controller.process.wait()
            controller.ports = (controller.http, controller.grpc)
            subprocess.run(["mount", "-o", "remount,ro", str(folder / "store")], check=True)
            with contextlib.suppress(RuntimeError):  # it may as well say that it cannot work so, and end
                controller.start()
            if not until(lambda: len(agent.spooled()) >= 3):
                return f"windows do not wait: {agent.metrics()[:300]}"
            subprocess.run(["mount", "-o", "remount,rw", str(folder / "store")], check=True)
            if controller.process.poll() is not None:
                controller.start()
            return settled(place, controller, [agent])
        finally:
            if controller.process.poll() is None:
                end(controller.process)


def no_descriptors(place: Place) -> str | None:
    with Controller(place.top / "descriptors") as controller, \
            Agent(place.top / "agent-descriptors", controller.grpc, controller.token_file, "descriptors") as agent:
        controller.atys("task", "apply", str(place.task))
        place.work()
        if not until(lambda: agent.metric("atys_agent_windows_sent_total") >= 1):
            return f"no window arrives: {agent.log.read_text()}"
        for process in (controller.process, agent.process):
            before = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
            used = max(int(fd) for fd in os.listdir(f"/proc/{process.pid}/fd")) + 1
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (used, before[1]))
            time.sleep(5)
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, before)
        # An agent that could not even make a file had to let go of its window; that it says so is all that can be asked.
        lost = re.search(r'lost_total\{reason="unwritable"\} (\d+)', agent.metrics())
        if lost and int(lost.group(1)) > 0:
            place.rest()
            return None if agent.says("windows lost, unwritable") or until(lambda: agent.says("windows lost, unwritable"), 60) else "it is not told"
        return settled(place, controller, [agent])


def total_of(place: Place, files: list[pathlib.Path]) -> int:
    total = 0
    for file in files:
        plain = place.top / "one.collapsed"
        plain.unlink(missing_ok=True)
        subprocess.run([ATYS, "convert", str(file), "-o", str(plain)], check=True, capture_output=True)
        total += sum(int(line.rpartition(" ")[2]) for line in plain.read_text().splitlines())
    return total


def kills(place: Place) -> str | None:
    """First the agent while nobody takes its windows, then both while they are handed over."""
    dice = random.Random(os.environ.get("ATYS_SEED", str(time.time_ns())))
    controller = Controller(place.top / "kills")
    agent = Agent(place.top / "agent-kills", controller.grpc, controller.token_file, "kills")
    try:
        controller.atys("task", "apply", str(place.task))
        if not until(lambda: controller.node("kills") and agent.metric("atys_task_running") == 0):
            return f"it has no task: {agent.log.read_text()}"
        controller.process.kill()
        controller.process.wait()
        controller.ports = (controller.http, controller.grpc)
        place.work()
        for _ in range(4):
            files = len(agent.spooled())
            if not until(lambda: len(agent.spooled()) > files + 1):
                return f"nothing is spooled: {agent.log.read_text()[-300:]}"
            time.sleep(dice.random())
            agent.kill()
            agent.start()
            if list((agent.folder / "spool").glob("*.part")):
                return "what a kill left half written is still there"
        agent.kill()
        place.rest()
        windows, truth = len(agent.spooled()), total_of(place, agent.spooled())
        for _ in range(8):
            controller.start()
            agent.start()
            time.sleep(dice.random() * 1.5)
            for process in dice.sample([controller.process, agent.process], 2):
                process.kill()
                process.wait()
        controller.start()
        agent.start()
        if not until(lambda: not agent.spooled()):
            return f"{len(agent.spooled())} of {windows} windows wait: {agent.log.read_text()[-300:]}"
        return differs(controller.nanoseconds(SERVICE), truth) or differs(controller.counter("atys_store_windows"), windows)
    finally:
        for process in (controller.process, agent.process):
            if process.poll() is None:
                end(process)


def wrong_clocks(place: Place) -> str | None:
    """An hour ahead, three days behind, a year ahead; one that is right."""
    offsets = {"right": "+0", "hour": "+1h", "days": "-73h", "year": "+365d"}
    with Controller(place.top / "clocks") as controller, contextlib.ExitStack() as stack:
        agents = [stack.enter_context(Agent(place.top / f"agent-{name}", controller.grpc, controller.token_file, name, environment=off_by(offset)))
                  for name, offset in offsets.items()]
        controller.atys("task", "apply", str(place.task))
        place.work()
        if not until(lambda: all(agent.metric("atys_agent_windows_sent_total") >= 2 for agent in agents)):
            return f"no windows arrive: {[(agent.node, agent.log.read_text()[-300:]) for agent in agents]}"
        ahead = [round(controller.node(name)["clock_ahead_ns"] / 1e9 / 3600) for name in offsets]
        told = [name for name in offsets if re.search("its clock is .*NTP", controller.node(name)["trouble"])]
        in_log = [agent.node for agent in agents if until(lambda: agent.says(r"clock: .* the controller's.*NTP"), 20 if agent.node != "right" else 1)]
        problem = settled(place, controller, agents)
        stored = json.loads(controller.atys("services", "--json"))["services"][0]
        now = time.time_ns()
        return problem or differs(ahead, [0, 1, -73, 365 * 24]) or differs(told, ["hour", "days", "year"]) or \
            differs(in_log, ["hour", "days", "year"]) or \
            (None if now - 3600 * 10**9 < stored["first_ns"] <= stored["last_ns"] < now + 60 * 10**9 else f"windows of {stored} at {now}") or \
            (None if controller.nanoseconds(SERVICE, "{atys.clock=shifted}") > 0 else "windows that were shifted do not say so")


def controller_clock(place: Place) -> str | None:
    """The controller's is two hours ahead for a while, then right again."""
    controller = Controller(place.top / "jump", environment=off_by("+2h"))
    with Agent(place.top / "agent-jump", controller.grpc, controller.token_file, "jump") as agent:
        try:
            controller.atys("task", "apply", str(place.task))
            place.work()
            if not until(lambda: agent.metric("atys_agent_windows_sent_total") >= 2):
                return f"no window arrives: {agent.log.read_text()}"
            controller.environment = {}
            controller.restart()
            sent = agent.metric("atys_agent_windows_sent_total")
            if not until(lambda: agent.metric("atys_agent_windows_sent_total") >= sent + 2):
                return f"no window arrives any more: {agent.log.read_text()}"
            return settled(place, controller, [agent])
        finally:
            end(controller.process)


def make_certificate(folder: pathlib.Path, name: str) -> tuple[str, str]:
    key, certificate = str(folder / f"{name}.key"), str(folder / f"{name}.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True,
                   capture_output=True)
    return key, certificate


def what_is_wrong_is_told(place: Place) -> str | None:
    top = place.top
    key, certificate = make_certificate(top, "ours")
    _, stranger = make_certificate(top, "stranger")
    wrong = top / "wrong-token"
    wrong.write_text("w" * 40 + "\n")
    wrong.chmod(0o600)
    own_task = ["--task", str(place.task)]
    place.work()
    with Controller(top / "told") as plain, Controller(top / "told-tls", "--cert", certificate, "--key", key) as secure, contextlib.ExitStack() as stack:
        cases = {"token": (Agent(top / "agent-token", plain.grpc, wrong, "token", *own_task), r"token.*; give the token"),
                 "address": (Agent(top / "agent-address", plain.http, plain.token_file, "address", *own_task), r"controller 127\.0\.0\.1.*; is .*\?"),
                 "nobody": (Agent(top / "agent-nobody", "127.0.0.1:1", plain.token_file, "nobody", *own_task), r"; is a controller running there"),
                 "certificate": (Agent(top / "agent-certificate", secure.grpc, secure.token_file, "certificate", "--ca", stranger, *own_task),
                                 r"certificate.*--ca")}
        for agent, _ in cases.values():
            stack.enter_context(agent)
        for name, (agent, pattern) in cases.items():
            if not until(lambda: len(agent.spooled()) >= 1 and agent.says(pattern), 90):
                return f"{name}: {agent.spooled()} {agent.log.read_text()}"
            if not until(lambda: agent.metric('atys_agent_trouble') >= 1, 10) or agent.metric("atys_agent_windows_dropped_total") != 0:
                return f"{name}: {[line for line in agent.metrics().splitlines() if 'trouble' in line or 'lost' in line]}"
        # Once it is mended everything is there.
        agent = cases["token"][0]
        agent.kill()
        agent.command[agent.command.index(str(wrong))] = str(plain.token_file)
        agent.start()
        return None if until(lambda: agent.metric("atys_agent_windows_sent_total") >= 1) else agent.log.read_text()


def tokens_stay_here(place: Place) -> str | None:
    token = place.top / "a-token"
    token.write_text("t" * 40 + "\n")
    token.chmod(0o600)
    run = lambda *words, **more: subprocess.run([ATYS, *words], capture_output=True, text=True, timeout=60, **more)
    agent = ["agent", "--metrics", "none", "--data", str(place.top / "agent-clear"), "--duration", "1s"]
    refused = run(*agent, "--controller", "192.0.2.1:4317", "--token-file", str(token))
    told = run(*agent, "--controller", "192.0.2.1:4317", "--token-file", str(token), "--insecure-token")
    missing = run(*agent, "--controller", "127.0.0.1:1", "--token-file", str(place.top / "no-token"))
    above = run("controller", "--listen", "127.0.0.1:0", "--grpc", "none", "--data", str(place.top / "clear"), "--upstream", "192.0.2.1:4317",
                "--upstream-token-file", str(token))
    asked = run("nodes", env={**os.environ, "ATYS_CONTROLLER": "http://192.0.2.1:4318", "ATYS_TOKEN": "t" * 40})
    for name, done in (("agent", refused), ("controller", above), ("question", asked)):
        if done.returncode == 0 or "in clear" not in done.stderr:
            return f"{name}: {done.returncode} {done.stderr}"
    return differs(told.returncode, 0) or differs(missing.returncode != 0 and "no-token" in missing.stderr, True) or \
        differs((place.top / "no-token").exists(), False)


def main() -> int:
    missing = [program for program in ("mount", "openssl") if not shutil.which(program)]
    if os.geteuid() != 0 or missing:
        print(f"skip a fleet in trouble: {'needs root' if os.geteuid() else 'no ' + ', '.join(missing)}")
        return 0
    cases = {"a full disk of the controller loses nothing": full_disk, "one that is read-only neither": read_only_disk,
             "nor descriptors that are used up": no_descriptors, "nor kills at random points, and nothing counts twice": kills,
             "agents whose clocks are off lose nothing, and it is told": wrong_clocks, "nor does a controller's clock that jumps": controller_clock,
             "a wrong token, certificate or address is told with what to do": what_is_wrong_is_told,
             "tokens are not sent in clear, nor made where they are missing": tokens_stay_here}
    for name, case in cases.items():
        if len(sys.argv) > 1 and sys.argv[1] not in case.__name__:
            continue
        if FAKETIME is None and "clock" in case.__name__:
            print(f"skip {name}: no faketime")
            continue
        with tempfile.TemporaryDirectory(prefix="atys-faults-") as folder:
            # A name of its own: other tests run the same workload.
            workload = pathlib.Path(folder) / "busy"
            shutil.copy(live.workload("split_fp"), workload)
            place = Place(pathlib.Path(folder), str(workload))
            try:
                check(name, lambda: case(place))
            finally:
                place.end()
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
