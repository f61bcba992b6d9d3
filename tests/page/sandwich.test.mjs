// SPDX-License-Identifier: Apache-2.0
// One function with its callers above and its callees below.
import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, rowsOf, statusOf, tooltipOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

// parse calls itself: its 50 are counted once.
const PROFILE = pprof([["main;parse;read", 30], ["main;parse;parse;lex", 20], ["main;run;read", 40], ["main;run", 9], ["idle", 1]]);
const { show } = withBrowser();

async function order(page, ...names) {
  const places = await Promise.all(names.map((name) => centre(page, name)));
  return places.map((place) => place?.row ?? null);
}

test("is opened from the table, from the menu of a frame and by key", async () => {
  const page = await show(PROFILE);
  await page.locator("#rows tr", { hasText: "read" }).hover();
  await page.getByRole("button", { name: "Callers and callees of read" }).click();
  assert.match((await crumbsOf(page))[0], /^read$/);
  assert.equal(await page.locator("#view-sandwich").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("1");
  await clickFrame(page, "run", { button: "right" });
  await page.getByRole("menuitem", { name: "Callers and callees" }).click();
  assert.match((await crumbsOf(page))[0], /^run$/);
  await page.locator("#view-graph").click();
  await page.locator("#scroller").focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowRight", "2"]) await page.keyboard.press(key);
  assert.match((await crumbsOf(page))[0], /^run|parse$/);
});

test("callers lie above the function, callees below", async () => {
  const page = await show(PROFILE, { open: { hash: "view=sandwich&of=run" } });
  const [main, run, read] = await order(page, "main", "run", "read");
  assert.ok(main < run && run < read, `${main} ${run} ${read}`);
  assert.equal(await centre(page, "idle"), null);
  assert.match((await crumbsOf(page)).at(-1), /^self 9 \(9\.00%\), total 49 \(49\.0%\)$/);
});

test("a function that calls itself counts once, and is seen among its callees", async () => {
  const page = await show(PROFILE, { open: { hash: "view=sandwich&of=parse" } });
  assert.match((await crumbsOf(page)).at(-1), /^self 0 \(0%\), total 50 \(50\.0%\)$/);
  assert.match(await tooltipOf(page, "main"), /called from here\s+50\s+50\.0% of all, 100% of parse/);
  assert.match(await tooltipOf(page, "lex"), /in here\s+20\s+20\.0% of all, 40\.0% of parse/);
  const widths = await page.evaluate(() => Array.from({ length: window.atysFlame.layout.rowCount }, (_, r) => window.atysFlame.layout.row(r).nodes.map((node) => window.atysFlame.tree.total[node])));
  assert.deepEqual(widths, [[50], [50], [30, 20], [20]]);
});

test("a leaf has all its callers above it", async () => {
  const page = await show(PROFILE, { open: { hash: "view=sandwich&of=read" } });
  assert.match(await tooltipOf(page, "run"), /called from here\s+40\s+40\.0% of all, 57\.1% of read/);
  assert.match(await tooltipOf(page, "parse"), /called from here\s+30\s+30\.0% of all, 42\.9% of read/);
});

test("a click goes on to the function that was clicked, the table too, and back leads back", async () => {
  const page = await show(PROFILE, { open: { hash: "view=sandwich&of=run" } });
  await clickFrame(page, "read");
  assert.equal((await crumbsOf(page))[0], "read");
  await page.locator("#rows button.function", { hasText: "idle" }).click();
  assert.equal((await crumbsOf(page))[0], "idle");
  assert.equal(await page.locator("#rows tr[aria-current] .function").innerText(), "idle");
  await page.goBack();
  await page.goBack();
  assert.equal((await crumbsOf(page))[0], "run");
});

test("arrow keys walk away from the function and back to it", async () => {
  const page = await show(PROFILE, { open: { hash: "view=sandwich&of=run" } });
  await page.locator("#scroller").focus();
  for (const [key, expected] of [["Home", /^run:/], ["ArrowUp", /^main:/], ["ArrowUp", /^main:/], ["ArrowDown", /^run:/], ["ArrowDown", /^read:/], ["ArrowUp", /^run:/]]) {
    await page.keyboard.press(key);
    assert.match(await statusOf(page), expected, key);
  }
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#view-graph").getAttribute("aria-pressed"), "true");
});

test("callers too narrow to see can be spread out", async () => {
  const page = await show(pprof([...Array.from({ length: 5_000 }, (_, i) => [`main;f${i};read`, 1]), ["main;big;read", 5_000]]), { open: { hash: "view=sandwich&of=read" } });
  const bar = await centre(page, "read");
  const box = await page.locator("#scroller").boundingBox();
  await page.mouse.click(box.x + box.width - 20, bar.y - 20);
  assert.match((await crumbsOf(page)).find((text) => /narrow/.test(text)), /narrow frames$/);
  await page.mouse.move(bar.x, (await centre(page, "read")).y - 20);
  assert.match(await page.locator("#tooltip").innerText(), /^f\d+\n/);
});

test("follows the table's order when no function was chosen", async () => {
  const page = await show(PROFILE);
  await page.locator("#view-sandwich").click();
  assert.equal((await crumbsOf(page))[0], "read");
  assert.match((await rowsOf(page))[0], /read$/);
});
