// SPDX-License-Identifier: Apache-2.0
// What is shown is in the address: it can be copied, gone back to, and made up by anybody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, hashOf, makeFlame, rowsOf, statusOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const PROFILE = pprof(
  [["main;parse;read", [30, 3000]], ["main;parse;parse;lex", [20, 1000]], ["main;run;read", [40, 5000], { labels: { thread: "a" } }], ["main;run", [9, 900]], ["idle", [1, 100]]],
  [["samples", "count"], ["cpu", "nanoseconds"]],
);
const { show, openFile } = withBrowser();

test("a page as it was made has a plain address", async () => {
  assert.equal(await hashOf(await show(PROFILE)), "");
});

test("back and forward lead through what was zoomed and seen", async () => {
  const page = await show(PROFILE);
  await clickFrame(page, "parse");
  assert.equal(await hashOf(page), "#zoom=main;parse");
  await page.keyboard.press("i");
  assert.equal(await hashOf(page), "#callees=true");
  await clickFrame(page, "read");
  await page.goBack();
  assert.deepEqual(await crumbsOf(page), ["all"]);
  assert.equal(await page.locator("#callees").getAttribute("aria-pressed"), "true");
  await page.goBack();
  assert.deepEqual(await crumbsOf(page), ["all", "main", "parse"]);
  assert.equal(await page.locator("#callers").getAttribute("aria-pressed"), "true");
  await page.goBack();
  assert.deepEqual(await crumbsOf(page), ["all"]);
  await page.goForward();
  assert.deepEqual(await crumbsOf(page), ["all", "main", "parse"]);
});

test("a copied address opens the same view", async () => {
  const file = makeFlame(PROFILE);
  const page = await openFile(file);
  await page.locator("#value").selectOption("0");
  await page.locator("#search").fill("RE");
  await page.locator("#matched", { hasText: "matched" }).waitFor();
  await page.locator("#regex").click();
  await page.locator("th button", { hasText: "Total" }).click();
  await page.locator("th button", { hasText: "Total" }).click();
  await page.locator("#colour").selectOption("module");
  await clickFrame(page, "run");
  const hash = await hashOf(page);
  const other = await openFile(file, { hash: hash.slice(1) });
  assert.equal(await hashOf(other), hash);
  const seen = async (p) => [await crumbsOf(p), await rowsOf(p), await p.locator("#matched").textContent(), await p.locator("#search").inputValue(), await p.locator("#value").inputValue(), await p.locator("#colour").inputValue(), await p.locator("#regex").getAttribute("aria-pressed"), await p.locator("th[aria-sort]").innerText()];
  assert.deepEqual(await seen(other), await seen(page));
});

test("names with anything in them find their way through an address", async () => {
  const names = ["a;b=c&d#e", "100% :5", "operator<<(std::ostream&, int)", "日本語", "x\ny", "", "'quoted' (name)*~!"];
  const file = makeFlame(pprof(names.map((name, i) => [["main", name, `leaf${i}`], 100 - i])));
  for (const [i] of names.entries()) {
    const page = await openFile(file);
    const { x, y } = await centre(page, `leaf${i}`);
    await page.mouse.click(x, y - 20);
    const crumbs = await crumbsOf(page);
    assert.equal(crumbs.length, 3);
    const other = await openFile(file, { hash: (await hashOf(page)).slice(1) });
    assert.deepEqual(await crumbsOf(other), crumbs);
    assert.ok(await centre(other, `leaf${i}`));
    await page.context().close();
    await other.context().close();
  }
});

test("siblings of one name are told apart", async () => {
  const file = makeFlame(pprof([["main;f@a.c:1;one", 10], ["main;f@b.c:1;two", 9]]));
  const page = await openFile(file);
  const { x, y } = await centre(page, "two");
  await page.mouse.click(x, y - 20);
  assert.equal(await hashOf(page), "#zoom=main;f:1");
  const other = await openFile(file, { hash: "zoom=main;f:1" });
  assert.ok(await centre(other, "two"));
  assert.equal(await centre(other, "one"), null);
});

test("a frame that is too deep to be spelled out has a number", async () => {
  const deep = Array.from({ length: 1000 }, (_, i) => `function${i}`);
  const file = makeFlame(pprof([[deep, 5]]));
  const page = await openFile(file);
  await page.evaluate(() => window.atysFlame.zoomTo(900));
  assert.equal(await hashOf(page), "#zoom=@900");
  const other = await openFile(file, { hash: "zoom=@900" });
  assert.equal((await crumbsOf(other)).at(-1), "function899");
});

test("what an address names and the profile does not have is left aside, and said", async () => {
  for (const hash of ["zoom=main;nothing", "zoom=@99999", "view=sandwich&of=nothing", "only.thread=nobody"]) {
    const page = await show(PROFILE, { open: { hash } });
    assert.match(await statusOf(page), /^The address names .* that this profile does not have$/, hash);
    assert.equal(await page.locator("#view-graph").getAttribute("aria-pressed"), "true");
    assert.ok(await centre(page, "run"));
  }
});

test("hostile addresses are data", async () => {
  const hostile = [
    "zoom=<img src=x onerror=alert(1)>", "search=%3Cscript%3Ealert(1)%3C%2Fscript%3E", "search=%E0%A4%A", "zoom=%", "view=__proto__", "value=__proto__", "colour=constructor",
    "only.thread=__proto__", "only.__proto__=a", "sort=constructor", "narrow=0-999999999", "narrow=5-2", "zoom=main&narrow=0-1", "time=1-2&view=time", "during=1-2", "value=1e9", "value=-1", "zoom=@-1", "of=&view=sandwich", "=&=&&#",
    `zoom=${"a;".repeat(20_000)}`, `search=${"x".repeat(50_000)}`, "zoom=main:1e99;parse:__proto__", "widths=base&compare=values",
  ];
  for (const hash of hostile) {
    const page = await show(PROFILE, { open: { hash } });
    assert.equal(await page.locator("img, #status script").count(), 0, hash);
    await clickFrame(page, "main").catch(() => {});
    await page.keyboard.press("Escape");
  }
});

test("a pattern that could take for ever runs only when asked to", async () => {
  const page = await show(pprof([["a".repeat(60), 5]]), { open: { hash: "search=(a%2B)%2B%24x&regex=true" } });
  assert.match(await page.locator("#matched").textContent(), /press Enter/);
  assert.equal(await page.locator("#search").inputValue(), "(a+)+$x");
});

test("inside another page the address is left alone", async () => {
  const file = makeFlame(PROFILE);
  const page = await openFile(file);
  const { readFileSync } = await import("node:fs");
  const result = await page.evaluate(async (html) => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    const answered = new Promise((resolve) => window.addEventListener("message", (event) => resolve(event.data), { once: true }));
    frame.srcdoc = html.replace("</body>", "<script>atysFlame.zoomTo(1); parent.postMessage([location.href, document.getElementById('crumbs').innerText], '*');</scr" + "ipt></body>");
    const before = [window.location.href, window.history.length];
    document.body.append(frame);
    const [href, crumbs] = await answered;
    return { href, crumbs, isSame: before[0] === window.location.href && before[1] === window.history.length };
  }, readFileSync(file, "utf8"));
  assert.deepEqual(result, { href: "about:srcdoc", crumbs: "all\nmain", isSame: true });
});
