// SPDX-License-Identifier: Apache-2.0
// The functions as a list: the same answer for those who would rather read than look.

const ROWS_SHOWN = 200;

class FunctionTable {
  constructor(app) {
    this.app = app;
    this.sort = { key: "self", descending: true };
    for (const button of document.querySelectorAll("th button[data-sort]")) {
      button.addEventListener("click", () => this.sortBy(button.dataset.sort));
    }
  }

  sortBy(key) {
    const descending = this.sort.key === key ? !this.sort.descending : key !== "name";
    this.sort = { key, descending };
    for (const button of document.querySelectorAll("th button[data-sort]")) {
      const header = button.closest("th");
      if (button.dataset.sort === key) header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    }
    this.show();
  }

  update() {
    this.symbols = addUpSymbols(this.app.callTree, this.app.functions);
    this.show();
  }

  sortedSymbols() {
    const { firstFunction, self, total } = this.symbols;
    const { functions, matched } = this.app;
    const shown = [];
    for (let i = 0; i < firstFunction.length; ++i) {
      const isWorth = self[i] !== 0 || total[i] !== 0;
      if (isWorth && (!matched || matched[firstFunction[i]])) shown.push(i);
    }
    const name = (i) => functions.strings[functions.name[firstFunction[i]]];
    const byName = (a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a - b);
    const values = this.sort.key === "self" ? self : total;
    const compare = this.sort.key === "name" ? byName : (a, b) => values[a] - values[b] || total[a] - total[b] || byName(b, a);
    shown.sort(this.sort.descending ? (a, b) => compare(b, a) : compare);
    return shown;
  }

  show() {
    const shown = this.sortedSymbols();
    const rows = shown.slice(0, ROWS_SHOWN).map((symbol) => this.makeRow(symbol));
    document.getElementById("rows").replaceChildren(...rows);
    const left = shown.length - rows.length;
    document.getElementById("table-note").textContent =
      left > 0 ? `${left.toLocaleString("en-US")} more functions: search to narrow the list down` : shown.length === 0 ? "No function to show" : "";
  }

  makeRow(symbol) {
    const { app } = this;
    const f = this.symbols.firstFunction[symbol];
    const name = app.functions.strings[app.functions.name[f]] || "(no name)";
    const row = element("tr");
    row.append(this.makeCell(this.symbols.self[symbol]), this.makeCell(this.symbols.total[symbol]));
    const cell = element("td", "name");
    const button = element("button");
    button.append(element("span", "", app.functions.strings[app.functions.shortName[f]].slice(0, 300) || "(no name)"));
    button.type = "button";
    button.title = name.slice(0, 500);
    button.style.setProperty("--swatch", app.colours[f]);
    button.addEventListener("click", () => app.searchFor(app.functions.strings[app.functions.name[f]]));
    cell.append(button);
    row.append(cell);
    return row;
  }

  makeCell(value) {
    const whole = this.app.callTree.total[0];
    const cell = element("td", "number", valueText(value, this.app.unit));
    cell.append(element("span", "share", shareText(value, whole)));
    cell.style.setProperty("--part", `${Math.max(0, Math.min(100, whole === 0 ? 0 : (100 * value) / whole))}%`);
    return cell;
  }
}
