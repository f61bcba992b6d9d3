// SPDX-License-Identifier: Apache-2.0
// What is shown at the moment, and how it changes. `view` is "graph", "sandwich" (one function, its callers and callees) or "time".

class App {
  constructor(profile) {
    this.profile = profile;
    this.functions = profile.functions;
    this.symbols = numberSymbols(profile.functions);
    this.selection = new Selection(profile);
    this.rootName = "all";
    this.ui = this.findElements();
    this.painter = new Painter(this.ui.canvas);
    Object.assign(this, { view: "graph", symbol: 0, inverted: profile.inverted, zoom: 0, slice: null, range: null, hover: null, focus: null, layout: null, tooltipOf: null });
    this.column = profile.column;
    this.compared = profile.comparison ? new Compared(this) : null;
    this.table = new FunctionTable(this);
    this.look = new Look(this);
    this.search = new Search(this);
  }

  findElements() {
    const ui = {};
    for (const found of document.querySelectorAll("[id]")) ui[found.id.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = found;
    return ui;
  }

  start() {
    this.fillChoices();
    this.facetChooser = new FacetChooser(this);
    listenToMouse(this);
    listenToTime(this);
    listenToGraphKeys(this);
    listenToPageKeys(this);
    listenToControls(this);
    listenToMenu(this);
    listenToPrint(this);
    showLosses(this);
    if (window.location.hash === "") {
      this.rebuild();
      this.say(this.callTree.count > 1 ? "Click a frame to zoom; right-click for more; press ? for help" : "This profile has no stacks");
    } else {
      goTo(this, window.location.hash);
    }
    new ResizeObserver(() => this.relayout()).observe(this.ui.scroller);
    window.addEventListener("popstate", () => goTo(this, window.location.hash));
  }

  fillChoices() {
    this.profile.valueTypes.forEach((type, i) => {
      const option = element("option", "", `${type.type} (${type.unit})`);
      option.value = String(i);
      this.ui.value.append(option);
    });
    this.ui.valueChoice.hidden = this.profile.valueTypes.length < 2;
    this.ui.compareChoice.hidden = this.ui.widthsChoice.hidden = !this.compared;
    if (this.compared) showComparedChoice(this);
    else this.ui.colour.querySelector("option[value=change]").remove();
    this.ui.colour.value = this.look.column;
    const why = this.whyNoTime();
    this.ui.viewTime.setAttribute("aria-disabled", String(why !== ""));
    this.ui.viewTime.title = why || "Samples in order of time (3)";
  }

  // Empty: there is a view by time.
  whyNoTime() {
    if (this.compared) return "Order of time is of one profile, and this page compares two";
    if (!this.profile.hasTimes) return "This profile does not say when its samples were taken";
    if (this.profile.timeStepNs === 0) return "All samples of this profile have the same time, or are too many to be shown one by one";
    return "";
  }

  get callTree() {
    return this.model.callTree;
  }

  get lines() {
    return this.model.lines;
  }

  get baseLines() {
    return this.model.baseLines;
  }

  get chart() {
    return this.view === "time" ? this.model.chart : null;
  }

  // After another choice of samples or value type. The zoomed frame stays, if it is still there.
  rebuild() {
    const zoomed = this.model && this.zoom !== 0 ? pathText(this, this.zoom) : "";
    this.valueType = this.profile.valueTypes[this.column] ?? { type: "", unit: "" };
    this.unit = this.valueType.unit;
    this.ui.value.value = String(this.column);
    this.model = new Model(this);
    this.table.addUp();
    this.showTree();
    if (zoomed !== "") this.zoom = Math.max(0, nodeOfPath(this, zoomed));
    this.look.rank();
    this.look.apply();
    showCrumbs(this);
    showFacts(this);
    this.facetChooser.showButtons();
    this.showDuring();
    if (this.search.matched) this.search.show();
  }

  setColumn(column) {
    this.column = column;
    this.rebuild();
    this.remember();
  }

  setColour(column) {
    this.look.setColumn(column);
    this.remember();
  }

  chooseFacet(facet, values) {
    this.selection.choose(facet, values);
    this.rebuild();
    this.remember();
    this.say(`Shown: ${choiceText(this).replace(/^; of /, "") || "everything"}`);
  }

  worthOfFacet(facet) {
    return this.selection.worthOf(facet, this.profile.rows, this.model.valuesOf(this.profile.rows, this.column));
  }

  setDuring(during) {
    this.selection.during = during;
    this.rebuild();
    this.remember(true);
  }

  showDuring() {
    const { during } = this.selection;
    const step = this.profile.timeStepNs;
    this.ui.during.hidden = during === null;
    if (during) this.ui.during.textContent = `Only ${valueText((during.from - 1) * step, "nanoseconds")} to ${valueText((during.to - 1) * step, "nanoseconds")} ✕`;
  }

  setCompared(change) {
    Object.assign(this.compared, change);
    showComparedChoice(this);
    this.rebuild();
    this.remember();
  }

  setView(view, symbol = this.symbol) {
    if (view === "time" && this.whyNoTime() !== "") return this.say(this.whyNoTime());
    this.view = view;
    this.symbol = view === "sandwich" && symbol === 0 ? (this.table.sortedSymbols()[0] ?? 0) : symbol;
    if (view === "sandwich" && this.symbol === 0) this.view = "graph";
    this.range = null;
    this.showTree();
    this.relayout();
    this.showRoot();
    this.table.show();
    this.say({ graph: "Flame graph", sandwich: `Callers and callees of ${functionName(this, this.symbols.first[this.symbol]).slice(0, 200)}`, time: "In order of time: drag to zoom in" }[this.view]);
    this.remember(true);
  }

  showSandwich(symbol) {
    this.setView("sandwich", symbol);
  }

  // What a click into the table means.
  pick(symbol) {
    if (this.view === "sandwich") this.showSandwich(symbol);
    else this.search.find(functionName(this, this.symbols.first[symbol]));
  }

  setInverted(inverted) {
    if (this.view !== "graph") return;
    this.inverted = inverted;
    this.showTree();
    this.relayout();
    const cutAt = this.tree.cutAt ?? 0;
    this.say((inverted ? "Callees first" : "Callers first") + (cutAt > 0 ? `; stacks are cut off after ${cutAt.toLocaleString("en-US")} frames` : ""));
    this.remember(true);
  }

  showTree() {
    const { ui } = this;
    if (this.view === "sandwich") this.tree = this.model.sandwichOf(this.symbol);
    else this.tree = this.view === "graph" && this.inverted ? this.model.invertedTree : this.callTree;
    this.zoom = 0;
    this.slice = null;
    this.focus = this.hover = null;
    for (const [button, isPressed] of [[ui.callers, !this.inverted], [ui.callees, this.inverted], [ui.viewGraph, this.view === "graph"], [ui.viewSandwich, this.view === "sandwich"], [ui.viewTime, this.view === "time"]]) {
      button.setAttribute("aria-pressed", String(isPressed));
    }
    ui.direction.hidden = this.view !== "graph";
    ui.axis.hidden = this.view !== "time";
    hideTooltip(this);
    showCrumbs(this);
  }

  // In the sandwich a click goes on to the function that was clicked, else it zooms.
  zoomToPlace(place, isZoom = false) {
    const entry = entryAt(this, place);
    if (this.view === "time") return zoomInTime(this, place, entry);
    if (this.view === "sandwich" && entry >= 0 && !isZoom) return entry === 0 ? this.zoomTo(0) : this.showSandwich(this.symbols.of[this.tree.fn[entry]]);
    if (entry >= 0) return this.zoomTo(entry);
    // A bundle is spread out below its parent; one that holds a single frame is that frame.
    const { parent, from, to } = this.layout.bundleOf(entry);
    return to - from === 1 ? this.zoomTo(this.tree.children[from]) : this.zoomTo(parent, { from, to });
  }

  zoomTo(node, slice = null) {
    this.zoom = node;
    this.slice = slice;
    this.hover = null;
    hideTooltip(this);
    showCrumbs(this);
    this.relayout();
    this.showRoot();
    this.say(statusOf(this, node));
    this.remember(true);
  }

  setRange(range, isStep = true) {
    this.range = range;
    this.hover = null;
    hideTooltip(this);
    showCrumbs(this);
    this.relayout();
    this.remember(isStep);
  }

  // The frame that all others belong to is on screen: of a sandwich with many callers it is far down.
  showRoot() {
    const { scroller } = this.ui;
    const { rootRow } = this.layout;
    scroller.scrollTop = Math.max(0, rootRow * ROW_HEIGHT - scroller.clientHeight / 2);
    if (this.focus) this.focus = { row: rootRow, index: 0 };
    this.paint();
  }

  setFocus(place) {
    this.focus = place;
    if (place) {
      this.scrollTo(place.row);
      this.say(statusOf(this, entryAt(this, place), place));
    }
    this.requestPaint();
  }

  scrollTo(row) {
    const { scroller } = this.ui;
    const top = row * ROW_HEIGHT;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + ROW_HEIGHT > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + ROW_HEIGHT - scroller.clientHeight;
  }

  // The frame that keys and buttons act on: the one in focus, else the zoomed one.
  get selected() {
    const entry = this.focus ? entryAt(this, this.focus) : this.hover ? entryAt(this, this.hover) : this.zoom;
    return entry === undefined || entry < 0 ? this.zoom : entry;
  }

  copyStack(isLeafFirst) {
    if (this.tree.fn[this.selected] === 0) return this.say("Select or zoom into a frame first");
    copyText(this, stackText(this, this.selected, isLeafFirst), "Stack");
  }

  escape() {
    if (this.search.text !== "" || this.search.matched) {
      this.search.clear();
      this.say("Search cleared");
    } else {
      this.reset();
    }
    if (document.activeElement === this.ui.search) this.ui.scroller.focus();
  }

  reset() {
    if (this.view === "time") this.setRange(null);
    else if (this.view === "sandwich" && this.zoom === 0 && !this.slice) this.setView("graph");
    else this.zoomTo(0);
  }

  say(text) {
    this.ui.status.textContent = text;
  }

  remember(isStep = false) {
    if (!this.isGoing) remember(this, isStep);
  }

  makeLayout(pixels) {
    if (this.view === "time") return new ChartLayout(this, this.model.chart, this.range, pixels);
    if (this.view === "sandwich") return new SandwichLayout(this.tree, this.zoom, this.slice, pixels);
    return new Layout(this.tree, this.zoom, this.slice, pixels);
  }

  relayout() {
    const { scroller, spacer } = this.ui;
    this.layout = this.makeLayout(scroller.clientWidth);
    spacer.style.height = `${Math.min(this.layout.rowCount * ROW_HEIGHT, 15_000_000)}px`;
    this.painter.resize(scroller.clientWidth, scroller.clientHeight);
    this.hover = null;
    if (this.focus && this.layout.row(this.focus.row)?.nodes[this.focus.index] === undefined) this.focus = { row: this.layout.rootRow, index: 0 };
    this.ui.onlyThis.hidden = this.view !== "time" || this.range === null;
    this.paint();
  }

  requestPaint() {
    this.paintRequest ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.paintRequest);
    this.paintRequest = undefined;
    const { tree, layout, functions, look, hover, focus, rootName } = this;
    this.painter.paint({ tree, layout, functions, look, hover, focus, rootName, scheme: look.scheme, matched: this.search.matched, scrollTop: this.ui.scroller.scrollTop });
    if (this.view === "time") paintAxis(this);
  }

  // For scripts that drive the page: where the first visible frame with this name is, in coordinates of the window.
  placeOfFrame(name) {
    const box = this.ui.canvas.getBoundingClientRect();
    for (let row = 0; row < this.layout.rowCount; ++row) {
      const { nodes, xs, ws } = this.layout.row(row);
      const index = nodes.findIndex((node) => node >= 0 && nameOf(this, node) === name);
      if (index >= 0) return { x: box.left + xs[index], y: box.top + row * ROW_HEIGHT - this.ui.scroller.scrollTop, width: ws[index], height: ROW_HEIGHT, row };
    }
    return null;
  }
}

const app = new App(decodeProfile(document.getElementById("data").textContent));
app.start();
window.atysFlame = app;
