// SPDX-License-Identifier: Apache-2.0
// What is known about one frame: the tooltip beside the pointer, the status line, the path to the zoomed frame. Names are foreign
// text: they reach the page as text nodes only.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function nameOf(app, node) {
  if (node < 0) return bundleName(app.layout.bundleOf(node));
  return node === 0 ? app.rootName : app.functions.strings[app.functions.name[app.tree.fn[node]]] || "(no name)";
}

function bundleName({ from, to }) {
  return to - from === 1 ? "1 narrow frame" : `${(to - from).toLocaleString("en-US")} narrow frames`;
}

function measuresOf(app, node) {
  const { tree } = app;
  if (node < 0) {
    const { parent, from, to } = app.layout.bundleOf(node);
    let sum = 0;
    for (let k = from; k < to; ++k) sum += tree.total[tree.children[k]];
    return [["total", valueText(sum, app.unit), `${shareText(sum, tree.total[0])} of all`, `${shareText(sum, tree.total[parent])} of parent`]];
  }
  const measures = [
    ["total", valueText(tree.total[node], app.unit), `${shareText(tree.total[node], tree.total[0])} of all`],
    ["self", valueText(selfOf(app, node), app.unit), `${shareText(selfOf(app, node), tree.total[0])} of all`],
  ];
  if (node !== 0) measures[0].push(`${shareText(tree.total[node], tree.total[tree.parent[node]])} of parent`);
  return measures;
}

// With callees first, the first frame of a stack is the one that used the value; what lies below are its callers.
function selfOf(app, node) {
  if (!app.inverted) return app.tree.self[node];
  return app.tree.depth[node] === 1 ? app.tree.total[node] : 0;
}

function placeOf(app, node) {
  if (node < 0) return [["below", nameOf(app, app.layout.bundleOf(node).parent)], ["click", "to spread them out"]];
  const { functions } = app;
  const f = app.tree.fn[node];
  const text = (column) => functions.strings[functions[column][f]];
  const parts = [["file", text("file")], ["module", text("module")], ["kind", text("kind")]].filter(([, value]) => value !== "");
  if (functions.inlined[f]) parts.push(["inlined", app.inverted ? "into its caller below" : "into its parent"]);
  return parts;
}

function fillTooltip(app, node) {
  const tooltip = app.ui.tooltip;
  tooltip.replaceChildren(element("strong", "", nameOf(app, node).slice(0, 2000)));
  const table = element("table");
  for (const [label, value, ...shares] of measuresOf(app, node)) {
    const row = element("tr");
    row.append(element("th", "", label), element("td", "value", value), element("td", "share", shares.join(", ")));
    table.append(row);
  }
  tooltip.append(table);
  for (const [label, value] of placeOf(app, node)) {
    const line = element("div", "place");
    line.append(element("span", "", label), document.createTextNode(value.slice(0, 1000)));
    tooltip.append(line);
  }
}

function showTooltip(app, node, x, y) {
  const tooltip = app.ui.tooltip;
  if (app.tooltipNode !== node) fillTooltip(app, node);
  app.tooltipNode = node;
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = x + 16 + width > window.innerWidth ? Math.max(4, x - 12 - width) : x + 16;
  const top = y + 18 + height > window.innerHeight ? Math.max(4, y - 12 - height) : y + 18;
  tooltip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function hideTooltip(app) {
  app.ui.tooltip.hidden = true;
  app.tooltipNode = null;
}

function statusOf(app, node) {
  const measures = measuresOf(app, node).map(([label, value, ...shares]) => `${label} ${value} (${shares.join(", ")})`);
  return `${nameOf(app, node).slice(0, 300)}: ${measures.join(", ")}`;
}

const CRUMBS_AT_START = 2;
const CRUMBS_AT_END = 14;

function showCrumbs(app) {
  const path = ancestors(app.tree, app.zoom);
  const items = [];
  path.forEach((node, i) => {
    const isHidden = i >= CRUMBS_AT_START && i < path.length - CRUMBS_AT_END;
    if (isHidden && i > CRUMBS_AT_START) return;
    const item = element("li");
    if (isHidden) {
      item.append(element("span", "skipped", `… ${path.length - CRUMBS_AT_START - CRUMBS_AT_END} more`));
    } else {
      const f = app.tree.fn[node];
      const button = element("button", "", node === 0 ? app.rootName : app.functions.strings[app.functions.shortName[f]].slice(0, 60) || "(no name)");
      button.type = "button";
      button.title = nameOf(app, node).slice(0, 500);
      if (node === app.zoom && !app.slice) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => app.zoomTo(node));
      item.append(button);
    }
    items.push(item);
  });
  if (app.slice) {
    const item = element("li");
    item.append(element("span", "slice", bundleName(app.slice)));
    items.push(item);
  }
  app.ui.crumbs.replaceChildren(...items);
  app.ui.crumbs.scrollLeft = app.ui.crumbs.scrollWidth;
}
