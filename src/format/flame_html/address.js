// SPDX-License-Identifier: Apache-2.0
// What is shown, as the part of the address behind the #: it can be bookmarked, sent to somebody, and gone back to. Whoever made an
// address, it is data: what does not fit this profile is left aside, and said.
//
// A frame is the path of names that leads to it, so an address still fits after the page was made anew. Paths that would be too long
// for an address are the number of the frame.

const LONGEST_PATH = 2500; // characters
const MOST_NAMES = 30; // of chosen threads; more are numbers

// Everything encodeURIComponent leaves alone and that means something here.
const encodeName = (text) => encodeURIComponent(text).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

function decodeName(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// Which of several siblings of one name: they are told apart by their order in the profile, which no choice changes.
function siblingsNamed(app, parent, name) {
  const { tree, functions } = app;
  const found = [];
  for (let k = tree.childStart[parent]; k < tree.childStart[parent + 1]; ++k) {
    if (functions.strings[functions.name[tree.fn[tree.children[k]]]] === name) found.push(tree.children[k]);
  }
  return found.sort((a, b) => a - b);
}

function pathText(app, node) {
  const { tree, functions } = app;
  const steps = [];
  let length = 0;
  for (const at of ancestors(tree, node).slice(1)) {
    const name = functions.strings[functions.name[tree.fn[at]]];
    const position = siblingsNamed(app, tree.parent[at], name).indexOf(at);
    const step = encodeName(name) + (position > 0 ? `:${position}` : "");
    length += step.length + 1;
    if (length > LONGEST_PATH) return `@${node}`;
    steps.push(step);
  }
  return steps.join(";");
}

// The node of a path, or -1.
function nodeOfPath(app, text) {
  if (/^@\d{1,9}$/.test(text)) return Number(text.slice(1)) < app.tree.count ? Number(text.slice(1)) : -1;
  let node = 0;
  for (const step of text.split(";").slice(0, LONGEST_PATH)) {
    const [name, position] = step.split(":");
    const decoded = decodeName(name);
    const found = decoded === null ? undefined : siblingsNamed(app, node, decoded)[position === undefined ? 0 : Number(position)];
    if (found === undefined) return -1;
    node = found;
  }
  return node;
}

function symbolText(app, symbol) {
  const name = functionName(app, app.symbols.first[symbol]);
  const position = symbolsNamed(app, name).indexOf(symbol);
  return encodeName(name.slice(0, LONGEST_PATH)) + (position > 0 ? `:${position}` : "");
}

function symbolsNamed(app, name) {
  const found = [];
  for (let symbol = 1; symbol < app.symbols.count; ++symbol) if (functionName(app, app.symbols.first[symbol]).slice(0, LONGEST_PATH) === name.slice(0, LONGEST_PATH)) found.push(symbol);
  return found;
}

// Names, with a ! before them if they are those that are left out; of many, numbers.
function choiceOf(facet, chosen) {
  const left = [...facet.values.keys()].filter((i) => !chosen.has(i));
  const isShorter = left.length < chosen.size;
  const list = isShorter ? left : [...chosen].sort((a, b) => a - b);
  return (isShorter ? "!" : "") + (list.length > MOST_NAMES ? `@${list.join(".")}` : list.map((i) => encodeName(facet.values[i])).join(","));
}

// A set of values; null: it says nothing that fits.
function chosenBy(facet, text) {
  const isLeftOut = text.startsWith("!");
  const rest = isLeftOut ? text.slice(1) : text;
  const named = rest.startsWith("@") ? rest.slice(1).split(".").map(Number) : rest.split(",").map((name) => facet.values.indexOf(decodeName(name)));
  const known = new Set(named.filter((i) => Number.isInteger(i) && i >= 0 && i < facet.values.length));
  if (known.size === 0 && rest !== "") return null;
  return isLeftOut ? new Set([...facet.values.keys()].filter((i) => !known.has(i))) : known;
}

function addressOf(app) {
  const { profile, selection } = app;
  const parts = [];
  const add = (key, text, usual) => text !== usual && parts.push(`${key}=${text}`);
  add("view", app.view, "graph");
  if (app.view === "sandwich") add("of", symbolText(app, app.symbol));
  add("callees", String(app.inverted), String(profile.inverted));
  if (app.zoom !== 0) add("zoom", pathText(app, app.zoom));
  if (app.slice) add("narrow", `${app.slice.from - app.tree.childStart[app.zoom]}-${app.slice.to - app.tree.childStart[app.zoom]}`);
  if (app.range) add("time", `${app.range.from.toFixed(2)}-${app.range.to.toFixed(2)}`);
  if (selection.during) add("during", `${selection.during.from}-${selection.during.to}`);
  add("search", encodeName(app.search.text), "");
  add("regex", String(app.search.isRegex), "false");
  add("value", String(app.column), String(profile.column));
  add("colour", app.look.column, app.look.bestColumn());
  add("sort", `${app.table.sort.key}${app.table.sort.descending ? "" : "-up"}`, "self");
  profile.facets.forEach((facet, i) => selection.chosen[i] !== null && add(`only.${encodeName(facet.name)}`, choiceOf(facet, selection.chosen[i])));
  if (app.compared) {
    add("compare", app.compared.isAbsolute ? "values" : "shares", profile.comparison.absolute ? "values" : "shares");
    add("widths", app.compared.widths, profile.comparison.widths);
  }
  return parts.join("&");
}

function readAddress(text) {
  const wanted = new Map();
  for (const part of text.replace(/^#/, "").slice(0, 100_000).split("&")) {
    const at = part.indexOf("=");
    if (at > 0) wanted.set(part.slice(0, at), part.slice(at + 1));
  }
  return wanted;
}

// Two numbers with a - between them, or null.
function rangeOf(text) {
  const found = /^(\d{1,12}(?:\.\d{1,6})?)-(\d{1,12}(?:\.\d{1,6})?)$/.exec(text ?? "");
  return found && Number(found[1]) < Number(found[2]) ? { from: Number(found[1]), to: Number(found[2]) } : null;
}

// Addresses of pages inside another page are nobody's to see, and would put its back button out of order.
const isInFrame = () => window.self !== window.top;

// `isStep`: something that the back button should undo.
function remember(app, isStep) {
  if (isInFrame()) return;
  const text = addressOf(app);
  const here = window.location.hash.replace(/^#/, "");
  if (text === here) return;
  const url = `${window.location.href.replace(/#.*/s, "")}${text === "" ? "" : `#${text}`}`;
  try {
    if (isStep) window.history.pushState(null, "", url);
    else window.history.replaceState(null, "", url);
  } catch {
    // Browsers refuse when there are hundreds in a minute: the address is late then, and nothing else.
  }
}
