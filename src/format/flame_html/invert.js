// SPDX-License-Identifier: Apache-2.0
// Stacks seen from their far end: every walker starts at a node with a value and climbs to its parents, while walkers of equal
// functions go down the new tree together. Made level by level. Deep recursion can make this tree far larger than the original, so it
// ends at a size that a browser can hold; what is left out is the far end of the deepest stacks, and that is said.

const INVERTED_LIMIT = 3_000_000;

class ChildIndex {
  constructor() {
    this.slots = new Int32Array(1 << 12).fill(-1);
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

// A tree that grows: its root has the function `fn`.
class GrowingTree {
  constructor(fn) {
    Object.assign(this, { fn: [fn], parent: [-1], depth: [0], self: [0], baseSelf: [0] });
    this.index = new ChildIndex();
  }

  get count() {
    return this.fn.length;
  }

  child(parent, fn) {
    const found = this.index.find(this, parent, fn);
    if (found >= 0) return found;
    const node = this.count;
    this.fn.push(fn);
    this.parent.push(parent);
    this.depth.push(this.depth[parent] + 1);
    this.self.push(0);
    this.baseSelf.push(0);
    this.index.take(found, node);
    return node;
  }

  finish(isCompared, widthOf) {
    const shape = { count: this.count, fn: Uint32Array.from(this.fn), parent: Int32Array.from(this.parent), depth: Uint32Array.from(this.depth) };
    return makeTree(shape, Float64Array.from(this.self), isCompared ? Float64Array.from(this.baseSelf) : null, widthOf);
  }
}

// walkers: [{ at, value, base }]: a node of `tree` to start from, and what it brings.
function climbTogether(tree, walkers, rootFn, widthOf) {
  const grown = new GrowingTree(rootFn);
  const arrive = (walker) => {
    grown.self[walker.node] += walker.value;
    grown.baseSelf[walker.node] += walker.base;
  };
  const climb = (walker) => {
    walker.node = grown.child(walker.node, tree.fn[walker.at]);
    walker.at = tree.parent[walker.at];
    if (walker.at > 0) return true;
    arrive(walker);
    return false;
  };
  let depth = 1;
  walkers = walkers.map((walker) => ({ ...walker, node: 0 }));
  walkers.filter((walker) => walker.at <= 0).forEach(arrive);
  walkers = walkers.filter((walker) => walker.at > 0);
  for (; walkers.length > 0 && grown.count < INVERTED_LIMIT; ++depth) walkers = walkers.filter(climb);
  walkers.forEach(arrive);
  return { ...grown.finish(tree.baseSelf !== undefined, widthOf), cutAt: walkers.length > 0 ? depth : 0 };
}

// The same stacks with the leaves at the root.
function invertTree(tree, widthOf) {
  const walkers = [];
  for (let i = 0; i < tree.count; ++i) {
    const base = tree.baseSelf ? tree.baseSelf[i] : 0;
    if (tree.self[i] !== 0 || base !== 0) walkers.push({ at: i, value: tree.self[i], base });
  }
  return climbTogether(tree, walkers, 0, widthOf);
}
