// SPDX-License-Identifier: Apache-2.0
// Values for people.

const SECONDS = { nanoseconds: 1e-9, ns: 1e-9, microseconds: 1e-6, us: 1e-6, "µs": 1e-6, milliseconds: 1e-3, ms: 1e-3, seconds: 1, s: 1 };
const TIME_STEPS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
const SIZE_STEPS = [[2 ** 50, "PiB"], [2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
const SIZE_UNITS = new Set(["bytes", "byte", "By", "B"]);
const PLAIN_UNITS = new Set(["", "count", "samples", "objects", "1"]);

function scaledText(value, steps, smallest) {
  for (const [step, name] of steps) {
    const shown = value / step;
    if (Math.abs(shown) >= 0.9999999) return `${shown.toFixed(Math.abs(shown) >= 100 ? 0 : Math.abs(shown) >= 10 ? 1 : 2)} ${name}`;
  }
  return smallest;
}

function valueText(value, unit) {
  if (Object.hasOwn(SECONDS, unit)) {
    const seconds = value * SECONDS[unit];
    return scaledText(seconds, TIME_STEPS, `${Math.round(seconds * 1e9)} ns`);
  }
  if (SIZE_UNITS.has(unit)) return scaledText(value, SIZE_STEPS, `${value} B`);
  return value.toLocaleString("en-US") + (PLAIN_UNITS.has(unit) ? "" : ` ${unit}`);
}

function shareText(part, whole) {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  if (percent === 0) return "0%";
  const magnitude = Math.abs(percent);
  if (magnitude < 0.01) return percent < 0 ? ">−0.01%" : "<0.01%";
  return `${percent.toFixed(magnitude >= 99.95 ? 0 : magnitude >= 10 ? 1 : 2)}%`;
}
