// SPDX-License-Identifier: Apache-2.0
// Samples in order of time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, hashOf, statusOf, tooltipOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const MS = 1_000_000;
const START = 1_700_000_000_000_000_000n;
const at = (ms, thread) => ({ time: START + BigInt(Math.round(ms * MS)), labels: { "thread.name": thread } });
const TYPES = [["cpu", "nanoseconds"]];

// Thread a: parse for 40 ms, run for 60 ms; thread b: 20 ms of work at the end.
const PROFILE = pprof([
  ...[0, 10, 20, 30].map((ms) => ["main;parse", 10 * MS, at(ms + (ms === 10 ? 0.4 : 0), "a")]),
  ...[40, 50, 60, 70, 80, 90].map((ms) => ["main;run", 10 * MS, at(ms, "a")]),
  ...[80, 90].map((ms) => ["work", 10 * MS, at(ms, "b")]),
], TYPES);
const { show } = withBrowser();

test("frames lie where they were in time, each thread for itself", async () => {
  const page = await show(PROFILE, { open: { hash: "view=time" } });
  const [main, parse, run, work] = await Promise.all(["main", "parse", "run", "work"].map((name) => centre(page, name)));
  assert.ok(parse.x < run.x && parse.row === run.row && parse.row === main.row + 1);
  assert.ok(Math.abs(run.width / parse.width - 1.5) < 0.05, `${run.width} ${parse.width}`);
  assert.ok(work.row > run.row && Math.abs(work.width * 3 - run.width) < 3);
  const headings = await page.evaluate(() => Array.from({ length: window.atysFlame.layout.rowCount }, (_, r) => window.atysFlame.layout.row(r).heading).filter(Boolean));
  assert.deepEqual(headings, ["▾ a   100 ms", "▾ b   20.0 ms"]);
});

test("a call that goes on from sample to sample is one", async () => {
  const page = await show(PROFILE, { open: { hash: "view=time" } });
  assert.match(await tooltipOf(page, "main"), /lasted\s+100(\.0)? ms\s+from 0 ns to 100(\.0)? ms/);
  assert.match(await tooltipOf(page, "run"), /lasted\s+60\.0 ms\s+from 40\.0 ms to 100(\.0)? ms/);
});

test("time in which nothing was sampled is empty", async () => {
  const page = await show(pprof([["main", 10 * MS, at(0, "a")], ["main", 10 * MS, at(100, "a")]], TYPES), { open: { hash: "view=time" } });
  const boxes = await page.evaluate(() => window.atysFlame.layout.row(1).nodes.length);
  assert.equal(boxes, 2);
});

test("zooms by click, by dragging, by wheel and by key", async () => {
  const page = await show(PROFILE, { open: { hash: "view=time" } });
  await clickFrame(page, "run");
  assert.match((await crumbsOf(page)).join(), /40\.0 ms to 100(\.0)? ms/);
  await page.keyboard.press("Escape");
  assert.deepEqual(await crumbsOf(page), ["all the time"]);
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.move(box.x + box.width * 0.1, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 200);
  assert.ok(await page.locator("#brush").isVisible());
  await page.mouse.move(box.x + box.width * 0.3, box.y + 200);
  await page.mouse.up();
  const [, from, to] = /^([\d.]+) ms to ([\d.]+) ms$/.exec((await crumbsOf(page)).at(-1));
  assert.ok(Math.abs(from - 10) < 1 && Math.abs(to - 30) < 1, `${from} ${to}`);
  await page.keyboard.press("w");
  assert.match((await crumbsOf(page)).at(-1), /^1[45]\.\d ms to 2[45]\.\d ms$/);
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 5000);
  await page.keyboard.up("Control");
  await page.locator("#crumbs li", { hasText: "all the time" }).waitFor();
  assert.deepEqual(await crumbsOf(page), ["all the time"]);
});

test("a part of the time can be looked at alone, in every view", async () => {
  const page = await show(PROFILE, { open: { hash: "view=time" } });
  await clickFrame(page, "run");
  await page.locator("#only-this").click();
  assert.match(await page.locator("#facts").textContent(), /cpu80\.0 ms.*shown.*a part of the time/);
  await page.keyboard.press("1");
  assert.equal(await centre(page, "parse"), null);
  assert.ok(await centre(page, "run"));
  await page.reload();
  assert.equal(await centre(page, "parse"), null);
  await page.locator("#during").click();
  assert.ok(await centre(page, "parse"));
});

test("lanes open and close, with the keyboard as well", async () => {
  const page = await show(PROFILE, { open: { hash: "view=time" } });
  const rows = () => page.evaluate(() => window.atysFlame.layout.rowCount);
  assert.equal(await rows(), 5);
  await page.locator("#scroller").focus();
  await page.keyboard.press("Home");
  assert.match(await statusOf(page), /^a: total 100 ms \(83\.3% of all\)/);
  await page.keyboard.press("Enter");
  assert.equal(await rows(), 4);
  await page.keyboard.press("Enter");
  for (const [key, expected] of [["ArrowDown", /^main: lasted 100(\.0)? ms/], ["ArrowDown", /^parse: lasted 40\.0 ms/], ["ArrowRight", /^run: lasted 60\.0 ms/], ["ArrowUp", /^main:/], ["ArrowUp", /^a:/]]) {
    await page.keyboard.press(key);
    assert.match(await statusOf(page), expected, key);
  }
});

test("threads that are left out have no lane", async () => {
  const page = await show(PROFILE, { open: { hash: "view=time&only.thread=b" } });
  assert.equal(await page.evaluate(() => window.atysFlame.layout.rowCount), 2);
});

test("without times the switch is off and says why", async () => {
  const page = await show(pprof([["main", 3]]));
  const button = page.locator("#view-time");
  assert.equal(await button.getAttribute("aria-disabled"), "true");
  assert.equal(await button.getAttribute("title"), "This profile does not say when its samples were taken");
  await button.click({ force: true });
  assert.equal(await statusOf(page), "This profile does not say when its samples were taken");
  assert.equal(await page.locator("#view-graph").getAttribute("aria-pressed"), "true");
});

test("samples of one moment lie side by side, and that is said", async () => {
  const page = await show(pprof([["main;f", 30 * MS, at(0, "a")], ["main;g", 10 * MS, at(0, "a")], ["main;h", 20 * MS, at(50, "a")]], TYPES), { open: { hash: "view=time" } });
  const [f, g, h] = await Promise.all(["f", "g", "h"].map((name) => centre(page, name)));
  assert.ok(f.x < g.x && g.x < h.x && Math.abs(f.width / g.width - 3) < 0.1);
  assert.match((await crumbsOf(page)).join(), /their order is not known/);
});

test("values that are no time last until the next sample", async () => {
  const page = await show(pprof([0, 10, 20, 30, 200].map((ms) => [ms < 20 ? "main;f" : "main;g", 1, at(ms, "a")])), { open: { hash: "view=time" } });
  assert.match(await tooltipOf(page, "f"), /lasted\s+20\.0 ms/);
  assert.match(await tooltipOf(page, "g"), /lasted\s+20\.0 ms\s+from 20\.0 ms/);
});

test("200,000 samples of a thousand threads are drawn, zoomed and scrolled", async () => {
  const stacks = Array.from({ length: 200_000 }, (_, i) => [["main", `f${i % 40}`, `g${i % 7}`], 10 * MS, at((i / 1000) * 10, `t${i % 1000}`)]);
  const page = await show(pprof(stacks, TYPES), { open: { hash: "view=time" } });
  assert.ok((await page.evaluate(() => window.atysFlame.layout.rowCount)) >= 2000);
  await page.evaluate(() => (document.getElementById("scroller").scrollTop = 1e9));
  await page.keyboard.press("w");
  assert.match((await hashOf(page)), /^#view=time&time=/);
});
