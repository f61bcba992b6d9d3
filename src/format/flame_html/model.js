// SPDX-License-Identifier: Apache-2.0
// The trees that follow from which samples and which value type are looked at. Each is made when it is first asked for.

class Model {
  constructor(app) {
    const { profile, selection, column, compared } = app;
    this.app = app;
    const sums = this.sumsOf(profile.rows, selection, column);
    const baseSums = profile.base ? this.sumsOf(profile.base.rows, selection, column) : null;
    const [self, baseSelf] = [this.byNode(sums), baseSums && this.byNode(baseSums)];
    const add = (values) => values.reduce((sum, value) => sum + value, 0);
    if (compared) {
      compared.setWholes(add(self), add(baseSelf), selection.isEverything, add(this.valuesOf(profile.rows, column)), add(this.valuesOf(profile.base.rows, column)));
      this.widthOf = compared.widthOf(compared.fresh.total, compared.base.total);
    }
    this.callTree = makeTree(profile.shape, self, baseSelf, this.widthOf);
    this.lines = new Lines(profile.places, this.callTree, sums);
    this.baseLines = baseSums && new Lines(profile.places, this.callTree, baseSums);
  }

  // Decoded once for each column; a few are enough to switch to and fro.
  valuesOf(rows, column) {
    rows.decoded ??= new Map();
    if (!rows.decoded.has(column)) rows.decoded.set(column, rowValues(rows, column));
    return rows.decoded.get(column);
  }

  sumsOf(rows, selection, column) {
    return selection.addUp(rows, this.valuesOf(rows, column));
  }

  byNode(sums) {
    const { places, shape } = this.app.profile;
    if (!places.hasLines) return sums;
    const self = new Float64Array(shape.count);
    for (let place = 0; place < places.count; ++place) self[places.node[place]] += sums[place];
    return self;
  }

  get invertedTree() {
    this.inverted ??= invertTree(this.callTree, this.widthOf);
    return this.inverted;
  }

  sandwichOf(symbol) {
    if (this.sandwich?.symbol !== symbol) this.sandwich = { symbol, tree: sandwichTree(this.callTree, this.app.symbols, symbol, this.widthOf) };
    return this.sandwich.tree;
  }

  get chart() {
    this.lanes ??= new Chart(this.app);
    return this.lanes;
  }
}
