# SPDX-License-Identifier: Apache-2.0
"""What the scripts here share: installing peers, converting profiles, telling how it went.

The converter is $ATYS (`$ATYS convert IN -o OUT`), or, if that is unset, the test program of the dev build. Peers are Go
programs, installed once into build/peers. Real profiles come from $ATYS_EXTERNAL_DATA, by default ../shared/data.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "build" / "peers"
TEST_PROGRAM = ROOT / "build" / "dev" / "bin" / "atys_convert_for_tests"
DATA = pathlib.Path(os.environ.get("ATYS_EXTERNAL_DATA", ROOT / ".." / "shared" / "data"))


class Report:
    """Prints a line for each check; `finish` exits with 1 if any failed."""

    def __init__(self):
        self.failed = 0
        self.count = 0

    def check(self, name, problem):
        self.count += 1
        self.failed += problem is not None
        print(f"ok {name}" if problem is None else f"not ok {name}: {problem}", flush=True)

    def finish(self):
        if self.count == 0:
            print("not ok nothing was checked")
        print(f"{self.count} checks, {self.failed} failed")
        sys.exit(1 if self.failed or not self.count else 0)


def run(command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(command[0]).name}: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


def convert(source, target):
    atys = os.environ.get("ATYS")
    run([atys, "convert", source, "-o", target] if atys else [TEST_PROGRAM, source, target])
    return target


def odd_profile(seed, target):
    """A generated profile full of corner cases."""
    run([TEST_PROGRAM, "--odd", seed, target])
    return target


def install(name, package):
    """A Go program as a path; raises if it cannot be had."""
    path = PEERS / name
    if not path.exists():
        PEERS.mkdir(parents=True, exist_ok=True)
        run(["go", "install", package], env={**os.environ, "GOBIN": str(PEERS)})
    return path


def build(name, folder):
    PEERS.mkdir(parents=True, exist_ok=True)
    run(["go", "build", "-o", PEERS / name, "."], cwd=folder)
    return PEERS / name


def problem_of(check):
    """None if `check` returns something falsy, else what went wrong."""
    try:
        return check() or None
    except (RuntimeError, OSError) as error:
        return str(error).replace("\n", " | ")


def profiles(kind):
    """The real profiles of one folder; exits with 0 and says so if they are not here."""
    found = sorted((DATA / kind).glob("*"))
    if not found:
        print(f"ok {kind} # skip: no profiles in {DATA / kind}; set ATYS_EXTERNAL_DATA")
        sys.exit(0)
    return found


def scratch():
    return tempfile.TemporaryDirectory(prefix="atys-interop-")
