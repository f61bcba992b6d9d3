#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`atys mcp` against clients that mean no good or go away: who is let in over HTTP, how much they may send, what is left of a call when its
client or its server is killed. What clients that behave see is in tests/interop."""
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
from checks import check, differs  # noqa: E402

ATYS = os.environ.get("ATYS", str(pathlib.Path(__file__).resolve().parents[2] / "atys"))
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def call(number, name, arguments, **meta):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments, "_meta": {**META, **meta}}})


class Server:
    """`atys mcp` in a folder of its own."""

    def __init__(self, folder, *options, **streams):
        environment = {**os.environ, "ATYS_HOME": os.path.join(folder, "library")}
        self.process = subprocess.Popen([ATYS, "mcp", *options], cwd=folder, env=environment, text=True, **streams)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class HttpServer(Server):
    def __init__(self, folder, *options):
        super().__init__(folder, "--http", "127.0.0.1:0", *options, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)/mcp", self.process.stderr.readline()).group(1))
        self.token = self.process.stderr.readline().split()[-1] if "--no-token" not in options else ""

    def ask(self, body=b"{}", method="POST", path="/mcp", **headers):
        """Status and body. `Name=None` leaves a header out."""
        sent = {"Host": "localhost", "Authorization": f"Bearer {self.token}", **{key.replace("_", "-"): value for key, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if "Transfer-Encoding" not in sent:
            sent["Content-Length"] = str(len(body))
        for key, value in sent.items():
            if value is not None:
                connection.putheader(key, value)
        connection.endheaders()
        try:
            if "Transfer-Encoding" in sent:
                for start in range(0, len(body), 65536):
                    piece = body[start:start + 65536]
                    connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
                connection.send(b"0\r\n\r\n")
            else:
                connection.send(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has heard enough
        try:
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (ConnectionResetError, http.client.RemoteDisconnected):
            return 0, b""
        finally:
            connection.close()


def http_tests(folder):
    large = b"x" * (3 << 20)
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    with HttpServer(folder) as server:
        for name, wanted, arguments in [
                ("the token lets in", 200, {"body": ping}),
                ("no token", 401, {"body": ping, "Authorization": None}),
                ("a wrong token", 401, {"body": ping, "Authorization": "Bearer " + "0" * 32}),
                ("a page of another origin", 403, {"body": ping, "Origin": "http://evil.example"}),
                ("a sandboxed page", 403, {"body": ping, "Origin": "null"}),
                ("a page of this machine", 200, {"body": ping, "Origin": "http://localhost:3000"}),
                ("a name that was bound to this machine", 403, {"body": ping, "Host": f"evil.example:{server.port}"}),
                ("no host", 403, {"body": ping, "Host": None}),
                ("half a message", 400, {"body": b'{"jsonrpc":'}),
                ("no UTF-8", 400, {"body": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}'}),
                ("a session that there is not", 404, {"body": ping, "Mcp_Session_Id": "x"}),
                ("GET", 405, {"method": "GET", "body": b""}),
                ("another path", 404, {"body": ping, "path": "/etc/passwd"})]:
            check(f"http: {name}", lambda: differs(server.ask(**arguments)[0], wanted))
        # The library may close before all was sent: then there is no answer to read, and that is one too.
        for name, arguments in [("more than a message may have", {"body": large}),
                                ("the same in pieces", {"body": large, "Transfer_Encoding": "chunked"}),
                                ("little that unpacks to much", {"body": gzip.compress(b"x" * (50 << 20)), "Content_Encoding": "gzip"})]:
            check(f"http: {name}", lambda: None if server.ask(**arguments)[0] in (0, 413) else "it was taken")
        check("http: and works as before", lambda: differs(server.ask(ping)[0], 200))
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text()).group(1))
        check("http: none of it took much memory", lambda: None if peak < 200_000 else f"{peak} kB")


def processes_with(mark):
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and mark in pathlib.Path("/proc", name, "cmdline").read_bytes():
                found.append(int(name))
        except OSError:
            pass
    return found


def wait_until(test):
    for _ in range(600):
        if test():
            return None
        time.sleep(0.05)
    return "it did not happen within 30 s"


def stdio_tests(folder):
    """A command that a call has started ends with its client, and with the server, however that ends."""
    mark = f"98{os.getpid()}"
    for name, end in [("closes its end", lambda server: server.process.stdin.close()),
                      ("is killed with the server", lambda server: os.kill(server.process.pid, signal.SIGKILL))]:
        with Server(folder, "--allow-command", "sleep", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            server.process.stdin.write(call(1, "profile_capture", {"command": ["sleep", mark]}, progressToken=1) + "\n")
            server.process.stdin.flush()
            begun = json.loads(server.process.stdout.readline())
            if "progress" not in json.dumps(begun):
                check(f"stdio: a client that {name}", lambda: f"no capture: {begun}")
                continue
            running = processes_with(mark.encode())
            end(server)
            check(f"stdio: a client that {name} leaves nothing", lambda: wait_until(lambda: not processes_with(mark.encode())) if running else "nothing ran")


def command_tests(folder):
    """What a client may run: programs of the tree, interpreters of its scripts, and what the operator names; root's server nothing unasked."""
    tree = pathlib.Path(folder, "tree")
    tree.mkdir()
    script = tree / "work.py"
    script.write_text("#!/usr/bin/env python3\nprint(sum(range(1000)))\n")
    script.chmod(0o755)
    secret = ["/bin/sh", "-c", "head /etc/shadow"]
    own, interpreted = ["./work.py"], ["python3", "work.py"]

    def ask(server, command):
        server.process.stdin.write(call(1, "profile_capture", {"command": command, "cwd": str(tree)}) + "\n")
        server.process.stdin.flush()
        return server.process.stdout.readline()

    def ran(options, command):
        with Server(str(tree), *options, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            result = json.loads(ask(server, command))["result"]
        return "may not" if result.get("isError") and re.search("may not run|runs no", json.dumps(result)) else \
            "failed: " + json.dumps(result)[:300] if result.get("isError") else "ran"

    asked = ["--allow-tree", str(tree)]
    for name, options, command, wanted in [
            ("root's server that was told nothing: a program of the tree", [], own, "may not"),
            ("root's server that was told nothing: a shell in the tree", [], secret, "may not"),
            ("a program of the tree", asked, own, "ran"),
            ("an interpreter of a script of the tree", asked, interpreted, "ran"),
            ("a shell in the tree", asked, secret, "may not"),
            ("an interpreter of words", asked, ["python3", "-c", "print(1)"], "may not"),
            ("what the operator names", ["--allow-command", "python3"], ["python3", "-c", "print(1)"], "ran"),
            ("what the operator does not name", ["--allow-command", "python3"], secret, "may not"),
            ("--no-run: a program of the tree", ["--no-run", *asked], own, "may not"),
            ("--no-run: anything", ["--no-run", "--allow-any"], secret, "may not")]:
        check(f"commands: {name}", lambda: differs(ran(options, command), wanted))

    def says_so():
        with Server(str(tree), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
            said = ask(server, own)
            server.process.kill()
            note = server.process.stderr.read()
        if "--allow-tree" not in note:
            return f"not at the start: {note}"
        return None if f"--allow-tree '{os.path.realpath(tree)}'" in said else f"not in the refusal: {said}"
    check("commands: root's server says what to add", says_so)


def input_tests(folder):
    """What a client says about a command: its standard input, and words that are not one."""
    tree = pathlib.Path(folder, "input")
    tree.mkdir()
    (tree / "reads.py").write_text("import sys\nsys.exit(0 if sys.stdin.read() == sys.argv[1] else 3)\n")

    def text_of(**arguments):
        with Server(str(tree), "--allow-tree", str(tree), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            server.process.stdin.write(call(1, "profile_capture", arguments) + "\n")
            server.process.stdin.flush()
            return json.loads(server.process.stdout.readline())["result"]["content"][0]["text"]

    def reads(wanted, **more):
        said = text_of(command=["python3", "reads.py", wanted], **more)
        return None if "ended with status" not in said else said
    check("a command reads what it is given", lambda: reads("some\nlines é", stdin="some\nlines é"))
    check("and nothing where it is given nothing", lambda: reads(""))
    said = text_of(command=["python3 reads.py"])
    check("a command in one word is explained", lambda: None if "each argument as a text of its own" in said else said)
    said = text_of(command=["python3", "reads.py", ""], max_tokens=60)
    check("what does not fit still has its id", lambda: None if re.match("recorded [0-9a-f]{12}", said) else said)


def children_test(folder):
    """A process that waits for its busy child: nothing by itself, all with `children`."""
    parent = subprocess.Popen(["sh", "-c", "sh -c 'while :; do :; done' & echo $!; wait"], cwd=folder, text=True, stdout=subprocess.PIPE)
    child = int(parent.stdout.readline())
    try:
        with Server(folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            def samples(number, **more):
                server.process.stdin.write(call(number, "profile_capture", {"pids": [parent.pid], "seconds": 1, **more}) + "\n")
                server.process.stdin.flush()
                answer = json.loads(server.process.stdout.readline())
                return answer["result"]["structuredContent"]["profile"]["samples"]
            check("a process has its children with it if asked", lambda: None if samples(1, children=True) > 0 else "no samples")
            check("and not if not asked", lambda: differs(samples(2), 0))
    finally:
        os.kill(child, signal.SIGKILL)
        parent.wait()


def main():
    with tempfile.TemporaryDirectory(prefix="atys-mcp-") as folder:
        http_tests(folder)
        if os.geteuid() == 0:
            stdio_tests(folder)
            command_tests(folder)
            input_tests(folder)
            children_test(folder)
        else:
            print("skip stdio: captures want root")
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
