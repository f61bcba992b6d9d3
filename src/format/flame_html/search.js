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

// A pattern out of an address could keep the browser busy for ever: only simple ones run without being asked to.
function isSimplePattern(text) {
  return !/\)\s*[*+?{]|\\[1-9]|\(\?/.test(text) && (text.match(/[*+{]/g) ?? []).length <= 2;
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
// stacks, and those are the same in every view.
function matchedTotal(tree, matched, totals) {
  const covered = new Uint8Array(tree.count);
  let sum = 0;
  let frames = 0;
  for (let i = 1; i < tree.count; ++i) {
    const above = covered[tree.parent[i]];
    const here = matched[tree.fn[i]];
    frames += here;
    if (here && !above) sum += totals[i];
    covered[i] = above | here;
  }
  return { sum, frames };
}

// The search field, and the groups of the legend: what is matched stands out in every view.
class Search {
  constructor(app) {
    this.app = app;
    this.matched = null; // by function: 1 for those that match; null: nothing is looked for
    this.emphasised = null; // a group of the legend
  }

  get isRegex() {
    return this.app.ui.regex.getAttribute("aria-pressed") === "true";
  }

  set isRegex(isRegex) {
    this.app.ui.regex.setAttribute("aria-pressed", String(isRegex));
  }

  get text() {
    return this.app.ui.search.value;
  }

  set text(text) {
    this.app.ui.search.value = text;
  }

  // Exactly this name; again: nothing.
  find(name) {
    this.isRegex = false;
    const exactly = `"${name}"`;
    this.text = this.text === exactly ? "" : exactly;
    this.apply();
  }

  clear() {
    this.text = "";
    this.apply();
  }

  apply() {
    const { ui, functions } = this.app;
    this.emphasised = this.matched = null;
    ui.matched.textContent = "";
    ui.search.removeAttribute("aria-invalid");
    const search = this.text === "" ? null : compileSearch(this.text, this.isRegex);
    if (search?.error) {
      ui.search.setAttribute("aria-invalid", "true");
      ui.matched.textContent = "not a regular expression";
    } else if (search) {
      this.matched = matchNames(functions, search.test);
    }
    this.show();
    this.app.remember();
  }

  emphasise(group) {
    const { app } = this;
    this.text = "";
    this.emphasised = this.emphasised === group.id ? null : group.id;
    this.matched = this.emphasised === null ? null : matchGroup(app.functions, app.look.groupColumn, group.id);
    app.ui.matched.textContent = "";
    this.show();
  }

  show() {
    const { app } = this;
    if (this.matched) this.showTotal();
    showLegend(app);
    app.table.show();
    app.requestPaint();
  }

  showTotal() {
    const { callTree, unit, compared, profile, ui } = this.app;
    const { sum, frames } = matchedTotal(callTree, this.matched, callTree.total);
    if (frames === 0) {
      ui.matched.textContent = "no match";
      ui.matched.title = "";
      return this.app.say("No function matches");
    }
    const share = shareText(sum, callTree.total[0]);
    const least = profile.folded > 0 ? "at least " : ""; // what is in "(other)" is not known to match
    const base = compared ? matchedTotal(callTree, this.matched, callTree.baseTotal).sum : 0;
    ui.matched.textContent = `${least}${compared ? `${shareText(base, callTree.baseTotal[0])} → ` : ""}${share} matched`;
    ui.matched.title = `${compared ? `${valueText(base, unit)} → ` : ""}${valueText(sum, unit)} in stacks with a match`;
    return this.app.say(`${ui.matched.textContent}: ${ui.matched.title}`);
  }
}
