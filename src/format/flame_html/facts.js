// SPDX-License-Identifier: Apache-2.0
// The head of the page: what this is a profile of, and what is missing from it. And the legend, which explains the colours.

function addFact(list, label, value) {
  const group = element("div");
  group.append(element("dt", "", label), element("dd", "", value));
  list.append(group);
}

function showFacts(app) {
  const { profile } = app;
  document.getElementById("title").textContent = profile.title;
  const list = app.ui.facts;
  list.replaceChildren();
  addFact(list, app.valueType.type || "value", valueText(app.callTree.total[0], app.unit));
  addFact(list, "samples", profile.samples === null ? "not known" : profile.samples.toLocaleString("en-US"));
  if (profile.durationNs > 0) addFact(list, "duration", valueText(profile.durationNs, "nanoseconds"));
  if (profile.timeMs > 0) addFact(list, "recorded", new Date(profile.timeMs).toISOString().replace("T", " ").replace(/\..*/, " UTC"));
  for (const { key, value } of profile.provenance.slice(0, 4)) addFact(list, key.slice(0, 40), value.slice(0, 80));
  list.title = profile.comments.join("\n").slice(0, 2000);
}

function showLosses(app) {
  const parts = [];
  for (const [isIn, what, where] of [[false, "lost", "and not in this graph"], [true, "not whole", "though in this graph"]]) {
    const losses = app.profile.losses.filter((loss) => loss.isIn === isIn);
    if (losses.length === 0) continue;
    const all = losses.reduce((sum, loss) => sum + loss.count, 0);
    const reasons = losses.map((loss) => `${loss.reason} ${loss.count.toLocaleString("en-US")}`).join(", ");
    if (parts.length > 0) parts.push(document.createTextNode("; "));
    parts.push(element("strong", "", `${all.toLocaleString("en-US")} ${what}`), document.createTextNode(` ${where}: ${reasons}`));
  }
  app.ui.losses.replaceChildren(...parts);
  app.ui.losses.hidden = parts.length === 0;
}

const LEGEND_LENGTH = 8;

// "github.com/a/b/c" → "…/b/c": the end is what tells packages apart.
function shortGroup(name) {
  const parts = name.split("/");
  return (parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : name).slice(0, 60);
}

function showLegend(app) {
  const whole = app.groups.reduce((sum, group) => sum + group.self, 0);
  const named = app.groups.filter((group) => group.hue !== undefined).slice(0, LEGEND_LENGTH);
  const chips = named.map((group) => {
    const chip = element("button", "chip", shortGroup(group.name));
    chip.type = "button";
    chip.title = `${group.name.slice(0, 500)}: ${shareText(group.self, whole)} of all self`;
    chip.style.setProperty("--swatch", oklchToCss(SCHEMES[app.scheme].lightness, SCHEMES[app.scheme].chroma, group.hue));
    chip.setAttribute("aria-pressed", String(app.emphasised === group.id));
    chip.append(element("span", "share", shareText(group.self, whole)));
    chip.addEventListener("click", () => app.emphasise(group));
    return chip;
  });
  const rest = app.groups.length - named.length;
  if (rest > 0) chips.push(element("span", "rest", named.length === 0 ? "no names to colour by" : `and ${rest.toLocaleString("en-US")} more`));
  app.ui.legend.replaceChildren(...chips);
}
