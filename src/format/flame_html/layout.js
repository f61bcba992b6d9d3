// SPDX-License-Identifier: Apache-2.0
// Which frames are wide enough to be seen, row by row. Children are sorted by width, so the first that is too narrow begins the
// narrow ones: neighbours among these are tied into bundles, which are drawn as one and can be zoomed into. Apart from the outlines of
// bundles, whose cost is bounded, the work depends on the pixels of the screen and not on the size of the profile.
//
// row(r) = { nodes, xs, ws }: what row r shows, from left to right. A number below zero in `nodes` is a bundle: see bundleOf.

const NARROWEST = 1.2; // pixels
const BUNDLE_WIDTH = 7;
const OUTLINE_BUDGET = 600_000; // nodes

class Layout {
  // `slice`, if any, is a run of children of the root: only they are shown below it. `within`, if any, is another layout: this one has
  // its scale, and shares its bundles.
  constructor(tree, root, slice, pixels, within = null) {
    this.tree = tree;
    this.rows = [{ nodes: [root], xs: [0], ws: [pixels] }];
    this.bundles = within?.bundles ?? [];
    this.budget = OUTLINE_BUDGET;
    const shown = slice ? sumWidths(tree, slice.from, slice.to) : tree.width[root];
    this.scale = within?.scale ?? (shown > 0 ? pixels / shown : 0);
    const first = { nodes: [], xs: [], ws: [] };
    this.placeChildren(root, slice?.from ?? tree.childStart[root], slice?.to ?? tree.childStart[root + 1], 0, first);
    for (let row = first; row.nodes.length > 0; row = this.rowBelow(row)) this.rows.push(row);
  }

  get rowCount() {
    return this.rows.length;
  }

  // Undefined: there is no such row.
  row(r) {
    return this.rows[r];
  }

  // The row of the frame that all others belong to.
  get rootRow() {
    return 0;
  }

  // Whether `upper` is what `lower`, in the next row away from the root, hangs from.
  isAbove(upper, lower) {
    if (lower >= 0) return this.tree.parent[lower] === upper;
    return upper === lower || this.bundleOf(lower).parent === upper;
  }

  // The place to go to from a place with an arrow key, or undefined.
  neighbour({ row, index }, key) {
    const { nodes } = this.row(row);
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const next = index + (key === "ArrowLeft" ? -1 : 1);
      return nodes[next] === undefined ? undefined : { row, index: next };
    }
    const target = key === "ArrowUp" ? row - 1 : row + 1;
    const isTowardsRoot = Math.abs(target - this.rootRow) < Math.abs(row - this.rootRow);
    const found = this.row(target)?.nodes.findIndex((other) => (isTowardsRoot ? this.isAbove(other, nodes[index]) : this.isAbove(nodes[index], other))) ?? -1;
    return found < 0 ? undefined : { row: target, index: found };
  }

  rowBelow(row) {
    const below = { nodes: [], xs: [], ws: [] };
    for (let i = 0; i < row.nodes.length; ++i) {
      const node = row.nodes[i];
      if (node >= 0) this.placeChildren(node, this.tree.childStart[node], this.tree.childStart[node + 1], row.xs[i], below);
      else this.placeOutline(node, row.xs[i], below);
    }
    return below;
  }

  placeChildren(node, from, to, left, row) {
    let x = left;
    let k = from;
    for (; k < to; ++k) {
      const child = this.tree.children[k];
      const w = this.tree.width[child] * this.scale;
      if (w < NARROWEST) break;
      push(row, child, x, w);
      x += w;
    }
    while (k < to) {
      const bundle = this.tieBundle(node, k, to);
      const w = bundle.levels[0] * this.scale;
      if (w < 0.3) return;
      this.bundles.push(bundle);
      push(row, -this.bundles.length, x, w);
      x += w;
      k = bundle.to;
    }
  }

  tieBundle(parent, from, end) {
    let width = 0;
    let to = from;
    while (to < end && width * this.scale < BUNDLE_WIDTH) width += this.tree.width[this.tree.children[to++]];
    return { parent, from, to, row: this.rows.length, ...this.outlineOf(from, to) };
  }

  // How wide the frames of a bundle are together, level by level, and the widest frame of each level.
  outlineOf(from, to) {
    const { tree } = this;
    const levels = [sumWidths(tree, from, to)];
    const leads = [tree.children[from]];
    const base = tree.depth[leads[0]];
    const open = [];
    for (let k = from; k < to; ++k) open.push(tree.children[k]);
    while (open.length > 0 && this.budget-- > 0) {
      const node = open.pop();
      const level = tree.depth[node] - base + 1;
      for (let k = tree.childStart[node]; k < tree.childStart[node + 1]; ++k) {
        const child = tree.children[k];
        levels[level] = (levels[level] ?? 0) + tree.width[child];
        if (leads[level] === undefined || tree.width[child] > tree.width[leads[level]]) leads[level] = child;
        open.push(child);
      }
    }
    return { levels, leads };
  }

  placeOutline(code, x, below) {
    const bundle = this.bundleOf(code);
    const level = this.rows.length - bundle.row;
    const w = (bundle.levels[level] ?? 0) * this.scale;
    if (w >= 0.3) push(below, code, x, w);
  }

  bundleOf(code) {
    return this.bundles[-code - 1];
  }

  // The node whose colour an entry of a row has.
  leadOf(code, row) {
    if (code >= 0) return code;
    const bundle = this.bundleOf(code);
    return bundle.leads[row - bundle.row];
  }
}

// A function with its callers above it and its callees below. Zoomed into one half (`zoom` or `slice`), only that half is shown.
class SandwichLayout extends Layout {
  constructor(tree, zoom, slice, pixels) {
    super(tree, zoom, slice ?? (zoom === 0 ? { from: tree.callerCount, to: tree.childStart[1] } : null), pixels, zoom === 0 && !slice ? { scale: tree.width[0] > 0 ? pixels / tree.width[0] : 0 } : null);
    const isWhole = zoom === 0 && !slice;
    const isUpward = !isWhole && (zoom === 0 ? slice.from < tree.callerCount : isCaller(tree, zoom));
    this.callers = isWhole ? new Layout(tree, 0, { from: 0, to: tree.callerCount }, pixels, this) : null;
    if (isUpward) this.rows.reverse();
    if (isWhole) this.rows = [...this.callers.rows.slice(1).reverse(), ...this.rows];
    this.root = isUpward ? this.rows.length - 1 : isWhole ? this.callers.rows.length - 1 : 0;
  }

  get rootRow() {
    return this.root ?? 0;
  }

  // What is between its callers and callees is easily lost.
  get marksRoot() {
    return true;
  }

  leadOf(code, row) {
    const distance = Math.abs(row - this.rootRow);
    return row < this.rootRow && this.callers ? this.callers.leadOf(code, distance) : super.leadOf(code, distance);
  }
}

function sumWidths(tree, from, to) {
  let sum = 0;
  for (let k = from; k < to; ++k) sum += tree.width[tree.children[k]];
  return sum;
}

function push(row, node, x, w) {
  row.nodes.push(node);
  row.xs.push(x);
  row.ws.push(w);
}

// Position in the row of what is at x, or -1.
function indexAt(row, x) {
  let low = 0;
  let high = row.xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.xs[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x < row.xs[low - 1] + row.ws[low - 1] ? low - 1 : -1;
}

// Whether any frame of a bundle, at whatever depth, matches. Kept until another search.
function bundleMatches(tree, bundle, matched) {
  if (bundle.searched === matched) return bundle.isMatched;
  const open = [];
  for (let k = bundle.from; k < bundle.to; ++k) open.push(tree.children[k]);
  bundle.searched = matched;
  bundle.isMatched = false;
  while (open.length > 0 && !bundle.isMatched) {
    const node = open.pop();
    bundle.isMatched = matched[tree.fn[node]] === 1;
    for (let k = tree.childStart[node]; k < tree.childStart[node + 1]; ++k) open.push(tree.children[k]);
  }
  return bundle.isMatched;
}
