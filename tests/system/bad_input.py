#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `atys` does with bad files: it says so in one line that names the file (and the place, if the bytes are at fault), exits
with status 1, leaves no output, and neither crashes, hangs nor eats the memory. Prints a result line per kind of badness; an input
that we fail on is kept in build/bad_input.

    bad_input.py [WORD…]    only the groups with WORD in their name
"""
import concurrent.futures
import contextlib
import dataclasses
import gzip
import itertools
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import hostile_files as hostile  # noqa: E402
import jfr_file  # noqa: E402
from scratch import ROOT, atys_binary  # noqa: E402

FLIPS, CUTS = 1000, 50
TIMEOUT_S = 20
MAX_RSS_KB = 2 << 20
INPUT = "input-7d1e"  # a name that no message contains by chance
# Where the bytes are at fault: an offset, or for a value of sound JSON its path.
PLACE = re.compile(r"\boffset \d+|\bat (the top|\w+(\[\d+\]|\.\w+)*):")
EXTENSIONS = [".pb.gz", ".otlp", ".otlp.json", ".collapsed", ".speedscope.json", ".firefox.json"]
PERF_SCRIPT = b"".join(b"app %d/%d [001] %d.%06d:     250000 cycles:u: \n\t    55d0c0de1139 leaf_%d+0x9 (/usr/bin/app)\n"
                       b"\t    55d0c0de11f0 main+0x20 (/usr/bin/app)\n\n" % (9, 9, 100 + n, n * 37, n % 5) for n in range(40))


@dataclasses.dataclass
class Run:
    status: int
    out: bytes
    err: str
    rss_kb: int
    left: list[str]  # files that are new in the folder


class Atys:
    """The program under test, copied to where every user may run it."""

    def __init__(self, top: pathlib.Path):
        self.top, self.local, self.numbers = top, threading.local(), itertools.count()
        self.binary = top / "atys"
        shutil.copy(atys_binary(), self.binary)

    def folder(self) -> pathlib.Path:
        """Each thread has its own, so that whatever is new in it is of the run just done."""
        if not hasattr(self.local, "folder"):
            self.local.folder = self.top / f"worker{next(self.numbers)}"
            self.local.folder.mkdir()
        return self.local.folder

    def run(self, *arguments, folder=None, **popen) -> Run:
        folder = folder or self.folder()
        before = set(os.listdir(folder))
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen([self.binary, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stderr=err,
                                     **{"stdout": out, **popen}, env={"LC_ALL": "C.UTF-8", "ATYS_HOME": str(self.top / "home")})
            timer = threading.Timer(TIMEOUT_S, child.kill)
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0), err.seek(0)
            left = sorted(set(os.listdir(folder)) - before)
            return Run(child.returncode, out.read(), err.read().decode(errors="replace"), usage.ru_maxrss, left)


def complaint(run: Run, name: str, must_fail: bool, needs_place: bool) -> str | None:
    """What is wrong with how a bad file was met."""
    if run.rss_kb > MAX_RSS_KB:
        return f"needed {run.rss_kb >> 10} MB"
    if run.status == 0:
        return "was accepted" if must_fail else None
    if run.status == -signal.SIGKILL:
        return f"still running after {TIMEOUT_S} s"
    if run.status != 1:
        return f"exit status {run.status}: {run.err[-300:]}"
    if not re.fullmatch(r"atys: [^\n]+\n", run.err):
        return f"not one line on standard error: {run.err[:300]!r}"
    if name not in run.err:
        return f"does not name the file: {run.err!r}"
    if needs_place and not PLACE.search(run.err):
        return f"says not where: {run.err!r}"
    if run.out:
        return "wrote to standard output all the same"
    return f"left {run.left}" if run.left else None


class Tests:
    def __init__(self, atys: Atys, words: list[str]):
        self.atys, self.words, self.failed = atys, words, 0
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())

    def wanted(self, title: str) -> bool:
        return all(word in title for word in self.words)

    def report(self, title: str, wrong: list[str], count: int = 1) -> None:
        self.failed += bool(wrong)
        for text in wrong[:5]:
            print(f"  {text}")
        print(f"not ok bad input: {title}: {len(wrong)} of {count}" if wrong else f"ok bad input: {title} ({count})", flush=True)

    def meet(self, data: bytes, verb: str, must_fail: bool) -> str | None:
        folder = self.atys.folder()
        (folder / INPUT).write_bytes(data)
        arguments = ["convert", INPUT, "-o", "out.pb.gz"] if verb == "convert" else ["summary", INPUT]
        run = self.atys.run(*arguments, folder=folder)
        wrong = complaint(run, INPUT, must_fail, needs_place=True)
        with contextlib.suppress(FileNotFoundError):
            (folder / "out.pb.gz").unlink()
        return f"{verb}: {wrong}" if wrong else None

    def group(self, title: str, inputs, must_fail: bool, verbs=("convert", "summary")) -> None:
        """`inputs`: (name, bytes); every input meets each of the verbs."""
        if not self.wanted(title):
            return

        def one(item):
            name, data = item
            wrong = [text for verb in verbs if (text := self.meet(data, verb, must_fail))]
            if wrong:
                kept = ROOT / "build/bad_input" / re.sub(r"\W+", "_", f"{title} {name}")
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(data)
            return [f"{name}: {text}" for text in wrong]
        results = list(self.pool.map(one, inputs))
        self.report(title, sum(results, []), len(results))


def seeds(atys: Atys) -> dict[str, bytes]:
    """A small profile in each format that we both write and read, and what is inside of it where that is gzip."""
    folder = atys.folder()
    lines = [f"main;f{n % 7};g{n % 13};h{n} {n + 1}" for n in range(60)]
    (folder / "seed.collapsed").write_text("\n".join(lines) + "\n")
    found = {"perf script": PERF_SCRIPT, ".jfr": jfr_file.sound().bytes(), ".jfr plain": jfr_file.sound(compressed=False).bytes()}
    for extension in EXTENSIONS:
        target = f"made{extension}"
        if atys.run("convert", "seed.collapsed", "-o", target).status == 0 and atys.run("summary", target).status == 0:
            found[extension] = (folder / target).read_bytes()
            if found[extension][:2] == b"\x1f\x8b":
                found[f"{extension} unpacked"] = gzip.decompress(found[extension])
        (folder / target).unlink(missing_ok=True)
    return found


def flipped(data: bytes):
    chance = random.Random(20260101)
    for number in range(FLIPS):
        copy = bytearray(data)
        for _ in range(1 + number % 4):
            copy[chance.randrange(len(copy))] ^= 1 << chance.randrange(8)
        yield f"flip {number}", bytes(copy)


def damaged_files(tests: Tests, formats: dict[str, bytes]) -> None:
    for extension, data in formats.items():
        text = extension in (".collapsed", "perf script")  # a text cut short may be a shorter text
        cuts = [(f"first {len(data) * n // CUTS} bytes", data[:len(data) * n // CUTS]) for n in range(CUTS)]
        tests.group(f"{extension} cut short", cuts, must_fail=extension.endswith(("gz", "json", "jfr", "jfr plain")) and not text)
        flips = list(flipped(data))
        tests.group(f"{extension} with flipped bits", flips[::2], False, ["convert"])
        tests.group(f"{extension} with flipped bits, summary", flips[1::2], False, ["summary"])


def sound_files(tests: Tests, formats) -> None:
    """What the lies below are changes of has to be accepted, or they are refused for another reason than we think."""
    for extension, data in {".pb.gz": hostile.pprof(), ".otlp": hostile.otlp(), ".speedscope.json": hostile.speedscope(),
                            ".jfr": jfr_file.sound().bytes()}.items():
        title = f"a sound {extension}"
        if extension in formats and tests.wanted(title):
            (tests.atys.folder() / INPUT).write_bytes(data)
            run = tests.atys.run("summary", INPUT)
            tests.report(title, [run.err] if run.status else [])


def crafted_files(tests: Tests) -> None:
    tests.group("pprof that lies", hostile.pprof_lies().items(), must_fail=True)
    tests.group("otlp that lies", hostile.otlp_lies().items(), must_fail=True)
    tests.group("speedscope that lies", hostile.speedscope_lies().items(), must_fail=True)
    tests.group("jfr that lies", (jfr_file.lies() | {"names that multiply": jfr_file.multiplied()}).items(), must_fail=True)
    tests.group("firefox that lies", hostile.firefox_lies().items(), must_fail=True)
    tests.group("deep nesting", hostile.deep_files().items(), must_fail=False)
    tests.group("files of others", hostile.other_files(tests.atys.binary.read_bytes()).items(), must_fail=True)
    if tests.wanted("gzip bombs"):
        tests.group("gzip bombs", hostile.bombs().items(), must_fail=True, verbs=["convert"])


def unreadable_files(tests: Tests) -> None:
    """Directories, missing files, files and folders that are not ours. Root may do anything, so it becomes somebody else."""
    folder = tests.atys.top / "unreadable"
    folder.mkdir(mode=0o755)
    (folder / "directory").mkdir()
    (folder / "secret").write_bytes(hostile.pprof())
    (folder / "secret").chmod(0)
    (folder / "sound").write_bytes(hostile.pprof())
    (folder / "closed").mkdir(mode=0o555)
    somebody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    for title, name, arguments in [("a directory", "directory", ["summary", "directory"]), ("a missing file", "none", ["summary", "none"]),
                                   ("a file without permission", "secret", ["convert", "secret", "-o", "out.pb.gz"]),
                                   ("a folder without permission", "closed/out.pb.gz", ["convert", "sound", "-o", "closed/out.pb.gz"]),
                                   ("a folder that is missing", "none/out.pb.gz", ["convert", "sound", "-o", "none/out.pb.gz"])]:
        if tests.wanted(title):
            wrong = complaint(tests.atys.run(*arguments, folder=folder, **somebody), name, True, needs_place=False)
            tests.report(title, [wrong] if wrong else [])


def full_disk(tests: Tests, title: str, folder: pathlib.Path, **popen) -> None:
    """The file that was there stays as it was, and nothing is left beside it."""
    big = tests.atys.top / "big.collapsed"
    noise = random.Random(5)
    big.write_text("".join(f"main;f{noise.getrandbits(64):x};g{noise.getrandbits(64):x} {noise.getrandbits(16) + 1}\n" for _ in range(20_000)))
    (folder / "out.pb.gz").write_bytes(b"what was there before")
    run = tests.atys.run("convert", big, "-o", "out.pb.gz", folder=folder, **popen)
    wrong = complaint(run, "out.pb.gz", True, needs_place=False)
    if not wrong and (folder / "out.pb.gz").read_bytes() != b"what was there before":
        wrong = "the old file is gone"
    tests.report(title, [wrong] if wrong else [])


def no_room(tests: Tests) -> None:
    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    folder = tests.atys.top / "limited"
    folder.mkdir()
    if tests.wanted("a file that may not grow"):
        full_disk(tests, "a file that may not grow", folder, preexec_fn=limited)
    if tests.wanted("a full disk"):
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
        if os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0:
            try:
                full_disk(tests, "a full disk", folder)
            finally:
                subprocess.run(["umount", folder], check=True)
        else:
            print("skip bad input: a full disk: this user may not mount one")
    if tests.wanted("a full standard output"):
        (folder / "sound").write_bytes(hostile.pprof())
        with open("/dev/full", "wb") as full:
            run = tests.atys.run("summary", "sound", folder=folder, stdout=full)
        tests.report("a full standard output", [f"{run}"] if run.status != 1 or not re.fullmatch(r"atys: [^\n]+\n", run.err) else [])


def self_test() -> list[str]:
    """Bad ways to meet a bad file, each of which has to be noticed."""
    good = Run(1, b"", "atys: cannot read bad: at offset 3\n", 9, [])
    bad = [dict(status=0), dict(status=2), dict(status=-11), dict(out=b"x"), dict(err="atys: bad\natys: offset 1\n"), dict(err="bad offset 1\n"),
           dict(err="atys: offset 3\n"), dict(err="atys: cannot read bad\n"), dict(rss_kb=3 << 20), dict(left=["out.pb.gz.tmp"])]
    wrong = [f"{change} is not noticed" for change in bad if not complaint(dataclasses.replace(good, **change), "bad", True, True)]
    return wrong + ([] if complaint(good, "bad", True, True) is None else ["a proper refusal is held against us"])


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="atys-bad-") as folder:
        os.chmod(folder, 0o755)
        tests = Tests(Atys(pathlib.Path(folder)), sys.argv[1:])
        tests.report("self-test", self_test())
        formats = seeds(tests.atys)
        damaged_files(tests, formats)
        sound_files(tests, formats)
        crafted_files(tests)
        unreadable_files(tests)
        no_room(tests)
        return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())
