#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command as a container without rights would: a filter refuses system calls, as another user, with less to write to.

    python3 tests/support/jail.py [OPTIONS] -- COMMAND ARG…

Its exit status is the command's; a signal that ends the command ends this too; 125 says that the jail could not be made.
As a module: `subprocess.run(jailed(["atys", "doctor"], "--user"))`, and `why_not("--read-only")` for a test that has to skip.
It is for tests, no wall against an attacker: programs of another word size pass the filter.
"""
import argparse
import contextlib
import ctypes
import errno
import os
import platform
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile

FAILED = 125
ORDINARY_ID = 61917  # of nobody else on this machine: limits that count by user are not shared with another

SYSTEM_CALLS = {  # name: (x86_64, aarch64)
    "bpf": (321, 280),
    "clone3": (435, 435),
    "execveat": (322, 281),
    "kcmp": (312, 272),
    "memfd_create": (319, 279),
    "perf_event_open": (298, 241),
    "pidfd_open": (434, 434),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "rt_tgsigqueueinfo": (297, 240),
    "userfaultfd": (323, 282),
}
ALWAYS_REFUSED = ["perf_event_open", "bpf"]
OF_PTRACE = ["ptrace", "process_vm_readv", "process_vm_writev"]

CAPABILITIES = {"dac_read_search": 2, "kill": 5, "sys_ptrace": 19, "sys_admin": 21, "syslog": 34, "perfmon": 38, "bpf": 39}
LAST_CAPABILITY = 63
OF_CONTAINERS = 0xA80425FB  # the fourteen that Docker leaves to root

AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 4, 22, 24, 38, 47
SECCOMP_MODE_FILTER, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW = 2, 0x80000000, 0x00050000, 0x7FFF0000
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18

libc = ctypes.CDLL(None, use_errno=True)


class JailError(Exception):
    pass


def jailed(command: list[str], *options: str) -> list[str]:
    """The command line that runs `command` in a jail made with `options`."""
    return [sys.executable, os.path.abspath(__file__), *options, "--", *command]


def why_not(*options: str) -> str | None:
    """Why such a jail cannot be made here; None where it can."""
    tried = subprocess.run(jailed(["true"], *options), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return None if tried.returncode == 0 else (tried.stderr.strip() or f"exit status {tried.returncode}")


def checked(result: int, what: str) -> None:
    if result != 0:
        raise JailError(f"{what}: {os.strerror(ctypes.get_errno())}")


def prctl(what: str, option: int, *arguments) -> None:
    words = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in arguments]
    checked(libc.prctl(option, *words, *[ctypes.c_ulong(0)] * (4 - len(words))), what)


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    checked(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()), f"cannot mount {target}")


# The filter.


def filter_program(refused: list[str], action: int) -> bytes:
    """Of classic BPF: a refused system call of this word size has that action, everything else passes."""
    def statement(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("=HBBI", code, if_true, if_false, k)

    load_word, jump_if_equal, give_back = 0x20, 0x15, 0x06
    column = list(AUDIT_ARCHITECTURES).index(platform.machine())
    numbers = [SYSTEM_CALLS[name][column] for name in refused]
    program = [statement(load_word, 4), statement(jump_if_equal, AUDIT_ARCHITECTURES[platform.machine()], 0, 1 + len(numbers)),
               statement(load_word, 0)]
    program += [statement(jump_if_equal, number, len(numbers) - at) for at, number in enumerate(numbers)]
    program += [statement(give_back, SECCOMP_RET_ALLOW), statement(give_back, action)]
    return b"".join(program)


def install_filter(refused: list[str], action: int) -> None:
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("statements", ctypes.c_char_p)]

    code = filter_program(refused, action)
    program = Program(len(code) // 8, code)
    if libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), ctypes.byref(program), 0, 0) == 0:
        return
    # Without CAP_SYS_ADMIN a filter is taken only from who can gain no rights any more.
    prctl("cannot give up new privileges", PR_SET_NO_NEW_PRIVS, 1)
    prctl("cannot install the filter", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))


# Who the command is.


def keep_capabilities(mask: int) -> None:
    """Those of `mask` and no others, also after execve."""
    for capability in range(LAST_CAPABILITY + 1):
        if not mask >> capability & 1:
            libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)  # fails beyond the last that the kernel knows
    libc.prctl(PR_CAP_AMBIENT, ctypes.c_ulong(4), 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    empty = (ctypes.c_uint32 * 6)()
    checked(libc.capget(ctypes.byref(header), ctypes.byref(empty)), "cannot read the capabilities")
    for word in range(2):
        held = empty[word * 3 + 1] & (mask >> (32 * word)) & 0xFFFFFFFF
        empty[word * 3], empty[word * 3 + 1], empty[word * 3 + 2] = held, held, 0
    checked(libc.capset(ctypes.byref(header), ctypes.byref(empty)), "cannot give up capabilities")


def become_ordinary() -> None:
    os.setgroups([])
    os.setresgid(ORDINARY_ID, ORDINARY_ID, ORDINARY_ID)
    os.setresuid(ORDINARY_ID, ORDINARY_ID, ORDINARY_ID)
    prctl("cannot become dumpable", PR_SET_DUMPABLE, 1)  # else its own files in /proc stay root's


def enter_user_namespace(flags: int, inside: int) -> None:
    user, group = os.geteuid(), os.getegid()
    checked(libc.unshare(CLONE_NEWUSER | flags), "cannot make a user namespace")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{inside} {user} 1"), ("gid_map", f"{inside} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def become(options: argparse.Namespace, in_namespace: bool) -> None:
    if options.container_root:
        keep_capabilities(OF_CONTAINERS | options.cap_add)
        return
    if options.who == "caller":
        if in_namespace:
            keep_capabilities(0)
        return
    if options.by_root:
        become_ordinary()
    if options.who in ("rootless", "namespace_root") and not in_namespace:
        enter_user_namespace(0, 0)
    if options.who != "namespace_root":
        keep_capabilities(0)


# What it sees of files.


def make_mounts(options: argparse.Namespace) -> None:
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    if options.hide_proc:
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2")
    if options.read_only:
        mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
        mount("none", "/", "", MS_REMOUNT | MS_BIND | MS_RDONLY | locked_flags("/"))


def locked_flags(path: str) -> int:
    """What a mount of another user namespace has to keep when it is mounted anew."""
    found = os.statvfs(path).f_flag
    return sum(flag for ours, flag in ((os.ST_NOSUID, MS_NOSUID), (os.ST_NODEV, MS_NODEV), (os.ST_NOEXEC, MS_NOEXEC)) if found & ours)


def make_home(options: argparse.Namespace) -> str | None:
    """A folder of its own, where the command is not the caller or cannot write elsewhere."""
    if options.who == "caller" and not options.read_only:
        return None
    home = tempfile.mkdtemp(prefix="atys-jail-", dir="/tmp" if options.read_only else None)
    os.chmod(home, stat.S_IRWXU)
    if options.by_root and options.who != "caller":
        os.chown(home, ORDINARY_ID, ORDINARY_ID)
    return home


def environment_with(home: str | None, who: str) -> dict[str, str]:
    environment = dict(os.environ)
    if home is None:
        return environment
    for name in list(environment):
        if name.startswith("XDG_") or name in ("ATYS_HOME", "MAIL"):
            del environment[name]
    environment.update(HOME=home, TMPDIR=home)
    if who != "caller":
        name = "jailed" if who == "user" else "root"
        environment.update(USER=name, LOGNAME=name)
    return environment


def stay_or_go_home(folder: str, home: str | None) -> None:
    for place in (folder, home or "/", "/"):
        try:
            os.chdir(place)  # by name: a folder below the old /tmp is hidden now
            return
        except OSError:
            continue


# Running it.


def enter_and_run(options: argparse.Namespace, home: str | None) -> None:
    folder = os.getcwd()
    needs_mounts = options.read_only or options.hide_proc
    by_namespace = needs_mounts and not options.by_root
    if by_namespace:
        enter_user_namespace(CLONE_NEWNS, 0 if options.who in ("rootless", "namespace_root") else os.geteuid())
    elif needs_mounts:
        checked(libc.unshare(CLONE_NEWNS), "cannot make a mount namespace")
    if needs_mounts:
        make_mounts(options)
        home = make_home(options) if options.read_only else home
    if options.no_new_privs:
        prctl("cannot give up new privileges", PR_SET_NO_NEW_PRIVS, 1)
    if not options.no_filter:
        install_filter(options.refused, SECCOMP_RET_KILL_PROCESS if options.kill else SECCOMP_RET_ERRNO | options.errno)
    become(options, by_namespace)
    prctl("cannot die with its parent", PR_SET_PDEATHSIG, signal.SIGKILL)
    stay_or_go_home(folder, home)
    environment = environment_with(home, options.who)
    try:
        os.execvpe(options.command[0], options.command, environment)
    except OSError as error:
        print(f"jail: cannot run {options.command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(127 if error.errno == errno.ENOENT else 126)


def pass_on(child: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has just ended
        os.kill(child, number)


def run(options: argparse.Namespace) -> int:
    """The wait status of the command."""
    home = None if options.read_only else make_home(options)
    child = os.fork()
    if child == 0:
        try:
            enter_and_run(options, home)
        except (JailError, OSError) as error:
            print(f"jail: {error}", file=sys.stderr, flush=True)
        os._exit(FAILED)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda got, frame: pass_on(child, got))
    for number in (signal.SIGINT, signal.SIGQUIT):  # a terminal sends them to both
        signal.signal(number, signal.SIG_IGN)
    status = os.waitpid(child, 0)[1]
    if home is not None:
        shutil.rmtree(home, ignore_errors=True)
    return status


def end_like(status: int) -> None:
    if not os.WIFSIGNALED(status):
        os._exit(os.waitstatus_to_exitcode(status))
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number = os.WTERMSIG(status)
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def capability_mask(text: str) -> int:
    return sum(1 << CAPABILITIES[name] for name in text.lower().split(","))


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="jail.py", usage="jail.py [OPTIONS] -- COMMAND ARG…", description=__doc__.splitlines()[0])
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--user", dest="who", action="store_const", const="user", help="an ordinary user in no other group, with a HOME of its own")
    who.add_argument("--rootless", dest="who", action="store_const", const="rootless", help="root of a user namespace, without any capability")
    who.add_argument("--namespace-root", dest="who", action="store_const", const="namespace_root",
                     help="root of a user namespace, with every capability that counts inside of it")
    who.add_argument("--container-root", action="store_true", help="root with the capabilities that Docker leaves it")
    parser.add_argument("--cap-add", type=capability_mask, default=0, metavar="NAME[,NAME]",
                        help="with --container-root: these too, and as Docker's filter does, perf_event_open or bpf with them")
    parser.add_argument("--no-ptrace", action="store_true", help="refuse ptrace, process_vm_readv and process_vm_writev too")
    parser.add_argument("--refuse", action="append", default=[], choices=sorted(SYSTEM_CALLS), help="refuse this system call too")
    parser.add_argument("--no-filter", action="store_true", help="refuse no system call at all")
    parser.add_argument("--errno", default="EPERM", help="what a refused system call gives: EPERM, ENOSYS, …")
    parser.add_argument("--kill", action="store_true", help="a refused system call ends who makes it (SIGSYS), as in units of systemd")
    parser.add_argument("--read-only", action="store_true", help="nothing can be written but a /tmp of its own")
    parser.add_argument("--hide-proc", action="store_true", help="/proc shows the processes of this user alone")
    parser.add_argument("--no-new-privs", action="store_true", help="setuid programs gain nothing; implied where the filter needs it")
    parser.add_argument("command", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.who = options.who or "caller"
    options.errno = getattr(errno, options.errno)
    options.refused = refused_by(options)
    options.by_root = os.geteuid() == 0
    return options


def refused_by(options: argparse.Namespace) -> list[str]:
    def added(*names: str) -> bool:
        return bool(options.cap_add & sum(1 << CAPABILITIES[name] for name in names))

    allowed = {"perf_event_open"} if added("perfmon", "sys_admin") else set()
    allowed |= {"bpf"} if added("bpf", "sys_admin") else set()
    always = [name for name in ALWAYS_REFUSED if name not in allowed]
    return list(dict.fromkeys(always + (OF_PTRACE if options.no_ptrace else []) + options.refuse))


def main() -> None:
    if platform.machine() not in AUDIT_ARCHITECTURES:
        sys.exit(f"jail: no table of system calls for {platform.machine()}")
    arguments = sys.argv[1:]
    if "--" not in arguments and not {"-h", "--help"} & set(arguments):
        sys.exit("jail: say which command: jail.py [OPTIONS] -- COMMAND ARG…")
    options = parse(arguments)
    if options.container_root and not options.by_root:
        print("jail: only root can be root of a container without a user namespace", file=sys.stderr)
        os._exit(FAILED)
    end_like(run(options))


if __name__ == "__main__":
    main()
