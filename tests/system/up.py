#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`atys up`, as somebody meets it who has just got the program: on a machine that does nothing, with the example services, with programs that are called
the same, for as long as it runs, and its end.

A machine that does nothing is a pid namespace, in which nobody else can be seen.
"""
import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import interrupts  # noqa: E402
from checks import check, report, status  # noqa: E402
from scratch import ROOT, atys_binary  # noqa: E402

interrupts.hear()

PATIENCE_S = 120
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
# What each of the examples is known to spend its time in, as its own functions, and what has to be installed for it. Copies of a parameter are
# made by the caller; what reduce() calls has no name.
HOTSPOTS = {"search.py": ("tokenize", "python3"), "pricing": ("price_of_basket|discount_of", "g++"), "recommend.js": (r"byId|\(anonymous\)", "node"),
            "Checkout": ("itemIds|UUID", "javac")}


def command(folder, *options) -> list[str]:
    """Windows so long that a Java machine which has just begun is asked for its names within the first; a budget that lets all begin at once."""
    window = [] if "--window" in options else ["--window", "8s"]
    return [atys_binary(), "up", "--listen", "127.0.0.1:0", "--data", str(folder), *window, "--services", "64", "--max-cpu", "50%", *options]


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
def started(folder, *options, alone=False, env=None, stdout=None):
    """Running, with its standard error read up to what it says of its page."""
    process = subprocess.Popen([*(ALONE if alone else []), *command(folder, *options)], env=env or environment(), stdout=stdout, stderr=subprocess.PIPE, text=True)
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


def nothing_to_see(folder):
    """Who asks for one table of a machine that does nothing is told so, and it is no failure."""
    once = command(folder, "--once", "--no-examples", "--window", "1s")
    text = subprocess.run([*ALONE, *once], env=environment(), capture_output=True, text=True, timeout=PATIENCE_S)
    if text.returncode != 0 or "looking for some seconds more" not in text.stderr or not re.match(r"nothing on \S+ used more than 1\S* of a CPU in \d+", text.stdout):
        return text
    data = subprocess.run([*ALONE, *once, "--json"], env=environment(), capture_output=True, text=True, timeout=PATIENCE_S)
    answer = json.loads(data.stdout)
    return None if data.returncode == 0 and answer["services"] == [] and answer["watched_seconds"] >= 1 and answer["least_cores"] == 0.01 else data


@contextlib.contextmanager
def running(*commands):
    """Each is (folder, words); all end with the block."""
    processes = [subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL) for cwd, words in commands]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def spinner(path, function):
    """A Python script that is always in `function`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"def {function}():\n    while True:\n        sum(range(1000))\n\n\n{function}()\n")
    return path


def same_names(folder):
    """Equal scripts in two folders, and two programs with one name: each is a service, with what it does itself and nothing else."""
    shop, till = (spinner(folder / name / "app.py", "work") for name in ("shop", "till"))
    server = shutil.which("sha256sum")
    for name in ("left", "right"):
        (folder / name).mkdir()
        shutil.copy(server, folder / name / "server")
    commands = [(shop.parent, [sys.executable, "app.py"]), (folder, [sys.executable, str(till)]),
                *((folder, [str(folder / name / "server"), "/dev/zero"]) for name in ("left", "right"))]
    with running(*commands):
        names = []
        for _ in range(2):  # a second run goes on with what the first has called them
            ran = subprocess.run(command(folder / "up", "--once", "--json", "--no-examples"), env=environment(), capture_output=True, text=True, timeout=PATIENCE_S)
            services = {service["service"]: service for service in json.loads(ran.stdout)["services"]}
            names.append(sorted(name for name in services if re.search(r"(^|/)(app.py|server)$", name)))
        wanted = ["left/server", "right/server", "shop/app.py", "till/app.py"]
        if names != [wanted, wanted]:
            return names
        return next((services[name] for name in wanted if services[name]["processes"] != 1 or not services[name]["rows"]), None)


def ask(address, path):
    asked = urllib.request.Request(f"http://{address[1]}{path}", headers={"Authorization": f"Bearer {address[2]}"})
    return json.loads(urllib.request.urlopen(asked, timeout=PATIENCE_S).read())


def until(holds):
    """What `holds` gives once it is true, or the last it gave."""
    deadline = time.monotonic() + PATIENCE_S
    while not (got := holds()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return got


def idle_service(folder):
    """A service that has stopped working has windows without samples: they are its own, and nobody else's."""
    script = folder / "worker.py"
    folder.mkdir()
    script.write_text("import signal, time\nsignal.signal(signal.SIGUSR1, lambda *_: time.sleep(3600))\nwhile True:\n    sum(range(1000))\n")
    with running((folder, [sys.executable, str(script)])) as (worker,), started(folder / "up", "--no-examples", "--window", "1s") as (_, address):
        def windows():
            return {service["service"]: service["windows"] for service in ask(address, "/api/v1/services")["services"]}
        if not until(lambda: windows().get("worker.py", 0) > 0):
            return "no window of worker.py"
        worker.send_signal(signal.SIGUSR1)
        before = windows()["worker.py"]
        if not until(lambda: windows()["worker.py"] >= before + 5):
            return f"no more windows: {windows()}"
        return None if not [name for name in windows() if name.startswith("unknown_service")] else windows()


def lines_of(process):
    """Lines of its standard output, as they come, in a thread: reading must not wait for ever."""
    lines = []

    def follow():
        for line in iter(process.stdout.readline, ""):
            lines.append(line)
    threading.Thread(target=follow, daemon=True).start()
    return lines


def goes_on(folder):
    """In a pipe: another table when another service has come. As data: an object a line."""
    first, second = spinner(folder / "first.py", "work"), spinner(folder / "second.py", "work")
    with running((folder, [sys.executable, str(first)])), started(folder / "up", "--no-examples", "--window", "1s", stdout=subprocess.PIPE) as (process, _):
        lines = lines_of(process)
        if not until(lambda: any("first.py" in line for line in lines)):
            return f"no table: {lines}"
        if any("second.py" in line for line in lines):
            return lines
        with running((folder, [sys.executable, str(second)])):
            if not until(lambda: any("second.py" in line for line in lines)):
                return f"no other table: {lines}"
        heads = [line for line in lines if "hotspots on" in line]
        if len(heads) < 2 or any("\033" in line for line in lines):
            return lines
    with running((folder, [sys.executable, str(first)])), started(folder / "data", "--no-examples", "--window", "1s", "--json", stdout=subprocess.PIPE) as (process, _):
        lines = lines_of(process)
        until(lambda: len(lines) >= 3)
        return None if len(lines) >= 3 and all("services" in json.loads(line) for line in lines) else lines


def on_a_terminal(folder):
    """The table is drawn over the one before."""
    script = spinner(folder / "work.py", "work")
    ours, theirs = pty.openpty()
    shown = bytearray()

    def follow():
        with contextlib.suppress(OSError):
            while data := os.read(ours, 65536):
                shown.extend(data)
    threading.Thread(target=follow, daemon=True).start()
    with running((folder, [sys.executable, str(script)])), started(folder / "up", "--no-examples", "--window", "1s", stdout=theirs, env=environment(TERM="xterm")):
        if not until(lambda: shown.count(b"hotspots on") >= 2):
            return bytes(shown)
    os.close(theirs)
    return None if re.search(rb"\033\[\d+A\r\033\[J\d\d:\d\d:\d\d  hotspots on", bytes(shown)) else bytes(shown)


def nobody_reads(folder):
    """Whoever read what it prints has gone: it ends, also while it has nothing to say."""
    with started(folder, "--no-examples", alone=True, stdout=subprocess.PIPE) as (process, _):
        process.stdout.close()
        ended = process.wait(PATIENCE_S)
        return None if ended == 0 else f"ended with {ended}"


def no_reader_of_the_first_table(folder):
    script = spinner(folder / "work.py", "work")
    words = " ".join(command(folder / "up", "--no-examples", "--window", "1s"))
    with running((folder, [sys.executable, str(script)])):
        ran = subprocess.run(["sh", "-c", f"{words} | head -n 1"], env=environment(), capture_output=True, text=True, timeout=PATIENCE_S)
    return None if "hotspots on" in ran.stdout and len(ran.stdout.splitlines()) == 1 else ran


def end_of(process) -> str:
    """What it said. Where it does not end, the failure says what its threads wait for."""
    try:
        return process.communicate(timeout=PATIENCE_S)[1]
    except subprocess.TimeoutExpired as late:
        places = []
        for task in pathlib.Path(f"/proc/{process.pid}/task").glob("*"):
            with contextlib.suppress(OSError):
                stack = [line.split()[-1] for line in (task / "stack").read_text().splitlines()[:3]]
                places.append(f"{(task / 'comm').read_text().strip()}: {(task / 'wchan').read_text()} {stack}")
        process.kill()
        raise AssertionError(f"it does not end; it said {process.communicate()[1][-250:]}; its threads: {places}") from late


def interrupted(folder):
    """At any moment: it ends at once, with nothing left to do for the next, and with a word of what is left of it."""
    script = spinner(folder / "work.py", "work")
    with running((folder, [sys.executable, str(script)])):
        for moment in (0, 0.05, 0.3, 1, 2, 4, 7):
            process = subprocess.Popen(command(folder / "up", "--no-examples", "--window", "2s"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            errors = end_of(process)
            told = [line for line in errors.splitlines() if not re.match("atys: (the page is at|recording )", line)]
            has_begun = "the page is at" in errors
            if has_begun and not (told and re.match(r"atys: ended; (nothing was recorded|\d+ windows? (is|are) kept in )", told.pop())):
                return f"after {moment} s: no last word: {errors}"
            tasks = list((folder / "up" / "controller" / "tasks").glob("*"))
            if process.returncode not in ((0, -signal.SIGINT) if moment < 0.3 else (0,)) or told or tasks:
                return f"after {moment} s: {process.returncode} {errors} {tasks}"
    return None


def port_is_taken(folder):
    """It says who could be there, and what to do."""
    with started(folder / "first", "--no-examples", alone=True) as (_, address):
        port = address[1].rsplit(":", 1)[1]
        second = [word if word != "127.0.0.1:0" else f"127.0.0.1:{port}" for word in command(folder / "second", "--no-examples")]
        ran = subprocess.run(second, env=environment(), capture_output=True, text=True, timeout=PATIENCE_S)
        if ran.returncode != 1 or port not in ran.stderr or "--listen" not in ran.stderr:
            return ran
        # The same data at once is as wrong: one would write over what the other keeps.
        ran = subprocess.run(command(folder / "first", "--no-examples"), env=environment(), capture_output=True, text=True, timeout=PATIENCE_S)
        return None if ran.returncode == 1 and "--data" in ran.stderr else ran


def nowhere_to_write(folder):
    """A home that cannot be written to: an error that says what to do, before anything begins."""
    folder.mkdir()
    (folder / "file").write_text("")
    ran = subprocess.run([atys_binary(), "up", "--listen", "127.0.0.1:0", "--once"], env=environment(ATYS_HOME=str(folder / "file")), capture_output=True, text=True, timeout=PATIENCE_S)
    return None if ran.returncode == 1 and "--data" in ran.stderr and len(ran.stderr.splitlines()) == 1 else ran


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
                                               "nothing is busy and nothing to start": waits, "a table of nothing": nothing_to_see, "programs that are called the same": same_names,
                                               "a service that idles": idle_service, "it goes on telling": goes_on, "it goes on telling on a terminal": on_a_terminal,
                                               "nobody reads": nobody_reads, "head": no_reader_of_the_first_table, "Ctrl-C at any moment": interrupted, "a port that is taken": port_is_taken,
                                               "a home that cannot be written to": nowhere_to_write, "the page": page}.items()):
            if all(word in name for word in sys.argv[1:]):
                check(name, lambda test=test, number=number: test(pathlib.Path(top, str(number))))
    return status()


if __name__ == "__main__":
    sys.exit(main())
