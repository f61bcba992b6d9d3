// SPDX-License-Identifier: Apache-2.0
// A call tree with values, ready to be laid out. Columns of numbers; parents come before their children. `width` is what a frame
// is drawn with: the sum of |self| below it, which is its total unless values are negative.

function makeTree(shape, self) {
  const { count, fn, parent, depth } = shape;
  const total = Float64Array.from(self);
  const width = Float64Array.from(self, Math.abs);
  for (let i = count - 1; i > 0; --i) {
    total[parent[i]] += total[i];
    width[parent[i]] += width[i];
  }
  return { count, fn, parent, depth, self, total, width, ...sortedChildren(count, parent, width) };
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

// Self and total of every symbol (a name in a file). A symbol that is on a stack twice counts once there.
function addUpSymbols(tree, functions) {
  const numbers = new Map();
  const symbolOf = new Uint32Array(functions.count);
  const firstFunction = [];
  for (let f = 0; f < functions.count; ++f) {
    const key = functions.name[f] * functions.strings.length + functions.file[f];
    if (!numbers.has(key)) {
      numbers.set(key, firstFunction.length);
      firstFunction.push(f);
    }
    symbolOf[f] = numbers.get(key);
  }
  const self = new Float64Array(firstFunction.length);
  const total = new Float64Array(firstFunction.length);
  const onPath = new Uint32Array(firstFunction.length);
  const path = [];
  for (let i = 1; i < tree.count; ++i) {
    while (path.length >= tree.depth[i]) --onPath[path.pop()];
    const symbol = symbolOf[tree.fn[i]];
    self[symbol] += tree.self[i];
    if (onPath[symbol]++ === 0) total[symbol] += tree.total[i];
    path.push(symbol);
  }
  return { firstFunction, self, total };
}
