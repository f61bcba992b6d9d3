// SPDX-License-Identifier: Apache-2.0
// Which samples count: those of the chosen threads, processes and labels, in the chosen part of the time. Everything on the page
// follows from their sum.

class Selection {
  constructor(profile) {
    this.profile = profile;
    this.chosen = profile.facets.map(() => null); // the chosen values of each facet; null: all
    this.during = null; // { from, to } in steps of time, half-open; null: always
  }

  get isEverything() {
    return this.during === null && this.chosen.every((values) => values === null);
  }

  // All values, or none, are no choice.
  choose(facet, values) {
    const count = this.profile.facets[facet].values.length;
    this.chosen[facet] = values === null || values.size === count ? null : values;
  }

  // 1 for contexts that count. `except`: a facet whose choice is left aside, to say what its other values are worth.
  contexts(except = -1) {
    const mask = new Uint8Array(this.profile.contextCount).fill(1);
    this.profile.facets.forEach(({ of }, i) => {
      if (i === except || this.chosen[i] === null) return;
      for (let context = 0; context < mask.length; ++context) mask[context] &= this.chosen[i].has(of[context]) ? 1 : 0;
    });
    return mask;
  }

  has(rows, row, mask) {
    if (mask[rows.context[row]] === 0) return false;
    if (this.during === null || !rows.time) return true;
    return rows.time[row] !== 0 && rows.time[row] >= this.during.from && rows.time[row] < this.during.to;
  }

  // The value of each place.
  addUp(rows, values) {
    const sums = new Float64Array(this.profile.places.count);
    const mask = this.contexts();
    for (let i = 0; i < rows.count; ++i) {
      if (this.has(rows, i, mask)) sums[rows.place[i]] += values[i];
    }
    return sums;
  }

  // What each value of a facet is worth, the choice among the others considered.
  worthOf(facet, rows, values) {
    const { of, values: names } = this.profile.facets[facet];
    const worth = new Float64Array(names.length);
    const mask = this.contexts(facet);
    for (let i = 0; i < rows.count; ++i) {
      if (this.has(rows, i, mask)) worth[of[rows.context[i]]] += values[i];
    }
    return worth;
  }
}
