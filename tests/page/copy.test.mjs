// SPDX-License-Identifier: Apache-2.0
// The stack of a frame as text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, clickFrame, statusOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const PROFILE = pprof(
  [["main@main.c:10;parse@parse.c:7", 6000, { labels: { thread: "a" } }], ["main@main.c:10;parse@parse.c:9;read@io.c:3", 2000, { labels: { thread: "b" } }], ["main@main.c:12;run", 2000, { labels: { thread: "b" } }]],
  [["cpu", "nanoseconds"]],
);
const { show } = withBrowser();
const allowed = { open: { permissions: ["clipboard-read", "clipboard-write"] } };
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());
const withoutTitle = (text) => text.replace(/^[^:]*: /, "");

test("the menu of a frame copies its stack, either way round", async () => {
  const page = await show(PROFILE, allowed);
  await clickFrame(page, "read", { button: "right" });
  await page.getByRole("menuitem", { name: "Copy stack", exact: true }).click();
  assert.equal(await statusOf(page), "Stack copied");
  assert.equal(withoutTitle(await copied(page)), "cpu 2.00 µs (20.0%), outermost call first\n  main (main.c:10)\n  parse (parse.c:7)\n  read (io.c:3)\n");
  await clickFrame(page, "read", { button: "right" });
  await page.getByRole("menuitem", { name: "Copy stack, innermost first" }).click();
  assert.equal(withoutTitle(await copied(page)), "cpu 2.00 µs (20.0%), innermost call first\n  read (io.c:3)\n  parse (parse.c:7)\n  main (main.c:10)\n");
});

test("keys copy the stack of the frame in focus, the button that of the zoomed one", async () => {
  const page = await show(PROFILE, allowed);
  await page.locator("#scroller").focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "c"]) await page.keyboard.press(key);
  assert.equal(withoutTitle(await copied(page)), "cpu 8.00 µs (80.0%), self 6.00 µs (60.0%), outermost call first\n  main (main.c:10)\n  parse (parse.c:7)\n");
  await clickFrame(page, "run");
  await page.mouse.move(5, 5);
  await page.locator("#copy-stack").click();
  assert.match(await copied(page), /main \(main\.c:10\)\n {2}run\n$/);
  await page.keyboard.press("Escape");
  await page.locator("#copy-stack").click();
  assert.equal(await statusOf(page), "Select or zoom into a frame first");
});

test("a stack is the same whichever way it is looked at", async () => {
  const page = await show(PROFILE, { open: { ...allowed.open, hash: "callees=true" } });
  const { x, y } = await centre(page, "read");
  await page.mouse.click(x, y + 40, { button: "right" });
  await page.getByRole("menuitem", { name: "Copy stack", exact: true }).click();
  assert.match(await copied(page), /outermost call first\n {2}main \(main\.c:10\)\n {2}parse \(parse\.c:9\)\n {2}read \(io\.c:3\)\n$/);
  await page.goto(page.url().replace(/#.*/, "#view=sandwich&of=parse"));
  await clickFrame(page, "main", { button: "right" });
  await page.getByRole("menuitem", { name: "Copy stack", exact: true }).click();
  assert.match(await copied(page), /outermost call first\n {2}main \(main\.c:10\)\n {2}parse \(parse\.c:7\)\n$/);
});

test("what was left out by choice is said", async () => {
  const page = await show(PROFILE, { open: { ...allowed.open, hash: "only.thread=b&zoom=main;run" } });
  await page.keyboard.press("c");
  assert.match(await copied(page), /cpu 2\.00 µs \(50\.0%\), outermost call first; of 1 of 2 threads\n/);
});

test("where the clipboard is refused, the text is shown to be copied by hand", async () => {
  const page = await show(PROFILE, { open: { hash: "zoom=main;run" } });
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await page.keyboard.press("c");
  assert.match(await page.locator("#by-hand textarea").inputValue(), /main \(main\.c:10\)\n {2}run\n$/);
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#by-hand").isVisible()));
});

test("the menu works with the keyboard and closes", async () => {
  const page = await show(PROFILE, allowed);
  await page.locator("#scroller").focus();
  for (const key of ["Home", "ArrowDown", "m"]) await page.keyboard.press(key);
  assert.equal(await page.locator("#menu").getAttribute("aria-label"), "main");
  for (const key of ["ArrowUp", "Enter"]) await page.keyboard.press(key);
  assert.equal(await copied(page), "main");
  assert.ok(!(await page.locator("#menu").isVisible()));
  await page.keyboard.press("m");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#menu").isVisible()));
});
