# SPDX-License-Identifier: Apache-2.0
"""What tests against other programs share: where our own program and the data are, how a peer is installed, how a result is said.

Our program is $ATYS, by default the launcher. Peers are installed once, into build/peers. Real profiles come from
$ATYS_EXTERNAL_DATA, by default ../shared/data.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import go_peer  # noqa: E402

PEERS = ROOT / "build" / "peers"
DATA = pathlib.Path(os.environ.get("ATYS_EXTERNAL_DATA", ROOT.parent / "shared" / "data"))
ATYS = os.environ.get("ATYS", ROOT / "atys")
ODD_PROFILE = ROOT / "build" / "release" / "bin" / "odd_profile"

_passed = _failed = 0


def report(name, why=None):
    """One line per check; `why` says what went wrong."""
    global _passed, _failed
    if why is None:
        _passed += 1
        print(f"ok {name}", flush=True)
    else:
        _failed += 1
        print(f"not ok {name}: {' '.join(str(why).split())[:500]}", flush=True)


def finish():
    if _passed + _failed == 0:
        print("not ok nothing was checked")
    sys.exit(0 if _passed and not _failed else 1)


def skip(name, why):
    """Ends the test: what it needs cannot be had here."""
    print(f"skip {name}: {' '.join(str(why).split())[:300]}")
    sys.exit(0)


def check(name, test):
    """Runs `test`; a text that it returns, or an exception, is the reason of a failure."""
    try:
        said = test()
        report(name, said if isinstance(said, str) and said else None)
    except Exception as error:  # whatever a peer does wrong is a result
        report(name, f"{type(error).__name__}: {error}")


def run(command, seconds=900, **options):
    """Output of a command that must succeed."""
    options.setdefault("text", True)
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=seconds, **options)
    if done.returncode != 0:
        said = done.stderr or done.stdout
        said = said if isinstance(said, str) else said.decode(errors="replace")
        raise RuntimeError(f"{pathlib.Path(str(command[0])).name} gave {done.returncode}: {said[-400:]}")
    return done.stdout


def convert(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    run([ATYS, "convert", source, "-o", target])
    return target


def odd_profile(seed, target):
    """A generated profile full of corner cases."""
    run([ODD_PROFILE, seed, target])
    return target


def scratch():
    return tempfile.TemporaryDirectory(prefix="atys-interop-")


def install(*packages):
    """npm packages, once; returns the folder of modules."""
    modules = PEERS / "node_modules"
    missing = [package for package in packages if not (modules / package_name(package)).exists()]
    if missing:
        PEERS.mkdir(parents=True, exist_ok=True)
        run(["npm", "install", "--prefix", PEERS, "--no-audit", "--no-fund", "--ignore-scripts", *missing])
    return modules


def install_go(name, package, version_for_old_go=None):
    """A Go program, once; ends the test where this machine's Go is too old, raises if it cannot be had otherwise."""
    try:
        return go_peer.install(PEERS / "bin" / name, package, version_for_old_go)
    except go_peer.Unavailable as why:
        skip(name, why)


def build_go(name, folder):
    """A Go program of ours, around modules of others; ends the test where this machine's Go is too old."""
    try:
        go_peer.require_new_go(name)
    except go_peer.Unavailable as why:
        skip(name, why)
    path = PEERS / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    run(["go", "build", "-o", path, "."], cwd=folder, env=go_peer.environment())
    return path


def package_name(package):
    """"@a/b@1" and "b@1" without the version."""
    at = package.rfind("@")
    return package if at <= 0 else package[:at]


def profiles(*kinds):
    """Real profiles; ends the test, saying why, where there are none."""
    found = [path for kind in kinds or ("pprof",) for path in sorted((DATA / kind).glob("*"))]
    if not found:
        skip("real profiles", f"none in {DATA}; set ATYS_EXTERNAL_DATA")
    return found


def stem(path):
    return path.name.removesuffix(".pb.gz")
