// SPDX-License-Identifier: Apache-2.0
// What the colours mean.

const LEGEND_LENGTH = 8;

// "github.com/a/b/c" → "…/b/c": the end is what tells packages apart.
function shortGroup(name) {
  const parts = name.split("/");
  return (parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : name).slice(0, 60);
}

function showLegend(app) {
  app.ui.legend.replaceChildren(...(app.look.column === "change" ? changeChips(app) : groupChips(app)));
}

function changeChips(app) {
  return CHANGES.map(({ level, text }) => {
    const chip = element("span", "chip", text);
    chip.style.setProperty("--swatch", app.look.ofChange(level));
    return chip;
  });
}

function groupChips(app) {
  const whole = app.look.groups.reduce((sum, group) => sum + group.self, 0);
  const named = app.look.groups.filter((group) => group.hue !== undefined).slice(0, LEGEND_LENGTH);
  const chips = named.map((group) => {
    const chip = element("button", "chip", shortGroup(group.name));
    chip.type = "button";
    chip.title = `${group.name.slice(0, 500)}: ${shareText(group.self, whole)} of all self`;
    chip.style.setProperty("--swatch", oklchToCss(SCHEMES[app.look.scheme].lightness, SCHEMES[app.look.scheme].chroma, group.hue));
    chip.setAttribute("aria-pressed", String(app.search.emphasised === group.id));
    chip.append(element("span", "share", shareText(group.self, whole)));
    chip.addEventListener("click", () => app.search.emphasise(group));
    return chip;
  });
  const rest = app.look.groups.length - named.length;
  if (rest > 0) chips.push(element("span", "rest", named.length === 0 ? "no names to colour by" : `and ${rest.toLocaleString("en-US")} more`));
  return chips;
}
