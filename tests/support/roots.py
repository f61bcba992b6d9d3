# SPDX-License-Identifier: Apache-2.0
"""Root file systems of other Debian releases, and processes in namespaces of their own. Roots are made once by debootstrap from the
machine's own mirror and kept in build/roots (or $ATYS_ROOTS, to share them between checkouts); `rm -rf build/roots` removes them."""
import contextlib
import fcntl
import functools
import os
import pathlib
import platform
import shutil
import subprocess
import time

from captured import Failure, Skip
from scratch import ROOT

FOLDER = pathlib.Path(os.environ.get("ATYS_ROOTS") or ROOT / "build" / "roots")
APART = ["unshare", "--pid", "--mount", "--fork", "--kill-child"]
AS_ROOT_OF_ITS_OWN = ["--user", "--map-root-user"]
LONGEST_S = 1800
QUIET = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}

# Nothing of a package is wanted that is not run; and a root that is lost with the power is made again.
LEAN = """path-exclude /usr/share/doc/*
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/info/*
force-unsafe-io
"""


@functools.cache
def mirror() -> str:
    """Where this machine's own packages come from."""
    if not shutil.which("apt-get"):
        raise Skip("apt-get is not installed")
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(COMPONENT) $(ORIGIN) $(REPO_URI)", "Created-By: Packages"],
                           capture_output=True, text=True).stdout.splitlines()
    found = [words[2] for words in map(str.split, lines) if len(words) == 3 and words[:2] == ["main", "Debian"]]
    if not found:
        raise Skip("apt knows no mirror of Debian")
    return found[0]


@contextlib.contextmanager
def locked(name: str):
    """Two tests at once make no root twice."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / f"{name}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def folder_of(release: str) -> pathlib.Path:
    return FOLDER / f"{release}-{platform.machine()}"


def last_words(done: subprocess.CompletedProcess) -> str:
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:")] or lines or ["it says nothing"]
    return errors[-1][:200]


def release(name: str) -> pathlib.Path:
    """The root of a release, with nothing but what every Debian has."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    top = folder_of(name)
    for program in ["unshare"] if top.exists() else ["unshare", "debootstrap"]:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    with locked(name):
        if not top.exists():
            making = top.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            done = subprocess.run(["debootstrap", "--variant=minbase", name, making, mirror()], capture_output=True, text=True,
                                  timeout=LONGEST_S)
            if done.returncode != 0:
                raise Skip(f"debootstrap cannot make {name}: {last_words(done)}")
            prepare(making)
            making.chmod(0o755)
            making.rename(top)
    return top


def prepare(top: pathlib.Path) -> None:
    (top / "etc/dpkg/dpkg.cfg.d/lean").write_text(LEAN)
    (top / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # no service is started
    (top / "usr/sbin/policy-rc.d").chmod(0o755)
    for name in ("resolv.conf", "hosts"):
        with contextlib.suppress(OSError):
            (top / "etc" / name).unlink(missing_ok=True)
            shutil.copy(f"/etc/{name}", top / "etc" / name)
    shutil.rmtree(top / "usr/share/doc", ignore_errors=True)


def apt(top: pathlib.Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([*inside(top), "apt-get", "-y", "-q", *words], env=QUIET, capture_output=True, text=True, timeout=LONGEST_S)


def inside(top: pathlib.Path) -> list[str]:
    """What comes before a command that runs in a root, with processes and mounts of its own."""
    return [*APART, f"--mount-proc={top}/proc", "chroot", str(top)]


def contained(top: pathlib.Path) -> list[str]:
    """As in a container: with users, a network and a /tmp of its own as well. Each is process 1 of its namespace, and what a runtime puts into
    /tmp is named after that: two in one /tmp would take each other's sockets and remove each other's files; and all Node.js want one port."""
    script = 'mount -t tmpfs -o mode=1777 none "$0/tmp" && ip link set lo up && exec chroot "$0" "$@"'
    return [*APART, "--net", *AS_ROOT_OF_ITS_OWN, f"--mount-proc={top}/proc", "sh", "-c", script, str(top)]


def installed(name: str, packages: list[str], suite: str = "") -> pathlib.Path:
    """The root of a release with these packages; `suite` is another that they may come from as well."""
    top = release(name)
    noted = top / "var/lib/atys-tests"
    wanted = noted / "_".join(sorted(packages)).replace("/", "-")[:200]
    with locked(name):
        if wanted.exists():
            return top
        noted.mkdir(exist_ok=True)
        if suite:
            (top / f"etc/apt/sources.list.d/{suite}.list").write_text(f"deb {mirror()} {suite} main\n")
        if suite or not any((top / "var/lib/apt/lists").glob("*_Packages*")):
            apt(top, "update")
        options = ["-t", suite] if suite else []
        done = apt(top, "install", "--no-install-recommends", *options, *packages)
        if done.returncode != 0:
            raise Skip(f"{' '.join(packages)} cannot be had from {suite or name}: {last_words(done)}")
        apt(top, "clean")
        wanted.touch()
    return top


def child_of(process: subprocess.Popen) -> int:
    """The process below `unshare`, as we number it, once it is the program that it will be."""
    for _ in range(200):
        with contextlib.suppress(OSError):
            if children := pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                pid = int(children[0])
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) not in ("unshare", "chroot", "sh", "dash"):
                    return pid
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise Failure("unshare has no child")
