// SPDX-License-Identifier: Apache-2.0
// Which functions match, and how much of the whole has one of them on its stack.

// A predicate for names, or an error to be shown. Text in double quotes is a whole name.
function compileSearch(text, isRegex) {
  if (!isRegex && text.length > 2 && text.startsWith('"') && text.endsWith('"')) return { test: (name) => name === text.slice(1, -1) };
  if (!isRegex) {
    const wanted = text.toLowerCase();
    return { test: (name) => name.toLowerCase().includes(wanted) };
  }
  try {
    const pattern = new RegExp(text, "i");
    return { test: (name) => pattern.test(name) };
  } catch (error) {
    return { error: error.message };
  }
}

function matchNames(functions, test) {
  const matchedStrings = new Map();
  const matched = new Uint8Array(functions.count);
  for (let f = 1; f < functions.count; ++f) {
    const id = functions.name[f];
    if (!matchedStrings.has(id)) matchedStrings.set(id, test(functions.strings[id]) ? 1 : 0);
    matched[f] = matchedStrings.get(id);
  }
  return matched;
}

function matchGroup(functions, column, id) {
  return Uint8Array.from({ length: functions.count }, (_, f) => (f > 0 && functions[column][f] === id ? 1 : 0));
}

// A match below another match is part of it and not counted again. `tree` is the one with callers first: the answer is about
// stacks, and those are the same in both views.
function matchedTotal(tree, matched) {
  const covered = new Uint8Array(tree.count);
  let sum = 0;
  let frames = 0;
  for (let i = 1; i < tree.count; ++i) {
    const above = covered[tree.parent[i]];
    const here = matched[tree.fn[i]];
    frames += here;
    if (here && !above) sum += tree.total[i];
    covered[i] = above | here;
  }
  return { sum, frames };
}
