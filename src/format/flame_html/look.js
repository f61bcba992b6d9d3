// SPDX-License-Identifier: Apache-2.0
// Light or dark, and what colour says: how much something changed, or where it comes from.

class Look {
  constructor(app) {
    this.app = app;
    this.darkScheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.darkScheme.addEventListener("change", () => this.apply());
    this.column = this.bestColumn(); // "change", or a column of the functions
  }

  // Kinds say most where there are several; plain names have no package.
  bestColumn() {
    const { functions, profile } = this.app;
    if (profile.comparison) return "change";
    if (new Set(functions.kind.subarray(1)).size > 1) return "kind";
    const inPackage = functions.package.filter((id) => functions.strings[id] !== "").length;
    return inPackage * 2 > functions.count - 1 ? "package" : "name";
  }

  get scheme() {
    const theme = document.documentElement.dataset.theme;
    if (theme !== "auto") return theme;
    return this.darkScheme.matches ? "dark" : "light";
  }

  // What functions are grouped by, also where colour says something else.
  get groupColumn() {
    return this.column === "change" ? "package" : this.column;
  }

  // After other values: the groups that cover most have the hues.
  rank() {
    this.groups = rankGroups(this.app.callTree, this.app.functions, this.groupColumn);
  }

  setColumn(column) {
    this.column = column;
    this.app.ui.colour.value = column;
    this.rank();
    this.apply();
  }

  apply() {
    const { app } = this;
    const style = getComputedStyle(document.documentElement);
    this.background = style.getPropertyValue("--canvas").trim();
    this.accent = style.getPropertyValue("--accent").trim();
    this.colours = colourFunctions(app.functions, this.groupColumn, this.groups, this.scheme);
    this.changes = changeColours(this.scheme);
    this.rootColour = rootColour(this.scheme);
    const theme = document.documentElement.dataset.theme;
    app.ui.theme.title = `Theme: ${theme === "auto" ? "as the system has it" : theme}`;
    app.ui.theme.setAttribute("aria-label", app.ui.theme.title);
    showLegend(app);
    app.table.show();
    app.relayout();
  }

  nextTheme() {
    const themes = ["auto", "light", "dark"];
    const root = document.documentElement;
    root.dataset.theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
    this.apply();
  }

  ofChange(level) {
    return this.changes[level + 4];
  }

  ofNode(node) {
    const { tree, compared } = this.app;
    if (this.column === "change") return this.ofChange(compared.levelOf(tree.baseTotal[node], tree.total[node]));
    return tree.fn[node] === 0 ? this.rootColour : this.colours[tree.fn[node]];
  }

  ofSymbol(symbol) {
    const { symbols, table, compared } = this.app;
    if (this.column !== "change") return this.colours[symbols.first[symbol]];
    return this.ofChange(compared.levelOf(table.sums.baseTotal[symbol], table.sums.total[symbol]));
  }
}
