// SPDX-License-Identifier: Apache-2.0
// One function with everybody who called it above and everything it called below. Where the function is on a stack more than once, the
// outermost call counts, so nothing is counted twice; that it called itself is seen among the callees.
//
// Both halves are one tree whose root is the function: of the root's children the first `callerCount` are callers.

function sandwichTree(tree, symbols, symbol, widthOf) {
  const outermost = outermostCalls(tree, symbols.of, symbol);
  const rootFn = symbols.first[symbol];
  const walkers = outermost.map((node) => ({ at: tree.parent[node], value: tree.total[node], base: tree.baseTotal ? tree.baseTotal[node] : 0 }));
  const callers = climbTogether(tree, walkers, rootFn, widthOf);
  return joinHalves(callers, mergeBelow(tree, outermost, rootFn, widthOf));
}

function outermostCalls(tree, symbolOf, symbol) {
  const covered = new Uint8Array(tree.count);
  const outermost = [];
  for (let i = 1; i < tree.count; ++i) {
    const above = covered[tree.parent[i]];
    const isCall = symbolOf[tree.fn[i]] === symbol;
    if (isCall && !above) outermost.push(i);
    covered[i] = above | (isCall ? 1 : 0);
  }
  return outermost;
}

// What lies below some nodes, none of which lies below another, as if they were one.
function mergeBelow(tree, tops, rootFn, widthOf) {
  const grown = new GrowingTree(rootFn);
  const open = tops.map((node) => [node, 0]);
  while (open.length > 0) {
    const [node, into] = open.pop();
    grown.self[into] += tree.self[node];
    if (tree.baseSelf) grown.baseSelf[into] += tree.baseSelf[node];
    for (let k = tree.childStart[node]; k < tree.childStart[node + 1]; ++k) {
      const child = tree.children[k];
      open.push([child, grown.child(into, tree.fn[child])]);
    }
  }
  return grown.finish(tree.baseSelf !== undefined, widthOf);
}

// The callees keep the numbers of the root; callers come behind them.
function joinHalves(callers, callees) {
  const count = callers.count + callees.count - 1;
  const shift = callees.count - 1; // of callers' numbers
  const joined = { count, callerCount: callers.childStart[1], cutAt: callers.cutAt, shift };
  for (const column of ["fn", "parent", "depth", "self", "total", "width", "baseSelf", "baseTotal"]) {
    if (!callees[column]) continue;
    joined[column] = new callees[column].constructor(count);
    joined[column].set(callees[column]);
    joined[column].set(callers[column].subarray(1), callees.count);
  }
  joined.width[0] = Math.max(callers.width[0], callees.width[0]);
  for (let i = callees.count; i < count; ++i) if (joined.parent[i] !== 0) joined.parent[i] += shift;
  joined.childStart = new Uint32Array(count + 1);
  joined.children = new Uint32Array(Math.max(count - 1, 0));
  let end = 0;
  const take = (half, node, move) => {
    for (let k = half.childStart[node]; k < half.childStart[node + 1]; ++k) joined.children[end++] = half.children[k] + move;
  };
  take(callers, 0, shift);
  take(callees, 0, 0);
  joined.childStart[1] = end;
  for (let i = 1; i < count; ++i) {
    if (i < callees.count) take(callees, i, 0);
    else take(callers, i - shift, shift);
    joined.childStart[i + 1] = end;
  }
  return joined;
}

// Whether a node of the joined tree is a caller.
function isCaller(tree, node) {
  return node > tree.shift;
}
