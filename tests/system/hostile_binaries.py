#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Binaries of somebody else, whose debug information unpacks to more than the machine has, or that say they are another's build. A recording of
root names what it can, stays small, and goes on."""
import json
import os
import pathlib
import pwd
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import checks  # noqa: E402
from checks import check, differs  # noqa: E402
from programs import end  # noqa: E402
from scratch import atys_binary  # noqa: E402

ATYS = atys_binary()
MIB = 1 << 20
PROGRAM = """
#include <time.h>
static volatile unsigned long count;
__attribute__((noinline)) void NAME(void) { for (int i = 0; i < 1000000; ++i) count += i; }
int main(void) { for (;;) NAME(); }
"""


def compiled(folder, name, function, *options):
    (folder / f"{name}.c").write_text(PROGRAM.replace("NAME", function))
    subprocess.run(["gcc", "-O1", "-g", *options, "-o", folder / name, folder / f"{name}.c"], check=True)
    return folder / name


def zeros_packed(size: int) -> bytes:
    packer = zlib.compressobj(1)
    return b"".join([*(packer.compress(bytes(MIB)) for _ in range(size // MIB)), packer.flush()])


def with_bomb(program: pathlib.Path, size: int) -> None:
    """Each debug section of it unpacks to `size` bytes: the section is put at the end of the file and its header is changed."""
    data = bytearray(program.read_bytes())
    packed = zeros_packed(size)
    payload = struct.pack("<IIQQ", 1, 0, size, 1) + packed
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    entry, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    (names,) = struct.unpack_from("<Q", data, offset + names_index * entry + 0x18)
    place = len(data)
    data += payload
    for i in range(count):
        header = offset + i * entry
        (name,) = struct.unpack_from("<I", data, header)
        text = bytes(data[names + name:data.index(0, names + name)])
        if text.startswith(b".debug_"):
            struct.pack_into("<Q", data, header + 0x08, 0x800)  # SHF_COMPRESSED
            struct.pack_into("<QQ", data, header + 0x18, place, len(payload))
    program.write_bytes(data)


class Running:
    """A program of the user nobody."""

    def __init__(self, program):
        nobody = pwd.getpwnam("nobody")
        os.chown(program, nobody.pw_uid, nobody.pw_gid)
        self.process = subprocess.Popen([program], user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/")

    def __enter__(self):
        return self.process.pid

    def __exit__(self, *_):
        end(self.process)


class Watched:
    """The largest size of a process and of each of its descendants, as seen from outside."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.peak, self.is_over = 0, False
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while not self.is_over:
            for pid in [self.process.pid, *self.children()]:
                try:
                    text = pathlib.Path(f"/proc/{pid}/status").read_text()
                except OSError:
                    continue
                found = re.search(r"VmHWM:\s+(\d+)", text)
                self.peak = max(self.peak, int(found.group(1)) * 1024 if found else 0)
            time.sleep(0.01)

    def children(self):
        try:
            return [int(word) for word in pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()]
        except OSError:
            return []

    def finish(self):
        out, errors = self.process.communicate(timeout=300)
        self.is_over = True
        self.watcher.join()
        return out, errors


def capture(folder, pids):
    environment = {**os.environ, "ATYS_HOME": str(folder / "home"), "NO_COLOR": "1"}
    run = Watched([ATYS, "capture", *[word for pid in pids for word in ("--pid", str(pid))], "--duration", "2s", "--json"], environment)
    out, errors = run.finish()
    return run, out, errors



def bomb(folder):
    program = compiled(folder, "bomb", "hot_in_the_bomb")
    with_bomb(program, 300 * MIB)
    with Running(program) as pid:
        run, out, errors = capture(folder, [pid])
    if run.process.returncode != 0:
        return errors
    if "hot_in_the_bomb" not in out:
        return "its functions have no names: " + out
    return None if run.peak < 400 * MIB else f"it took {run.peak // MIB} MiB"


def agent_bomb(folder):
    """An agent of root that records a program of nobody's, for some windows."""
    program = compiled(folder, "agent_bomb", "hot_in_the_bomb")
    with_bomb(program, 300 * MIB)
    task = folder / "task.yaml"
    task.write_text(f"task: bomb\nservice: exe={program}\nwindow: 1s\nfrequency: 199\n")
    environment = {**os.environ, "ATYS_HOME": str(folder / "agent-home"), "NO_COLOR": "1"}
    with Running(program):
        run = Watched([ATYS, "agent", "--task", str(task), "--duration", "12s", "--max-memory", "128MB", "--metrics", "127.0.0.1:0", "--data", str(folder / "agent")], environment)
        out, errors = run.finish()
    if run.process.returncode != 0:
        return out + errors
    return None if run.peak < 256 * MIB else f"it took {run.peak // MIB} MiB"


def forged(folder):
    """Two programs that say that they are one build, in one recording, and again by the cache."""
    build = "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567"
    ours = compiled(folder, "ours", "name_by_right", build)
    theirs = compiled(folder, "theirs", "name_forgery_", build)
    with Running(ours) as first, Running(theirs) as second:
        time.sleep(3)  # files that were changed a moment ago are not kept
        for _ in range(2):
            _, out, errors = capture(folder, [first, second])
            if "name_by_right" not in out or "name_forgery_" not in out:
                return out + errors
        for one, wanted, other in [(first, "name_by_right", "name_forgery_"), (second, "name_forgery_", "name_by_right")]:
            _, out, errors = capture(folder, [one])
            if wanted not in out or other in out:
                return out + errors
    return None


def nothing_left(folder):
    """Also when the recorder is killed, its worker goes."""
    program = compiled(folder, "plain", "hot")
    with Running(program) as pid:
        environment = {**os.environ, "ATYS_HOME": str(folder / "fresh")}
        recorder = subprocess.Popen([ATYS, "capture", "--pid", str(pid), "--duration", "60s"], env=environment,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        workers = set()
        while not workers and time.monotonic() < deadline and recorder.poll() is None:
            workers = workers_of(recorder.pid)
            time.sleep(0.02)
        recorder.kill()
        recorder.wait()
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
            time.sleep(0.02)
    if not workers:
        return "no worker was seen"
    left = [pid for pid in workers if pathlib.Path(f"/proc/{pid}").exists()]
    return f"workers are left: {left}" if left else None


def workers_of(pid) -> set:
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"--read-binaries-for-another" in (entry / "cmdline").read_bytes() and \
                    f"PPid:\t{pid}\n" in (entry / "status").read_text():
                found.add(int(entry.name))
        except OSError:
            pass
    return found


def main():
    if os.geteuid() != 0:
        print("skip binaries of another user: wants root")
        return 0
    with tempfile.TemporaryDirectory(prefix="atys-binaries-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        check("debug information that unpacks to gigabytes: functions have names, and memory stays bounded", lambda: bomb(folder))
        check("the same with an agent", lambda: agent_bomb(folder))
        check("two files with one forged build id keep their own names, in one recording and in the next", lambda: forged(folder))
        check("a recorder that is killed leaves no worker", lambda: nothing_left(folder))
    return checks.status()


if __name__ == "__main__":
    sys.exit(main())
