// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles: how much each frame did, in steps that have a colour each, and in words. The steps and what
// counts as chance are those of reduce/flame_change.h.

const CHANGES = [
  { level: -4, text: "gone" },
  { level: -3, text: "half or less" },
  { level: -2, text: "−20% to −50%" },
  { level: -1, text: "−5% to −20%" },
  { level: 0, text: "same, or chance" },
  { level: 1, text: "+5% to +25%" },
  { level: 2, text: "+25% to +100%" },
  { level: 3, text: "twice or more" },
  { level: 4, text: "new" },
];
const CHANCE = 1.96; // standard deviations

class Compared {
  constructor(app) {
    this.app = app;
    const { comparison } = app.profile;
    this.isAbsolute = comparison.absolute;
    this.widths = comparison.widths; // "new", "base" or "either"
  }

  get names() {
    const { baseName, newName } = this.app.profile.comparison;
    return { base: baseName, fresh: newName };
  }

  // The wholes: what everything adds up to, and how many samples that is. Of a selection, its part of them.
  setWholes(total, baseTotal, isEverything, all, baseAll) {
    const { comparison } = this.app.profile;
    const part = (of, whole) => (isEverything ? 1 : whole === 0 ? 0 : Math.min(1, Math.abs(of / whole)));
    this.fresh = { total, samples: (comparison.newSamples[this.app.column] ?? 0) * part(total, all) };
    this.base = { total: baseTotal, samples: (comparison.baseSamples[this.app.column] ?? 0) * part(baseTotal, baseAll) };
  }

  // Whether it is known how many samples the values rest on.
  get isChanceKnown() {
    const { comparison } = this.app.profile;
    return comparison.newSamples[this.app.column] > 0 && comparison.baseSamples[this.app.column] > 0;
  }

  // How wide a value of its own makes a frame. Shares are compared with both wholes as wide as each other.
  widthOf(total, baseTotal) {
    const scale = (whole) => (this.isAbsolute || whole === 0 ? 1 : 1 / Math.abs(whole));
    const [ofNew, ofBase] = [scale(total), scale(baseTotal)];
    if (this.widths === "base") return (_, base) => Math.abs(base) * ofBase;
    if (this.widths === "new") return (fresh) => Math.abs(fresh) * ofNew;
    return (fresh, base) => Math.max(Math.abs(fresh) * ofNew, Math.abs(base) * ofBase);
  }

  // What is compared: values, or shares.
  measured(base, fresh) {
    return this.isAbsolute ? [base, fresh] : [shareOf(base, this.base.total), shareOf(fresh, this.fresh.total)];
  }

  isBeyondChance(base, fresh) {
    if (this.base.samples <= 0 || this.fresh.samples <= 0 || base < 0 || fresh < 0) return true;
    const [before, after] = this.measured(base, fresh);
    return Math.abs(after - before) > CHANCE * Math.sqrt(this.isAbsolute ? this.valueVariance(base, fresh) : this.shareVariance(before, after));
  }

  // Each sample stands for so much; how many there are varies as counts do.
  valueVariance(base, fresh) {
    return base * shareOf(this.base.total, this.base.samples) + fresh * shareOf(this.fresh.total, this.fresh.samples);
  }

  shareVariance(before, after) {
    const [n, m] = [this.base.samples, this.fresh.samples];
    const pooled = (before * n + after * m) / (n + m);
    return Math.max(0, pooled * (1 - pooled) * (1 / n + 1 / m));
  }

  levelOf(base, fresh) {
    const [before, after] = this.measured(base, fresh);
    if (before === after || !this.isBeyondChance(base, fresh)) return 0;
    if (before === 0) return 4;
    if (after === 0) return -4;
    const ratio = after / before;
    if (ratio < 0) return after > before ? 3 : -3;
    const size = Math.max(ratio, 1 / ratio);
    const level = size >= 2 ? 3 : size >= 1.25 ? 2 : size >= 1.05 ? 1 : 0;
    return after > before ? level : -level;
  }

  // "+1.20 s" or "+4.00 points"
  differenceText(base, fresh) {
    const [before, after] = this.measured(base, fresh);
    const sign = after > before ? "+" : after < before ? "−" : "";
    if (this.isAbsolute) return sign + valueText(Math.abs(after - before), this.app.unit);
    return `${sign}${(Math.abs(after - before) * 100).toFixed(2)} points`;
  }

  // "+40.0%", "new", "gone"
  ratioText(base, fresh) {
    const [before, after] = this.measured(base, fresh);
    if (before === 0) return after === 0 ? "" : "new";
    if (after === 0) return "gone";
    const percent = (after / before - 1) * 100;
    return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent).toFixed(Math.abs(percent) >= 100 ? 0 : 1)}%`;
  }

  chanceText(base, fresh) {
    if (this.base.samples <= 0 || this.fresh.samples <= 0 || base === fresh) return "";
    return this.isBeyondChance(base, fresh) ? "more than chance explains" : "no more than chance explains";
  }

  // 1: the self value of a function changed, 2: its total did, as `atys diff` finds; null: not known for what is shown.
  significanceOf(symbol) {
    const { app } = this;
    if (!app.selection.isEverything || app.column !== app.profile.column || !this.isChanceKnown) return null;
    return app.profile.comparison.significant[app.symbols.first[symbol]];
  }
}

function shareOf(part, whole) {
  return whole === 0 ? 0 : part / whole;
}

// Grey in the middle, red for more and blue for less: hues that colour-blind people tell apart too.
const CHANGE_HUES = { more: 30, less: 250 };
const CHANGE_SCHEMES = {
  light: { none: [0.9, 0.008], steps: [[0.9, 0.04], [0.84, 0.085], [0.77, 0.13], [0.69, 0.17]] },
  dark: { none: [0.36, 0.008], steps: [[0.38, 0.05], [0.41, 0.09], [0.45, 0.125], [0.5, 0.155]] },
};

// By level, from -4.
function changeColours(scheme) {
  const { none, steps } = CHANGE_SCHEMES[scheme];
  return CHANGES.map(({ level }) => {
    const [lightness, chroma] = level === 0 ? none : steps[Math.abs(level) - 1];
    return oklchToCss(lightness, chroma, level > 0 ? CHANGE_HUES.more : CHANGE_HUES.less);
  });
}
