// SPDX-License-Identifier: Apache-2.0
// The scale of time above the lanes.

const TICK_SPACE = 90; // pixels

// The smallest of 1, 2, 5, 10 … that is no smaller.
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * 0.999999) ?? least;
}

// Times in nanoseconds: [{ at, text }].
function ticksBetween(fromNs, toNs, pixels) {
  const step = roundStep(Math.max(((toNs - fromNs) * TICK_SPACE) / Math.max(pixels, 1), 1e-3));
  const ticks = [];
  for (let k = Math.ceil(fromNs / step); k * step <= toNs && ticks.length < 200; ++k) ticks.push({ at: k * step, text: timeText(k * step, step) });
  return ticks;
}

// As many decimals as neighbouring ticks need.
function timeText(ns, step) {
  const [scale, name] = step >= 1e8 ? [1e9, "s"] : step >= 1e5 ? [1e6, "ms"] : step >= 100 ? [1e3, "µs"] : [1, "ns"];
  const decimals = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / scale) + 1e-9)));
  return `${(ns / scale).toFixed(decimals)} ${name}`;
}

function paintAxis(app) {
  const { axis, scroller } = app.ui;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [scroller.clientWidth, 22];
  axis.width = Math.max(1, Math.round(width * ratio));
  axis.height = Math.round(height * ratio);
  axis.style.width = `${width}px`;
  axis.style.height = `${height}px`;
  const context = axis.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const { from, to, scale } = app.layout;
  const step = app.profile.timeStepNs;
  const style = getComputedStyle(document.documentElement);
  context.font = FONT;
  context.textBaseline = "middle";
  for (const { at, text } of ticksBetween(from * step, to * step, width)) {
    const x = Math.round((at / step - from) * scale) + 0.5;
    context.fillStyle = style.getPropertyValue("--line");
    context.fillRect(x, 0, 1, height);
    context.fillStyle = style.getPropertyValue("--muted");
    context.fillText(text, x + 5, height / 2 + 1);
  }
}
