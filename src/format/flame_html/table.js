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
    app.ui.tablePane.classList.toggle("compared", app.compared !== null);
  }

  sortBy(key) {
    this.setSort({ key, descending: this.sort.key === key ? !this.sort.descending : key !== "name" });
    this.app.remember();
  }

  setSort(sort) {
    this.sort = sort;
    for (const button of document.querySelectorAll("th button[data-sort]")) {
      const header = button.closest("th");
      if (button.dataset.sort === sort.key) header.setAttribute("aria-sort", sort.descending ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    }
    if (this.app.look?.colours) this.show();
  }

  addUp() {
    const { compared } = this.app;
    const of = compared ? (compared.isAbsolute ? ", change" : ", points") : "";
    for (const [key, text] of [["self", "Self"], ["total", "Total"]]) document.querySelector(`th button[data-sort=${key}]`).textContent = text + of;
    const { profile, selection, column, symbols, callTree } = this.app;
    const areKnown = profile.sums !== null && selection.isEverything && column === profile.column;
    this.sums = areKnown ? knownSums(profile.sums, symbols) : addUpSymbols(callTree, symbols);
    this.isPartial = profile.folded > 0 && !areKnown;
  }

  // What rows are sorted by: the value, or how much it changed.
  measure(key) {
    const { compared } = this.app;
    const [values, baseValues] = key === "self" ? [this.sums.self, this.sums.baseSelf] : [this.sums.total, this.sums.baseTotal];
    if (!compared) return (i) => values[i];
    return (i) => {
      const [before, after] = compared.measured(baseValues[i], values[i]);
      return Math.abs(after - before);
    };
  }

  sortedSymbols() {
    const { self, total, baseSelf, baseTotal } = this.sums;
    const { functions, symbols } = this.app;
    const { matched } = this.app.search;
    const shown = [];
    for (let i = 0; i < symbols.count; ++i) {
      const isWorth = self[i] !== 0 || total[i] !== 0 || (baseTotal && (baseSelf[i] !== 0 || baseTotal[i] !== 0));
      if (isWorth && (!matched || matched[symbols.first[i]])) shown.push(i);
    }
    const name = (i) => functions.strings[functions.name[symbols.first[i]]];
    const byName = (a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : a - b);
    const [measure, next] = [this.measure(this.sort.key === "name" ? "self" : this.sort.key), this.measure("total")];
    const compare = this.sort.key === "name" ? byName : (a, b) => measure(a) - measure(b) || next(a) - next(b) || byName(b, a);
    return shown.sort(this.sort.descending ? (a, b) => compare(b, a) : compare);
  }

  show() {
    const shown = this.sortedSymbols();
    const rows = shown.slice(0, ROWS_SHOWN).map((symbol) => this.makeRow(symbol));
    document.getElementById("rows").replaceChildren(...rows);
    const left = shown.length - rows.length;
    const rest = left > 0 ? `${left.toLocaleString("en-US")} more functions: search to narrow the list down` : shown.length === 0 ? "No function to show" : "";
    const partial = this.isPartial ? "Without what small frames have, which are in “(other)”" : "";
    document.getElementById("table-note").textContent = [partial, rest].filter((text) => text !== "").join(". ");
  }

  makeRow(symbol) {
    const { sums } = this;
    const row = element("tr");
    if (this.app.view === "sandwich" && this.app.symbol === symbol) row.setAttribute("aria-current", "true");
    const isOf = this.app.compared?.significanceOf(symbol) ?? 0;
    row.append(this.makeCell(sums.self[symbol], sums.baseSelf?.[symbol], (isOf & 1) !== 0), this.makeCell(sums.total[symbol], sums.baseTotal?.[symbol], (isOf & 2) !== 0));
    row.append(this.makeName(symbol));
    return row;
  }

  makeName(symbol) {
    const { app } = this;
    const f = app.symbols.first[symbol];
    const name = functionName(app, f);
    const cell = element("td", "name");
    const button = element("button", "function");
    button.append(element("span", "", shortName(app.functions, f).slice(0, 300) || "(no name)"));
    button.type = "button";
    button.title = name.slice(0, 500);
    button.style.setProperty("--swatch", app.look.ofSymbol(symbol));
    button.addEventListener("click", () => app.pick(symbol));
    const both = element("button", "both");
    both.type = "button";
    both.title = "Callers and callees";
    both.setAttribute("aria-label", `Callers and callees of ${name.slice(0, 100)}`);
    both.addEventListener("click", () => app.showSandwich(symbol));
    cell.append(button, both);
    return cell;
  }

  makeCell(value, baseValue, isSignificant) {
    const { app } = this;
    if (app.compared) return this.makeChange(value, baseValue, isSignificant);
    const whole = app.callTree.total[0];
    const cell = element("td", "number", valueText(value, app.unit));
    cell.append(element("span", "share", shareText(value, whole)));
    cell.style.setProperty("--part", `${Math.max(0, Math.min(100, whole === 0 ? 0 : (100 * value) / whole))}%`);
    return cell;
  }

  makeChange(value, baseValue, isSignificant) {
    const { app } = this;
    const { compared } = app;
    const cell = element("td", "number change", compared.differenceText(baseValue, value).replace(/ points$/, "") + (isSignificant ? " *" : ""));
    const [before, after] = compared.isAbsolute ? [valueText(baseValue, app.unit), valueText(value, app.unit)] : [shareText(baseValue, compared.base.total), shareText(value, compared.fresh.total)];
    cell.append(element("span", "share", `${before} → ${after}`));
    if (isSignificant) cell.title = "significant: of all functions so marked, at most 5% are expected to be chance";
    cell.style.setProperty("--swatch", app.look.ofChange(compared.levelOf(baseValue, value)));
    return cell;
  }
}
