# SPDX-License-Identifier: Apache-2.0
"""A controller that a test starts: where it listens, its token, and its end."""
import pathlib
import re
import subprocess
import time

from programs import end
from scratch import atys_binary

STARTS_S = 60


class Controller:
    """What it says is in the file `log`; it is ended with the block, if not before."""

    def __init__(self, folder, *options, ports=("127.0.0.1:0", "127.0.0.1:0")):
        self.folder, self.options, self.ports = str(folder), [str(option) for option in options], ports
        self.log = pathlib.Path(self.folder + ".log")
        self.start()

    def start(self) -> None:
        command = [atys_binary(), "controller", "--listen", self.ports[0], "--grpc", self.ports[1], "--data", self.folder, *self.options]
        with open(self.log, "w") as log:
            self.process = self.spawn(command, log)
        self.scheme, self.http = self.says(r"listening on (https?)://(\S+)/").groups()
        self.grpc = self.says(r"gRPC on (\S+)").group(1)
        self.token_file = pathlib.Path(self.says(r"the token is in (\S+)").group(1))
        self.token = self.token_file.read_text().strip()

    def spawn(self, command: list[str], log) -> subprocess.Popen:
        return subprocess.Popen(command, stdout=log, stderr=log)

    def says(self, pattern: str) -> re.Match:
        """Waits for a whole line of that kind."""
        deadline = time.monotonic() + STARTS_S
        while not (found := re.search(pattern + r".*\n", self.log.read_text())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                end(self.process)
                raise RuntimeError(f"the controller does not say {pattern}: {self.log.read_text()[-400:]}")
            time.sleep(0.05)
        return found

    def restart(self) -> None:
        """As after a power cut, on the same ports."""
        self.process.kill()
        self.process.wait()
        self.ports = (self.http, self.grpc)
        self.start()

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.http}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end(self.process)
