// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, hashOf, makeFlame, rowsOf, statusOf, tooltipOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const BASE = pprof([["main;parse", 3000, { labels: { thread: "a" } }], ["main;old", 1000, { labels: { thread: "b" } }]]);
const FRESH = pprof([["main;parse", 2000, { labels: { thread: "a" } }], ["main;run", 6000, { labels: { thread: "b" } }]]);
const { show } = withBrowser();
const compare = (open = {}, args = []) => show(FRESH, { base: BASE, open, args });

test("frames are as wide as after, before, or the larger of both", async () => {
  const page = await compare();
  const width = async (name) => (await centre(page, name))?.width ?? 0;
  assert.ok(Math.abs((await width("run")) / (await width("parse")) - 3) < 0.1);
  assert.equal(await width("old"), 0);
  await page.locator("#widths").selectOption("base");
  assert.ok(Math.abs((await width("parse")) / (await width("old")) - 3) < 0.1);
  assert.equal(await width("run"), 0);
  await page.locator("#widths").selectOption("either");
  const [parse, run, old] = [await width("parse"), await width("run"), await width("old")];
  assert.ok(Math.abs(parse / run - 1) < 0.05 && Math.abs(parse / old - 3) < 0.1, `${parse} ${run} ${old}`);
});

test("the tooltip has before, after, the difference, and what can be said of it", async () => {
  const page = await compare();
  const text = await tooltipOf(page, "parse");
  assert.match(text, /before\s+3,000\s+75\.0% of all\s+after\s+2,000\s+25\.0% of all\s+difference\s+−50\.00 points\s+−66\.7%, more than chance explains/);
  assert.match(text, /function\s*its share \(self and total\) changed significantly/);
  assert.match(await tooltipOf(page, "run"), /difference\s+\+75\.00 points\s+new/);
  assert.match(await tooltipOf(page, "main"), /difference\s+0\.00 points/);
});

test("values can be compared instead of shares", async () => {
  const page = await compare();
  await page.locator("#by-values").click();
  assert.match(await tooltipOf(page, "main"), /difference\s+\+4,000\s+\+100%, more than chance explains/);
  assert.equal(await hashOf(page), "#compare=values");
  const asked = await compare({}, ["--absolute", "--widths", "either"]);
  assert.equal(await asked.locator("#by-values").getAttribute("aria-pressed"), "true");
  assert.equal(await asked.locator("#widths").inputValue(), "either");
});

test("the table has the differences, the largest first, with what is significant", async () => {
  const page = await compare();
  assert.deepEqual(await rowsOf(page), ["+75.00 * 0% → 75.0% +75.00 * 0% → 75.0% run", "−50.00 * 75.0% → 25.0% −50.00 * 75.0% → 25.0% parse", "−25.00 * 25.0% → 0% −25.00 * 25.0% → 0% old", "0.00 0% → 0% 0.00 100% → 100% main"]);
});

test("the legend explains the colours, and colour can say something else", async () => {
  const page = await compare();
  assert.deepEqual(await page.locator("#legend .chip").allInnerTexts(), ["gone", "half or less", "−20% to −50%", "−5% to −20%", "same, or chance", "+5% to +25%", "+25% to +100%", "twice or more", "new"]);
  await page.locator("#colour").selectOption("name");
  assert.match((await page.locator("#legend .chip").allInnerTexts()).join(), /run/);
});

test("both profiles are named, and a title does not hide them", async () => {
  const page = await compare();
  assert.match(await page.locator("#title").textContent(), /^\d+-base\.pb → \d+\.pb$/);
  const titled = await compare({}, ["--title", "my fix"]);
  assert.equal(await titled.locator("#title").textContent(), "my fix");
  assert.match(await titled.locator("#facts").textContent(), /before\d+-base\.pbafter\d+\.pbsamples4,000 → 8,000 \(\+100\.0%\)/);
});

test("callers and callees, callees first, threads and search compare as well", async () => {
  const page = await compare();
  await page.locator("#search").fill("parse");
  await page.locator("#matched", { hasText: "75.0% → 25.0% matched" }).waitFor();
  await page.locator("#search").press("Escape");
  await page.keyboard.press("i");
  assert.match(await tooltipOf(page, "run"), /before\s+0\s+0% of all\s+after\s+6,000/);
  await page.goto(page.url().replace(/#.*/, "#view=sandwich&of=main&widths=either"));
  assert.ok(await centre(page, "old"));
  assert.match((await crumbsOf(page)).at(-1), /total 4,000 → 8,000 \(0\.00 points\)/);
  await page.goto(page.url().replace(/#.*/, "#only.thread=a"));
  assert.match(await tooltipOf(page, "parse"), /before\s+3,000\s+100% of all\s+after\s+2,000\s+100% of all/);
});

test("a stack is copied with both values", async () => {
  const page = await compare({ permissions: ["clipboard-read", "clipboard-write"], hash: "zoom=main;parse" });
  await page.keyboard.press("c");
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /samples 3,000 \(75\.0%\) before, 2,000 \(25\.0%\) after, −50\.00 points, outermost call first\n {2}main\n {2}parse\n$/);
});

test("order of time is not of two profiles, and that is said", async () => {
  const page = await compare();
  await page.locator("#view-time").click({ force: true });
  assert.equal(await statusOf(page), "Order of time is of one profile, and this page compares two");
});

test("losses of both are told apart", async () => {
  const page = await show(pprof([["main", 1]], undefined, [["ring-full", 5]]), { base: pprof([["main", 1]], undefined, [["pruned", 7]]) });
  assert.equal(await page.locator("#losses").innerText(), "before: 7 lost and not in this graph: pruned 7; after: 5 lost and not in this graph: ring-full 5");
});

test("where nobody counted samples, nothing is said of chance, and that is said", async () => {
  const profile = (value) => pprof([["main;parse", value], ["main;run", 5555]], [["cpu", "nanoseconds"]]);
  const page = await show(profile(3333), { base: profile(2222) });
  assert.match(await page.locator("#facts").innerText(), /samples\s+not known → not known\s+chance\s+cannot be told: how many samples there were is not known/);
  assert.doesNotMatch(await tooltipOf(page, "parse"), /chance|significantly/);
});

// Three callbacks of one file: the first is new, so the others begin further down.
const CALLBACKS = pprof([["main@app.js:1~1;index@app.js:8~7;(anonymous)@app.js:9~9", 3000], ["main@app.js:1~1;index@app.js:12~7;(anonymous)@app.js:12~12", 1000]]);
const MOVED = pprof([["main@app.js:1~1;fetch@app.js:4~3;(anonymous)@app.js:4~4", 1000], ["main@app.js:1~1;index@app.js:13~12;(anonymous)@app.js:14~14", 3000], ["main@app.js:1~1;index@app.js:17~12;(anonymous)@app.js:17~17", 1000]]);

test("functions without a name are told apart, and found again where their lines moved", async () => {
  const page = await show(MOVED, { base: CALLBACKS });
  const rows = (await rowsOf(page)).map((row) => row.replace(/ \*/g, ""));
  assert.deepEqual(rows, [
    "+20.00 0% → 20.0% +20.00 0% → 20.0% (anonymous):4 in fetch", "−15.00 75.0% → 60.0% −15.00 75.0% → 60.0% (anonymous):14 in index", "−5.00 25.0% → 20.0% −5.00 25.0% → 20.0% (anonymous):17 in index",
    "0.00 0% → 0% +20.00 0% → 20.0% fetch", "0.00 0% → 0% −20.00 100% → 80.0% index", "0.00 0% → 0% 0.00 100% → 100% main",
  ]);
});

test("a part is asked for by the names that are shown", async () => {
  const page = await show(CALLBACKS, { args: ["--focus", "^\\(anonymous\\):9 in index$"] });
  assert.deepEqual(await rowsOf(page), ["3,000 100% 3,000 100% (anonymous):9 in index", "0 0% 3,000 100% index", "0 0% 3,000 100% main"]);
  const compared = await show(MOVED, { base: CALLBACKS, args: ["--focus", "anonymous\\):4 "] });
  assert.deepEqual((await rowsOf(compared)).map((row) => row.split(" ").at(-1)), ["fetch", "fetch", "main"]);
});

// src/reduce/flame_change_test.cpp has the same table: the picture and the page agree.
const CHANGES = [
  ["same", 10, 10, 100, 100, 0, false, 0], ["new", 0, 10, 100, 100, 0, false, 4], ["gone", 10, 0, 100, 100, 0, false, -4], ["twice", 10, 20, 100, 100, 0, false, 3], ["half", 20, 10, 100, 100, 0, false, -3],
  ["a quarter more", 20, 25, 100, 100, 0, false, 2], ["a fifth less", 25, 20, 100, 100, 0, false, -2], ["a little more", 100, 106, 1000, 1000, 0, false, 1], ["hardly more", 100, 104, 1000, 1000, 0, false, 0],
  ["the same share of twice as much", 10, 20, 100, 200, 0, false, 0], ["twice as much, compared as it is", 10, 20, 100, 200, 0, true, 3], ["new, but by chance", 0, 1, 100, 100, 100, false, 0],
  ["new, and not by chance", 0, 1, 100, 100, 10000, false, 4], ["more, by chance", 10, 14, 100, 100, 100, true, 0], ["more, and not by chance", 10, 14, 100, 100, 10000, true, 2], ["below zero, and less so", -10, -5, 100, 100, 100, true, 3], ["of nothing", 0, 0, 0, 0, 0, false, 0],
];

test("changes come in the steps that the picture has", async () => {
  const page = await compare();
  const levels = await page.evaluate((cases) => cases.map(([, base, fresh, baseTotal, total, samples, isAbsolute]) => {
    const { compared } = window.atysFlame;
    Object.assign(compared, { isAbsolute, base: { total: baseTotal, samples }, fresh: { total, samples } });
    return compared.levelOf(base, fresh);
  }), CHANGES);
  CHANGES.forEach(([name, ...rest], i) => assert.equal(levels[i] + 0, rest.at(-1), name));
});

for (const colorScheme of ["light", "dark"]) {
  test(`labels can be read on every change, ${colorScheme}`, async () => {
    const page = await compare({ colorScheme });
    const fills = await page.evaluate(() => window.atysFlame.look.changes);
    const text = colorScheme === "light" ? [0x15, 0x19, 0x22] : [0xf3, 0xf5, 0xfa];
    const luminance = (colour) => {
      const [r, g, b] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    assert.equal(new Set(fills).size, 9);
    for (const fill of fills) {
      const [high, low] = [luminance(fill.match(/\d+/g).map(Number)), luminance(text)].sort((x, y) => y - x);
      assert.ok((high + 0.05) / (low + 0.05) >= 4.5, fill);
    }
  });
}

test("the picture of a comparison is valid XML with its legend", async () => {
  const svg = readFileSync(makeFlame(FRESH, { base: BASE, extension: "svg", args: ["--widths", "either"] }), "utf8");
  const page = await compare();
  const titles = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    return picture.querySelector("parsererror") ? null : [...picture.querySelectorAll("title")].map((title) => title.textContent);
  }, svg);
  assert.ok(titles.some((title) => title.startsWith("old: total before 1,000 (25%), after 0 (0%), -25.00 points (gone)")), String(titles));
});
