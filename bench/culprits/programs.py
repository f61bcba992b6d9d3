# SPDX-License-Identifier: Apache-2.0
"""The cases, and how each becomes a command: packages are installed by name and version with the client of their language, below
build/culprits; what must be compiled is, with debug information, as a release would be."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "culprits"
DRIVERS = HERE / "drivers"
SIDES = ("slow", "fixed")


@dataclasses.dataclass
class Case:
    id: str
    language: str
    driver: str
    culprits: list  # as a profile names them
    file: str  # the end of its path, told apart from functions of the same name elsewhere
    defect: str
    depth: str  # direct: little else runs; deep: inside of a run that does ten other things
    seconds: list  # CPU seconds that were measured, slow and fixed
    package: str = ""  # empty: a program of our own, that takes "fixed" as its argument
    slow: str = ""
    fixed: str = ""
    regexp: bool = False  # what is slow is the matching of a regular expression

    def real(self):
        return bool(self.package)


@dataclasses.dataclass
class Program:
    command: list
    environment: dict


@dataclasses.dataclass
class Folder:
    """Where the drivers lie, and where packages are installed and programs built."""
    work: pathlib.Path = WORK
    drivers: pathlib.Path = DRIVERS


def moved_down(source, target, lines):
    """A copy of a driver in which everything is some lines further down."""
    comment = "#" if source.suffix == ".py" else "//"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{comment} moved\n" for _ in range(lines)) + source.read_text())


def read_cases(wanted):
    cases = [Case(**entry) for entry in tomllib.loads((HERE / "cases.toml").read_text())["case"]]
    unknown = set(wanted) - {case.id for case in cases}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}; there are {', '.join(case.id for case in cases)}")
    return [case for case in cases if not wanted or case.id in wanted]


def run(command, folder=None, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout)[-2000:]}")


def once(folder, make):
    """A folder that `make` fills; one that was not filled to its end is made anew."""
    if not (folder / ".done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder)
        (folder / ".done").touch()
    return folder


def place(case, version, at):
    name = case.package.replace("/", "-").replace(":", "-") or case.id
    return at.work / case.language / (f"{name}-{version}" if version else name)


def build_place(case, version, at):
    return at.work / "built" / (f"{case.id}-{version}" if version else case.id)


def python_program(case, version, words, at):
    def install(folder):
        run([sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, f"{case.package}=={version}"])
    path = str(once(place(case, version, at), install)) if case.real() else ""
    return Program([os.path.realpath(sys.executable), str(at.drivers / case.driver), *words], {"PYTHONPATH": path})


def javascript_program(case, version, words, at):
    def install(folder):
        (folder / "package.json").write_text("{}")
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", f"{case.package}@{version}"], folder)
    path = str(once(place(case, version, at), install) / "node_modules") if case.real() else ""
    return Program([shutil.which("node"), str(at.drivers / case.driver), *words], {"NODE_PATH": path})


def java_program(case, version, words, at):
    def install(folder):
        run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={case.package}:{version}", f"-DoutputDirectory={folder}"])

    def build(folder):
        run(["javac", "-g", "-cp", classes, "-d", folder, at.drivers / case.driver])
    classes = f"{once(place(case, version, at), install)}/*" if case.real() else "."
    built = once(build_place(case, version, at), build)
    return Program(["java", "-cp", f"{classes}:{built}", pathlib.Path(case.driver).stem, *words], {})


def go_program(case, version, words, at):
    def build(folder):
        shutil.copy(at.drivers / case.driver, folder / "main.go")
        run(["go", "mod", "init", "culprit"], folder)
        if case.real():
            run(["go", "get", f"{case.package}@{version}"], folder)
        run(["go", "build", "-o", "program", "."], folder)
    return Program([str(once(build_place(case, version, at), build) / "program"), *words], {})


def rust_program(case, version, words, at):
    def build(folder):
        (folder / "src").mkdir()
        shutil.copy(at.drivers / case.driver, folder / "src" / "main.rs")
        needs = f'{case.package} = "={version}"' if case.real() else ""
        (folder / "Cargo.toml").write_text(f'[package]\nname = "program"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n'
                                           f"[dependencies]\n{needs}\n[profile.release]\ndebug = true\n")
        run(["cargo", "build", "--quiet", "--release"], folder, CARGO_TARGET_DIR=str(folder / "target"))
    return Program([str(once(build_place(case, version, at), build) / "target" / "release" / "program"), *words], {})


def native_program(case, version, words, at):
    def build(folder):
        compiler = ["gcc"] if case.driver.endswith(".c") else ["g++", "-std=c++20"]
        run([*compiler, "-O2", "-g", "-pthread", "-o", folder / "program", at.drivers / case.driver])
    return Program([str(once(build_place(case, version, at), build) / "program"), *words], {})


MAKERS = {"python": python_program, "javascript": javascript_program, "java": java_program, "go": go_program, "rust": rust_program,
          "c": native_program, "c++": native_program}


def program(case, side, at=Folder()):
    """The command of one side of a case, installed and built."""
    version = (case.slow if side == "slow" else case.fixed) if case.real() else ""
    words = [] if case.real() or side == "slow" else ["fixed"]
    return MAKERS[case.language](case, version, words, at)


def each(cases, what):
    """Cases that cannot be had here are named and left out."""
    for case in cases:
        try:
            yield case, what(case)
        except (OSError, RuntimeError, subprocess.TimeoutExpired) as why:
            print(f"{case.id} is left out: {why}", file=sys.stderr)
