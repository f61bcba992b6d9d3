// SPDX-License-Identifier: Apache-2.0
// What is shown at the moment, and how it changes.

class App {
  constructor(profile) {
    this.profile = profile;
    this.functions = profile.functions;
    this.rootName = "all";
    this.ui = this.findElements();
    this.painter = new Painter(this.ui.canvas);
    this.darkScheme = window.matchMedia("(prefers-color-scheme: dark)");
    Object.assign(this, { inverted: false, zoom: 0, hover: null, focus: null, matched: null, emphasised: null, slice: null, layout: null, tooltipNode: null });
    this.table = new FunctionTable(this);
    this.colourColumn = this.bestColourColumn();
  }

  findElements() {
    const byId = (id) => document.getElementById(id);
    const ui = { helpButton: byId("help-button") };
    for (const id of ["facts", "losses", "search", "regex", "matched", "value", "colour", "callers", "callees", "reset", "theme", "crumbs", "scroller", "canvas", "spacer", "legend", "status", "tooltip", "help"]) ui[id] = byId(id);
    return ui;
  }

  start() {
    this.fillChoices();
    listenToMouse(this);
    listenToGraphKeys(this);
    listenToPageKeys(this);
    listenToControls(this);
    this.darkScheme.addEventListener("change", () => this.applyScheme());
    showLosses(this);
    this.setColumn(this.profile.column);
    if (this.profile.inverted) this.setInverted(true);
    this.say(this.callTree.count > 1 ? "Click a frame to zoom; press ? for help" : "This profile has no stacks");
    new ResizeObserver(() => this.relayout()).observe(this.ui.scroller);
  }

  fillChoices() {
    this.profile.valueTypes.forEach((type, i) => {
      const option = element("option", "", `${type.type} (${type.unit})`);
      option.value = String(i);
      this.ui.value.append(option);
    });
    document.getElementById("value-choice").hidden = this.profile.valueTypes.length < 2;
    this.ui.colour.value = this.colourColumn;
  }

  // Kinds say most where there are several; plain names have no package.
  bestColourColumn() {
    if (new Set(this.functions.kind.subarray(1)).size > 1) return "kind";
    const inPackage = this.functions.package.filter((id) => this.functions.strings[id] !== "").length;
    return inPackage * 2 > this.functions.count - 1 ? "package" : "name";
  }

  get scheme() {
    const theme = document.documentElement.dataset.theme;
    if (theme !== "auto") return theme;
    return this.darkScheme.matches ? "dark" : "light";
  }

  setColumn(column) {
    this.column = column;
    this.ui.value.value = String(column);
    this.valueType = this.profile.valueTypes[column] ?? { type: "", unit: "" };
    this.unit = this.valueType.unit;
    this.callTree = makeTree(this.profile.shape, selfColumn(this.profile, column));
    this.invertedTree = null;
    this.showTree();
    this.groups = rankGroups(this.callTree, this.functions, this.colourColumn);
    this.applyScheme();
    this.table.update();
    showFacts(this);
    if (this.matched) this.showMatched();
  }

  setInverted(inverted) {
    this.inverted = inverted;
    this.ui.callers.setAttribute("aria-pressed", String(!inverted));
    this.ui.callees.setAttribute("aria-pressed", String(inverted));
    this.showTree();
    this.relayout();
    const cutAt = this.tree.cutAt ?? 0;
    this.say((inverted ? "Callees first" : "Callers first") + (cutAt > 0 ? `; stacks are cut off after ${cutAt.toLocaleString("en-US")} frames` : ""));
  }

  showTree() {
    if (this.inverted) this.invertedTree ??= invertTree(this.callTree);
    this.tree = this.inverted ? this.invertedTree : this.callTree;
    this.zoom = 0;
    this.slice = null;
    this.focus = this.hover = null;
    hideTooltip(this);
    showCrumbs(this);
  }

  setColourColumn(column) {
    this.colourColumn = column;
    this.groups = rankGroups(this.callTree, this.functions, column);
    this.applyScheme();
    this.table.show();
  }

  applyScheme() {
    const style = getComputedStyle(document.documentElement);
    this.background = style.getPropertyValue("--canvas").trim();
    this.accent = style.getPropertyValue("--accent").trim();
    this.colours = colourFunctions(this.functions, this.colourColumn, this.groups, this.scheme);
    this.rootColour = rootColour(this.scheme);
    const theme = document.documentElement.dataset.theme;
    this.ui.theme.title = `Theme: ${theme === "auto" ? "as the system has it" : theme}`;
    this.ui.theme.setAttribute("aria-label", this.ui.theme.title);
    showLegend(this);
    this.relayout();
  }

  nextTheme() {
    const themes = ["auto", "light", "dark"];
    const root = document.documentElement;
    root.dataset.theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
    this.applyScheme();
    this.table.show();
  }

  // A bundle is spread out below its parent; one that holds a single frame is that frame.
  zoomToEntry(entry) {
    if (entry >= 0) return this.zoomTo(entry);
    const { parent, from, to } = this.layout.bundleOf(entry);
    return to - from === 1 ? this.zoomTo(this.tree.children[from]) : this.zoomTo(parent, { from, to });
  }

  zoomTo(node, slice = null) {
    this.zoom = node;
    this.slice = slice;
    this.hover = null;
    hideTooltip(this);
    showCrumbs(this);
    this.ui.scroller.scrollTop = 0;
    if (this.focus) this.focus = { row: 0, index: 0 };
    this.relayout();
    this.say(statusOf(this, node));
  }

  setFocus(place) {
    this.focus = place;
    if (place) {
      this.scrollTo(place.row);
      this.say(statusOf(this, entryAt(this, place)));
    }
    this.requestPaint();
  }

  scrollTo(row) {
    const { scroller } = this.ui;
    const top = row * ROW_HEIGHT;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + ROW_HEIGHT > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + ROW_HEIGHT - scroller.clientHeight;
  }

  searchFor(name) {
    this.ui.regex.setAttribute("aria-pressed", "false");
    const exactly = `"${name}"`;
    this.ui.search.value = this.ui.search.value === exactly ? "" : exactly;
    this.applySearch();
  }

  applySearch() {
    const text = this.ui.search.value;
    this.emphasised = null;
    this.matched = null;
    this.ui.matched.textContent = "";
    this.ui.search.removeAttribute("aria-invalid");
    if (text !== "") {
      const search = compileSearch(text, this.ui.regex.getAttribute("aria-pressed") === "true");
      if (search.error) {
        this.ui.search.setAttribute("aria-invalid", "true");
        this.ui.matched.textContent = "not a regular expression";
      } else {
        this.matched = matchNames(this.functions, search.test);
      }
    }
    this.showMatched();
  }

  emphasise(group) {
    this.ui.search.value = "";
    this.emphasised = this.emphasised === group.id ? null : group.id;
    this.matched = this.emphasised === null ? null : matchGroup(this.functions, this.colourColumn, group.id);
    this.ui.matched.textContent = "";
    this.showMatched();
  }

  showMatched() {
    if (this.matched) {
      const { sum, frames } = matchedTotal(this.callTree, this.matched);
      const share = shareText(sum, this.callTree.total[0]);
      this.ui.matched.textContent = frames === 0 ? "no match" : `${share} matched`;
      this.ui.matched.title = `${valueText(sum, this.unit)} in stacks with a match`;
      this.say(frames === 0 ? "No function matches" : `${share} matched: ${valueText(sum, this.unit)} in stacks with a match`);
    }
    showLegend(this);
    this.table.show();
    this.requestPaint();
  }

  escape() {
    if (this.ui.search.value !== "" || this.matched) {
      this.ui.search.value = "";
      this.applySearch();
      this.say("Search cleared");
    } else {
      this.zoomTo(0);
    }
    if (document.activeElement === this.ui.search) this.ui.scroller.focus();
  }

  say(text) {
    this.ui.status.textContent = text;
  }

  relayout() {
    const { scroller, spacer } = this.ui;
    this.layout = new Layout(this.tree, this.zoom, this.slice, scroller.clientWidth);
    spacer.style.height = `${Math.min(this.layout.rows.length * ROW_HEIGHT, 15_000_000)}px`;
    this.painter.resize(scroller.clientWidth, scroller.clientHeight);
    this.hover = null;
    if (this.focus && this.layout.rows[this.focus.row]?.nodes[this.focus.index] === undefined) this.focus = { row: 0, index: 0 };
    this.paint();
  }

  requestPaint() {
    this.paintRequest ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.paintRequest);
    this.paintRequest = undefined;
    this.painter.paint({ ...this, scheme: this.scheme, scrollTop: this.ui.scroller.scrollTop });
  }

  // For scripts that drive the page: where the first visible frame with this name is, in coordinates of the window.
  placeOfFrame(name) {
    const box = this.ui.canvas.getBoundingClientRect();
    for (let row = 0; row < this.layout.rows.length; ++row) {
      const index = this.layout.rows[row].nodes.findIndex((node) => node >= 0 && nameOf(this, node) === name);
      if (index < 0) continue;
      const { xs, ws } = this.layout.rows[row];
      return { x: box.left + xs[index], y: box.top + row * ROW_HEIGHT - this.ui.scroller.scrollTop, width: ws[index], height: ROW_HEIGHT, row };
    }
    return null;
  }
}

const app = new App(decodeProfile(document.getElementById("data").textContent));
app.start();
window.atysFlame = app;
