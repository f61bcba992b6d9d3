// SPDX-License-Identifier: Apache-2.0
// Small screens, paper, screen readers, and profiles that are large.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, makeFlame, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const of = (thread, time = 0) => ({ labels: { "thread.name": thread }, time });
const PROFILE = pprof([["main@a.c:1;parse@a.c:2", [3, 3000], of("a", 1000)], ["main@a.c:1;run@a.c:9", [1, 1000], of("b", 2000)]], [["samples", "count"], ["cpu", "nanoseconds"]]);
const { show, openFile } = withBrowser();

test("everything that can be clicked has a name", async () => {
  const page = await show(PROFILE, { base: PROFILE });
  await page.keyboard.press("t");
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, [role=menu], dialog[open]")].filter((element) => element.checkVisibility?.() ?? true).filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() || element.title || element.labels?.[0]?.textContent.trim())).map((element) => element.outerHTML));
  assert.deepEqual(nameless, []);
});

test("every control can be reached with Tab", async () => {
  const page = await show(PROFILE);
  const reached = new Set();
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
  }
  for (const id of ["view-graph", "view-sandwich", "view-time", "search", "regex", "reset", "theme", "help-button", "callers", "callees", "value", "colour", "copy-stack", "scroller"]) assert.ok(reached.has(id), `${id} of ${[...reached]}`);
  assert.ok([...reached].some((text) => text.startsWith("Threads")));
});

for (const base of [null, PROFILE]) {
  test(`nothing is cut off at 360 pixels${base ? ", comparing" : ""}`, async () => {
    const page = await show(PROFILE, { base, open: { viewport: { width: 360, height: 700 } } });
    for (const view of ["graph", "sandwich", ...(base ? [] : ["time"])]) {
      await page.locator(`#view-${view}`).click();
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, view);
      const box = await page.locator("#scroller").boundingBox();
      assert.ok(box.width > 300 && box.height > 150, JSON.stringify(box));
    }
    await page.locator("#view-graph").click();
    await clickFrame(page, "parse");
    assert.equal((await crumbsOf(page)).at(-1), "parse");
  });
}

test("on paper all rows are drawn, and the controls are not", async () => {
  const page = await show(pprof([[Array.from({ length: 60 }, (_, i) => `f${i}`), 1]]));
  const rows = await page.evaluate(() => {
    window.dispatchEvent(new Event("beforeprint"));
    return document.getElementById("canvas").clientHeight / 20;
  });
  assert.equal(rows, 61);
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator("#toolbar").isVisible()));
  assert.ok(await page.locator("#legend").isVisible());
  assert.ok((await page.pdf({ format: "A4" })).length > 1000);
});

test("a small profile is a small page", () => {
  assert.ok(statSync(makeFlame(PROFILE)).size < 140_000, String(statSync(makeFlame(PROFILE)).size));
});

test("names of 10,000 characters stay data, in every view", async () => {
  const long = "n".repeat(10_000);
  const hostile = [long, `</script>${long}`, `\u202e${long}`, "<b onload=alert(1)>"];
  const page = await show(pprof(hostile.map((name, i) => [["main", name], 9 - i, of(name, 1000 * (i + 1))])));
  assert.equal(await page.locator("b").count(), 0);
  for (const key of ["2", "1", "3", "1", "i"]) await page.keyboard.press(key);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280);
  await page.keyboard.press("i");
  await clickFrame(page, "<b onload=alert(1)>");
  assert.equal((await crumbsOf(page)).at(-1), "<b onload=alert(1)>");
});

test("200,000 frames of a thousand threads are a page of bounded size that answers", async () => {
  const stacks = Array.from({ length: 24_000 }, (_, i) => [["main", ...Array.from({ length: 10 }, (_, d) => `package${d}.function${(i * (d + 1)) % (3_000 + d)}`)], 1 + (i % 97), of(`thread-${i % 1000}`)]);
  const file = makeFlame(pprof(stacks));
  assert.ok(statSync(file).size < 6_000_000, String(statSync(file).size));
  const page = await openFile(file);
  const frames = await page.evaluate(() => window.atysFlame.callTree.count);
  assert.ok(frames >= 200_000, String(frames));
  const figures = await page.evaluate(() => {
    const app = window.atysFlame;
    const timed = (action) => {
      const start = performance.now();
      action();
      return Math.round(performance.now() - start);
    };
    return { choose_ms: timed(() => app.chooseFacet(0, new Set([1, 2, 3]))), all_ms: timed(() => app.chooseFacet(0, null)), sandwich_ms: timed(() => app.setView("sandwich")), invert_ms: timed(() => (app.setView("graph"), app.setInverted(true))) };
  });
  console.log(`200,000 frames: ${JSON.stringify(figures)}`);
  await page.keyboard.press("i");
  assert.ok(await centre(page, "main"));
});
