# SPDX-License-Identifier: Apache-2.0
"""A simulation copies all that it knows for each step."""
import copy
import math
import sys

FIXED = sys.argv[1:] == ["fixed"]


def next_state(state, step):
    if FIXED:
        after = {**state, "cells": dict(state["cells"])}
    else:
        after = copy.deepcopy(state)
    after["cells"][step % 60] += 1.0
    after["step"] = step
    return after


def energy(state):
    return sum(math.sqrt(value + 1) * math.cos(place) for place, value in state["cells"].items())


state = {"cells": {place: 0.0 for place in range(60)}, "step": 0, "names": [["a", "b"] for _ in range(40)]}
total = 0.0
for step in range(14000):
    state = next_state(state, step)
    total += energy(state)
print(round(total, 3))
