// SPDX-License-Identifier: Apache-2.0
// Shows what an address says: see address.js. What does not fit is left aside, and said.

function goTo(app, hash) {
  const wanted = readAddress(hash);
  app.isGoing = true;
  app.ui.menu.hidden = true;
  const troubles = [];
  try {
    goToSamples(app, wanted, troubles);
    app.rebuild();
    goToSearch(app, wanted);
    goToFrame(app, wanted, troubles);
  } finally {
    app.isGoing = false;
  }
  if (troubles.length > 0) app.say(`The address names ${troubles.join(" and ")} that this profile does not have`);
}

function goToSamples(app, wanted, troubles) {
  const { profile, selection } = app;
  const column = Number(wanted.get("value") ?? profile.column);
  app.column = Number.isInteger(column) && profile.valueTypes[column] ? column : profile.column;
  profile.facets.forEach((facet, i) => {
    const text = wanted.get(`only.${encodeName(facet.name)}`);
    const chosen = text === undefined ? null : chosenBy(facet, text);
    if (text !== undefined && chosen === null) troubles.push(facetWord(facet, 2));
    selection.choose(i, chosen);
  });
  selection.during = profile.timeStepNs > 0 ? rangeOf(wanted.get("during")) : null;
  const colours = [...app.ui.colour.options].map((option) => option.value);
  app.look.column = app.ui.colour.value = colours.includes(wanted.get("colour")) ? wanted.get("colour") : app.look.bestColumn();
  const sort = /^(self|total|name)(-up)?$/.exec(wanted.get("sort") ?? "self") ?? [null, "self"];
  app.table.setSort({ key: sort[1], descending: sort[2] === undefined });
  if (app.compared) {
    app.compared.isAbsolute = (wanted.get("compare") ?? (profile.comparison.absolute ? "values" : "shares")) === "values";
    app.compared.widths = ["new", "base", "either"].find((widths) => widths === wanted.get("widths")) ?? profile.comparison.widths;
    showComparedChoice(app);
  }
}

function goToSearch(app, wanted) {
  const { search } = app;
  const text = (decodeName(wanted.get("search") ?? "") ?? "").slice(0, 500);
  const isRegex = wanted.get("regex") === "true";
  if (text === search.text && isRegex === search.isRegex) return;
  search.isRegex = isRegex;
  search.text = text;
  if (!isRegex || isSimplePattern(text)) return search.apply();
  search.matched = null;
  search.show();
  app.ui.matched.textContent = "press Enter in the search to run it";
}

function goToFrame(app, wanted, troubles) {
  const view = wanted.get("view") ?? "graph";
  const symbol = view === "sandwich" ? symbolOf(app, wanted.get("of") ?? "") : 0;
  if (symbol < 0) troubles.push("a function");
  app.inverted = wanted.has("callees") ? wanted.get("callees") === "true" : app.profile.inverted;
  app.setView(symbol < 0 || (view === "time" && app.whyNoTime() !== "") || !["graph", "sandwich", "time"].includes(view) ? "graph" : view, Math.max(symbol, 0));
  const node = wanted.has("zoom") ? nodeOfPath(app, wanted.get("zoom")) : 0;
  if (node < 0) troubles.push("a frame");
  const slice = rangeOf(wanted.get("narrow"));
  const first = node < 0 ? 0 : app.tree.childStart[node];
  const isInside = slice && node >= 0 && Number.isInteger(slice.from) && Number.isInteger(slice.to) && first + slice.to <= app.tree.childStart[node + 1];
  if (node > 0 || isInside) app.zoomTo(Math.max(node, 0), isInside ? { from: first + slice.from, to: first + slice.to } : null);
  if (app.view === "time") app.setRange(rangeOf(wanted.get("time")));
}

// 0: none was named; -1: there is none of that name.
function symbolOf(app, text) {
  if (text === "") return 0;
  const [name, position] = text.split(":");
  const decoded = decodeName(name);
  return (decoded === null ? undefined : symbolsNamed(app, decoded)[position === undefined ? 0 : Number(position)]) ?? -1;
}
