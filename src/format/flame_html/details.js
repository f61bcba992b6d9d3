// SPDX-License-Identifier: Apache-2.0
// What is known about one frame: the tooltip beside the pointer, and the status line. Names are foreign text: they reach the page as
// text nodes only.

const LINES_SHOWN = 4;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function functionName(app, f) {
  return app.functions.strings[app.functions.name[f]] || "(no name)";
}

function nameOf(app, node) {
  if (node < 0) return app.view === "time" ? app.layout.laneOf(node).name : bundleName(app.layout.bundleOf(node));
  return app.tree.fn[node] === 0 ? app.rootName : functionName(app, app.tree.fn[node]);
}

function bundleName({ from, to }) {
  return to - from === 1 ? "1 narrow frame" : `${(to - from).toLocaleString("en-US")} narrow frames`;
}

// [label, value, notes…], each a line of the tooltip.
function measuresOf(app, node, place) {
  if (app.view === "time") return measuresInTime(app, node, place);
  if (app.compared) return measuresCompared(app, node);
  const { tree } = app;
  const whole = app.callTree.total[0];
  if (node < 0) {
    const { parent, from, to } = app.layout.bundleOf(node);
    const sum = bundleSum(tree, tree.total, { from, to });
    return [["total", valueText(sum, app.unit), `${shareText(sum, whole)} of all`, `${shareText(sum, tree.total[parent])} of parent`]];
  }
  if (app.view === "sandwich" && node !== 0) {
    const role = isCaller(tree, node) ? "called from here" : "in here";
    return [[role, valueText(tree.total[node], app.unit), `${shareText(tree.total[node], whole)} of all`, `${shareText(tree.total[node], tree.total[0])} of ${nameOf(app, 0).slice(0, 80)}`]];
  }
  const measures = [
    ["total", valueText(tree.total[node], app.unit), `${shareText(tree.total[node], whole)} of all`],
    ["self", valueText(selfOf(app, node), app.unit), `${shareText(selfOf(app, node), whole)} of all`],
  ];
  if (node !== 0) measures[0].push(`${shareText(tree.total[node], tree.total[tree.parent[node]])} of parent`);
  return measures;
}

function bundleSum(tree, column, { from, to }) {
  let sum = 0;
  for (let k = from; k < to; ++k) sum += column[tree.children[k]];
  return sum;
}

function measuresCompared(app, node) {
  const { tree, compared } = app;
  const of = (column) => (node < 0 ? bundleSum(tree, column, app.layout.bundleOf(node)) : column[node]);
  const [base, fresh] = [of(tree.baseTotal), of(tree.total)];
  return [
    ["before", valueText(base, app.unit), `${shareText(base, compared.base.total)} of all`],
    ["after", valueText(fresh, app.unit), `${shareText(fresh, compared.fresh.total)} of all`],
    ["difference", compared.differenceText(base, fresh), ...[compared.ratioText(base, fresh), compared.chanceText(base, fresh)].filter((text) => text !== "")],
  ];
}

function measuresInTime(app, node, place) {
  const step = app.profile.timeStepNs;
  if (node < 0) return [["total", valueText(app.layout.laneOf(node).value, app.unit), `${shareText(app.layout.laneOf(node).value, app.callTree.total[0])} of all`]];
  const row = place ? app.layout.row(place.row) : null;
  if (!row?.starts) return [];
  const [start, end] = [row.starts[place.index], row.ends[place.index]];
  return [
    ["lasted", valueText(Math.round((end - start) * step), "nanoseconds"), `from ${valueText(Math.round(start * step), "nanoseconds")} to ${valueText(Math.round(end * step), "nanoseconds")}`],
    ["in all", valueText(app.tree.total[node], app.unit), `${shareText(app.tree.total[node], app.tree.total[0])} of all`],
  ];
}

// With callees first, the first frame of a stack is the one that used the value; what lies below are its callers.
function selfOf(app, node) {
  if (app.view !== "graph" || !app.inverted) return app.tree.self[node];
  return app.tree.depth[node] === 1 ? app.tree.total[node] : 0;
}

function placeOf(app, node) {
  if (node < 0) return app.view === "time" ? [["click", "to open or close"]] : [["beside", nameOf(app, app.layout.bundleOf(node).parent)], ["click", "to spread them out"]];
  const { functions } = app;
  const f = app.tree.fn[node];
  const text = (column) => functions.strings[functions[column][f]];
  const lines = linesOf(app, node);
  const file = text("file");
  const parts = [["file", lines.length === 1 && file !== "" ? `${file}:${lines[0].line}` : file], ["module", text("module")], ["kind", text("kind")]].filter(([, value]) => value !== "");
  if (lines.length === 1 && file === "") parts.push(["line", String(lines[0].line)]);
  if (lines.length > 1) parts.push(["lines", linesText(lines)]);
  if (functions.inlined[f]) parts.push(["inlined", app.view === "graph" && app.inverted ? "into its caller below" : "into its parent"]);
  const significance = app.compared && f !== 0 ? app.compared.significanceOf(app.symbols.of[f]) : null;
  if (significance !== null) parts.push(["function", significanceText(significance)]);
  return parts;
}

// "12 (60.0%), 15 (30.0%) and 3 more"
function linesText(lines) {
  const whole = lines.reduce((sum, { value }) => sum + value, 0);
  const shown = lines.slice(0, LINES_SHOWN).map(({ line, value }) => `${line === 0 ? "unknown" : line} (${shareText(value, whole)})`);
  const more = lines.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function significanceText(significance) {
  if (significance === 0) return "no significant change of its share, all calls taken together";
  const what = ["self", "total", "self and total"][significance - 1];
  return `its share (${what}) changed significantly, all calls taken together`;
}

function fillTooltip(app, node, place) {
  const tooltip = app.ui.tooltip;
  tooltip.replaceChildren(element("strong", "", nameOf(app, node).slice(0, 2000)));
  const table = element("table");
  for (const [label, value, ...notes] of measuresOf(app, node, place)) {
    const row = element("tr");
    row.append(element("th", "", label), element("td", "value", value), element("td", "share", notes.join(", ")));
    table.append(row);
  }
  tooltip.append(table);
  for (const [label, value] of placeOf(app, node)) {
    const line = element("div", "place");
    line.append(element("span", "", label), document.createTextNode(value.slice(0, 1000)));
    tooltip.append(line);
  }
}

function showTooltip(app, place, x, y) {
  const { tooltip } = app.ui;
  const node = entryAt(app, place);
  const shown = `${node} ${app.view === "time" ? `${place.row} ${place.index}` : ""}`;
  if (app.tooltipOf !== shown) fillTooltip(app, node, place);
  app.tooltipOf = shown;
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = x + 16 + width > window.innerWidth ? Math.max(4, Math.min(x - 12 - width, window.innerWidth - width - 4)) : x + 16;
  const top = y + 18 + height > window.innerHeight ? Math.max(4, y - 12 - height) : y + 18;
  tooltip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

function hideTooltip(app) {
  app.ui.tooltip.hidden = true;
  app.tooltipOf = null;
}

function statusOf(app, node, place) {
  const measures = measuresOf(app, node, place).map(([label, value, ...notes]) => `${label} ${value}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`);
  return `${nameOf(app, node).slice(0, 300)}: ${measures.join(", ")}`;
}
