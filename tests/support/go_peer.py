# SPDX-License-Identifier: Apache-2.0
"""Go programs that we compare ourselves with, built with whichever Go there is.

Since 1.21 Go fetches a newer one of itself where a module asks for it, so there the newest version is taken. Debian 12 has 1.19,
which refuses such modules: there a program is of the last version that 1.19 builds, if one is named, else it cannot be had.
"""
import os
import pathlib
import re
import subprocess

NEW_ENOUGH = (1, 21)

PPROF = "github.com/google/pprof"
PPROF_FOR_OLD_GO = "v0.0.0-20240727154555-813a5fbdbec8"  # the last that says `go 1.19`


class Unavailable(Exception):
    """Why a program cannot be had here, and what to install."""


def version_in(said):
    """(1, 19) of "go version go1.19.8 linux/amd64"; a development version is newer than any."""
    found = re.match(r"go version go(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (1, 1000)


def go_version():
    try:
        return version_in(subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout)
    except OSError:
        raise Unavailable("there is no `go` on PATH; install Debian's golang-go, or Go 1.21 or newer from go.dev/dl") from None


def environment():
    """Some distributions forbid Go to fetch a newer one of itself; who says so in the environment is heard."""
    return {"GOTOOLCHAIN": "auto", **os.environ}


def require_new_go(what):
    version = go_version()
    if version < NEW_ENOUGH:
        raise Unavailable(f"{what} needs Go 1.21 or newer, and `go` is {version[0]}.{version[1]}; "
                          "install golang-go of bookworm-backports, or Go from go.dev/dl, and put it first on PATH")


def install(binary, package, version_for_old_go=None):
    """Builds a program, once; raises Unavailable where this machine's Go cannot."""
    binary = pathlib.Path(binary)
    if binary.exists():
        return binary
    version = "latest"
    if go_version() < NEW_ENOUGH:
        if version_for_old_go is None:
            require_new_go(binary.name)
        version = version_for_old_go
    binary.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["go", "install", f"{package}@{version}"], capture_output=True, text=True,
                          env={**environment(), "GOBIN": str(binary.parent)})
    if done.returncode != 0:
        raise RuntimeError(f"go install gave {done.returncode}: {done.stderr[-400:]}")
    return binary
