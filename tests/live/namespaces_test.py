#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of targets in namespaces of their own: names come from the files that they see, not from ours; and what a target plants
where its perf map should be is not followed."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from roots import APART, AS_ROOT_OF_ITS_OWN, child_of, release  # noqa: E402
from live import capture, expect, folder, require_program, require_root, running, workload  # noqa: E402

RELEASE = "bullseye"  # another libc and other binaries than those of the Debian that we are built for
BUSY_PERL = "sub count { my $x = 0; for my $i (1 .. 20000) { $x += $i * 3 } return $x } while (1) { count() }"


def build_id(path: pathlib.Path) -> str:
    text = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
    match = re.search(r"Build ID: ([0-9a-f]+)", text)
    expect(match, f"{path} has no build id")
    return match.group(1)


def a_process_in_namespaces_of_another_release_has_its_own_names(tier):
    root = release(RELEASE)
    perl = root / "usr/bin/perl"
    outer = [*APART, *AS_ROOT_OF_ITS_OWN, "chroot", str(root), "/usr/bin/perl", "-e", BUSY_PERL]
    with folder() as top, running(*outer) as process:
        shot = capture(top, tier, *live.RATE, "--duration", "2s", "--pid", str(child_of(process))).succeeded()
        shares = shot.profile.shares()
        expect(shot.profile.samples >= live.MIN_SAMPLES, f"only {shot.profile.samples} samples")
        loop = shares.get("Perl_runops_standard", 0)
        expect(loop > 0.95, f"Perl_runops_standard has {loop:.1%}; there are {sorted(shares, key=shares.get)[-6:]}")
        expect(build_id(perl) in str(shot.profile.facts), "the build id of its perl is not in the profile")
        entry = live.outermost_ranges(str(perl))
        whole = sum(weight for _, weight in shot.profile.stacks)
        rooted = sum(weight for frames, weight in shot.profile.stacks if any(begins(frame, entry) for frame in frames[:2]))
        expect(rooted / whole >= 0.99, f"{rooted / whole:.1%} of its stacks reach the root; {shot.profile.stacks[0][0][:3]}")
        return f"{shot.profile.samples} samples, {rooted / whole:.2%} rooted"


def begins(frame: str, ranges: list[tuple[int, int]]) -> bool:
    match = live.OFFSET.match(frame)
    return live.is_root(frame) or bool(match and any(start <= int(match.group(2), 16) < end for start, end in ranges))


def a_file_that_only_the_target_sees_at_a_path(tier):
    """In its mount namespace another program lies at the path of one of ours."""
    require_root()
    require_program("unshare")
    victim = "/usr/bin/env"
    script = f"mount --bind {workload('split_fp')} {victim} && exec {victim} {live.seconds(60)}"
    with folder() as top, running(*APART, "sh", "-c", script) as process:
        shot = capture(top, tier, *live.RATE, "--duration", "2s", "--pid", str(child_of(process))).succeeded()
        shares = shot.profile.shares()
        wrong = [live.judge_share(name, share, shares.get(name, 0), shot.profile.samples)
                 for name, share in (("sixty", 0.6), ("thirty", 0.3), ("ten", 0.1))]
        expect(not any(wrong), "; ".join(filter(None, wrong)))


def a_perf_map_in_the_namespaces_of_its_process(tier):
    require_root()
    require_program("unshare")
    with folder() as top:
        script = f"mount -t tmpfs none /tmp && exec {workload('jit')} {live.seconds(60)}"
        with running(*APART, "sh", "-c", script) as process:
            shares = capture(top, tier, *live.RATE, "--duration", "2s", "--pid", str(child_of(process))).succeeded().profile.shares()
        expect(shares.get("jit_seventy", 0) > 0.5, f"names of its perf map are not there: {sorted(shares, key=shares.get)[-5:]}")


def planted(tier: str, how: str) -> None:
    with folder() as top, running(workload("jit"), live.seconds(60), how, top=top) as process:
        time.sleep(0.3 * live.SCALE)
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        try:
            expect(os.path.lexists(path), "the workload planted nothing")
            shot = capture(top, tier, *live.RATE, "--duration", "1s", "--pid", str(process.pid), timeout=20).succeeded()
            shares = shot.profile.shares()
            expect("jit_seventy" not in shares, f"the {how} was followed")
            expect(shares.get("call_jitted", 0) > 0.9, f"stacks are not there: {sorted(shares, key=shares.get)[-5:]}")
        finally:
            path.unlink(missing_ok=True)
            pathlib.Path(f"/tmp/atys-workload-{process.pid}.map").unlink(missing_ok=True)


def a_symlink_in_the_place_of_a_perf_map_is_refused(tier):
    planted(tier, "symlink")


def a_fifo_in_the_place_of_a_perf_map_is_refused(tier):
    planted(tier, "fifo")


def a_perf_map_of_another_owner_is_refused(tier):
    """Whoever may write to the folder could name the functions of everybody."""
    require_root()
    with folder() as top, running(workload("jit"), live.seconds(60), top=top) as process:
        time.sleep(0.3 * live.SCALE)
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        try:
            os.chown(path, 65534, 65534)
            shares = capture(top, tier, *live.RATE, "--duration", "1s", "--pid", str(process.pid)).succeeded().profile.shares()
            expect("jit_seventy" not in shares, "names were taken from a file of another user")
        finally:
            path.unlink(missing_ok=True)


def shares_seen_inside(top: pathlib.Path, workload_name: str, *options: str) -> dict[str, float]:
    """Of a capture by us in a pid namespace within another: the kernel's own numbers of processes are not ours, as in a container."""
    script = (f"{workload(workload_name)} {live.seconds(60)} > /dev/null & sleep 0.3; "
              f"{live.atys_binary()} capture --pid $! {' '.join(options)} -o {top}/inside.pb.gz --json")
    done = subprocess.run([*APART, "--mount-proc", *APART, "--mount-proc", "sh", "-c", script], capture_output=True, text=True, timeout=120)
    expect(done.returncode == 0, done.stderr[-500:])
    samples = json.loads(done.stdout)["profile"]["samples"]
    expect(samples >= live.MIN_SAMPLES, f"only {samples} samples")
    return live.Profile(top / "inside.pb.gz").shares()


def we_ourselves_in_a_pid_namespace(tier):
    require_root()
    require_program("unshare")
    with folder() as top:
        shares = shares_seen_inside(top, "split_fp", "--tier", tier, *live.RATE, "--duration", "2s")
        expect(abs(shares.get("sixty", 0) - 0.6) < 0.1, f"shares are {shares}")
        if tier != "ebpf":  # which alone records waits
            return
        shares = shares_seen_inside(top, "off_cpu", "--kind", "off-cpu", "--freq", "999", "--max-overhead", "50%", "--duration", "2s")
        expect(shares.get("nap", 0) > 0.1, f"shares of waits are {shares}")
        expect("__schedule" not in shares, "waits begin above the place where the thread waits")


if __name__ == "__main__":
    sys.exit(live.run_tests([
        a_process_in_namespaces_of_another_release_has_its_own_names, a_file_that_only_the_target_sees_at_a_path,
        a_perf_map_in_the_namespaces_of_its_process, a_symlink_in_the_place_of_a_perf_map_is_refused,
        a_fifo_in_the_place_of_a_perf_map_is_refused, a_perf_map_of_another_owner_is_refused, we_ourselves_in_a_pid_namespace]))
