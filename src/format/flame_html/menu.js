// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame: the menu of the right mouse button, of a long touch, and of the keys m and ContextMenu.

function menuItems(app, node, place) {
  const f = app.tree.fn[node];
  const items = [
    ["Copy stack", () => copyText(app, stackText(app, node, false), "Stack")],
    ["Copy stack, innermost first", () => copyText(app, stackText(app, node, true), "Stack")],
    ["Copy name", () => copyText(app, nameOf(app, node), "Name")],
  ];
  if (f !== 0) items.unshift(["Callers and callees", () => app.showSandwich(app.symbols.of[f])], ["Search for it", () => app.search.find(functionName(app, f))]);
  items.unshift(["Zoom in", () => app.zoomToPlace(place, true)]);
  return items;
}

function openMenu(app, place, x, y) {
  const node = entryAt(app, place);
  if (node < 0) return;
  const { menu } = app.ui;
  hideTooltip(app);
  menu.replaceChildren(...menuItems(app, node, place).map(([text, action]) => {
    const button = element("button", "", text);
    button.type = "button";
    button.setAttribute("role", "menuitem");
    button.tabIndex = -1;
    button.addEventListener("click", () => {
      closeMenu(app);
      action();
    });
    return button;
  }));
  menu.setAttribute("aria-label", nameOf(app, node).slice(0, 200));
  menu.hidden = false;
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, window.innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, window.innerHeight - height - 4))}px`;
  menu.firstChild.focus();
}

function closeMenu(app) {
  if (app.ui.menu.hidden) return;
  app.ui.menu.hidden = true;
  app.ui.scroller.focus({ preventScroll: true });
}

function listenToMenu(app) {
  const { menu } = app.ui;
  menu.addEventListener("keydown", (event) => {
    const buttons = [...menu.children];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) buttons[(to + buttons.length) % buttons.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") closeMenu(app);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.hidden = true;
  });
  window.addEventListener("blur", () => (menu.hidden = true));
}
