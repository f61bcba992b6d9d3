// SPDX-License-Identifier: Apache-2.0
// The flame graph page in a real browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, makeFlame, rowsOf, statusOf, tooltipOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const PROFILE = pprof(
  [["main;parse;read", [30, 3000]], ["main;parse;parse;lex", [20, 1000]], ["main;run;read", [40, 5000]], ["main;run", [9, 900]], ["idle", [1, 100]]],
  [["samples", "count"], ["cpu", "nanoseconds"]],
);
const HOSTILE = ["</script><b>bold</b>", '<img src=x onerror="alert(1)">', "{{data}}", "\u202eevil", "&lt;", "日本語の関数"];

const { show } = withBrowser();

test("shows the default value type and the facts", async () => {
  const page = await show(PROFILE);
  assert.match(await page.locator("#facts").textContent(), /cpu10\.0 µs/);
  assert.match(await page.locator("#facts").textContent(), /samples100/);
  assert.deepEqual(await page.locator("#value option").allTextContents(), ["samples (count)", "cpu (nanoseconds)"]);
});

test("losses are never hidden", async () => {
  const page = await show(pprof([["main", 1]], undefined, [["ring-full", 1200], ["<b>stack cut off</b>", 34]]));
  assert.equal(await page.locator("#losses").innerText(), "1,234 lost and not in this graph: ring-full 1,200, <b>stack cut off</b> 34");
  assert.ok(!(await (await show(PROFILE)).locator("#losses").isVisible()));
});

test("zooms on click, shows the path there, and resets", async () => {
  const page = await show(PROFILE);
  const before = await centre(page, "parse");
  await clickFrame(page, "parse");
  assert.deepEqual(await crumbsOf(page), ["all", "main", "parse"]);
  assert.ok((await centre(page, "parse")).width > before.width * 2);
  assert.equal(await centre(page, "run"), null);
  await page.locator("#crumbs button", { hasText: "main" }).click();
  assert.deepEqual(await crumbsOf(page), ["all", "main"]);
  await page.locator("#reset").click();
  assert.deepEqual(await crumbsOf(page), ["all"]);
});

test("search counts a match below a match once", async () => {
  const page = await show(PROFILE);
  await page.locator("#search").fill("PARSE");
  await page.locator("#matched", { hasText: "40.0% matched" }).waitFor();
  await page.locator("#search").fill("^(lex|read)$");
  await page.locator("#matched", { hasText: "no match" }).waitFor();
  await page.locator("#regex").click();
  await page.locator("#matched", { hasText: "90.0% matched" }).waitFor();
  await page.locator("#search").fill("(");
  await page.locator("#matched", { hasText: "not a regular expression" }).waitFor();
  await page.locator("#search").press("Escape");
  assert.equal(await page.locator("#search").inputValue(), "");
  assert.equal(await page.locator("#matched").textContent(), "");
});

test("the tooltip has self, total and shares", async () => {
  const page = await show(PROFILE);
  const text = await tooltipOf(page, "run");
  assert.match(text, /^run\n/);
  assert.match(text, /total\s+5\.90 µs\s+59\.0% of all, 59\.6% of parent/);
  assert.match(text, /self\s+900 ns\s+9\.00% of all/);
});

test("callees first shows who used the value and who called them", async () => {
  const page = await show(PROFILE);
  await page.locator("#callees").click();
  const read = await centre(page, "read");
  assert.equal(read.row, 1);
  await page.mouse.move(read.x, read.y);
  assert.match(await page.locator("#tooltip").innerText(), /self\s+8\.00 µs\s+80\.0% of all/);
  await page.locator("#search").fill("parse");
  await page.locator("#matched", { hasText: "40.0% matched" }).waitFor();
  await page.locator("#callers").click();
  assert.equal((await centre(page, "main")).row, 1);
});

test("the value type can be changed", async () => {
  const page = await show(PROFILE);
  await page.locator("#value").selectOption("0");
  assert.match(await page.locator("#facts").textContent(), /samples100/);
  await clickFrame(page, "parse");
  assert.match(await statusOf(page), /^parse: total 50 \(50\.0% of all, 50\.5% of parent\)/);
});

test("everything can be done with the keyboard", async () => {
  const page = await show(PROFILE);
  await page.locator("#scroller").focus();
  for (const [key, expected] of [["Home", /^all:/], ["ArrowDown", /^main:/], ["ArrowRight", /^idle:/], ["ArrowLeft", /^main:/], ["ArrowDown", /^run:/], ["ArrowRight", /^parse:/], ["ArrowUp", /^main:/]]) {
    await page.keyboard.press(key);
    assert.match(await statusOf(page), expected, key);
  }
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.deepEqual(await crumbsOf(page), ["all", "main", "run"]);
  await page.keyboard.press("Backspace");
  assert.deepEqual(await crumbsOf(page), ["all", "main"]);
  await page.keyboard.press("Escape");
  assert.deepEqual(await crumbsOf(page), ["all"]);
  await page.keyboard.press("i");
  assert.equal(await page.locator("#callees").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("/");
  await page.keyboard.type("lex?");
  assert.equal(await page.locator("#search").inputValue(), "lex?");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
});

test("the table lists self and total, recursion counted once, and sorts", async () => {
  const page = await show(PROFILE);
  const rows = () => rowsOf(page);
  assert.deepEqual((await rows()).slice(0, 2), ["8.00 µs 80.0% 8.00 µs 80.0% read", "1.00 µs 10.0% 1.00 µs 10.0% lex"]);
  await page.locator("#rows button.function", { hasText: "lex" }).click();
  await page.locator("#matched", { hasText: "10.0% matched" }).waitFor();
  await page.locator("#rows button.function", { hasText: "lex" }).click();
  await page.locator("th button", { hasText: "Total" }).click();
  assert.match((await rows())[0], /main$/);
  assert.ok((await rows()).includes("0 ns 0% 4.00 µs 40.0% parse"));
  await page.locator("th button", { hasText: "Function" }).click();
  assert.match((await rows())[0], /idle$/);
});

test("light and dark follow the system and can be chosen", async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background(await show(PROFILE, { open: { colorScheme: "light" } }));
  const page = await show(PROFILE, { open: { colorScheme: "dark" } });
  const dark = await background(page);
  assert.notEqual(light, dark);
  await page.locator("#theme").click();
  assert.equal(await background(page), light);
  await page.locator("#theme").click();
  assert.equal(await background(page), dark);
});

// Relative luminance as the web's accessibility guidelines define it.
function contrast(a, b) {
  const luminance = (colour) => {
    const [r, g, blue] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

for (const colorScheme of ["light", "dark"]) {
  test(`labels can be read on every colour, ${colorScheme}`, async () => {
    const packages = Array.from({ length: 14 }, (_, i) => [`package${i}.f;package${i}.g;package${i}.h`, 10]);
    const page = await show(pprof(packages), { open: { colorScheme } });
    const fills = await page.evaluate(() => [...new Set(window.atysFlame.look.colours)]);
    const text = colorScheme === "light" ? [0x15, 0x19, 0x22] : [0xf3, 0xf5, 0xfa];
    assert.ok(fills.length > 12);
    for (const fill of fills) assert.ok(contrast(fill.match(/\d+/g).map(Number), text) >= 4.5, fill);
  });
}

test("hostile names are shown as text", async () => {
  const page = await show(pprof(HOSTILE.map((name, i) => [["main", name], 100 - i])));
  assert.equal(await page.locator("b, img").count(), 0);
  const shown = await page.locator("#rows tr td.name").allInnerTexts();
  assert.ok(shown.includes("</script><b>bold</b>"), shown.join("\n"));
  assert.ok(shown.includes("\ufffdevil"));
  const { x, y } = await centre(page, HOSTILE[1]);
  await page.mouse.move(x, y);
  assert.match(await page.locator("#tooltip").innerText(), /^<img src=x onerror="alert\(1\)">/);
  await page.mouse.click(x, y);
  assert.equal((await crumbsOf(page)).at(-1), HOSTILE[1]);
});

test("stacks 10,000 deep can be scrolled, zoomed and turned around", async () => {
  const deep = Array.from({ length: 10_000 }, (_, i) => `f${i % 50}`);
  const page = await show(pprof([[deep, 5], [["f0", "g"], 5]]));
  // Scrolling hides the tooltip, so the pointer moves only after that has arrived.
  await page.evaluate(() => new Promise((resolve) => {
    const scroller = document.getElementById("scroller");
    scroller.addEventListener("scroll", () => requestAnimationFrame(resolve), { once: true });
    scroller.scrollTop = 1e9;
  }));
  await page.mouse.move(200, 400);
  await page.locator("#tooltip").waitFor();
  await page.mouse.click(200, 400);
  assert.ok((await page.locator("#crumbs li").count()) < 30);
  await page.keyboard.press("i");
  assert.equal(await page.locator("#callees").getAttribute("aria-pressed"), "true");
});

test("a profile without samples is a page that says so", async () => {
  const page = await show(pprof([]));
  assert.equal(await statusOf(page), "This profile has no stacks");
  await page.keyboard.press("i");
});

test("negative values are drawn by their size", async () => {
  const page = await show(pprof([["main;grew", 30], ["main;shrank", -10]]));
  assert.ok((await centre(page, "shrank")).width > 100);
  await clickFrame(page, "shrank");
  assert.match(await statusOf(page), /^shrank: total -10 \(-50\.0% of all/);
});

test("frames too narrow to see can be spread out", async () => {
  const page = await show(pprof(Array.from({ length: 20_000 }, (_, i) => [`main;f${i}`, 1])));
  const bar = await centre(page, "main");
  await page.mouse.click(bar.x, bar.y + 20);
  assert.match((await crumbsOf(page)).at(-1), /narrow frames$/);
  await page.mouse.move(bar.x, bar.y);
  assert.match(await page.locator("#tooltip").innerText(), /^f\d+\n/);
});

test("prints how long redrawing 50,000 frames takes", async () => {
  const stacks = Array.from({ length: 2_800 }, (_, i) => [["main", ...Array.from({ length: 20 }, (_, d) => `p${d % 7}.f${(i + d * 7) % 2801}`)], 1 + (i % 97) ** 4]);
  const page = await show(pprof(stacks));
  const figures = await page.evaluate(() => {
    const app = window.atysFlame;
    const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const waitUntilDrawn = () => {
      copy.drawImage(app.ui.canvas, 0, 0);
      copy.getImageData(0, 0, 1, 1);
    };
    const median = (action) => {
      const times = Array.from({ length: 21 }, () => {
        const start = performance.now();
        action();
        waitUntilDrawn();
        return performance.now() - start;
      });
      return times.sort((a, b) => a - b)[10].toFixed(2);
    };
    return { frames: app.callTree.count, redraw_ms: median(() => app.paint()), zoom_ms: median(() => app.relayout()), visible: app.layout.rows.reduce((sum, row) => sum + row.nodes.length, 0) };
  });
  assert.ok(figures.frames >= 50_000, String(figures.frames));
  console.log(`redraw: ${JSON.stringify(figures)}`);
});

test("the picture is valid XML, hostile names included", async () => {
  const { readFileSync } = await import("node:fs");
  const svg = readFileSync(makeFlame(pprof(HOSTILE.map((name, i) => [["main", name], 100 - i])), { extension: "svg" }), "utf8");
  const page = await show(PROFILE);
  const parsed = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    return { error: picture.querySelector("parsererror")?.textContent ?? null, titles: [...picture.querySelectorAll("title")].map((title) => title.textContent) };
  }, svg);
  assert.equal(parsed.error, null);
  assert.ok(parsed.titles.some((title) => title.startsWith("</script><b>bold</b>: total 100")));
});
