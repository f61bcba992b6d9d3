// SPDX-License-Identifier: Apache-2.0
// A symbol is a name in a file: what people call a function. The page knows functions more finely (inlined or not, in which module).

// of[f]: the symbol of a function; first[symbol]: a function that stands for it.
function numberSymbols(functions) {
  const numbers = new Map();
  const of = new Uint32Array(functions.count);
  const first = [];
  for (let f = 0; f < functions.count; ++f) {
    const key = functions.name[f] * functions.strings.length + functions.file[f];
    if (!numbers.has(key)) {
      numbers.set(key, first.length);
      first.push(f);
    }
    of[f] = numbers.get(key);
  }
  return { count: first.length, of, first };
}

// The same as below, out of what the page was told: of everything, and also of frames that are too small for it.
function knownSums(sums, symbols) {
  const bySymbol = (values) => {
    const added = new Float64Array(symbols.count);
    values.forEach((value, f) => (added[symbols.of[f]] += value));
    return added;
  };
  const [fresh, base] = sums;
  const known = { self: bySymbol(fresh.self), total: bySymbol(fresh.total) };
  return base ? { ...known, baseSelf: bySymbol(base.self), baseTotal: bySymbol(base.total) } : known;
}

// Self and total of every symbol. A symbol that is on a stack twice counts once there.
function addUpSymbols(tree, symbols) {
  const sums = { self: new Float64Array(symbols.count), total: new Float64Array(symbols.count) };
  if (tree.baseSelf) Object.assign(sums, { baseSelf: new Float64Array(symbols.count), baseTotal: new Float64Array(symbols.count) });
  const onPath = new Uint32Array(symbols.count);
  const path = [];
  for (let i = 1; i < tree.count; ++i) {
    while (path.length >= tree.depth[i]) --onPath[path.pop()];
    const symbol = symbols.of[tree.fn[i]];
    const isOutermost = onPath[symbol]++ === 0;
    sums.self[symbol] += tree.self[i];
    if (isOutermost) sums.total[symbol] += tree.total[i];
    if (tree.baseSelf) {
      sums.baseSelf[symbol] += tree.baseSelf[i];
      if (isOutermost) sums.baseTotal[symbol] += tree.baseTotal[i];
    }
    path.push(symbol);
  }
  return sums;
}
