// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and keyboard.

function placeUnder(app, event) {
  const box = app.ui.canvas.getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top + app.ui.scroller.scrollTop) / ROW_HEIGHT);
  const index = app.layout.rows[row] ? indexAt(app.layout.rows[row], event.clientX - box.left) : -1;
  return index >= 0 ? { row, index } : null;
}

// A node, or a number below zero for a bundle.
function entryAt(app, place) {
  return app.layout.rows[place.row].nodes[place.index];
}

function listenToMouse(app) {
  const { canvas, scroller } = app.ui;
  canvas.addEventListener("mousemove", (event) => {
    const place = placeUnder(app, event);
    app.hover = place;
    canvas.style.cursor = place ? "pointer" : "default";
    if (place) showTooltip(app, entryAt(app, place), event.clientX, event.clientY);
    else hideTooltip(app);
    app.requestPaint();
  });
  canvas.addEventListener("mouseleave", () => {
    app.hover = null;
    hideTooltip(app);
    app.requestPaint();
  });
  canvas.addEventListener("click", (event) => {
    const place = placeUnder(app, event);
    if (place) app.zoomToEntry(entryAt(app, place));
  });
  scroller.addEventListener("scroll", () => {
    app.hover = null;
    hideTooltip(app);
    app.requestPaint();
  });
}

// Whether `upper` is what `lower`, in the row below it, hangs from.
function isAbove(app, upper, lower) {
  if (lower >= 0) return app.tree.parent[lower] === upper;
  return upper === lower || app.layout.bundleOf(lower).parent === upper;
}

// The place to go to from the focused one, or undefined.
function neighbour(app, key) {
  const { row, index } = app.focus;
  const { rows } = app.layout;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const next = index + (key === "ArrowLeft" ? -1 : 1);
    return rows[row].nodes[next] === undefined ? undefined : { row, index: next };
  }
  const entry = entryAt(app, app.focus);
  const target = key === "ArrowUp" ? row - 1 : row + 1;
  const found = rows[target]?.nodes.findIndex((other) => (key === "ArrowUp" ? isAbove(app, other, entry) : isAbove(app, entry, other))) ?? -1;
  return found < 0 ? undefined : { row: target, index: found };
}

function moveFocus(app, key) {
  if (!app.focus) app.setFocus({ row: 0, index: 0 });
  else if (key === "Home") app.setFocus({ row: 0, index: 0 });
  else app.setFocus(neighbour(app, key) ?? app.focus);
}

function listenToGraphKeys(app) {
  app.ui.scroller.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith("Arrow") || event.key === "Home") moveFocus(app, event.key);
    else if (event.key === "Enter" && app.focus) app.zoomToEntry(entryAt(app, app.focus));
    else if (event.key === "Backspace" && app.zoom !== 0) app.zoomTo(app.tree.parent[app.zoom]);
    else return;
    event.preventDefault();
  });
  app.ui.scroller.addEventListener("focus", () => {
    if (!app.focus && app.ui.scroller.matches(":focus-visible")) app.setFocus({ row: 0, index: 0 });
  });
  app.ui.scroller.addEventListener("blur", () => app.setFocus(null));
}

function listenToPageKeys(app) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || app.ui.help.open) return;
    if (event.key === "Escape") app.escape();
    else if (isTyping) return;
    else if (event.key === "/") app.ui.search.focus();
    else if (event.key === "i") app.setInverted(!app.inverted);
    else if (event.key === "?") app.ui.help.showModal();
    else return;
    event.preventDefault();
  });
}

function listenToControls(app) {
  const { ui } = app;
  let timer = 0;
  ui.search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => app.applySearch(), 60);
  });
  ui.search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") ui.scroller.focus();
  });
  ui.regex.addEventListener("click", () => {
    ui.regex.setAttribute("aria-pressed", String(ui.regex.getAttribute("aria-pressed") !== "true"));
    app.applySearch();
  });
  ui.callers.addEventListener("click", () => app.setInverted(false));
  ui.callees.addEventListener("click", () => app.setInverted(true));
  ui.reset.addEventListener("click", () => app.zoomTo(0));
  ui.theme.addEventListener("click", () => app.nextTheme());
  ui.helpButton.addEventListener("click", () => ui.help.showModal());
  ui.value.addEventListener("change", () => app.setColumn(Number(ui.value.value)));
  ui.colour.addEventListener("change", () => app.setColourColumn(ui.colour.value));
}
