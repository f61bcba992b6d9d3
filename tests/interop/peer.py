# SPDX-License-Identifier: Apache-2.0
# What tests against other programs share: where our own binary and the data are, how a peer is installed, how a result is said.
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / "build" / "peers"
DATA = pathlib.Path(os.environ.get("ATYS_EXTERNAL_DATA", ROOT.parent / "shared" / "data"))
ATYS = os.environ.get("ATYS", ROOT / "atys")

_failures = 0


def report(name, why=None):
    """One line per check; `why` says what went wrong."""
    global _failures
    if why is None:
        print(f"ok {name}", flush=True)
    else:
        _failures += 1
        print(f"not ok {name}: {' '.join(str(why).split())[:500]}", flush=True)


def finish():
    sys.exit(1 if _failures else 0)


def check(name, test):
    """Runs `test`; an exception is a failure with its text as the reason."""
    try:
        test()
        report(name)
    except Exception as error:  # whatever a peer does wrong is a result
        report(name, f"{type(error).__name__}: {error}")


def run(command, seconds=300, **options):
    """Output of a command that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(str(command[0])).name} gave {done.returncode}: {(done.stderr or done.stdout)[-400:]}")
    return done.stdout


def convert(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    run([ATYS, "convert", source, "-o", target], seconds=900)
    return target


def install(*packages):
    """npm packages, once, into build/peers; returns the folder of modules."""
    modules = PEERS / "node_modules"
    missing = [package for package in packages if not (modules / package_name(package)).exists()]
    if missing:
        PEERS.mkdir(parents=True, exist_ok=True)
        run(["npm", "install", "--prefix", PEERS, "--no-audit", "--no-fund", "--ignore-scripts", *missing], seconds=900)
    return modules


def package_name(package):
    """"@a/b@1" and "b@1" without the version."""
    at = package.rfind("@")
    return package if at <= 0 else package[:at]


def profiles():
    """Real pprof files; ends the test, saying why, where there are none."""
    found = sorted((DATA / "pprof").glob("*.pb.gz"))
    if not found:
        print(f"skipped: no profiles in {DATA / 'pprof'}; set ATYS_EXTERNAL_DATA")
        sys.exit(0)
    return found


def stem(path):
    return path.name.removesuffix(".pb.gz")
