// SPDX-License-Identifier: Apache-2.0
// The lines that a frame was at, the costliest first. Looked up when somebody asks for one frame; what is kept are the sums by place.

class Lines {
  // placeSelf: the value of each place.
  constructor(places, tree, placeSelf) {
    Object.assign(this, { places, tree, placeSelf });
  }

  get placesWithValue() {
    this.withValue ??= placesWith(this.placeSelf);
    return this.withValue;
  }

  get placeTotal() {
    this.totals ??= sumsBelow(this.places.parent, this.placeSelf);
    return this.totals;
  }

  // [{ line, value }] of some nodes of the call tree together.
  ofNodes(nodes) {
    const sums = new Map();
    for (const node of nodes) {
      for (let place = this.places.start[node]; place < this.places.start[node + 1]; ++place) addTo(sums, this.places.line[place], this.placeTotal[place]);
    }
    return costliestFirst(sums);
  }

  // Of frames that are reached by climbing from `starts` (places) past the functions of `path`: the lines at its end.
  // values[place]: what each start brings.
  ofClimb(starts, path, values) {
    const sums = new Map();
    for (const start of starts) {
      let place = start;
      let step = 0;
      while (place > 0 && step < path.length && this.tree.fn[this.places.node[place]] === path[step]) {
        if (++step === path.length) addTo(sums, this.places.line[place], values[start]);
        else place = this.places.parent[place];
      }
    }
    return costliestFirst(sums);
  }
}

function addTo(sums, line, value) {
  sums.set(line, (sums.get(line) ?? 0) + value);
}

function costliestFirst(sums) {
  return [...sums].map(([line, value]) => ({ line, value })).sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.line - b.line);
}

// The lines of a frame in whatever view; empty where none are known.
function linesOf(app, node) {
  if (node < 0 || app.tree.fn[node] === 0 || !app.profile.places.hasLines) return [];
  const found = findLines(app, node);
  return found.some(({ line }) => line !== 0) ? found : [];
}

function findLines(app, node) {
  const { tree, callTree } = app;
  // What is gone has lines only in what was before.
  const lines = app.baseLines && tree.total[node] === 0 ? app.baseLines : app.lines;
  const { places } = app.profile;
  if (tree === callTree) return lines.ofNodes([node]);
  const path = ancestors(tree, node).slice(1).map((at) => tree.fn[at]);
  if (app.view !== "sandwich") return lines.ofClimb(lines.placesWithValue, path, lines.placeSelf);
  const outermost = outermostCalls(callTree, app.symbols.of, app.symbol);
  if (!isCaller(tree, node)) return lines.ofNodes(nodesBelow(callTree, outermost, path));
  const starts = outermost.flatMap((call) => Array.from({ length: places.start[call + 1] - places.start[call] }, (_, i) => places.start[call] + i));
  // A caller is reached from the function itself, so the climb starts one step above it.
  const brought = new Map();
  for (const start of starts) addTo(brought, places.parent[start], lines.placeTotal[start]);
  return lines.ofClimb([...brought.keys()], path, Object.fromEntries(brought));
}

function placesWith(values) {
  const found = [];
  values.forEach((value, place) => value !== 0 && found.push(place));
  return found;
}

// The nodes that are reached from `tops` by calls of the functions of `path`.
function nodesBelow(tree, tops, path) {
  let found = tops;
  for (const fn of path) {
    const next = [];
    for (const node of found) {
      for (let k = tree.childStart[node]; k < tree.childStart[node + 1]; ++k) if (tree.fn[tree.children[k]] === fn) next.push(tree.children[k]);
    }
    found = next;
  }
  return found;
}
