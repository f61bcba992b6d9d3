// SPDX-License-Identifier: Apache-2.0
// A call tree with values, ready to be laid out. Columns of numbers; parents come before their children. `width` is what a frame
// is drawn with: the sum of |self| below it, which is its total unless values are negative. Where two profiles are compared, `self`
// and `total` are those of the new one, `baseSelf` and `baseTotal` of the other, and `widthOf` says which of them gives the width.

function makeTree(shape, self, baseSelf = null, widthOf = Math.abs) {
  const { count, fn, parent, depth } = shape;
  const tree = { count, fn, parent, depth, self, total: sumsBelow(parent, self) };
  if (baseSelf) Object.assign(tree, { baseSelf, baseTotal: sumsBelow(parent, baseSelf) });
  tree.width = sumsBelow(parent, Float64Array.from(self, (value, i) => widthOf(value, baseSelf ? baseSelf[i] : 0)));
  return Object.assign(tree, sortedChildren(count, parent, tree.width));
}

function sumsBelow(parent, self) {
  const sums = Float64Array.from(self);
  for (let i = sums.length - 1; i > 0; --i) sums[parent[i]] += sums[i];
  return sums;
}

// children[childStart[i] .. childStart[i + 1]) are those of node i, the widest first.
function sortedChildren(count, parent, width) {
  const childStart = new Uint32Array(count + 1);
  for (let i = 1; i < count; ++i) ++childStart[parent[i] + 1];
  for (let i = 0; i < count; ++i) childStart[i + 1] += childStart[i];
  const next = childStart.slice(0, count);
  const children = new Uint32Array(Math.max(count - 1, 0));
  for (let i = 1; i < count; ++i) children[next[parent[i]]++] = i;
  const widestFirst = (a, b) => width[b] - width[a] || a - b;
  for (let i = 0; i < count; ++i) {
    if (childStart[i + 1] - childStart[i] > 1) children.subarray(childStart[i], childStart[i + 1]).sort(widestFirst);
  }
  return { childStart, children };
}

function ancestors(tree, node) {
  const path = [];
  for (let at = node; at >= 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}
