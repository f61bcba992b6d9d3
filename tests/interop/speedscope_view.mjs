// SPDX-License-Identifier: Apache-2.0
// node speedscope_view.mjs MODULES FILE: opens FILE in speedscope, in Chromium without a screen, and prints as JSON the page's
// title, the functions of its table in the order of their self weight, and the errors it reported.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [modules, file] = process.argv.slice(2)
const require = createRequire(path.resolve(modules, 'package.json'))
const { chromium } = require('playwright-core')

// How speedscope's own command hands over a local file: a script that calls it with the bytes.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'speedscope-'))
const script = path.join(folder, 'profile.js')
const bytes = fs.readFileSync(file).toString('base64')
fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ${JSON.stringify(bytes)})`)

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--allow-file-access-from-files'] })
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } })
  const errors = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  page.on('dialog', dialog => (errors.push(dialog.message()), dialog.dismiss()))
  const index = pathToFileURL(path.join(modules, 'speedscope/dist/release/index.html'))
  await page.goto(`${index}#view=sandwich&localProfilePath=${encodeURIComponent(script)}`)
  // Of several tables, the one with shares is the list of functions; another lists the profiles of the file.
  const list_functions = () => {
    const table = [...document.querySelectorAll('table')].find(each => each.innerText.includes('%'))
    return table && [...table.querySelectorAll('tr')].slice(0, 50).map(row => row.querySelector('td:last-child').innerText.trim())
  }
  const rows = await page
    .waitForFunction(list_functions, null, { timeout: 20000 })
    .then(found => found.jsonValue())
    .catch(error => (errors.push(String(error)), []))
  console.log(JSON.stringify({ title: await page.title(), rows, errors }))
} finally {
  await browser.close()
  fs.rmSync(folder, { recursive: true })
}
