# SPDX-License-Identifier: Apache-2.0
"""What benchmarks of agents share: a receiver of OTLP that counts the bytes on the wire and keeps the messages, and an agent that is measured."""
import concurrent.futures
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

import grpc

from measure import ATYS, ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
from otlp_windows import EXPORT  # noqa: E402


class Sink:
    """A plain OTLP receiver over gRPC, behind a wire on which every byte that goes up is counted."""

    def __init__(self):
        self.messages, self.bytes_up, self.changed = [], 0, threading.Condition()
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
        with self.changed:
            self.messages.append(message)
            self.changed.notify_all()
        return b""

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
