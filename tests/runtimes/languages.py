# SPDX-License-Identifier: Apache-2.0
"""The languages that have workloads, their runtimes (this machine's own, and those of runtimes.txt), and programs run by them."""
import contextlib
import dataclasses
import functools
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
import roots  # noqa: E402
from live import Failure, Skip, expect  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent / "workloads"
LONG = "3600"  # seconds: until it is told to end; a thousand captures on a busy machine take long


@dataclasses.dataclass(frozen=True)
class Language:
    name: str  # as the folder of its kernel
    source: str  # its workload, below tests/workloads
    called: str  # by `atys detect`
    kind: str  # of its frames; empty: it has no kernel of its own, and a capture shows native frames and says so
    root: str  # what the outermost of its frames is called, or every one that there may be, as a regular expression
    programs: tuple[str, ...]  # this machine's own: patterns of paths, and names on PATH
    ask: tuple[str, ...] = ("--version",)
    version: str = r"(\d+\.\d+)"  # in the answer
    options: tuple[str, ...] = ()  # before the program
    host_options: tuple[str, ...] = ()  # where it is beside others of this machine
    ended_by_signal: bool = True  # SIGTERM makes it tell its truth; else it runs for so long as it is told
    samples_itself: bool = False  # asked by us; else its frames are read from its memory
    says: str = ""  # lines that its runtime writes when it is captured; docs/guide/languages.md tells of them
    tells_version: bool = True  # `atys detect` says the same version as it; node is told by that of its V8
    tells_ready: bool = False  # it makes the file WORKLOAD_READY
    oldest: tuple[int, ...] = ()  # older ones are not meant to work
    oldest_shown: tuple[int, ...] = ()  # older ones are shown as native frames


ASYNC_PROFILER = "tools.profiler:async-profiler:4.5"
# A heap that is all there from the start: what grows then is not the heap.
HEAP = ("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")

LANGUAGES = {language.name: language for language in [
    Language("python", "python/split.py", "Python", "cpython", r"<module>|Thread\._bootstrap|_bootstrap",
             ("/usr/bin/python3.[0-9]*", "/usr/local/bin/python3.[0-9]*", os.path.expanduser("~/.pyenv/versions/*/bin/python3.[0-9]*"),
              "python3"), tells_ready=True, oldest=(3, 9)),
    Language("java", "Split.java", "Java", "jvm", r"java[./]lang[./]Thread[./]run.*|.*\.main", ("java",), ask=("-version",),
             version=r'version "(?:1\.)?(\d+)', tells_ready=True, samples_itself=True, options=HEAP),
    Language("node", "split.js", "JavaScript", "v8js", r"processImmediate|listOnTimeout|\(anonymous\)", ("node", "nodejs"),
             version=r"v(\d+)", samples_itself=True, tells_version=False, options=("--expose-gc",), host_options=("--inspect-port=0",), oldest_shown=(14,),
             says=r"^(Debugger (listening|attached|ending)|For help, see).*\n"),
    Language("php", "split.php", "PHP", "php", r"\{main\}|<main>|main", ("php",), version=r"PHP (\d+\.\d+)"),
    Language("ruby", "split.rb", "Ruby", "", "", ("ruby",), version=r"ruby (\d+\.\d+)"),
    Language("erlang", "split.erl", "Erlang", "", "", ("escript",), ask=(), ended_by_signal=False, tells_version=False),
]}


@dataclasses.dataclass(frozen=True)
class Runtime:
    language: Language
    version: str
    release: str  # empty: this machine's own
    packages: tuple[str, ...]
    program: str  # on this machine, or in the release's root

    @property
    def is_shown(self) -> bool:
        """Functions of its language; else native frames, and one line that says so."""
        return bool(self.language.kind) and number(self.version) >= self.language.oldest_shown

    def __str__(self) -> str:
        return f"{self.language.name} {self.version} ({self.release or self.program})"

    @functools.cached_property
    def top(self) -> pathlib.Path:
        """The root that it is in; made if need be."""
        release, _, suite = self.release.partition("+")
        return roots.installed(release, list(self.packages), suite) if self.release else pathlib.Path("/")

    @functools.cached_property
    def executable(self) -> str:
        found = sorted(glob.glob(str(self.top) + self.program)) if self.release else [self.program]
        if not found:
            raise Skip(f"{self.program} is not in {' '.join(self.packages)} of {self.release}")
        return "/" + os.path.relpath(found[-1], self.top)


# ----------------------------------------------------------------------------------------------------------------------- which there are

def of_releases() -> list[Runtime]:
    found = []
    for line in (HERE / "runtimes.txt").read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        expect(len(words) == 5 and words[0] in LANGUAGES, f"runtimes.txt: not understood: {line}")
        found.append(Runtime(LANGUAGES[words[0]], words[1], words[2], tuple(words[3].split(",")), words[4]))
    return found


def of_host() -> list[Runtime]:
    """Each once, whatever it is called; the Debian's own before others."""
    found, seen = [], set()
    for language in LANGUAGES.values():
        for pattern in language.programs:
            paths = [path for path in sorted(glob.glob(pattern)) if re.fullmatch(r"[\w.]*\d", os.path.basename(path))] \
                if pattern.startswith("/") else [shutil.which(pattern)]
            for path in filter(None, paths):
                real = os.path.realpath(path)
                version = asked_version(language, path)
                if real in seen or not version or is_script(real) or number(version) < language.oldest:
                    continue
                seen.add(real)
                found.append(Runtime(language, version, "", (), path))
    return found


def is_script(path: str) -> bool:
    """A script in a program's place, as version managers have them, becomes that program."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


@functools.cache
def asked_version(language: Language, path: str) -> str:
    if not language.ask:
        return "any"
    done = subprocess.run([path, *language.ask], capture_output=True, text=True)
    match = re.search(language.version, done.stdout + done.stderr)
    return match.group(1) if match else ""


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


# --------------------------------------------------------------------------------------------------------------------------- running one

@dataclasses.dataclass
class Target:
    """A workload in its runtime, which runs until it is asked for the truth."""
    runtime: Runtime
    process: subprocess.Popen  # what we started; in a root, the process that made the namespaces
    pid: int
    folder: pathlib.Path  # its own, as we see it

    def said(self) -> str:
        """Without what its runtime cannot help to say when it is captured."""
        return re.sub(self.runtime.language.says, "", self.all_said(), flags=re.MULTILINE) if self.runtime.language.says else self.all_said()

    def all_said(self) -> str:
        return (self.folder / "out").read_text(errors="replace") + (self.folder / "err").read_text(errors="replace")

    def truth(self) -> dict:
        if self.runtime.language.ended_by_signal:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)
        try:
            self.process.wait(live.TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Failure(f"the workload does not end; it said: {self.said()[-300:]}") from None
        return live.truth_of(self.folder)

    def children(self) -> list[int]:
        with contextlib.suppress(OSError):
            return [int(word) for word in pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]
        return []

    def has_worked(self, seconds: float = 0.3 * live.SCALE) -> None:
        """Until it, or a child, has used so much CPU time more: it is past its start then, however busy the machine is."""
        begin, end = self.cpu_s(), time.monotonic() + live.TIMEOUT_S
        while self.cpu_s() < begin + seconds:
            expect(self.process.poll() is None, f"the workload ended: {self.said()[-300:]}")
            expect(time.monotonic() < end, f"the workload does nothing: {self.said()[-300:]}")
            time.sleep(0.02)

    def is_ready(self) -> None:
        """It is past its start, and its code is compiled, where that is worth telling."""
        self.has_worked()
        end = time.monotonic() + live.TIMEOUT_S
        while self.runtime.language.tells_ready and not (self.folder / "ready").exists():
            expect(time.monotonic() < end, "the workload does not begin")
            time.sleep(0.02)

    def cpu_s(self) -> float:
        return sum(cpu_s_of(pid) for pid in [self.pid, *self.children()])


def cpu_s_of(pid: int) -> float:
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def command_of(runtime: Runtime, folder: str, source: str, *arguments: str) -> list[str]:
    """The words that run a program of tests/workloads, which lies in that folder as the runtime sees it."""
    name, language = os.path.basename(source), runtime.language
    words = [runtime.executable, *language.options, *(() if runtime.release else language.host_options)]
    if language.name == "java":
        return [*words, "-cp", folder, name.removesuffix(".java"), *arguments]
    return [*words, f"{folder}/{name}", *arguments]


def put_sources(runtime: Runtime, folder: pathlib.Path, source: str) -> None:
    path = SOURCES / source
    if not path.exists():
        raise Skip(f"there is no workload tests/workloads/{source}")
    if runtime.language.name == "java":
        for name in classes(source).iterdir():
            shutil.copy(name, folder)
    elif path.parent != SOURCES:
        shutil.copytree(path.parent, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(path, folder)


def has_async_profiler() -> bool:
    done = subprocess.run([live.atys_binary(), "doctor", "java", "--json"], capture_output=True, text=True)
    return done.returncode == 0 and all(check["status"] == "works" for check in json.loads(done.stdout)["checks"])


@functools.cache
def why_no_async_profiler() -> str:
    """Gets it where it is missing, as `atys doctor java` says; or tells why that did not work."""
    if has_async_profiler():
        return ""
    if shutil.which("mvn") is None:
        return "no async-profiler, and no mvn to get it with"
    done = subprocess.run(["mvn", "-q", "-B", "dependency:get", f"-Dartifact={ASYNC_PROFILER}"], capture_output=True, text=True, timeout=300)
    return "" if has_async_profiler() else f"no async-profiler: mvn: {(done.stdout + done.stderr).strip()[-200:]}"


@functools.cache
def classes(source: str) -> pathlib.Path:
    """Compiled once, for the oldest JVM of the table."""
    live.require_program("javac")
    if why := why_no_async_profiler():
        raise Skip(why)
    out = live.workloads.OUT / source.replace(".java", "_classes")
    out.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["javac", "-g", "-nowarn", "--release", "8", "-d", str(out), str(SOURCES / source)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"javac: {done.stderr.strip()[-300:]}")
    return out


@contextlib.contextmanager
def started(runtime: Runtime, *arguments: str, source: str = "", wrapped: tuple[str, ...] = (), settle: bool = True):
    """A Target. `wrapped` comes before the runtime's own program: a program that has the runtime inside."""
    top, source = runtime.top, source or runtime.language.source
    with tempfile.TemporaryDirectory(prefix="atys-runtimes-", dir=top / ("srv" if runtime.release else "tmp")) as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        put_sources(runtime, folder, source)
        seen = "/" + os.path.relpath(folder, top)
        command = command_of(runtime, seen, source, *(arguments or (LONG if runtime.language.ended_by_signal else "8",)))
        if wrapped:
            command = [*wrapped, *command[1:]]
        if runtime.release:
            command = [*roots.contained(top), *command]
        env = {"WORKLOAD_TRUTH": f"{seen}/truth.json", "WORKLOAD_READY": f"{seen}/ready", "PYTHONPATH": seen, "PYTHONDONTWRITEBYTECODE": "1",
               "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"}
        with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
            with live.running(*command, stdout=out, stderr=err, env=env) as process:
                try:
                    pid = roots.child_of(process) if runtime.release else process.pid
                except Failure:
                    raise Skip(f"it does not run here: {(folder / 'err').read_text(errors='replace').strip()[-200:]}") from None
                target = Target(runtime, process, pid, folder)
                if settle:
                    target.is_ready()
                yield target
