// SPDX-License-Identifier: Apache-2.0
// Makes a page of a profile and opens it in a browser that has no network. Whatever the page complains about is collected.
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const folder = mkdtempSync(join(tmpdir(), "atys-page-"));
let made = 0;

export function makeFlame(profile, extension = "html") {
  const stem = join(folder, String(made++));
  writeFileSync(`${stem}.pb`, profile);
  const out = `${stem}.${extension}`;
  execFileSync(process.env.ATYS, ["flame", `${stem}.pb`, "-o", out], { stdio: "ignore" });
  return out;
}

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-gpu"] });
}

export async function open(browser, file, options = {}) {
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
    if (request.url() !== `file://${file}`) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, troubles };
}

// The middle of the first frame with this name.
export async function centre(page, name) {
  const place = await page.evaluate((wanted) => window.atysFlame.placeOfFrame(wanted), name);
  return place && { x: place.x + place.width / 2, y: place.y + place.height / 2, width: place.width, row: place.row };
}

export async function clickFrame(page, name) {
  const { x, y } = await centre(page, name);
  await page.mouse.click(x, y);
}

export const statusOf = (page) => page.locator("#status").textContent();
export const crumbsOf = (page) => page.locator("#crumbs li").allTextContents();
