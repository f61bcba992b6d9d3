// SPDX-License-Identifier: Apache-2.0
// Draws the rows that are on screen.

const ROW_HEIGHT = 20;
const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';
const PADDING = 5;
const ASCII = /^[\x20-\x7e]*$/;

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.context.font = FONT;
    this.characterWidth = this.context.measureText("MMMMMMMMMM").width / 10;
  }

  // Device pixels for sharp edges on any screen.
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (this.width === width && this.height === height && this.ratio === ratio) return;
    this.ratio = ratio;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.max(1, Math.round(width * this.ratio));
    this.canvas.height = Math.max(1, Math.round(height * this.ratio));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  snap(x) {
    return Math.round(x * this.ratio) / this.ratio;
  }

  // view: { tree, layout, functions, look, scheme, matched, scrollTop, hover, focus, rootName }
  paint(view) {
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = view.look.background;
    context.fillRect(0, 0, this.width, this.height);
    const first = Math.max(0, Math.floor(view.scrollTop / ROW_HEIGHT));
    const last = Math.min(view.layout.rowCount, Math.ceil((view.scrollTop + this.height) / ROW_HEIGHT));
    const labels = [];
    for (let r = first; r < last; ++r) this.paintRow(view, r, labels);
    this.paintLabels(view, labels);
    if (view.layout.marksRoot) this.outline(view, { row: view.layout.rootRow, index: 0 }, SCHEMES[view.scheme].text, 2);
    if (view.hover) this.outline(view, view.hover, view.scheme === "dark" ? "#ffffff" : "#1b2030", 1);
    if (view.focus) this.outline(view, view.focus, view.look.accent, 2);
  }

  paintRow(view, r, labels) {
    const { context } = this;
    const row = view.layout.row(r);
    const y = r * ROW_HEIGHT - view.scrollTop;
    if (row.heading) return this.paintHeading(view, row, y);
    let style = null;
    for (let i = 0; i < row.nodes.length; ++i) {
      const node = row.nodes[i];
      const left = this.snap(Math.max(row.xs[i], 0));
      const right = this.snap(Math.min(row.xs[i] + row.ws[i], this.width));
      const gap = row.ws[i] >= 3 ? 1 : 0;
      const wanted = this.fillOf(view, node, r);
      if (wanted !== style) context.fillStyle = style = wanted;
      // Bundles are paler than frames and have no gaps between rows: one sees that there is more to them.
      context.globalAlpha = node < 0 ? 0.6 : 1;
      context.fillRect(left, y, Math.max(right - left - gap, 1 / this.ratio), node < 0 ? ROW_HEIGHT : ROW_HEIGHT - 1);
      if (node >= 0 && right - left >= 3 * this.characterWidth + 2 * PADDING) labels.push(node, left, right - left, y);
    }
    context.globalAlpha = 1;
  }

  // A line of text across the graph: whose frames come below it.
  paintHeading(view, row, y) {
    const { context } = this;
    context.font = `600 ${FONT}`;
    context.textBaseline = "middle";
    context.fillStyle = SCHEMES[view.scheme].faint;
    context.fillRect(0, y, this.width, ROW_HEIGHT - 1);
    context.fillStyle = SCHEMES[view.scheme].text;
    context.fillText(fittingText(row.heading, Math.floor((this.width - 2 * PADDING) / this.characterWidth)), PADDING, y + ROW_HEIGHT / 2, Math.max(this.width - 2 * PADDING, 1));
  }

  fillOf(view, node, r) {
    const lead = view.layout.leadOf(node, r);
    if (!view.matched) return view.look.ofNode(lead);
    const scheme = SCHEMES[view.scheme];
    const isMatched = node < 0 ? bundleMatches(view.tree, view.layout.bundleOf(node), view.matched) : view.matched[view.tree.fn[lead]] === 1;
    return isMatched ? scheme.match : scheme.faint;
  }

  paintLabels(view, labels) {
    const { context } = this;
    const scheme = SCHEMES[view.scheme];
    context.textBaseline = "middle";
    for (let i = 0; i < labels.length; i += 4) {
      const [node, x, w, y] = [labels[i], labels[i + 1], labels[i + 2], labels[i + 3]];
      const f = view.tree.fn[node];
      context.font = view.functions.inlined[f] ? `italic ${FONT}` : FONT;
      context.fillStyle = !view.matched ? scheme.text : view.matched[f] ? scheme.matchText : scheme.faintText;
      const text = f === 0 ? view.rootName : this.fittingName(view.functions, f, w - 2 * PADDING);
      context.fillText(text, x + PADDING, y + ROW_HEIGHT / 2, Math.max(w - 2 * PADDING, 1));
    }
  }

  // The whole name, else the short one, else as much of the short one as fits.
  fittingName(functions, f, space) {
    const room = Math.floor(space / this.characterWidth);
    const name = functions.strings[functions.name[f]];
    if (this.characters(name) <= room) return name;
    const short = shortName(functions, f);
    if (this.characters(short) <= room) return short;
    if (ASCII.test(short.slice(0, room))) return `${short.slice(0, room - 1)}…`;
    const points = Array.from(short.slice(0, room + 1));
    while (points.length > 1 && this.context.measureText(`${points.join("")}…`).width > space) points.pop();
    return `${points.join("")}…`;
  }

  // Long names cannot fit anyway; only others are measured, and only where letters may be wider than the font's own.
  characters(name) {
    if (name.length > 400 || ASCII.test(name)) return name.length;
    return this.context.measureText(name).width / this.characterWidth;
  }

  outline(view, place, colour, thickness) {
    const row = view.layout.row(place.row);
    if (!row || place.index >= row.nodes.length) return;
    const left = this.snap(Math.max(row.xs[place.index], 0));
    const width = Math.max(this.snap(Math.min(row.xs[place.index] + row.ws[place.index], this.width)) - left - 1, 2);
    const y = place.row * ROW_HEIGHT - view.scrollTop;
    this.context.strokeStyle = colour;
    this.context.lineWidth = thickness;
    this.context.strokeRect(left + thickness / 2, y + thickness / 2, Math.max(width - thickness, 1), ROW_HEIGHT - 1 - thickness);
  }
}

function fittingText(text, room) {
  return text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 0))}…`;
}
