// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and keyboard.

function placeUnder(app, event) {
  const box = app.ui.canvas.getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top + app.ui.scroller.scrollTop) / ROW_HEIGHT);
  const found = app.layout.row(row);
  const index = found ? indexAt(found, event.clientX - box.left) : -1;
  return index >= 0 ? { row, index } : null;
}

// A node, or a number below zero for a bundle, or the line that names a lane.
function entryAt(app, place) {
  return app.layout.row(place.row)?.nodes[place.index];
}

function listenToMouse(app) {
  const { canvas, scroller } = app.ui;
  const leave = () => {
    app.hover = null;
    hideTooltip(app);
    app.requestPaint();
  };
  canvas.addEventListener("mousemove", (event) => {
    const place = placeUnder(app, event);
    app.hover = place;
    canvas.style.cursor = place ? "pointer" : "default";
    if (place && app.ui.menu.hidden && app.ui.brush.hidden) showTooltip(app, place, event.clientX, event.clientY);
    else hideTooltip(app);
    app.requestPaint();
  });
  canvas.addEventListener("mouseleave", leave);
  canvas.addEventListener("click", (event) => {
    const place = placeUnder(app, event);
    if (place && !app.isDragged) app.zoomToPlace(place);
    app.isDragged = false;
  });
  scroller.addEventListener("contextmenu", (event) => {
    // The keyboard's own menu key has no pointer: then it is the menu of the frame in focus.
    const place = (event.button === 2 || event.pointerType === "touch" ? placeUnder(app, event) : null) ?? app.focus;
    if (!place) return;
    event.preventDefault();
    openMenuAt(app, place, event.button === 2 || event.pointerType === "touch" ? event : null);
  });
  scroller.addEventListener("scroll", leave);
}

function openMenuAt(app, place, pointer) {
  const box = app.ui.canvas.getBoundingClientRect();
  const row = app.layout.row(place.row);
  const x = pointer ? pointer.clientX : box.left + Math.max(row.xs[place.index], 0) + 8;
  const y = pointer ? pointer.clientY : box.top + (place.row + 1) * ROW_HEIGHT - app.ui.scroller.scrollTop;
  openMenu(app, place, x, y);
}

function moveFocus(app, key) {
  const root = { row: app.layout.rootRow, index: 0 };
  if (app.layout.rowCount === 0) return;
  if (!app.focus || key === "Home") app.setFocus(root);
  else app.setFocus(app.layout.neighbour(app.focus, key) ?? app.focus);
}

function listenToGraphKeys(app) {
  const { scroller } = app.ui;
  scroller.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow") || event.key === "Home") moveFocus(app, event.key);
    else if (event.key === "Enter" && app.focus) app.zoomToPlace(app.focus);
    else if (event.key === "Backspace" && app.zoom !== 0) app.zoomTo(app.tree.parent[app.zoom]);
    else if ((event.key === "m" || event.key === "ContextMenu") && app.focus) openMenuAt(app, app.focus, null);
    else return;
    event.preventDefault();
  });
  scroller.addEventListener("focus", () => {
    if (!app.focus && scroller.matches(":focus-visible")) moveFocus(app, "Home");
  });
  scroller.addEventListener("blur", () => app.ui.menu.hidden && app.setFocus(null));
}

const PAGE_KEYS = {
  "/": (app) => app.ui.search.focus(),
  i: (app) => app.setInverted(!app.inverted),
  1: (app) => app.setView("graph"),
  2: (app) => app.setView("sandwich", app.symbols.of[app.tree.fn[app.selected]]),
  3: (app) => app.setView("time"),
  c: (app) => app.copyStack(false),
  C: (app) => app.copyStack(true),
  t: (app) => app.ui.facetButtons.querySelector("button")?.click(),
  "?": (app) => app.ui.help.showModal(),
};

function listenToPageKeys(app) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") app.escape();
    else if (isTyping) return;
    else if (Object.hasOwn(PAGE_KEYS, event.key)) PAGE_KEYS[event.key](app);
    else if (!takeTimeKey(app, event.key)) return;
    event.preventDefault();
  });
}

function listenToControls(app) {
  const { ui } = app;
  let timer = 0;
  ui.search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => app.search.apply(), 60);
  });
  ui.search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    app.search.apply();
    ui.scroller.focus();
  });
  ui.regex.addEventListener("click", () => {
    app.search.isRegex = !app.search.isRegex;
    app.search.apply();
  });
  ui.viewGraph.addEventListener("click", () => app.setView("graph"));
  ui.viewSandwich.addEventListener("click", () => app.setView("sandwich", app.symbol || app.symbols.of[app.tree.fn[app.zoom]]));
  ui.viewTime.addEventListener("click", () => app.setView("time"));
  ui.callers.addEventListener("click", () => app.setInverted(false));
  ui.callees.addEventListener("click", () => app.setInverted(true));
  ui.reset.addEventListener("click", () => app.reset());
  ui.theme.addEventListener("click", () => app.look.nextTheme());
  ui.helpButton.addEventListener("click", () => ui.help.showModal());
  ui.value.addEventListener("change", () => app.setColumn(Number(ui.value.value)));
  ui.colour.addEventListener("change", () => app.setColour(ui.colour.value));
  ui.copyStack.addEventListener("click", () => app.copyStack(false));
  ui.onlyThis.addEventListener("click", () => onlyThisTime(app));
  ui.during.addEventListener("click", () => app.setDuring(null));
  ui.byShares.addEventListener("click", () => app.setCompared({ isAbsolute: false }));
  ui.byValues.addEventListener("click", () => app.setCompared({ isAbsolute: true }));
  ui.widths.addEventListener("change", () => app.setCompared({ widths: ui.widths.value }));
}

function showComparedChoice(app) {
  const { ui, compared } = app;
  ui.byShares.setAttribute("aria-pressed", String(!compared.isAbsolute));
  ui.byValues.setAttribute("aria-pressed", String(compared.isAbsolute));
  ui.widths.value = compared.widths;
}

// Paper cannot be scrolled: all rows are drawn, as far as a page or two hold them.
function listenToPrint(app) {
  const MOST_ROWS = 100;
  window.addEventListener("beforeprint", () => {
    const rows = Math.min(Math.max(app.layout.rowCount, 1), MOST_ROWS);
    app.ui.scroller.scrollTop = 0;
    app.ui.scroller.style.height = `${rows * ROW_HEIGHT}px`;
    app.painter.resize(app.ui.scroller.clientWidth, rows * ROW_HEIGHT);
    app.paint();
  });
  window.addEventListener("afterprint", () => {
    app.ui.scroller.style.height = "";
    app.relayout();
  });
}
