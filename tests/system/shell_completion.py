#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completion in bash, zsh and fish themselves: words typed into an interactive shell, and the Tab key."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from checks import check, differs, status  # noqa: E402
from in_terminal import InTerminal  # noqa: E402
from scratch import Scratch  # noqa: E402

PROMPT = "ready> "


def profile_id(scratch: Scratch) -> str:
    return scratch.run("atys convert base.collapsed")[1].strip()


# ------------------------------------------------------------------------------------------------------- what each shell makes of it

class Bash:
    name = "bash"

    def __init__(self, scratch: Scratch):
        scratch.run("atys completion bash > completion.bash")
        rc = scratch.path / "rc.bash"
        rc.write_text(f"PS1='{PROMPT}'; bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'\n"
                      "bind 'set page-completions off'; bind 'set completion-query-items 0'; source ./completion.bash\n")
        self.shell = InTerminal(["bash", "--noprofile", "--rcfile", "rc.bash", "-i"], 40, 160, terminal_environment(scratch), str(scratch.path))


class Zsh:
    name = "zsh"

    def __init__(self, scratch: Scratch):
        scratch.run("atys completion zsh > completion.zsh")
        (scratch.path / ".zshrc").write_text(f"PS1='{PROMPT}'; unsetopt zle_bracketed_paste prompt_sp; LISTMAX=100000; autoload -Uz compinit\n"
                                             "compinit -u -D; source ./completion.zsh; setopt no_always_last_prompt\n")
        environment = terminal_environment(scratch) | {"ZDOTDIR": str(scratch.path)}
        self.shell = InTerminal(["zsh", "-i"], 40, 160, environment, str(scratch.path))


def terminal_environment(scratch: Scratch) -> dict:
    return scratch.environment | {"TERM": "xterm", "COLUMNS": "160", "LINES": "40", "HISTFILE": "/dev/null"}


def typed(line: str) -> str:
    """The line as the shell shows it. zsh draws a word again as it grows."""
    return re.escape(line).replace("\\ ", r"\s+")


def completes(shell: InTerminal, begun: str, pattern: str):
    def test():
        shell.press(b"\x15" + begun.encode() + b"\t")  # on an empty line
        shell.wait_for(pattern)
    return test


def fish_offers(scratch: Scratch, line: str) -> dict[str, str]:
    scratch.run("atys completion fish > completion.fish")
    script = f"source completion.fish; complete -C '{line}'"
    done = subprocess.run(["fish", "-c", script], cwd=scratch.path, env=terminal_environment(scratch), capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=120)
    pairs = (offer.partition("\t") for offer in done.stdout.splitlines())
    return {value: text for value, _, text in pairs}


def in_fish(scratch: Scratch, line: str, value: str, text: str | None = None):
    def test():
        offers = fish_offers(scratch, line)
        if value not in offers:
            return f"{value} is not among {list(offers)[:10]}"
        return None if text is None or re.search(text, offers[value]) else f"{value} is said to be {offers[value]!r}"
    return test


# ------------------------------------------------------------------------------------------------------------------------- the cases

def interactive(make, scratch: Scratch, kept: str) -> None:
    sleeper = subprocess.Popen(["sleep", "600"])
    try:
        pid = str(sleeper.pid)
        cases = {
            "a verb": ("atys capt", typed("atys capture ")),
            "an option": ("atys capture --dura", typed("atys capture --duration ")),
            "a kind": ("atys capture --kind of", typed("atys capture --kind off-cpu ")),
            "a kind behind =": ("atys capture --kind=of", typed("atys capture --kind=off-cpu ")),
            "an event": ("atys capture --kind event:page", typed("atys capture --kind event:page-faults ")),
            "a form": ("atys summary x --form bri", typed("atys summary x --form brief ")),
            "a file": ("atys summary base.coll", typed("atys summary base.collapsed ")),
            "a file behind =": ("atys flame x --output=base.coll", typed("atys flame x --output=base.collapsed ")),
            "a profile of the library": (f"atys summary {kept[:6]}", typed(f"atys summary {kept[:12]} ")),
            "a process": (f"atys capture --pid {pid}", typed(f"atys capture --pid {pid} ")),
            "processes, with their names": ("atys capture --pid ", rf"(?m)\b{pid}\b.*sleep"),
            "a service": ("atys capture --service slee", typed("atys capture --service sleep")),
            "a command": ("atys capture unsha", typed("atys capture unshare ")),
            "a file of a command": ("atys capture cat base.coll", typed("atys capture cat base.collapsed ")),
            "verbs, with what they do": ("atys co", r"controller.*Run the controller"),
        }
        with make(scratch).shell as shell:
            shell.wait_for(re.escape(PROMPT.strip()))
            for what, (begun, pattern) in cases.items():
                check(f"{make.name} completes {what}", completes(shell, begun, pattern))
    finally:
        sleeper.kill()
        sleeper.wait()


def in_each_case_of_fish(scratch: Scratch, kept: str) -> None:
    pid = str(os.getpid())
    cases = {
        "a verb": ("atys capt", "capture", "Record"),
        "an option": ("atys capture --dura", "--duration", "How long"),
        "a kind": ("atys capture --kind of", "off-cpu", None),
        "a kind behind =": ("atys capture --kind=of", "--kind=off-cpu", None),
        "a file": ("atys summary base.coll", "base.collapsed", None),
        "a file behind =": ("atys flame x --output=base.coll", "--output=base.collapsed", None),
        "a profile of the library": (f"atys summary {kept[:6]}", kept[:12], None),
        "a process, with its name": (f"atys capture --pid {pid}", pid, "python"),
        "a service": ("atys capture --service pytho", pathlib.Path(sys.executable).resolve().name, "process"),
        "an option of a command": ("atys capture ls --alm", "--almost-all", None),
    }
    for what, (line, value, text) in cases.items():
        check(f"fish completes {what}", in_fish(scratch, line, value, text))


def hostile_process(scratch: Scratch):
    """A process may be called anything: what a shell would run is never offered."""
    def test():
        program = scratch.path / "$(touch owned)"
        shutil.copy("/bin/sleep", program)
        process = subprocess.Popen([str(program), "600"])
        try:
            offered = scratch.run("atys completion bash -- capture --service ''")[1]
            return "offered: " + offered if "owned" in offered else differs((scratch.path / "owned").exists(), False)
        finally:
            process.kill()
            process.wait()
    return test


def main() -> int:
    with Scratch() as scratch:
        kept = profile_id(scratch)
        for make in (Bash, Zsh):
            if shutil.which(make.name):
                interactive(make, scratch, kept)
            else:
                print(f"skip {make.name}: it is not installed")
        if shutil.which("fish"):
            in_each_case_of_fish(scratch, kept)
        else:
            print("skip fish: it is not installed")
        check("no name is offered that a shell would run", hostile_process(scratch))
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                check(f"the script for {shell} is free of mistakes",
                      lambda shell=shell: differs(scratch.run(f"atys completion {shell} | {shell} -n"), (0, "")))
    return status()


if __name__ == "__main__":
    sys.exit(main())
