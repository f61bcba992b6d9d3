# SPDX-License-Identifier: Apache-2.0
"""What benchmarks of agents share: a receiver of OTLP that counts the bytes on the wire and keeps the messages, the same with a controller behind it,
and an agent that is measured."""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import grpc

from measure import ATYS, ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
from otlp_windows import EXPORT  # noqa: E402
from protobuf import fields  # noqa: E402

PACKED = "/atys.control.v1.Control/ExportPacked"
DCZ = b"\x5e\x2a\x4d\x18\x20\x00\x00\x00"


class Sink:
    """A plain OTLP receiver over gRPC, behind a wire on which every byte that goes up is counted: `marks` says how many when each message was there."""

    def __init__(self):
        self.messages, self.marks, self.bytes_up, self.changed = [], [], 0, threading.Condition()
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), options=[("grpc.max_receive_message_length", -1)])
        self.server.add_generic_rpc_handlers((self,))
        behind = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self._let_in, args=(behind,), daemon=True).start()

    def service(self, call):
        return grpc.unary_unary_rpc_method_handler(self._take) if call.method == EXPORT else None

    def _take(self, message, _):
        self._keep(message, self.bytes_up)
        return b""

    def _keep(self, message, mark):
        with self.changed:
            self.messages.append(message)
            self.marks.append(mark)
            self.changed.notify_all()

    def _let_in(self, behind):
        while True:
            outer, _ = self.door.accept()
            inner = socket.create_connection(("127.0.0.1", behind))
            threading.Thread(target=self._carry, args=(outer, inner, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(inner, outer, False), daemon=True).start()

    def _carry(self, source, target, is_up):
        try:
            while data := source.recv(1 << 16):
                if is_up:
                    self.bytes_up += len(data)
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            one.close()

    def wait(self, count, seconds):
        """False: so many messages did not come in time."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.messages) >= count, seconds)

    def end(self):
        self.server.stop(0)
        self.door.close()


class ControllerSink(Sink):
    """A controller behind the same wire. What passes is kept as the OTLP that it holds, with how many bytes had come up by then."""

    def __init__(self, folder):
        command = [ATYS, "controller", "--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--data", str(folder)]
        self.controller = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        found = {}
        while len(found) < 2:
            line = self.controller.stderr.readline()
            if not line:
                sys.exit(f"the controller ended with {self.controller.wait()}")
            for key, pattern in (("grpc", r"gRPC on (\S+)"), ("token", r"the token is in (\S+)")):
                if match := re.search(pattern, line):
                    found[key] = match.group(1)
        threading.Thread(target=self.controller.stderr.read, daemon=True).start()
        self.token = pathlib.Path(found["token"]).read_text().strip()
        self.channel = grpc.insecure_channel(found["grpc"], options=[("grpc.max_send_message_length", -1), ("grpc.enable_http_proxy", 0)])
        self.by_hash = {}
        super().__init__()

    def service(self, call):
        return grpc.unary_unary_rpc_method_handler(lambda message, context: self._pass_on(call.method, message, context))

    def _pass_on(self, method, message, context):
        mark = self.bytes_up
        try:
            answer = self.channel.unary_unary(method)(message, timeout=60, metadata=[("authorization", "Bearer " + self.token)])
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())
        if method in (EXPORT, PACKED):
            otlp = message if method == EXPORT else self._unpacked(dict(fields(message))[1])
            self.by_hash[hashlib.sha256(otlp).digest()] = otlp
            self._keep(otlp, mark)
        return answer

    def _unpacked(self, body):
        with tempfile.TemporaryDirectory() as folder:
            before, words = pathlib.Path(folder, "before"), ["zstd", "-dcq", "--memory=64MB"]
            if body.startswith(DCZ):
                before.write_bytes(self.by_hash[body[8:40]])
                words.append(f"--patch-from={before}")
            return subprocess.run(words, input=body[40:] if body.startswith(DCZ) else body, capture_output=True, check=True).stdout

    def end(self):
        super().end()
        self.channel.close()
        self.controller.terminate()
        self.controller.wait()


class Agent:
    """An agent with tasks of its own, and what it uses."""

    def __init__(self, folder, sink, tasks, *options):
        folder = pathlib.Path(folder)
        words = [ATYS, "agent", "--controller", sink.address, "--data", str(folder / "agent"), "--metrics", "127.0.0.1:0", *options]
        for number, text in enumerate(tasks):
            path = folder / f"{number}.yaml"
            path.write_text(text)
            words += ["--task", str(path)]
        self.log = folder / "agent.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, env={**os.environ, "ATYS_HOME": str(folder / "home")})

    def cpu_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """MB by kind of memory: what is resident, and of that what is private and written."""
        text = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return {key: int(re.search(rf"^{key}:\s+(\d+)", text, re.M).group(1)) / 1000 for key in ("Rss", "Anonymous")}

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def until(seconds, ready):
    deadline = time.monotonic() + seconds
    while not ready() and time.monotonic() < deadline:
        time.sleep(0.1)
    return ready()
