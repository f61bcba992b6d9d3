// SPDX-License-Identifier: Apache-2.0
// Colour says where a function comes from. The groups (packages, kinds, modules) that cover most get hues that are easy to
// tell apart; the rest are grey. Lightness is fixed for each scheme, in a perceptual space, so that labels are readable on every hue.

const HUES = [255, 62, 155, 310, 25, 200, 105, 345, 280, 130, 45];
const SCHEMES = {
  light: { lightness: 0.86, chroma: 0.085, shade: -0.022, text: "#151922", faint: "#e9ebf0", faintText: "#616a7d", match: "#ff8ad8", matchText: "#2a0620" },
  dark: { lightness: 0.42, chroma: 0.085, shade: 0.028, text: "#f3f5fa", faint: "#23272f", faintText: "#98a0b0", match: "#d6409f", matchText: "#ffffff" },
};

function oklchToCss(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((linear) => {
    const clipped = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
  });
  return `rgb(${channels.join(",")})`;
}

// The groups by the area that they cover, largest first: [{ id, name, self, hue }]; hue undefined: grey.
function rankGroups(tree, functions, column) {
  const self = new Float64Array(functions.count);
  const area = new Float64Array(functions.count);
  for (let i = 1; i < tree.count; ++i) {
    self[tree.fn[i]] += Math.abs(tree.self[i]);
    area[tree.fn[i]] += tree.width[i];
  }
  const byId = new Map();
  for (let f = 1; f < functions.count; ++f) {
    const id = functions[column][f];
    if (!byId.has(id)) byId.set(id, { id, name: functions.strings[id], self: 0, area: 0 });
    byId.get(id).self += self[f];
    byId.get(id).area += area[f];
  }
  const groups = [...byId.values()].sort((a, b) => b.area - a.area || (a.name < b.name ? -1 : 1));
  const free = HUES.slice();
  for (const group of groups) {
    if (group.name === "") continue;
    // There are many more functions than hues, and grey ones would say nothing: hues repeat.
    if (column === "name" && free.length === 0) free.push(...HUES);
    // Those of the languages: see assemble_page().
    if (column === "kind" && Object.hasOwn(KIND_HUES, group.name)) group.hue = KIND_HUES[group.name];
    else group.hue = free.shift();
  }
  return groups;
}

// One colour for each function. Three shades tell neighbours of one group apart.
function colourFunctions(functions, column, groups, scheme) {
  const { lightness, chroma, shade } = SCHEMES[scheme];
  const palette = new Map(groups.map((group) => [group.id, [0, 1, 2].map((step) => oklchToCss(lightness + step * shade, group.hue === undefined ? 0.012 : chroma, group.hue ?? 260))]));
  const plain = oklchToCss(lightness, 0.012, 260);
  return Array.from({ length: functions.count }, (_, f) => palette.get(functions[column][f])?.[(functions.name[f] * 7) % 3] ?? plain);
}

function rootColour(scheme) {
  return oklchToCss(SCHEMES[scheme].lightness + (scheme === "light" ? 0.04 : -0.08), 0.015, 260);
}
