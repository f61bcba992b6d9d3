#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Live tests of PHP as servers run it: code that is freed after each request, and code that opcache has compiled."""
import contextlib
import http.client
import pathlib
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import live  # noqa: E402
from live import Skip, capture, expect, folder, require_program, running  # noqa: E402

RATE = ["--freq", "499", "--max-overhead", "20%", "--duration", "3s"]
GONE = "<freed code>"
WAIT_S = 20

# Two pages of some milliseconds each. That each has functions of its own lets one's code come to lie where the other's was.
PAGE = """<?php
class {name} {{
  function handle() {{ return $this->loop(20000) . digest(2000); }}
  function loop($turns) {{ $x = 0; for ($i = 0; $i < $turns; $i++) {{ $x = ($x * 31 + $i) & 0xffffff; }} return $x; }}
}}
function digest($turns) {{ $x = ''; for ($i = 0; $i < $turns; $i++) {{ $x = md5($x . $i); }} return $x; }}
function run_{name}() {{ return (new {name})->handle(); }}
echo run_{name}();
"""

LOOPS = """<?php
function sixty($turns) { $x = 60; for ($i = 0; $i < $turns; $i++) { $x = ($x * 1103515245 + $i) & 0x7FFFFFFF; } return $x; }
function thirty($turns) { $x = 30; for ($i = 0; $i < $turns; $i++) { $x = ($x * 1103515245 + $i) & 0x7FFFFFFF; } return $x; }
function cpu_ns() { $used = getrusage(); return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1000000000
  + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) * 1000; }
$ns = ['sixty' => 0, 'thirty' => 0];
$begin = cpu_ns();
for ($until = microtime(true) + (float)$argv[1]; microtime(true) < $until;) {
  $name = mt_rand(0, 2) < 2 ? 'sixty' : 'thirty';
  $before = cpu_ns();
  $name(100000 + mt_rand(0, 200000));
  $ns[$name] += cpu_ns() - $before;
}
file_put_contents(getenv('WORKLOAD_TRUTH'), json_encode(['total_ns' => cpu_ns() - $begin, 'ns' => $ns, 'work' => 1]));
"""


@contextlib.contextmanager
def web_server(top: pathlib.Path):
    """PHP's own, with pages that are asked for all the time."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for name in ("Shop", "Office"):
        (top / f"{name}.php").write_text(PAGE.format(name=name))
    is_over, served = threading.Event(), []

    def ask(name: str):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        connection.request("GET", f"/{name}.php")
        served.append(connection.getresponse().read())
        connection.close()

    def keep_asking():
        while not is_over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                ask("Shop")
                ask("Office")

    with running("php", "-S", f"127.0.0.1:{port}", "-t", str(top), stderr=subprocess.DEVNULL) as server:
        asking = threading.Thread(target=keep_asking)
        asking.start()
        try:
            end = time.monotonic() + WAIT_S
            while not served and time.monotonic() < end:
                time.sleep(0.02)
            expect(served and len(served[0]) > 32, f"the server does not serve: {served[:1]}")
            yield server
        finally:
            is_over.set()
            asking.join()


def code_that_is_freed_after_each_request_has_no_wrong_name():
    """How much of it is still there when it is named depends on how busy the machine is; that a name is one does not."""
    require_program("php")
    with folder() as top, web_server(top) as server:
        profile = capture(top, "ebpf", *RATE, "--pid", str(server.pid)).succeeded().profile
        right = {"<main>": "", "digest": ""}
        for page in ("Shop", "Office"):
            right |= {f"run_{page}": page, f"{page}::handle": page, f"{page}::loop": page}
        rows = [row for row in profile.summary["rows"] if row["file"].endswith(".php")]
        wrong = [(row["name"], row["file"]) for row in rows if not row["file"].endswith(right.get(row["name"], "?") + ".php")]
        expect(rows and not wrong, f"functions that are none, or in the wrong file: {wrong[:5]} of {len(rows)}")
        ours = [(frames, weight) for frames, weight in profile.stacks if any(frame in right for frame in frames)]
        gone = sum(weight for frames, weight in ours if GONE in frames) / sum(weight for _, weight in ours)
        office = sum(weight for frames, weight in ours if "run_Office" in frames) / sum(weight for _, weight in ours)
        return f"{profile.samples} samples, {profile.loss('interpreter')} lost, {gone:.1%} with a function that is gone, {office:.0%} of one of two like pages"


def compiled_functions_have_their_share():
    require_program("php")
    options = ["-d", "opcache.enable=1", "-d", "opcache.enable_cli=1", "-d", "opcache.jit_buffer_size=32M", "-d", "opcache.jit=tracing"]
    asked = subprocess.run(["php", *options, "-r", 'echo (int)(opcache_get_status()["jit"]["on"] ?? 0);'], capture_output=True, text=True)
    if asked.stdout.strip() != "1":
        raise Skip("this PHP has no JIT")
    with folder() as top:
        (top / "loops.php").write_text(LOOPS)
        with running("php", *options, str(top / "loops.php"), live.seconds(5), top=top) as process:
            time.sleep(1 * live.SCALE)  # what is hot is compiled by then
            profile = capture(top, "ebpf", *RATE, "--pid", str(process.pid)).succeeded().profile
            process.wait(live.TIMEOUT_S)
        truth, shares = live.true_shares(live.truth_of(top)), profile.shares()
        wrong = [live.judge_share(name, share, shares.get(name, 0), profile.samples) for name, share in truth.items()]
        expect(not any(wrong), "; ".join(filter(None, wrong)))
        return f"{profile.samples} samples"


if __name__ == "__main__":
    sys.exit(live.run_tests([code_that_is_freed_after_each_request_has_no_wrong_name, compiled_functions_have_their_share]))
