// SPDX-License-Identifier: Apache-2.0
// Which lines a frame was at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clickFrame, tooltipOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const PROFILE = pprof([
  ["main@main.c:10;parse@parse.c:7", 60, { labels: { thread: "a" } }],
  ["main@main.c:12;parse@parse.c:9", 20, { labels: { thread: "b" } }],
  ["main@main.c:12;parse@parse.c:7;read@io.c:3", 15, { labels: { thread: "a" } }],
  ["main@main.c:14;run@run.c:1", 5, { labels: { thread: "b" } }],
]);
const { show } = withBrowser();

test("a frame that was at one line has it behind its file", async () => {
  const page = await show(PROFILE);
  assert.match(await tooltipOf(page, "run"), /file\s*run\.c:1\n|file\s*run\.c:1$/);
});

test("of several lines the costliest come first, with their shares", async () => {
  const page = await show(PROFILE);
  assert.match(await tooltipOf(page, "main"), /file\s*main\.c\s+lines\s*10 \(60\.0%\), 12 \(35\.0%\), 14 \(5\.00%\)/);
  assert.match(await tooltipOf(page, "parse"), /lines\s*7 \(78\.9%\), 9 \(21\.1%\)/);
});

test("lines follow the chosen threads", async () => {
  const page = await show(PROFILE, { open: { hash: "only.thread=b" } });
  assert.match(await tooltipOf(page, "main"), /lines\s*12 \(80\.0%\), 14 \(20\.0%\)/);
});

test("with callees first, a caller's line is the one that the callee was called from", async () => {
  const page = await show(PROFILE, { open: { hash: "callees=true" } });
  await clickFrame(page, "read");
  assert.match(await tooltipOf(page, "main"), /file\s*main\.c:12/);
  assert.match(await tooltipOf(page, "parse"), /file\s*parse\.c:7/);
});

test("callers and callees have the lines of their calls", async () => {
  const page = await show(PROFILE, { open: { hash: "view=sandwich&of=parse" } });
  assert.match(await tooltipOf(page, "parse"), /lines\s*7 \(78\.9%\), 9 \(21\.1%\)/);
  assert.match(await tooltipOf(page, "main"), /lines\s*10 \(63\.2%\), 12 \(36\.8%\)/);
  assert.match(await tooltipOf(page, "read"), /file\s*io\.c:3/);
});

test("more lines than anybody wants to read are counted", async () => {
  const page = await show(pprof(Array.from({ length: 20 }, (_, i) => [`main@main.c:${i + 1}`, 100 - i])));
  assert.match(await tooltipOf(page, "main"), /lines\s*1 \(.*\), 2 \(.*\), 3 \(.*\), 4 \(.*\) and 16 more/);
});
