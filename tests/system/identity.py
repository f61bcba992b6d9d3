#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who is who in a fleet: what a token that many share cannot do, nodes that join and are nobody else, quotas, and tokens that are replaced
while everything runs."""
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
import controllers  # noqa: E402
from checks import check, differs  # noqa: E402
from otlp_windows import EXPORT, REPORT, orders, report, window  # noqa: E402
from programs import end, eventually  # noqa: E402
from protobuf import field, fields  # noqa: E402
from scratch import atys_binary  # noqa: E402

try:
    import grpc
except ImportError:
    grpc = None

ATYS = atys_binary()
JOIN = "/atys.control.v1.Control/Join"
MIB = 2**20
TOKENS = {"capture": "c" * 32, "join": "j" * 32, "few": "f" * 32, "controller": "k" * 32, "read": "r" * 32, "slow": "s" * 32}
LINES = """# of the tests
capture    {capture} services=shop*,cart
join       {join} services=shop* nodes=web-*
join       {few} services=* max-nodes=2
controller {controller} services=*
read       {read}
capture    {slow} services=* windows=3
"""
SECOND = 10**9


class Controller(controllers.Controller):
    def call(self, method, message, token):
        """The answer, or the status as a word."""
        options = [("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)]
        try:
            with grpc.insecure_channel(self.grpc, options=options) as channel:
                return channel.unary_unary(method)(message, timeout=60, metadata=[("authorization", "Bearer " + token)])
        except grpc.RpcError as error:
            return f"{error.code().name}: {error.details()}"

    def get(self, path, method="GET", token=None):
        connection = http.client.HTTPConnection(self.http, timeout=60)
        connection.request(method, path, headers={"Authorization": "Bearer " + (token or self.token)})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def nodes(self):
        return {row["node"]: row for row in json.loads(self.get("/api/v1/nodes")[1])["nodes"]}

    def services(self):
        return sorted(row["service"] for row in json.loads(self.get("/api/v1/services")[1])["services"])

    def counter(self, name):
        return sum(float(line.rsplit(" ", 1)[1]) for line in self.get("/metrics")[1].splitlines() if re.match(name, line))

    def memory(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text()).group(1)) * 1024


def write_tokens(path, text):
    """As an operator does who knows that a file can be read while it is written."""
    new = pathlib.Path(f"{path}.edited")
    new.touch(mode=0o600)
    new.write_text(text)
    new.rename(path)


def one(service="shop", node="web-1", sequence=1, stack="main;f", **more):
    attributes = {"service.name": service, "host.name": node, "atys.sender": f"{node:0<32}"[:32], "atys.sequence": sequence, **more}
    return window([(attributes, {stack: 100})], time.time_ns() - 60 * SECOND)


def refused(answer):
    """Why profiles of a message were not taken; None: they were."""
    if isinstance(answer, str):
        return answer
    partial = dict(fields(answer)).get(1)
    return None if partial is None else dict(fields(partial)).get(2, b"").decode()


def says(answer, *words):
    text = refused(answer) or "taken"
    return None if all(word in text for word in words) else f"{text[:200]!r} does not say {words}"


def shared_token(controller):
    capture = TOKENS["capture"]

    def scope():
        return says(controller.call(EXPORT, one(), capture), "taken") or \
            says(controller.call(EXPORT, one("bank"), capture), "may not send the service bank", "--tokens") or \
            differs(controller.services(), ["shop"]) or \
            (None if controller.counter(r'atys_controller_refused_profiles_total.*not_allowed') == 1 else "not counted")

    def http_scope():
        connection = http.client.HTTPConnection(controller.http, timeout=60)
        connection.request("POST", "/v1development/profiles", one("bank", sequence=2),
                           {"Authorization": "Bearer " + capture, "Content-Type": "application/x-protobuf"})
        return says(connection.getresponse().read(), "may not send the service bank")

    def label():
        claim = report("below") + field(5, field(1, "atys.role") + field(2, "controller"))
        return says(controller.call(REPORT, claim, capture), "UNAUTHENTICATED", "not one for controllers") or \
            differs("below" in controller.nodes(), False) or \
            differs(type(controller.call(REPORT, claim, TOKENS["controller"])), bytes) or \
            differs(controller.nodes()["below"]["controller"], True)

    check("a token sends the services of its scope", scope)
    check("also over HTTP", http_scope)
    check("a label makes nobody a controller", label)


def long_texts(controller):
    """20 MB each; none is kept, all are counted, and memory is as before."""
    large, before = "x" * (20 * MIB), controller.memory()
    counted = lambda: controller.counter("atys_controller_refused_(messages|profiles)_total")
    texts = {
        "the name of a node": (REPORT, report(large)),
        "a version": (REPORT, report("web-8") + field(3, large)),
        "an address for metrics": (REPORT, report("web-8", large)),
        "the key of a label": (REPORT, report("web-8") + field(5, field(1, large) + field(2, "v"))),
        "the value of a label": (REPORT, report("web-8") + field(5, field(1, "k") + field(2, large))),
        "the name of a task": (REPORT, report("web-8") + field(6, field(1, large))),
        "a trouble": (REPORT, report("web-8") + field(6, field(1, "t") + field(6, large))),
        "a node that joins": (JOIN, field(1, large)),
        "the name of a service": (EXPORT, one(large)),
        "the version of a service": (EXPORT, one(**{"service.version": large})),
        "the node of a window": (EXPORT, one(node=large)),
        "the name of an instance": (EXPORT, one(**{"service.instance.id": large})),
        "the name of a function": (EXPORT, one(stack=large)),
    }
    for name, (method, message) in texts.items():
        def test():
            already = counted()
            answer = controller.call(method, message, controller.token)
            return says(answer, "are the most") or differs(counted(), already + 1)
        check(f"{name} has a bound", test)
    check("nothing of them is kept", lambda: differs("web-8" in controller.nodes(), False) or
          (None if controller.memory() < before + 100 * MIB else f"{controller.memory() >> 20} MiB after {before >> 20}"))


def joining(controller):
    def token_of(answer):
        return dict(fields(answer))[1].decode()

    def joins():
        own = token_of(controller.call(JOIN, field(1, "web-1"), TOKENS["join"]))
        kept = pathlib.Path(controller.folder, "node-tokens.json")
        if own in kept.read_text() or kept.stat().st_mode & 0o077:
            return "the token itself is kept, or others can read the file"
        return differs(type(controller.call(REPORT, report("web-1"), own)), bytes) or differs(controller.nodes()["web-1"]["known"], True) or \
            says(controller.call(EXPORT, one(sequence=10), own), "taken") or \
            says(controller.call(EXPORT, one("bank", sequence=11), own), "may not send the service bank") or \
            says(controller.call(EXPORT, one(node="web-2"), own), "this is the node web-1, not web-2") or \
            says(controller.call(REPORT, report("web-2"), own), "this is the node web-1, not web-2")

    def nobody_else():
        return says(controller.call(JOIN, field(1, "web-1"), TOKENS["join"]), "has joined already", "atys nodes --forget web-1") or \
            says(controller.call(REPORT, report("web-1"), TOKENS["capture"]), "has a token of its own") or \
            says(controller.call(EXPORT, one(sequence=12), TOKENS["capture"]), "has a token of its own")

    def only_joins():
        return says(controller.call(REPORT, report("web-5"), TOKENS["join"]), "PERMISSION_DENIED") or \
            says(controller.call(EXPORT, one(), TOKENS["join"]), "PERMISSION_DENIED") or \
            differs([controller.get(path, token=TOKENS["join"])[0] for path in ("/api/v1/nodes", "/metrics")], [403, 403]) or \
            says(controller.call(JOIN, field(1, "web-6"), TOKENS["capture"]), "PERMISSION_DENIED", "not one for joining")

    def bounded():
        answers = [controller.call(JOIN, field(1, f"made-up-{i}"), TOKENS["few"]) for i in range(4)]
        return differs([isinstance(answer, bytes) for answer in answers], [True, True, False, False]) or says(answers[3], "max-nodes=") or \
            says(controller.call(JOIN, field(1, "db-1"), TOKENS["join"]), "nodes=")

    def restarted():
        own = token_of(controller.call(JOIN, field(1, "web-3"), TOKENS["join"]))
        controller.restart()
        return differs(type(controller.call(REPORT, report("web-3"), own)), bytes)

    def forgotten():
        own = token_of(controller.call(JOIN, field(1, "web-4"), TOKENS["join"]))
        status = [controller.get("/api/v1/nodes/web-4", "DELETE", token)[0] for token in (TOKENS["read"], None)]
        return differs(status, [403, 200]) or says(controller.call(REPORT, report("web-4"), own), "UNAUTHENTICATED") or \
            differs(type(controller.call(JOIN, field(1, "web-4"), TOKENS["join"])), bytes)

    check("a node that joins is known by its own token, and sends as itself", joins)
    check("and nobody else does", nobody_else)
    check("a token for joining is for nothing else", only_joins)
    check("so many nodes join by a token, and of such names", bounded)
    check("who has joined is known after the controller was killed", restarted)
    check("a node that is forgotten joins again", forgotten)


def invented_nodes(controller):
    """As many as the registry holds, and then some, in one connection."""
    def test():
        capture, metadata = TOKENS["capture"], [("authorization", "Bearer " + TOKENS["capture"])]
        own = dict(fields(controller.call(JOIN, field(1, "web-7"), TOKENS["join"])))[1].decode()
        controller.call(REPORT, report("web-7"), own)
        with grpc.insecure_channel(controller.grpc, options=[("grpc.enable_http_proxy", 0)]) as channel:
            call = channel.unary_unary(REPORT)
            for start in range(0, 20_100, 300):
                for future in [call.future(report(f"invented-{i}"), timeout=120, metadata=metadata) for i in range(start, start + 300)]:
                    future.result()
        return differs(type(controller.call(REPORT, report("real"), capture)), bytes) or \
            differs([name in controller.nodes() for name in ("real", "web-7")], [True, True]) or \
            (None if controller.counter("atys_controller_nodes_crowded_out_total") > 0 else "it is not told that they were too many")
    check("20,100 invented nodes lock nobody out", test)


def quotas(controller):
    def test():
        answers = [controller.call(EXPORT, one(node="slow", sequence=i), TOKENS["slow"]) for i in range(12)]
        over = [answer for answer in answers if isinstance(answer, str)]
        if not over or not over[0].startswith("UNAVAILABLE") or "of this minute" not in over[0]:
            return f"none was told to come later: {over[:1]}"
        return says(controller.call(EXPORT, one(sequence=50, node="fast"), TOKENS["capture"]), "taken")
    check("who has sent its share comes later, and others meanwhile", test)


def rotation(controller, tokens):
    def replaced():
        fresh = "n" * 32
        write_tokens(tokens, LINES.format(**{**TOKENS, "read": fresh}))
        return eventually(lambda: controller.get("/api/v1/nodes", token=fresh)[0], 200) or \
            eventually(lambda: controller.get("/api/v1/nodes", token=TOKENS["read"])[0], 401)

    def nonsense():
        write_tokens(tokens, "root of all\n")
        controller.says(r"the tokens stay as they were: \S+:1: there is no role")
        return differs(controller.get("/api/v1/nodes", token="n" * 32)[0], 200)

    def admin():
        write_tokens(controller.token_file, "a" * 32 + "\n")
        write_tokens(tokens, LINES.format(**TOKENS))
        failed = eventually(lambda: controller.get("/api/v1/nodes", token="a" * 32)[0], 200) or \
            eventually(lambda: controller.get("/api/v1/nodes")[0], 401)
        controller.token = "a" * 32
        return failed

    check("a token that is replaced counts at once, the old one no more", replaced)
    check("a file that makes no sense changes nothing, and is told", nonsense)
    check("the operator's own token is replaced likewise", admin)


def agents(controller, folder):
    """Real ones."""
    join = pathlib.Path(folder, "join-token")
    join.touch(mode=0o600)
    join.write_text(TOKENS["join"] + "\n")
    data = pathlib.Path(folder, "agent")

    def start(*options):
        with open(f"{folder}/agent.log", "a") as log:
            return subprocess.Popen([ATYS, "agent", "--controller", controller.grpc, "--node", "web-9", "--data", str(data), "--metrics", "none", *options],
                                    stdout=log, stderr=log, env={**os.environ, "ATYS_TOKEN": ""})

    def known():
        return controller.nodes().get("web-9", {}).get("known")

    def joins():
        agent = start("--join-token-file", str(join))
        try:
            if failed := eventually(known, True):
                return failed + pathlib.Path(folder, "agent.log").read_text()[-400:]
            mode = (data / "node-token").stat().st_mode & 0o777
            return differs(mode, 0o600)
        finally:
            end(agent)

    def again():
        before, reports = (data / "node-token").read_text(), controller.counter("atys_controller_reports_total")
        agent = start("--join-token-file", str(join))
        try:
            return eventually(lambda: controller.counter("atys_controller_reports_total") > reports, True) or \
                differs((data / "node-token").read_text(), before)
        finally:
            end(agent)

    def rejoins():
        before = (data / "node-token").read_text()
        agent = start("--join-token-file", str(join))
        try:
            if failed := eventually(known, True):
                return failed
            if (status := controller.get("/api/v1/nodes/web-9", "DELETE")[0]) != 200:
                return f"status {status}"
            return eventually(lambda: (data / "node-token").read_text() != before, True) or eventually(known, True)
        finally:
            end(agent)

    def shared():
        """One with a file that is replaced while it runs."""
        path, log = pathlib.Path(folder, "shared-token"), pathlib.Path(folder, "agent.log")
        write_tokens(path, "wrong" * 8 + "\n")
        log.write_text("")
        with open(log, "a") as out:
            agent = subprocess.Popen([ATYS, "agent", "--controller", controller.grpc, "--node", "web-10", "--data", f"{folder}/other", "--metrics", "none",
                                      "--token-file", str(path)], stdout=out, stderr=out)
        try:
            failed = eventually(lambda: "token" in log.read_text(), True)
            write_tokens(path, TOKENS["capture"] + "\n")
            return failed or eventually(lambda: "web-10" in controller.nodes(), True)
        finally:
            end(agent)

    check("an agent joins, and keeps its token for itself", joins)
    check("it is the same node when it is started again", again)
    check("one that was forgotten joins again by itself", rejoins)
    check("an agent reads its token again when it is refused", shared)


def certificates(folder):
    """The name in a certificate is the node."""
    if shutil.which("openssl") is None:
        print("skip certificates: there is no openssl")
        return
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "2")
    pathlib.Path(folder, "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("localhost", "web-1", "stranger"):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{name}.pem", "-days", "2",
                "-extfile", "names")
    tokens = pathlib.Path(folder, "certificate-tokens")
    write_tokens(tokens, "certificate web-* services=shop\n")
    read = lambda name: pathlib.Path(folder, name).read_bytes()
    options = ("--tokens", tokens, "--cert", f"{folder}/localhost.pem", "--key", f"{folder}/localhost.key", "--ca", f"{folder}/ca.pem")

    with Controller(f"{folder}/tls", *options) as controller:
        def call(name, method, message):
            credentials = grpc.ssl_channel_credentials(read("ca.pem"), read(f"{name}.key"), read(f"{name}.pem"))
            try:
                with grpc.secure_channel(controller.grpc.replace("127.0.0.1", "localhost"), credentials, options=[("grpc.enable_http_proxy", 0)]) as channel:
                    return channel.unary_unary(method)(message, timeout=60)
            except grpc.RpcError as error:
                return f"{error.code().name}: {error.details()}"
        check("a certificate's name is the node, without a token", lambda: differs(type(call("web-1", REPORT, report("web-1"))), bytes) or
              says(call("web-1", REPORT, report("web-2")), "this is the node web-1") or says(call("web-1", EXPORT, one("bank")), "may not send the service"))
        check("a certificate of another name is nobody", lambda: says(call("stranger", REPORT, report("stranger")), "UNAUTHENTICATED"))


def wrong_files(folder):
    for name, text, mode, words in [
            ("a capture that does not say which services", "capture 0123456789abcdef\n", 0o600, ":1: a capture that does not say which services"),
            ("a file that others can read", "read 0123456789abcdef\n", 0o644, "can be read by others")]:
        path = pathlib.Path(folder, "wrong")
        path.unlink(missing_ok=True)
        path.touch(mode=mode)
        path.write_text(text)
        done = subprocess.run([ATYS, "controller", "--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--data", f"{folder}/never", "--tokens", str(path)],
                              capture_output=True, text=True, timeout=60)
        check(f"--tokens: {name}", lambda: None if done.returncode == 1 and words in done.stderr else f"{done.returncode}: {done.stderr}")


def main():
    if grpc is None:
        print("skip who is who: python3-grpcio is missing")
        return 0
    with tempfile.TemporaryDirectory(prefix="atys-identity-") as folder:
        tokens = pathlib.Path(folder, "tokens")
        write_tokens(tokens, LINES.format(**TOKENS))
        with Controller(f"{folder}/data", "--tokens", tokens) as controller:
            shared_token(controller)
            long_texts(controller)
            joining(controller)
            quotas(controller)
            rotation(controller, tokens)
            agents(controller, folder)
            invented_nodes(controller)
        certificates(folder)
        wrong_files(folder)
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
