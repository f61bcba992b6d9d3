#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# async-profiler records a Java program; its own converter and we see the same stacks with the same values in it, event by event.
import collections
import pathlib
import re
import shutil
import zipfile

import peer

VERSION = "4.5"
PROGRAM = """
import java.util.ArrayList;
import java.util.List;
public class Load {
  static volatile long sink;
  static final Object lock = new Object();
  static long work(int n) { long s = 0; for (int i = 0; i < n; i++) s += Math.sqrt(i) * 31; return s; }
  static void allocate() { List<byte[]> all = new ArrayList<>(); for (int i = 0; i < 2000; i++) all.add(new byte[500 + i]); sink += all.size(); }
  static void contend() throws Exception { synchronized (lock) { Thread.sleep(3); } }
  public static void main(String[] arguments) throws Exception {
    long end = System.currentTimeMillis() + 2000;
    for (int t = 0; t < 2; t++) {
      new Thread(() -> { try { while (System.currentTimeMillis() < end) contend(); } catch (Exception e) { } }, "locker-" + t).start();
    }
    while (System.currentTimeMillis() < end) { sink += work(100000); allocate(); }
  }
}
"""
# Options of the converter, our value type, whether the converter adds what was allocated or locked as a frame of its own.
EVENTS = [("--cpu", "samples", False), ("--wall", "wall_samples", False), ("--alloc --total", "alloc_space", True), ("--lock --total", "lock", True)]


def fetch(artifact: str) -> pathlib.Path:
    target = peer.PEERS / "java" / f"{artifact}-{VERSION}.jar"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        peer.run(["mvn", "-q", "dependency:copy", f"-Dartifact=tools.profiler:{artifact}:{VERSION}", f"-DoutputDirectory={target.parent}"])
    return target


def agent(jar: pathlib.Path) -> pathlib.Path:
    machine = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[peer.os.uname().machine]
    with zipfile.ZipFile(jar) as archive:
        return pathlib.Path(archive.extract(f"{machine}/libasyncProfiler.so", jar.parent))


# Classes that a virtual machine makes at run time have an address or a number in their names, another in every run: we leave it out.
MADE_AT_RUN_TIME = re.compile(r"(\$\$Lambda|LambdaForm\$(?:DMH|BMH|VH|MH))(?:[$/+._](?:0x[0-9a-f]+|\d+))+(?=[./$+:;]|$)")
NUMBERED = re.compile(r"(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+")


def plain(frame: str) -> str:
    name = re.sub(r"_\[[a-z0-9]\]$", "", frame).replace("/", ".")
    return NUMBERED.sub(r"\1", MADE_AT_RUN_TIME.sub(r"\1", name))


def folded(text: str, drops_leaf: bool = False) -> collections.Counter:
    """Stacks without the converter's marks of what kind a frame is."""
    stacks: collections.Counter = collections.Counter()
    for line in text.splitlines():
        stack, _, value = line.rpartition(" ")
        frames = [plain(frame) for frame in stack.split(";")]
        stacks[";".join(frames[:-1] if drops_leaf else frames)] += int(value)
    return stacks


def expect_same(recording: pathlib.Path, converter: pathlib.Path, options: str, value: str, drops_leaf: bool) -> str | None:
    theirs = recording.with_suffix(f".{value}.txt")
    peer.run(["java", "-cp", converter, "one.convert.Main", *options.split(), "-o", "collapsed", recording, theirs])
    wanted = folded(theirs.read_text(), drops_leaf)
    got = folded(peer.run([peer.ATYS, "convert", recording, "--to", "collapsed", "--value", value, "-o", "-"]))
    if not wanted:
        return "the recording has none"
    # Times are in ticks of the machine's clock: we make nanoseconds of each wait, the converter of their sum.
    different = [stack for stack in wanted | got if abs(wanted[stack] - got[stack]) > 1e-6 * wanted[stack]]
    return f"{len(different)} of {len(wanted)} stacks differ, the first: {different[0]}" if different else None


def main():
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            peer.skip("async-profiler", f"{program} is not installed")
    try:
        library, converter = agent(fetch("async-profiler")), fetch("jfr-converter")
    except RuntimeError as error:
        peer.skip("async-profiler", error)
    folder = peer.PEERS / "java" / "files"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Load.java").write_text(PROGRAM)
    peer.run(["javac", "-d", folder, folder / "Load.java"])
    recording = folder / "load.jfr"
    recording.unlink(missing_ok=True)
    peer.run(["java", f"-agentpath:{library}=start,jfr,event=ctimer,wall=20ms,alloc=64k,lock=10us,file={recording}", "-cp", folder, "Load"])
    for options, value, drops_leaf in EVENTS:
        peer.check(f"async-profiler {value}", lambda: expect_same(recording, converter, options, value, drops_leaf))
    peer.finish()


if __name__ == "__main__":
    main()
