// SPDX-License-Identifier: Apache-2.0
// The stack of a frame as text, for a bug report: what it is of, each frame with its place, and what it cost.

const MOST_FRAMES_COPIED = 5000;

// The nodes from the outermost caller to the frame. What a view calls its root is no frame, unless it is a function.
function stackOf(app, node) {
  const path = ancestors(app.tree, node).filter((at) => app.tree.fn[at] !== 0);
  const isUpward = app.view === "sandwich" ? isCaller(app.tree, node) : app.view === "graph" && app.inverted;
  return isUpward ? path.reverse() : path;
}

function stackText(app, node, isLeafFirst) {
  const stack = stackOf(app, node);
  const frames = (isLeafFirst ? stack.slice().reverse() : stack).slice(0, MOST_FRAMES_COPIED);
  const lines = frames.map((at) => `  ${frameText(app, at)}`);
  if (stack.length > frames.length) lines.push(`  … ${stack.length - frames.length} more frames`);
  const order = isLeafFirst ? "innermost call first" : "outermost call first";
  return [`${app.profile.title}: ${valueTextOf(app, node)}, ${order}${choiceText(app)}`, ...lines, ""].join("\n");
}

// "parse (parser.c:12)"; of a frame that was at several lines, the costliest.
function frameText(app, at) {
  const f = app.tree.fn[at];
  const file = app.functions.strings[app.functions.file[f]];
  const line = linesOf(app, at)[0]?.line ?? 0;
  const place = [file, line === 0 ? "" : String(line)].filter((part) => part !== "").join(":");
  const module = app.functions.strings[app.functions.module[f]];
  const where = place !== "" ? place : module;
  return functionName(app, f) + (where === "" ? "" : ` (${where})`) + (app.functions.inlined[f] ? " [inlined]" : "");
}

function valueTextOf(app, node) {
  const { tree, compared } = app;
  const kind = app.valueType.type;
  if (compared) {
    const [base, fresh] = [tree.baseTotal[node], tree.total[node]];
    return `${kind} ${valueText(base, app.unit)} (${shareText(base, compared.base.total)}) before, ${valueText(fresh, app.unit)} (${shareText(fresh, compared.fresh.total)}) after, ${compared.differenceText(base, fresh)}`;
  }
  const whole = app.callTree.total[0];
  const self = selfOf(app, node);
  return `${kind} ${valueText(tree.total[node], app.unit)} (${shareText(tree.total[node], whole)})${self === tree.total[node] ? "" : `, self ${valueText(self, app.unit)} (${shareText(self, whole)})`}`;
}

// What was left out by choice has to be said, or the figures would be wrong.
function choiceText(app) {
  const { selection, profile } = app;
  const parts = profile.facets.flatMap((facet, i) => (selection.chosen[i] === null ? [] : [`${selection.chosen[i].size} of ${facet.values.length} ${facetWord(facet, 2)}`]));
  if (selection.during) parts.push("a part of the time");
  return parts.length === 0 ? "" : `; of ${parts.join(", ")}`;
}

async function copyText(app, text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (!copyBySelection(text)) return showToCopy(app, text);
  }
  app.say(`${what} copied`);
}

// For pages that have no clipboard: inside frames, or not from a secure place.
function copyBySelection(text) {
  const area = element("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.style.cssText = "position:fixed;top:0;opacity:0";
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand("copy");
  } catch {
    isCopied = false;
  }
  area.remove();
  focused?.focus();
  return isCopied;
}

function showToCopy(app, text) {
  const { byHand } = app.ui;
  const area = byHand.querySelector("textarea");
  area.value = text;
  byHand.showModal();
  area.select();
}
