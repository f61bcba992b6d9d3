#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A profile names files, and whoever made it may name any. Lines of source are shown of those that who asks may read himself: by the
tools for clients only of files in the tree, by a controller never, on the command line as the system lets the user."""
import http.client
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
from checks import check, differs  # noqa: E402
from controllers import Controller  # noqa: E402
from programs import end  # noqa: E402
from scratch import atys_binary  # noqa: E402

ATYS = atys_binary()
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SECRET = "the_key_is_swordfish"
PUBLIC = "anybody_may_read_this"


def profile_that_names(files) -> str:
    frames = [{"name": f"f{i}", "file": str(path), "line": 1} for i, path in enumerate(files)]
    return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames},
                       "profiles": [{"type": "sampled", "name": "p", "unit": "none", "startValue": 0, "endValue": len(frames),
                                     "samples": [[i] for i in range(len(frames))], "weights": [1] * len(frames)}]})


def tells(text: str, wants_public: bool):
    if SECRET in text:
        return "it tells the secret: " + text
    return None if (PUBLIC in text) == wants_public else ("the line is not there: " if wants_public else "it tells a line: ") + text


def over_standard_streams(tree, request: dict) -> str:
    environment = {**os.environ, "ATYS_HOME": str(tree.parent / "home")}
    server = subprocess.Popen([ATYS, "mcp"], cwd=tree, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        server.stdin.write(json.dumps({**request, "params": {**request["params"], "_meta": META}}) + "\n")
        server.stdin.flush()
        return server.stdout.readline()
    finally:
        end(server)


def mcp_requests():
    for number, (method, params) in enumerate([
            ("tools/call", {"name": "profile_summary", "arguments": {"profile": "p.json", "form": "lines"}}),
            ("tools/call", {"name": "profile_link", "arguments": {"profile": "p.json", "form": "lines", "group_by": "function"}})], 1):
        yield params["name"], {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def stdio_tests(tree):
    for name, request in mcp_requests():
        said = over_standard_streams(tree, request)
        check(f"mcp over standard streams, {name}: only lines of files in the tree", lambda: tells(said, name == "profile_summary"))


def resource_test(tree):
    """A profile of the library, read as a resource."""
    environment = {**os.environ, "ATYS_HOME": str(tree.parent / "home")}
    merged = subprocess.run([ATYS, "merge", "p.json", "p.json", "--json"], cwd=tree, env=environment, text=True, capture_output=True, timeout=120)
    number = re.search(r'"id":\s*"([0-9a-f]+)"', merged.stdout)
    if number is None:
        return merged.stdout + merged.stderr
    request = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"profile://{number.group(1)}/lines"}}
    return tells(over_standard_streams(tree, request), True)


def http_tests(tree):
    environment = {**os.environ, "ATYS_HOME": str(tree.parent / "home")}
    server = subprocess.Popen([ATYS, "mcp", "--http", "127.0.0.1:0"], cwd=tree, env=environment, text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        port = int(re.search(r"127\.0\.0\.1:(\d+)/mcp", server.stderr.readline()).group(1))
        token = server.stderr.readline().split()[-1]
        for name, request in mcp_requests():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("POST", "/mcp", json.dumps(request), {"Authorization": "Bearer " + token, "Host": "localhost",
                                                         "Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
            answer = connection.getresponse()
            body = f"{answer.status} " + answer.read().decode()
            connection.close()
            check(f"mcp over HTTP, {name}: only lines of files in the tree", lambda: tells(body, name == "profile_summary"))
    finally:
        end(server)


def controller_tests(tree):
    sent = subprocess.run([ATYS, "convert", "p.json", "--to", "otlp", "-o", "-"], cwd=tree, capture_output=True, timeout=120).stdout
    with Controller(tree.parent / "data") as controller:
        def ask(method, path, body=None, **headers):
            connection = http.client.HTTPConnection(controller.http, timeout=120)
            connection.request(method, path, body, {"Authorization": "Bearer " + controller.token, **headers})
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            connection.close()
            return answer.status, text

        status, text = ask("POST", "/v1development/profiles", sent, **{"Content-Type": "application/x-protobuf"})
        check("a controller takes the profile", lambda: differs(status, 200) and text)
        service = "service=unknown_service&from=-1d"
        for form in ("lines", "table", "brief", "tree", "raw"):
            # What is asked by the page, and by who has a token to read.
            status, text = ask("GET", f"/api/v1/top?{service}&form={form}&by=line")
            check(f"a controller tells no line of a file: {form}", lambda: differs(status, 200) and text or tells(text, False))
        status, text = ask("GET", f"/api/v1/profile?{service}&to_format=html")
        check("nor does its flame graph", lambda: differs(status, 200) and text[:200] or tells(text, False))
        done = subprocess.run([ATYS, "summary", "service:unknown_service@-1d..now", "--form", "lines"], text=True, capture_output=True, timeout=120, cwd=tree,
                              env={**os.environ, "ATYS_CONTROLLER": controller.url, "ATYS_TOKEN": controller.token, "ATYS_HOME": str(tree.parent / "home")})
        check("who asks it from the command line sees his own files", lambda: None if PUBLIC in done.stdout else done.stdout + done.stderr)


def command_line_tests(tree):
    text = subprocess.run([ATYS, "summary", "p.json", "--form", "lines"], cwd=tree, text=True, capture_output=True, timeout=120).stdout
    check("on the command line a user sees what he may read", lambda: None if PUBLIC in text and SECRET in text else text)
    if os.geteuid() != 0:
        print("skip another user on the command line: wants root")
        return
    nobody = pwd.getpwnam("nobody")
    # A copy, as the build may lie where nobody else may look.
    program = tree.parent / "atys"
    shutil.copy(ATYS, program)
    done = subprocess.run([program, "summary", "p.json", "--form", "lines"], cwd=tree, text=True, capture_output=True, timeout=120,
                          user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "ATYS_HOME": "/nonexistent"})
    check("and another user what the system lets him read", lambda: tells(done.stdout, True) or differs(done.returncode, 0))


def main():
    with tempfile.TemporaryDirectory(prefix="atys-lines-") as folder:
        top = pathlib.Path(folder)
        top.chmod(0o755)
        tree = top / "tree"
        tree.mkdir()
        outside = top / "outside"
        outside.mkdir()
        (outside / "secret.py").write_text(SECRET + "\n")
        (outside / "secret.py").chmod(0o600)
        (tree / "open.py").write_text(PUBLIC + "\n")
        (tree / "link.py").symlink_to(outside / "secret.py")
        (tree / "folder").symlink_to(outside)
        os.mkfifo(tree / "fifo.py")
        (tree / "p.json").write_text(profile_that_names([
            tree / "open.py", outside / "secret.py", tree / "link.py", tree / "folder/secret.py", tree / "../outside/secret.py",
            "/proc/self/root" + str(outside / "secret.py"), f"/proc/{os.getpid()}/cwd/.." + str(outside / "secret.py"), tree / "fifo.py", "/dev/zero", tree]))
        stdio_tests(tree)
        check("mcp, a profile as a resource: only lines of files in the tree", lambda: resource_test(tree))
        http_tests(tree)
        controller_tests(tree)
        command_line_tests(tree)
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
