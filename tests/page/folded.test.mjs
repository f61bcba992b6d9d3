// SPDX-License-Identifier: Apache-2.0
// Profiles with more frames than a page holds: the smallest are in "(other)", and no figure of the table is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crumbsOf, rowsOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const { show } = withBrowser();

// 540,000 frames: 300 * 300 callers, each of which calls the same function, far below.
function wide(value) {
  const stacks = [];
  for (let i = 0; i < 300; ++i) for (let j = 0; j < 300; ++j) stacks.push([`main;a${i};b${j};c;d;e;f;hot`, value, { labels: { thread: i % 2 === 0 ? "even" : "odd" } }]);
  return pprof(stacks);
}

test("a function that is called from everywhere is whole in the table", async () => {
  const page = await show(wide(1));
  assert.match(await page.locator("#losses").innerText(), /small frames are in “\(other\)”: this graph holds the largest, the table has every function whole/);
  assert.equal((await rowsOf(page))[0], "90,000 100% 90,000 100% hot");
  await page.locator("#search").fill("hot");
  await page.locator("#matched", { hasText: /^at least \d.*% matched$/ }).waitFor();
});

test("callers and callees say how much of a function they show", async () => {
  const page = await show(wide(1), { open: { hash: "view=sandwich&of=hot" } });
  assert.match((await crumbsOf(page)).at(-1), /^self 90,000 \(100%\), total 90,000 \(100%\); of that [\d,]+ in this graph, the rest in frames too small for it$/);
});

test("of some threads the table has what the graph has, and says so", async () => {
  const page = await show(wide(1), { open: { hash: "only.thread=even" } });
  assert.match(await page.locator("#table-note").innerText(), /^Without what small frames have, which are in “\(other\)”/);
  assert.ok((await rowsOf(page)).some((row) => row.endsWith("(other)")));
});

test("a comparison has both whole", async () => {
  const page = await show(wide(3), { base: wide(1), open: { hash: "compare=values" } });
  assert.equal((await rowsOf(page))[0], "+180,000 90,000 → 270,000 +180,000 90,000 → 270,000 hot");
});
