// SPDX-License-Identifier: Apache-2.0
// Choosing threads, processes and labels: a button for each in the toolbar, and the list that it opens.

const CHOICES_SHOWN = 300;

function facetWord(facet, count) {
  if (facet.kind === "process") return count === 1 ? "process" : "processes";
  if (facet.kind === "thread") return count === 1 ? "thread" : "threads";
  return facet.name.slice(0, 40);
}

class FacetChooser {
  constructor(app) {
    this.app = app;
    this.buttons = app.profile.facets.map((facet, i) => this.makeButton(i));
    app.ui.facetButtons.replaceChildren(...this.buttons);
    const { facetDialog } = app.ui;
    this.filter = facetDialog.querySelector("input");
    this.list = facetDialog.querySelector("ul");
    this.note = facetDialog.querySelector(".note");
    this.filter.addEventListener("input", () => this.showList());
    facetDialog.querySelector(".all").addEventListener("click", () => this.choose(null));
    facetDialog.querySelector(".only").addEventListener("click", () => this.choose(new Set(this.matching())));
    facetDialog.addEventListener("click", (event) => event.target === facetDialog && facetDialog.close());
    this.showButtons();
  }

  makeButton(facet) {
    const button = element("button", "facet");
    button.type = "button";
    button.setAttribute("aria-haspopup", "dialog");
    button.addEventListener("click", () => this.open(facet));
    return button;
  }

  showButtons() {
    this.buttons.forEach((button, i) => {
      const facet = this.app.profile.facets[i];
      const chosen = this.app.selection.chosen[i];
      const word = facetWord(facet, 2);
      const what = chosen === null ? `all ${facet.values.length}` : chosen.size === 1 ? facet.values[[...chosen][0]] : `${chosen.size} of ${facet.values.length}`;
      button.textContent = `${word[0].toUpperCase()}${word.slice(1)}: ${what.slice(0, 40)} ▾`;
      button.classList.toggle("chosen", chosen !== null);
    });
  }

  open(facet) {
    this.facet = facet;
    const { facetDialog } = this.app.ui;
    const { values } = this.app.profile.facets[facet];
    const word = facetWord(this.app.profile.facets[facet], 2);
    facetDialog.querySelector("h2").textContent = `Which ${word}`;
    facetDialog.setAttribute("aria-label", `Choose ${word}`);
    this.filter.setAttribute("aria-label", `Search ${word}`);
    this.filter.value = "";
    this.filter.hidden = values.length < 8;
    facetDialog.showModal();
    this.showList();
  }

  // The values whose name has what was typed in it.
  matching() {
    const wanted = this.filter.value.toLowerCase();
    const { values } = this.app.profile.facets[this.facet];
    return values.map((_, i) => i).filter((i) => values[i].toLowerCase().includes(wanted));
  }

  showList() {
    const { app } = this;
    const worth = app.worthOfFacet(this.facet);
    const whole = worth.reduce((sum, value) => sum + value, 0);
    const matching = this.matching();
    const sorted = matching.sort((a, b) => Math.abs(worth[b]) - Math.abs(worth[a]) || a - b);
    this.list.replaceChildren(...sorted.slice(0, CHOICES_SHOWN).map((value) => this.makeItem(value, worth[value], whole)));
    const left = sorted.length - CHOICES_SHOWN;
    this.note.textContent = sorted.length === 0 ? "Nothing has this in its name" : left > 0 ? `${left.toLocaleString("en-US")} more: search to see them` : "";
  }

  makeItem(value, worth, whole) {
    const facet = this.app.profile.facets[this.facet];
    const chosen = this.app.selection.chosen[this.facet];
    const item = element("li");
    const label = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.checked = chosen === null || chosen.has(value);
    box.addEventListener("change", () => this.toggle(value, box.checked));
    label.append(box, element("span", "label", facet.values[value]), element("span", "share", `${valueText(worth, this.app.unit)} ${shareText(worth, whole)}`));
    const only = element("button", "", "only");
    only.type = "button";
    only.setAttribute("aria-label", `Only ${facet.values[value].slice(0, 100)}`);
    only.addEventListener("click", () => this.choose(new Set([value])));
    item.append(label, only);
    return item;
  }

  toggle(value, isChosen) {
    const { selection, profile } = this.app;
    const values = new Set(selection.chosen[this.facet] ?? profile.facets[this.facet].values.keys());
    if (isChosen) values.add(value);
    else values.delete(value);
    this.app.chooseFacet(this.facet, values);
  }

  choose(values) {
    this.app.chooseFacet(this.facet, values);
    this.list.querySelectorAll("input").forEach((box) => (box.checked = true));
    this.showList();
  }
}
