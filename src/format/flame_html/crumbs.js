// SPDX-License-Identifier: Apache-2.0
// The path from the root to what is shown, each step a button that leads back to it.

const CRUMBS_AT_START = 2;
const CRUMBS_AT_END = 14;

function showCrumbs(app) {
  const items = app.view === "time" ? timeCrumbs(app) : pathCrumbs(app);
  app.ui.crumbs.replaceChildren(...items.map((content) => {
    const item = element("li");
    item.append(content);
    return item;
  }));
  // Of a long path the end matters, of a function its name.
  app.ui.crumbs.scrollLeft = app.view === "graph" || app.zoom !== 0 ? app.ui.crumbs.scrollWidth : 0;
}

function crumbButton(text, title, isCurrent, onClick) {
  const button = element("button", "", text);
  button.type = "button";
  button.title = title;
  if (isCurrent) button.setAttribute("aria-current", "true");
  button.addEventListener("click", onClick);
  return button;
}

function pathCrumbs(app) {
  const path = ancestors(app.tree, app.zoom);
  const items = [];
  path.forEach((node, i) => {
    const isHidden = i >= CRUMBS_AT_START && i < path.length - CRUMBS_AT_END;
    if (isHidden && i > CRUMBS_AT_START) return;
    if (isHidden) {
      items.push(element("span", "skipped", `… ${path.length - CRUMBS_AT_START - CRUMBS_AT_END} more`));
      return;
    }
    const f = app.tree.fn[node];
    const text = f === 0 ? app.rootName : shortName(app.functions, f).slice(0, 60) || "(no name)";
    items.push(crumbButton(text, nameOf(app, node).slice(0, 500), node === app.zoom && !app.slice, () => app.zoomTo(node)));
  });
  if (app.slice) items.push(element("span", "slice", bundleName(app.slice)));
  if (app.view === "sandwich") items.push(element("span", "figures", sandwichFigures(app)));
  return items;
}

function sandwichFigures(app) {
  const { self, total, baseSelf, baseTotal } = app.table.sums;
  const figure = (label, values, baseValues) => {
    const value = values[app.symbol];
    if (!app.compared) return `${label} ${valueText(value, app.unit)} (${shareText(value, app.callTree.total[0])})`;
    return `${label} ${valueText(baseValues[app.symbol], app.unit)} → ${valueText(value, app.unit)} (${app.compared.differenceText(baseValues[app.symbol], value)})`;
  };
  const drawn = app.tree.total[0];
  const rest = drawn === total[app.symbol] ? "" : `; of that ${valueText(drawn, app.unit)} in this graph, the rest in frames too small for it`;
  return `${figure("self", self, baseSelf)}, ${figure("total", total, baseTotal)}${rest}`;
}

function timeCrumbs(app) {
  const items = [crumbButton("all the time", "The whole recording", app.range === null, () => app.setRange(null))];
  if (app.range) {
    const step = app.profile.timeStepNs;
    const text = (at) => valueText(Math.round(at * step), "nanoseconds");
    items.push(element("span", "slice", `${text(app.range.from)} to ${text(app.range.to)}`));
  }
  if (app.chart?.isMixed) items.push(element("span", "figures", "samples of one moment lie side by side, as in the flame graph: their order is not known"));
  return items;
}
