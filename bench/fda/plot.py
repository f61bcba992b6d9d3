#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what bench/fda.py --json found: error against cost, a panel for each workload and measure.

    bench/fda/plot.py FOUND.json PICTURE.svg
"""
import html
import json
import math
import pathlib
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 430, 300, 62, 46, 34, 70
MEASURES = {"window_error_points": "error of a window's shares, points", "run_error_points": "error of the whole run, points"}
COLOURS = {"fixed": "#6b7280", "paper": "#b45309", "ours, live": "#7c3aed", "ours, pooled": "#047857"}


class Axis:
    """Logarithmic, over whole decades' ones, twos and fives."""

    def __init__(self, values: list[float], begin: float, end: float):
        self.low, self.high = math.log10(min(values) / 1.25), math.log10(max(values) * 1.25)
        self.begin, self.end = begin, end

    def at(self, value: float) -> float:
        return self.begin + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        steps = [m * 10.0 ** e for e in range(-4, 4) for m in (1, 2, 5)]
        return [step for step in steps if self.low <= math.log10(step) <= self.high]


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = "#374151", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {more}>{html.escape(words)}</text>'


def axes(across: Axis, up: Axis, title: str, measure: str) -> list[str]:
    parts = [text((LEFT + WIDTH - RIGHT) / 2, 18, title, more='font-weight="600"')]
    for tick in across.ticks():
        x = across.at(tick)
        parts += [f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="#e5e7eb"/>', text(x, HEIGHT - BOTTOM + 15, f"{tick:g}")]
    for tick in up.ticks():
        y = up.at(tick)
        parts += [f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#e5e7eb"/>', text(LEFT - 6, y + 4, f"{tick:g}", "end")]
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "cost of the agent, % of a core"))
    parts.append(text(0, 0, measure, more=f'transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)"'))
    return parts


def panel(workload: str, rows: list[dict], measure: str) -> str:
    rows = [row for row in rows if row.get(measure, 0) > 0 and row.get("cost_percent_of_core", 0) > 0]
    across = Axis([row["cost_percent_of_core"] for row in rows], LEFT, WIDTH - RIGHT)
    up = Axis([row[measure] for row in rows], HEIGHT - BOTTOM, TOP)
    parts = axes(across, up, workload, MEASURES[measure])
    points = {row["rate"]: (across.at(row["cost_percent_of_core"]), up.at(row[measure])) for row in rows}
    fixed = sorted((place for rate, place in points.items() if rate.endswith("Hz")))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in fixed)
    parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS["fixed"]}" stroke-dasharray="4 3"/>')
    for rate, (x, y) in points.items():
        colour = COLOURS.get(rate, COLOURS["fixed"])
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if rate in COLOURS else 3}" fill="{colour}"/>', text(x + 7, y - 5, rate, "start", colour)]
    return "\n".join(parts)


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    found = json.loads(pathlib.Path(sys.argv[1]).read_text())
    panels = [(workload, measure) for workload in found for measure in MEASURES]
    drawn = [f'<g transform="translate({WIDTH * (i % 2)} {HEIGHT * (i // 2)})">\n{panel(workload, found[workload], measure)}\n</g>'
             for i, (workload, measure) in enumerate(panels)]
    wide, high = WIDTH * 2, HEIGHT * ((len(panels) + 1) // 2)
    pathlib.Path(sys.argv[2]).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="11">\n'
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>\n' + "\n".join(drawn) + "\n</svg>\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
