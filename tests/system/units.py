#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The units of packaging/systemd: systemd takes them, finds them as closed as they are said to be, and an agent that runs has given up what
its unit would not give it."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import checks  # noqa: E402
from checks import check, differs  # noqa: E402
from programs import end  # noqa: E402
from scratch import atys_binary  # noqa: E402

# As <linux/capability.h> numbers them.
CAPABILITIES = {"CAP_DAC_OVERRIDE": 1, "CAP_DAC_READ_SEARCH": 2, "CAP_FOWNER": 3, "CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_IPC_LOCK": 14,
                "CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21, "CAP_SYS_NICE": 23, "CAP_SYS_RESOURCE": 24, "CAP_SYSLOG": 34, "CAP_PERFMON": 38,
                "CAP_BPF": 39, "CAP_CHECKPOINT_RESTORE": 40}
UNITS = ROOT / "packaging/systemd"
MOST_EXPOSED = {"atys-controller": 1.5, "atys-agent": 5.0}  # of 10, as systemd-analyze counts: "OK" and better is below 5


def unit(name):
    return (UNITS / f"{name}.service").read_text()


def verified(name, folder):
    """As it would be installed, with the program that was built."""
    path = pathlib.Path(folder, f"{name}.service")
    path.write_text(re.sub(r"(?m)^Documentation=.*\n", "", unit(name)).replace("/usr/bin/atys", atys_binary()))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True, timeout=120)
    said = [line for line in (done.stdout + done.stderr).splitlines() if name in line]
    return None if not said else "; ".join(said)


def exposure(name):
    done = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager", str(UNITS / f"{name}.service")], capture_output=True, text=True,
                          timeout=120)
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    if not found:
        return f"no level: {done.stdout[-200:]}{done.stderr[-200:]}"
    return None if float(found.group(1)) <= MOST_EXPOSED[name] else f"{found.group(1)}, more than {MOST_EXPOSED[name]}"


def listed():
    """The capabilities of the unit, of the program and of the guide, as numbers."""
    of_unit = re.search(r"(?m)^CapabilityBoundingSet=(.+)$", unit("atys-agent")).group(1).split()
    table = re.search(r"kAgentCapabilities = \{(.*?)\};", (ROOT / "src/linux/own_rights.h").read_text(), re.DOTALL).group(1)
    of_program = re.findall(r"(?m)^\s+(CAP_\w+),", table)
    guide = (ROOT / "docs/guide/fleet-running.md").read_text()
    return of_unit, of_program, [name for name in of_program if f"`{name}`" in guide]


def same_lists():
    of_unit, of_program, of_guide = listed()
    return differs(sorted(of_unit), sorted(of_program)) or differs(of_guide, of_program)


def running_agent(folder):
    task = pathlib.Path(folder, "task.yaml")
    task.write_text("task: none\nservice: no-such-program-anywhere\n")
    agent = subprocess.Popen([atys_binary(), "agent", "--task", str(task), "--metrics", "127.0.0.1:0", "--data", f"{folder}/agent"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        agent.stderr.readline()  # where its metrics are: it has begun
        own = sum(1 << CAPABILITIES[name] for name in listed()[1])
        deadline = time.monotonic() + 30
        while len(threads := list(pathlib.Path(f"/proc/{agent.pid}/task").iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        for thread in threads:
            status = dict(line.split(":\t", 1) for line in (thread / "status").read_text().splitlines() if ":\t" in line)
            if status["NoNewPrivs"] != "1":
                return "it could gain privileges"
            for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb"):
                if beyond := int(status[name], 16) & ~own:
                    return f"thread {thread.name}: {name} has {beyond:x} beyond its list"
        ours = int(re.search(r"CapEff:\t(\w+)", pathlib.Path("/proc/self/status").read_text()).group(1), 16)
        return differs(int(status["CapEff"], 16), ours & own)
    finally:
        end(agent)


def main():
    with tempfile.TemporaryDirectory(prefix="atys-units-") as folder:
        if shutil.which("systemd-analyze") is None:
            print("skip units: there is no systemd-analyze")
        else:
            for name in MOST_EXPOSED:
                check(f"{name}: systemd takes it", lambda: verified(name, folder))
                check(f"{name}: is no more exposed than it is said to be", lambda: exposure(name))
        check("the agent's capabilities are the same in the unit, the program and the guide", same_lists)
        check("every thread of an agent has these and no other", lambda: running_agent(folder))
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
