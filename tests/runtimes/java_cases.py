# SPDX-License-Identifier: Apache-2.0
"""Java machines that are not as others: that take no orders, do not answer, have only just begun, are somebody else's or in a container. A
capture ends in time, says what it could not do and why, and no machine is told to do what it does not do."""
import dataclasses
import os
import signal
import time

import live
import survival
from languages import Runtime, Target, started
from live import Skip, expect

NOBODY = 65534
STARTS_S = 15  # what a capture may take besides its duration, of a machine that does not answer


def with_options(runtime: Runtime, *options: str) -> Runtime:
    return dataclasses.replace(runtime, language=dataclasses.replace(runtime.language, options=(*runtime.language.options, *options)))


def told(shot: live.Capture, words: str) -> None:
    expect(any(words in note for note in shot.notes()), f"it is not told: {shot.notes()}")
    expect(not any("is sampled by async-profiler" in note for note in shot.notes()), f"what is not so is told: {shot.notes()}")
    expect(shot.wall_s < 2 + STARTS_S, f"the capture took {shot.wall_s:.0f} s")


def one_that_takes_no_orders(runtime: Runtime) -> str:
    with live.folder() as top, started(with_options(runtime, "-XX:+DisableAttachMechanism")) as target:
        before = survival.belongings(target.pid)
        shot = survival.shot_of(target, top)
        told(shot, "DisableAttachMechanism")
        expect(shot.profile.samples > 0, "it has no native frames either")
        expect(survival.belongings(target.pid)["temporary"] == before["temporary"], "something is left in its /tmp")
        expect(target.said() == "", f"it wrote: {target.said()[:300]}")
        return f"{shot.profile.samples} samples"


def one_that_is_stopped(runtime: Runtime) -> str:
    with live.folder() as top, started(runtime) as target:
        os.kill(target.pid, signal.SIGSTOP)
        before = survival.belongings(target.pid)
        told(survival.shot_of(target, top), "is stopped")
        expect(survival.state_of(target.pid) == "T", "it is not stopped any more")
        os.kill(target.pid, signal.SIGCONT)
        target.has_worked()
        expect(survival.belongings(target.pid)["temporary"] == before["temporary"], "something is left in its /tmp")
        expect(target.said() == "", f"it wrote: {target.said()[:300]}")
        return "told"


def one_that_has_just_begun(runtime: Runtime) -> str:
    """However early it is asked: it lives, and its methods have names as soon as it can answer."""
    with live.folder() as top, started(runtime, settle=False) as target:
        shot = live.capture(top, "", *live.RATE, "--duration", "6s", "--pid", str(target.pid)).succeeded()
        expect(target.process.poll() is None, f"it has ended; it wrote: {target.said()[-300:]}")
        expect(target.said() == "", f"it wrote: {target.said()[:300]}")
        survival.sees(shot, runtime)
        return f"{shot.profile.samples} samples"


def one_of_another_user(runtime: Runtime) -> str:
    if os.geteuid() != 0:
        raise Skip("needs root")
    live.require_program("setpriv")
    wrapped = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", runtime.executable)
    with live.folder() as top, started(runtime, wrapped=wrapped, settle=False) as target:
        target.has_worked()
        shot = survival.shot_of(target, top)
        survival.sees(shot, runtime)
        left = [path for path in os.listdir("/tmp") if path.startswith((".atys-", f".attach_pid{target.pid}"))
                and os.stat(f"/tmp/{path}").st_uid == NOBODY]
        expect(not left, f"left in /tmp: {left}")
        return f"{shot.profile.samples} samples"


def one_in_a_container(runtime: Runtime) -> str:
    """Its own pid namespace and its own /tmp: it is called otherwise there, and its socket and our library lie elsewhere."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    live.require_program("unshare")
    # The folders of workloads are below /tmp: they stay where they are.
    script = ("mount --bind /tmp /mnt && mount -t tmpfs tmpfs /tmp && for one in /mnt/atys-runtimes-*; do mkdir /tmp/${one##*/} && "
              'mount --bind $one /tmp/${one##*/} || exit 1; done && umount /mnt && exec "$@"')
    with live.folder() as top:
        with started(runtime, wrapped=("unshare", "--pid", "--mount", "--fork", "--mount-proc", "sh", "-c", script, "sh", runtime.executable),
                     settle=False) as outer:
            end = time.monotonic() + live.TIMEOUT_S
            while not outer.children():
                expect(time.monotonic() < end and outer.process.poll() is None, f"it does not begin: {outer.all_said()[-300:]}")
                time.sleep(0.02)
            target = Target(runtime, outer.process, outer.children()[0], outer.folder)
            target.has_worked()
            shot = survival.shot_of(target, top)
            survival.sees(shot, runtime)
            left = [name for name in os.listdir(f"/proc/{target.pid}/root/tmp") if name.startswith((".atys-", ".attach_pid"))]
            expect(not left, f"left in its /tmp: {left}")
            return f"{shot.profile.samples} samples"


def tests_of(runtime: Runtime):
    """(name, test), of this machine's Java: those of other releases are in containers anyway."""
    for test in [one_that_takes_no_orders, one_that_is_stopped, one_that_has_just_begun, one_of_another_user, one_in_a_container]:
        yield test.__name__.replace("_", " "), lambda test=test: test(runtime)
