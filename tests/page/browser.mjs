// SPDX-License-Identifier: Apache-2.0
// Makes a page of a profile and opens it in a browser that has no network. Whatever the page complains about is collected.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const folder = mkdtempSync(join(tmpdir(), "atys-page-"));
let made = 0;

// base: another profile to compare with; args: more of the command line.
export function makeFlame(profile, { extension = "html", base = null, args = [] } = {}) {
  const stem = join(folder, String(made++));
  writeFileSync(`${stem}.pb`, profile);
  if (base) writeFileSync(`${stem}-base.pb`, base);
  const out = `${stem}.${extension}`;
  execFileSync(process.env.ATYS, ["flame", ...(base ? ["--base", `${stem}-base.pb`] : []), `${stem}.pb`, ...args, "-o", out], { stdio: "ignore" });
  return out;
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: FLAGS });
}

export async function open(browser, file, { hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url().replace(/#.*/s, "") !== `file://${file}`) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}${hash === "" ? "" : `#${hash}`}`);
  return { page, troubles };
}

// For a file of tests: one browser, and after each test nothing that the page complained about.
export function withBrowser() {
  let browser;
  let opened = [];
  before(async () => (browser = await launch()));
  after(() => browser.close());
  afterEach(async () => {
    const pages = opened;
    opened = [];
    for (const { page, troubles } of pages) {
      assert.deepEqual(troubles, [], "the page complained, or asked for something");
      await page.context().close();
    }
  });
  const openFile = async (file, options) => {
    opened.push(await open(browser, file, options));
    return opened.at(-1).page;
  };
  return { openFile, show: (profile, options = {}) => openFile(makeFlame(profile, options), options.open) };
}

// The middle of the first frame with this name.
export async function centre(page, name) {
  const place = await page.evaluate((wanted) => window.atysFlame.placeOfFrame(wanted), name);
  return place && { x: place.x + place.width / 2, y: place.y + place.height / 2, width: place.width, row: place.row };
}

export async function clickFrame(page, name, options) {
  const { x, y } = await centre(page, name);
  await page.mouse.click(x, y, options);
}

export async function tooltipOf(page, name) {
  const { x, y } = await centre(page, name);
  await page.mouse.move(x, y);
  return page.locator("#tooltip").innerText();
}

export const statusOf = (page) => page.locator("#status").textContent();
export const crumbsOf = (page) => page.locator("#crumbs li").allTextContents();
export const rowsOf = async (page) => (await page.locator("#rows tr").allInnerTexts()).map((row) => row.split(/\s+/).join(" "));
export const hashOf = (page) => page.evaluate(() => window.location.hash);
