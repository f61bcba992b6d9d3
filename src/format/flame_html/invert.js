// SPDX-License-Identifier: Apache-2.0
// The same stacks with the leaves at the root. Made level by level: every node with a value of its own is a walker that climbs to
// its parent while walkers of equal functions go down the new tree together. Deep recursion can make this tree far larger than the
// original, so it ends at a size that a browser can hold; what is left out is the far end of the deepest stacks, and that is said.

const INVERTED_LIMIT = 3_000_000;

class ChildIndex {
  constructor() {
    this.slots = new Int32Array(1 << 16).fill(-1);
    this.used = 0;
  }

  // Slots hold node numbers; a node is found by its parent and function.
  find(nodes, parent, fn) {
    if (this.used * 2 > this.slots.length) this.grow(nodes);
    const slot = this.slot(nodes, parent, fn);
    return this.slots[slot] >= 0 ? this.slots[slot] : -slot - 1;
  }

  take(negativeSlot, node) {
    this.slots[-negativeSlot - 1] = node;
    ++this.used;
  }

  slot(nodes, parent, fn) {
    const mask = this.slots.length - 1;
    let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(fn, 0x85ebca6b)) & mask;
    for (; this.slots[slot] >= 0; slot = (slot + 1) & mask) {
      const node = this.slots[slot];
      if (nodes.parent[node] === parent && nodes.fn[node] === fn) break;
    }
    return slot;
  }

  grow(nodes) {
    const old = this.slots;
    this.slots = new Int32Array(old.length * 2).fill(-1);
    for (const node of old) {
      if (node >= 0) this.slots[this.slot(nodes, nodes.parent[node], nodes.fn[node])] = node;
    }
  }
}

function invertTree(tree) {
  const nodes = { fn: [0], parent: [-1], depth: [0], self: [tree.self[0]] };
  const index = new ChildIndex();
  let walkers = [];
  for (let i = 1; i < tree.count; ++i) {
    if (tree.self[i] !== 0) walkers.push({ at: i, node: 0, value: tree.self[i] });
  }
  let depth = 1;
  for (; walkers.length > 0 && nodes.fn.length < INVERTED_LIMIT; ++depth) walkers = walkers.filter((walker) => climb(walker, tree, nodes, index, depth));
  const cutAt = walkers.length > 0 ? depth : 0;
  for (const walker of walkers) nodes.self[walker.node] += walker.value;
  const shape = { count: nodes.fn.length, fn: Uint32Array.from(nodes.fn), parent: Int32Array.from(nodes.parent), depth: Uint32Array.from(nodes.depth) };
  return { ...makeTree(shape, Float64Array.from(nodes.self)), cutAt };
}

// One step; false when the walker has arrived at the root of its stack.
function climb(walker, tree, nodes, index, depth) {
  const fn = tree.fn[walker.at];
  let node = index.find(nodes, walker.node, fn);
  if (node < 0) {
    const slot = node;
    node = nodes.fn.length;
    nodes.fn.push(fn);
    nodes.parent.push(walker.node);
    nodes.depth.push(depth);
    nodes.self.push(0);
    index.take(slot, node);
  }
  walker.node = node;
  walker.at = tree.parent[walker.at];
  if (walker.at > 0) return true;
  nodes.self[node] += walker.value;
  return false;
}
