# SPDX-License-Identifier: Apache-2.0
"""What is asked of atys."""
import functools
import json
import os
import subprocess

from programs import ROOT


ATYS = os.environ.get("ATYS", str(ROOT / "build" / "release" / "bin" / "atys"))
CAPS = (250, 500, 1000, 2000, None)
DEFAULT = "brief"  # what the tools of `atys mcp` answer in unasked
LONGEST_S = 300


@functools.cache
def forms():
    """The forms that this atys has, the one that clients get first."""
    text = subprocess.run([ATYS, "summary", "--help"], capture_output=True, text=True, check=True).stdout
    said = text[text.index("--form FORM"):].split("\n  --", 1)[0].split(":", 1)[1]
    return sorted((word.strip() for word in said.replace(" or ", ",").split(",") if word.strip()), key=lambda form: form != DEFAULT)


def capture(program, profile, *options):
    """Records the slow side; what the capture says of itself."""
    command = [ATYS, "capture", "--json", "-o", str(profile), *options, "--", *program.command]
    done = subprocess.run(command, env={**os.environ, **program.environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          timeout=LONGEST_S)
    # The target writes to the same standard output; our answer is its last line.
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {}


def summary(profile, form, cap):
    command = [ATYS, "summary", str(profile), "--form", form, *(["--max-tokens", str(cap)] if cap else [])]
    return subprocess.run(command, capture_output=True, text=True).stdout
