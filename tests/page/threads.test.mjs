// SPDX-License-Identifier: Apache-2.0
// Choosing threads, processes and labels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, clickFrame, crumbsOf, hashOf, rowsOf, statusOf, withBrowser } from "./browser.mjs";
import { pprof } from "./pprof.mjs";

const of = (thread, process, more = {}) => ({ labels: { "thread.name": thread, "process.executable.name": process, ...more } });
const PROFILE = pprof([
  ["main;parse", 30, of("io", "web", { canary: "yes" })],
  ["main;run", 20, of("cpu", "web")],
  ["main;parse", 10, of("cpu", "web")],
  ["main;sort", 40, of("io", "batch")],
]);
const { show } = withBrowser();

const choose = async (page, facet, name) => {
  await page.locator("#facet-buttons button", { hasText: facet }).click();
  await page.getByRole("button", { name: `Only ${name}` }).click();
  await page.getByRole("button", { name: "Done" }).click();
};

test("there is a choice of processes, threads and labels with few values", async () => {
  const page = await show(PROFILE);
  assert.deepEqual(await page.locator("#facet-buttons button").allInnerTexts(), ["Processes: all 2 ▾", "Threads: all 2 ▾", "Canary: all 2 ▾"]);
});

test("where all samples are of one thread there is none", async () => {
  const page = await show(pprof([["main", 3, of("io", "web")], ["main;f", 3, of("io", "web")]]));
  assert.equal(await page.locator("#facet-buttons button").count(), 0);
});

test("graph, table, sandwich, facts and search follow the choice", async () => {
  const page = await show(PROFILE);
  await choose(page, "Threads", "cpu");
  assert.equal(await page.locator("#facet-buttons button", { hasText: "Threads" }).innerText(), "Threads: cpu ▾");
  assert.equal(await centre(page, "sort"), null);
  assert.match(await page.locator("#facts").textContent(), /samples30.*shown1 of 2 threads/);
  assert.deepEqual(await rowsOf(page), ["20 66.7% 20 66.7% run", "10 33.3% 10 33.3% parse", "0 0% 30 100% main"]);
  await page.locator("#search").fill("parse");
  await page.locator("#matched", { hasText: "33.3% matched" }).waitFor();
  await page.locator("#search").fill("");
  await page.locator("#rows tr", { hasText: "main" }).hover();
  await page.getByRole("button", { name: "Callers and callees of main" }).click();
  assert.match((await crumbsOf(page)).at(-1), /total 30 \(100%\)/);
});

test("choices of two kinds both hold, and can be taken back one by one", async () => {
  const page = await show(PROFILE);
  await choose(page, "Threads", "io");
  await choose(page, "Processes", "web");
  assert.match(await page.locator("#facts").textContent(), /samples30/);
  await page.locator("#facet-buttons button", { hasText: "Threads" }).click();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#facts").textContent(), /samples60/);
  assert.match(await hashOf(page), /^#only\.process=web$/);
});

test("boxes add and leave out single values, with the keyboard as well", async () => {
  const page = await show(PROFILE);
  await page.keyboard.press("t");
  await page.getByRole("checkbox", { name: /web/ }).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#facts").textContent(), /samples40/);
  assert.ok(await centre(page, "sort"));
  assert.equal(await centre(page, "run"), null);
});

test("leaving out everything is an empty graph, not an error", async () => {
  const page = await show(PROFILE);
  await page.keyboard.press("t");
  for (const name of [/web/, /batch/]) await page.getByRole("checkbox", { name }).uncheck();
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#facts").textContent(), /samples0/);
  assert.equal(await page.locator("#table-note").textContent(), "No function to show");
});

test("the zoomed frame stays zoomed", async () => {
  const page = await show(PROFILE);
  await clickFrame(page, "parse");
  await choose(page, "Threads", "cpu");
  assert.deepEqual(await crumbsOf(page), ["all", "main", "parse"]);
});

test("of a thousand threads some can be searched for and taken alone", async () => {
  const stacks = Array.from({ length: 1000 }, (_, i) => [`main;f${i}`, 1 + (i === 7 ? 50 : 0), of(`worker-${i}`, "web")]);
  const page = await show(pprof(stacks));
  await page.keyboard.press("t");
  assert.ok((await page.locator("#facet-dialog li").count()) <= 300);
  assert.equal(await page.locator("#facet-dialog .label").first().innerText(), "worker-7");
  await page.locator("#facet-dialog input[type=search]").fill("worker-99");
  assert.equal(await page.locator("#facet-dialog li").count(), 11);
  await page.getByRole("button", { name: "Only those listed" }).click();
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#facts").textContent(), /samples11/);
  await page.reload();
  assert.match(await page.locator("#facts").textContent(), /samples11/);
});

test("hostile names of threads are text", async () => {
  const names = ["<img src=x onerror=alert(1)>", "\u202eevil", "a,b;c=d&e#f%41@!", "x".repeat(10_000)];
  const page = await show(pprof(names.map((name, i) => [`main;f${i}`, 10 - i, of(name, "web")])));
  await page.keyboard.press("t");
  const shown = await page.locator("#facet-dialog .label").allInnerTexts();
  assert.deepEqual(shown.slice(0, 3), [names[0], "\ufffdevil", names[2]]);
  assert.ok(shown[3].length < 300);
  assert.equal(await page.locator("img").count(), 0);
  await page.getByRole("button", { name: `Only ${names[2]}` }).click();
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#facts").textContent(), /samples8/);
  await page.reload();
  assert.match(await page.locator("#facts").textContent(), /samples8/);
  assert.match(await statusOf(page), /./);
});
