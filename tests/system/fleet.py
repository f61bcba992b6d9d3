#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A controller with agents that are played here: what is sent twice, by strangers, by vandals; what is left of it when it is killed; a
tree of controllers."""
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
import controllers  # noqa: E402
from checks import check, differs  # noqa: E402
from otlp_windows import EXPORT, REPORT, orders, report, window  # noqa: E402
from programs import eventually  # noqa: E402
from scratch import atys_binary  # noqa: E402

try:
    import grpc
    import jsonschema
except ImportError:
    grpc = None

ATYS = atys_binary()
SECOND = 10**9
MIB = 2**20


class Controller(controllers.Controller):
    def request(self, method, path, body=None, headers=None, token=None):
        """Status, headers and body."""
        connection = http.client.HTTPConnection(self.http, timeout=60)
        token = self.token if token is None else token
        headers = {**({"Authorization": "Bearer " + token} if token else {}), **(headers or {})}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def get(self, path):
        status, _, body = self.request("GET", path)
        return json.loads(body) if status == 200 else f"status {status}: {body[:200]}"

    def post(self, message, kind="application/x-protobuf", **more):
        """Sends OTLP over HTTP; the status and body."""
        status, _, body = self.request("POST", "/v1development/profiles", message, {"Content-Type": kind, **more})
        return status, body

    def call(self, method, message, token=None):
        """Over gRPC."""
        token = self.token if token is None else token
        with grpc.insecure_channel(self.grpc, options=[("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)]) as channel:
            return channel.unary_unary(method)(message, timeout=60, metadata=[("authorization", "Bearer " + token)])

    def atys(self, *arguments, token=None, controller=None):
        """Status, output and errors of a command."""
        environment = {**os.environ, "ATYS_CONTROLLER": controller or self.url, "ATYS_TOKEN": self.token if token is None else token,
                       "ATYS_HOME": self.folder + "/home", "NO_COLOR": "1"}
        done = subprocess.run([ATYS, *arguments], env=environment, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def stacks(self, service="shop", more=""):
        """{stack: value} of the service's profile, all of it."""
        status, out, errors = self.atys("summary", f"service:{service}{more}@-1d..now", "--form", "raw", "--top", "1000", "--json")
        if status != 0:
            return errors
        return {";".join(row["path"]): row["self"] for row in json.loads(out)["rows"]}

    def counter(self, name):
        text = self.request("GET", "/metrics")[2].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if re.match(name + r"[ {]", line))

    def peak_memory(self):
        return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) * 1024


def agent_window(node, sequence, stacks, start=None, service="shop", version="1.0", instance="", **more):
    attributes = {"service.name": service, "service.version": version, "host.name": node, "atys.sender": f"{node:0<32}",
                  "atys.sequence": sequence, "service.instance.id": instance or node + "-1"}
    return window([(attributes, stacks)], start or time.time_ns() - 60 * SECOND, **more)


def profiles(controller):
    first = agent_window("web-1", 1, {"main;f": 300, "main;g": 100})

    def both_nodes():
        controller.call(EXPORT, first)
        status, _ = controller.post(gzip.compress(agent_window("web-2", 1, {"main;f": 50}, version="2.0")), **{"Content-Encoding": "gzip"})
        return differs(status, 200) or differs(controller.stacks(), {"main;f": 350, "main;g": 100})

    def twice():
        controller.call(EXPORT, first)
        controller.post(first)
        return differs(controller.stacks(), {"main;f": 350, "main;g": 100}) or \
            differs(controller.counter("atys_controller_duplicate_windows_total"), 2)

    def killed():
        controller.restart()
        controller.call(EXPORT, first)
        return differs(controller.stacks(), {"main;f": 350, "main;g": 100})

    def filters():
        return differs(controller.stacks(more="{node=web-2}"), {"main;f": 50}) or \
            differs(controller.stacks(more="{version=1.0}"), {"main;f": 300, "main;g": 100})

    def instances_of_one_message():
        resources = [({"service.name": "pool", "atys.sender": "p" * 32, "atys.sequence": 9, "service.instance.id": str(i)}, {"run": i + 1})
                     for i in range(3)]
        message = window(resources, time.time_ns() - 30 * SECOND)
        controller.call(EXPORT, message)
        controller.call(EXPORT, message)
        services = {row["service"]: row for row in controller.get("/api/v1/services")["services"]}
        return differs(controller.stacks("pool"), {"run": 6}) or differs(services["pool"]["instances"], 3)

    def json_of_others():
        encoded = subprocess.run([ATYS, "convert", "-", "--to", "otlp-json", "-o", "-"], input=window(
            [({"service.name": "other"}, {"a;b": 7})], time.time_ns() - SECOND, profile_id=b"i" * 16), capture_output=True).stdout
        status, body = controller.post(encoded, "application/json")
        return differs((status, body), (200, b"{}")) or differs(controller.stacks("other"), {"a;b": 7})

    def nameless():
        controller.post(window([({}, {"x": 1})], time.time_ns() - SECOND))
        return differs(controller.stacks("unknown_service"), {"x": 1})

    def formats():
        query = "/api/v1/profile?service=shop&from=-1d&to_format="
        problems = []
        for name, head in [("pprof", b"\x1f\x8b"), ("otlp", b"\x0a"), ("collapsed", b"main;"), ("html", b"<!")]:
            status, _, body = controller.request("GET", query + name)
            if status != 200 or not body.lower().startswith(head):
                problems.append(f"{name}: {status} {body[:40]}")
        status, _, body = controller.request("GET", query + "poem")
        return problems[0] if problems else differs(status, 400)

    check("windows of two nodes, over gRPC and HTTP, are one profile", both_nodes)
    check("what is sent again is stored once", twice)
    check("a controller that is killed has lost nothing", killed)
    check("a profile of one node or one version", filters)
    check("the instances of one message are stored each, and once", instances_of_one_message)
    check("OTLP as JSON, of somebody else", json_of_others)
    check("a profile without a service has the name of the convention", nameless)
    check("profiles leave in the format that is asked for", formats)


def tasks(controller, folder):
    path = os.path.join(folder, "busy.yaml")
    pathlib.Path(path).write_text("task: busy\nservice: shop\nnodes: [\"web-*\"]\n")

    def applied():
        status, out, errors = controller.atys("task", "apply", path)
        return differs((status, out), (0, "applied busy\n")) or differs(len(orders(controller.call(REPORT, report("web-1", "10.0.0.1:9465")))), 1)

    def not_for_all():
        return differs(orders(controller.call(REPORT, report("db-1"))), [])

    def shown():
        status, out, _ = controller.atys("task", "show", "busy")
        rows = json.loads(controller.atys("task", "list", "--json")[1])["tasks"]
        return None if status == 0 and "service: shop" in out and rows[0]["phase"] == "running" else f"{out} {rows}"

    def late():
        controller.restart()
        return differs(len(orders(controller.call(REPORT, report("web-7")))), 1)

    def stopped():
        controller.atys("task", "stop", "busy")
        return differs(orders(controller.call(REPORT, report("web-1", "10.0.0.1:9465"))), [])

    def wrong():
        pathlib.Path(path).write_text("task: busy\nservice: shop\nwindw: 3s\n")
        status, _, errors = controller.atys("task", "apply", path)
        return None if status == 1 and "busy.yaml:3" in errors else f"{status} {errors}"

    def missing():
        status, _, errors = controller.atys("task", "stop", "bussy")
        return None if status == 1 and "did you mean busy?" in errors else f"{status} {errors}"

    def nodes():
        status, out, _ = controller.atys("nodes")
        found = controller.request("GET", "/sd")[2]
        return None if status == 0 and "web-7" in out and json.loads(found) == [{"targets": ["10.0.0.1:9465"], "labels": {"node": "web-1"}}] \
            else f"{out} {found}"

    def deleted():
        controller.atys("task", "delete", "busy")
        return differs(controller.get("/api/v1/tasks"), {"done": "", "tasks": []})

    check("a task is applied and reaches its nodes", applied)
    check("a node that a task is not for does not get it", not_for_all)
    check("tasks are shown", shown)
    check("a node that joins later, after a crash of the controller, gets its tasks", late)
    check("a task that is stopped is no longer handed out", stopped)
    check("a wrong task is refused with its line", wrong)
    check("a task that is not there is answered with one that is", missing)
    check("nodes are listed, and discovered by Prometheus", nodes)
    check("a task is deleted", deleted)


def strangers(controller):
    def wrong_token():
        statuses = [controller.request("GET", path, token="wrong")[0] for path in ("/api/v1/services", "/metrics", "/sd", "/api/v1/profile")]
        statuses.append(controller.request("POST", "/v1development/profiles", b"", {"Content-Type": "application/x-protobuf"}, token="wrong")[0])
        statuses.append(controller.request("PUT", "/api/v1/tasks/a", b"task: a\nservice: b\n", token="")[0])
        return differs(set(statuses), {401})

    def wrong_grpc_token():
        try:
            controller.call(REPORT, report("x"), token="wrong")
        except grpc.RpcError as error:
            return differs(error.code(), grpc.StatusCode.UNAUTHENTICATED)
        return "it was let in"

    def said():
        status, _, errors = controller.atys("services", token="wrong")
        return None if status == 1 and "token" in errors and "ATYS_TOKEN" in errors else f"{status} {errors}"

    def nobody():
        status, _, errors = controller.atys("services", controller="http://127.0.0.1:1")
        return None if status == 1 and "no controller answers at http://127.0.0.1:1" in errors else f"{status} {errors}"

    def unknown_service():
        status, _, errors = controller.atys("summary", "service:shopp")
        return None if status == 1 and "did you mean shop?" in errors else f"{status} {errors}"

    def other_time():
        status, _, errors = controller.atys("summary", "service:shop@-7d..-6d")
        return None if status == 1 and "there are profiles of it from" in errors else f"{status} {errors}"

    def origins():
        bad = [controller.request("GET", "/api/v1/services", headers={"Origin": "http://evil.example"})[0],
               controller.request("GET", "/api/v1/services", headers={"Host": "evil.example"})[0]]
        good = controller.request("GET", "/api/v1/services", headers={"Origin": "http://" + controller.http})[0]
        return differs((bad, good), ([403, 403], 200))

    def open_to_all():
        page = controller.request("GET", "/", token="")
        return differs((controller.request("GET", "/healthz", token="")[0], page[0], b"<title>Atys" in page[2]), (200, 200, True))

    check("nothing is told or taken over HTTP without the token", wrong_token)
    check("nor over gRPC", wrong_grpc_token)
    check("a wrong token is said to be wrong", said)
    check("a controller that is not there is said not to be", nobody)
    check("an unknown service is answered with one that is there", unknown_service)
    check("a time without profiles is answered with when there are some", other_time)
    check("requests of other pages are refused", origins)
    check("health and the page itself need no token", open_to_all)


def roles(folder):
    """Tokens for one role each, and what the audit log says of those who tried more."""
    tokens = {"read": f"{folder}/read-token", "capture": f"{folder}/capture-token"}
    with Controller(f"{folder}/roles", "--read-token-file", tokens["read"], "--capture-token-file", tokens["capture"]) as controller:
        read, capture = (pathlib.Path(path).read_text().strip() for path in tokens.values())
        task = b"task: a\nservice: b\n"

        def person():
            statuses = (controller.request("GET", "/api/v1/services", token=read)[0], controller.request("PUT", "/api/v1/tasks/a", task, token=read)[0],
                        controller.request("POST", "/v1development/profiles", b"", {"Content-Type": "application/x-protobuf"}, token=read)[0])
            return differs(statuses, (200, 403, 403))

        def agent():
            controller.call(REPORT, report("x"), token=capture)
            statuses = (controller.request("GET", "/api/v1/services", token=capture)[0], controller.request("DELETE", "/api/v1/tasks/a", token=capture)[0])
            return differs(statuses, (403, 403))

        def operator():
            return differs((controller.request("PUT", "/api/v1/tasks/a", task)[0], controller.request("DELETE", "/api/v1/tasks/b")[0]), (200, 404))

        def stranger():
            return differs(controller.request("DELETE", "/api/v1/tasks/a", headers={"Host": "evil.example"}, token="wrong")[0], 403)

        def audit():
            lines = [json.loads(line) for line in pathlib.Path(folder, "roles", "audit.log").read_text().splitlines()]
            found = [(line["role"], line["from"], line["action"], line["outcome"] == "done") for line in lines]
            return differs(found, [("read", "127.0.0.1", "PUT", False), ("capture", "127.0.0.1", "DELETE", False), ("admin", "127.0.0.1", "apply", True),
                                   ("admin", "127.0.0.1", "delete", False)])

        check("who may read gives no orders and sends nothing", person)
        check("an agent's token serves for an agent only", agent)
        check("the operator's token serves for everything", operator)
        check("a stranger leaves no line in the audit log", stranger)
        check("what would change the tasks is in the audit log, and whether it did", audit)


def vandals(controller):
    def indices():
        status, body = controller.post(agent_window("web-1", 50, {"main;f": 1}, bad_stack=True))
        return differs(status, 400)

    def indices_grpc():
        try:
            controller.call(EXPORT, agent_window("web-1", 51, {"main;f": 1}, bad_stack=True))
        except grpc.RpcError as error:
            return differs(error.code(), grpc.StatusCode.INVALID_ARGUMENT)
        return "it was taken"

    def announced():
        """A body whose length is said to be 1 GB: refused before it is read."""
        host, port = controller.http.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall((f"POST /v1development/profiles HTTP/1.1\r\nHost: {controller.http}\r\nAuthorization: Bearer {controller.token}\r\n"
                                f"Content-Type: application/x-protobuf\r\nContent-Length: {2**30}\r\n\r\n").encode())
            return differs(connection.recv(64).split(b" ")[1:2], [b"413"])

    def endless():
        """1 GB in chunks, of which nothing was said before."""
        host, port = controller.http.rsplit(":", 1)
        sent, chunk = 0, f"{MIB:x}\r\n".encode() + b"\x0a" * MIB + b"\r\n"
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall((f"POST /v1development/profiles HTTP/1.1\r\nHost: {controller.http}\r\nAuthorization: Bearer {controller.token}\r\n"
                                "Content-Type: application/x-protobuf\r\nTransfer-Encoding: chunked\r\n\r\n").encode())
            try:
                while sent < 1024:
                    connection.sendall(chunk)
                    sent += 1
            except OSError:
                return None
        return "all of it was read"

    def bomb():
        status, _ = controller.post(gzip.compress(b"\0" * (512 * MIB), 9), **{"Content-Encoding": "gzip"})
        return differs(status in (400, 413), True)

    def grpc_gigabyte():
        try:
            controller.call(EXPORT, b"\x0a" * 2**30)
        except grpc.RpcError as error:
            known = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
            return differs(error.code() in known, True)
        return "it was taken"

    def grpc_bomb():
        try:
            with grpc.insecure_channel(controller.grpc, options=[("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)]) as channel:
                channel.unary_unary(EXPORT)(b"\0" * (512 * MIB), timeout=60, compression=grpc.Compression.Gzip,
                                            metadata=[("authorization", "Bearer " + controller.token)])
        except grpc.RpcError as error:
            return differs(error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        return "it was taken"

    def unaffected():
        controller.call(EXPORT, agent_window("web-9", 1, {"main;z": 5}, service="after"))
        return differs(controller.stacks("after"), {"main;z": 5})

    def bounded():
        print(f"# at most {controller.peak_memory() // MIB} MiB")
        return None if controller.peak_memory() < 600 * MIB else f"{controller.peak_memory() // MIB} MiB"

    def counted():
        return None if controller.counter("atys_controller_refused_messages_total") >= 2 else "refusals are not counted"

    check("indices out of range are refused, over HTTP", indices)
    check("and over gRPC", indices_grpc)
    check("1 GB that is announced is not read", announced)
    check("1 GB that is not announced is cut off", endless)
    check("a bomb of gzip is refused", bomb)
    check("1 GB over gRPC is refused", grpc_gigabyte)
    check("a bomb over gRPC is refused", grpc_bomb)
    check("others are not affected", unaffected)
    check("memory stayed bounded", bounded)
    check("what was refused is counted", counted)


def views(controller):
    """The page and programs are told what the command line tells, of the same part of a profile."""
    stacks = {"indexById@app.js:5;(anonymous)@app.js:7": 5, "indexById@app.js:5;(anonymous)@app.js:9": 3, "idle": 2}
    controller.call(EXPORT, agent_window("web-1", 70, stacks, service="js"))

    def top(more=""):
        answer = controller.get("/api/v1/top?service=js&from=-1d" + more)
        return {row["name"]: row["self"] for row in answer["rows"]} if isinstance(answer, dict) else answer

    def picture(more=""):
        return controller.request("GET", "/api/v1/profile?service=js&from=-1d&to_format=" + more)[2].decode()

    def names():
        status, out, errors = controller.atys("summary", "service:js@-1d..now", "--json")
        told = {row["name"]: row["self"] for row in json.loads(out)["rows"]} if status == 0 else errors
        return differs(told, {"(anonymous):7 in indexById": 5, "(anonymous):9 in indexById": 3, "idle": 2, "indexById": 0}) or \
            differs(top(), told) or differs("(anonymous):7 in indexById" in picture("html"), True)

    def filters():
        return differs(top("&focus=:9%20in"), {"(anonymous):9 in indexById": 3, "indexById": 0}) or \
            differs(top("&ignore=indexById&top=1"), {"idle": 2}) or \
            differs(picture("collapsed&focus=:9%20in&ignore=idle").split(" ")[-1], "3\n") or \
            differs("no function" in str(controller.request("GET", "/api/v1/top?service=js&from=-1d&focus=nothing")[2]), True)

    def other_fields():
        shares = controller.get("/api/v1/top?service=js&from=-1d&library=app.js&form=brief")["shares"]
        wrong = [controller.request("GET", "/api/v1/top?service=js&from=-1d&" + one)[0] for one in ("form=pie", "top=0", "label=x", "own=(", "n=10001")]
        return differs(shares["library"], 80) or differs(wrong, [400] * 5) or \
            differs(len(top("&n=2")), 2) or differs(top("&label=no-such=x")[:10], "status 404")

    check("functions without a name have the same one at the shell, in the page's table and in its picture", names)
    check("the table and the picture of the page may be of some samples alone", filters)
    check("every field of a view may be said over HTTP", other_fields)


def metrics(controller):
    text = controller.request("GET", "/metrics")[2].decode()
    families = set(re.findall(r"^# TYPE (\S+) (?:counter|gauge)$", text, re.MULTILINE))
    helped = set(re.findall(r"^# HELP (\S+) \S", text, re.MULTILINE))
    used = {re.match(r"[a-zA-Z_:][\w:]*", line).group(0) for line in text.splitlines() if line and not line.startswith("#")}
    check("each metric has a type and a help", lambda: differs((used - families, families - helped), (set(), set())))
    check("windows and nodes are counted", lambda: None if controller.counter("atys_service_windows_total") >= 1 and
          controller.counter("atys_store_bytes") > 0 and controller.counter("atys_controller_nodes") >= 1 else text[:400])

    def series():
        answer = controller.get("/api/v1/series?service=shop&from=-10m&step=60s&function=f")
        return differs((sum(p["total"] for p in answer["points"]), sum(p["function_self"] for p in answer["points"])), (450, 350))

    def top():
        rows = controller.get("/api/v1/top?service=shop&from=-1d&n=1")["rows"]
        return differs([(row["name"], row["self"]) for row in rows], [("f", 350)])

    def schemas():
        for verb, arguments in [("services", ()), ("nodes", ()), ("task", ("list",))]:
            answer = json.loads(controller.atys(verb, *arguments, "--json")[1])
            jsonschema.Draft202012Validator(json.loads(controller.atys("schema", verb)[1])).validate(answer)
            if "error" in answer:
                return answer
        return None

    check("answers fit their schemas", schemas)
    check("a service over time", series)
    check("the top functions of a service", top)


def tree(folder):
    """Four nodes: all at one controller, and two each at a site whose region reports to a root."""
    with Controller(folder + "/one") as one, Controller(folder + "/root") as root:
        above = lambda controller: ("--upstream", controller.grpc, "--upstream-token-file", controller.folder + "/token", "--pass-on", "2s")
        with Controller(folder + "/region", "--name", "region", *above(root)) as region, \
                Controller(folder + "/a", "--name", "site-a", *above(region)) as a, Controller(folder + "/b", "--name", "site-b", *above(region)) as b:
            path = pathlib.Path(folder, "all.yaml")
            path.write_text("task: all\nservice: shop\nnodes: [web-3]\n")
            root.atys("task", "apply", str(path))
            check("a task of the root reaches a node below two others",
                  lambda: eventually(lambda: len(orders(b.call(REPORT, report("web-3")))), 1))
            for sequence in range(1, 4):
                for node in range(4):
                    message = agent_window(f"web-{node}", sequence, {"main;f": 100 + node, f"main;g{sequence}": 7}, time.time_ns(),
                                           version=str(sequence // 3))
                    one.call(EXPORT, message)
                    (a if node < 2 else b).call(EXPORT, message)
                time.sleep(1)
            wanted = one.stacks()
            check("three levels give the profile that one gives", lambda: eventually(root.stacks, wanted) or
                  differs(root.stacks(more="{version=0}"), one.stacks(more="{version=0}")))
            check("controllers send what changed to those above", lambda: None if root.counter("atys_controller_packed_messages_total") > 0 else "never")
            check("in fewer windows", lambda: None if root.counter("atys_controller_windows_total") < 12 else "as many")
            a.restart()
            late = agent_window("web-0", 9, {"main;late": 11}, time.time_ns() - 20 * SECOND)
            for each in (one, a, a):
                each.call(EXPORT, late)
            check("a window that comes late arrives, once", lambda: eventually(root.stacks, one.stacks()))
            check("the root knows who reports", lambda: differs([(row["node"], row["controller"]) for row in root.get("/api/v1/nodes")["nodes"]],
                                                                [("region", True)]))


def tls(folder):
    cert, key = folder + "/cert.pem", folder + "/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=atys test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], check=True, capture_output=True)
    with Controller(folder + "/tls", "--cert", cert, "--key", key) as controller:
        def encrypted():
            trusted = grpc.ssl_channel_credentials(pathlib.Path(cert).read_bytes())
            with grpc.secure_channel(controller.grpc, trusted, options=[("grpc.enable_http_proxy", 0)]) as channel:
                channel.unary_unary(EXPORT)(agent_window("web-1", 1, {"main;f": 3}), timeout=60,
                                            metadata=[("authorization", "Bearer " + controller.token)])
            os.environ["ATYS_CA"] = cert
            return differs(controller.stacks(), {"main;f": 3})

        def plain():
            try:
                controller.call(REPORT, report("web-1"))
            except grpc.RpcError as error:
                return differs(error.code(), grpc.StatusCode.UNAVAILABLE)
            return "it was answered"

        def untrusted():
            os.environ.pop("ATYS_CA", None)
            status, _, errors = controller.atys("services")
            return None if status == 1 and "no controller answers" in errors else f"{status} {errors}"

        check("gRPC and HTTP by TLS", encrypted)
        check("nothing is answered without TLS where it is on", plain)
        check("a certificate that nobody vouches for is not taken", untrusted)


def module(folder):
    def missing():
        alone = shutil.copy(ATYS, folder + "/atys-alone")
        done = subprocess.run([alone, "agent", "--controller", "127.0.0.1:1", "--data", folder + "/alone", "--metrics", "none"], capture_output=True, text=True, timeout=60)
        return None if done.returncode == 1 and "atys-grpc.so" in done.stderr else f"{done.returncode} {done.stderr}"

    check("an agent without its module for gRPC says what is missing", missing)


def main():
    if grpc is None:
        print("skip fleet: python3-grpcio or python3-jsonschema is not installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="atys-fleet-") as folder:
        with Controller(folder + "/c") as controller:
            profiles(controller)
            tasks(controller, folder)
            strangers(controller)
            vandals(controller)
            views(controller)
            metrics(controller)
        roles(folder)
        tree(folder)
        tls(folder)
        module(folder)
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
