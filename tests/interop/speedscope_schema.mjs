// SPDX-License-Identifier: Apache-2.0
// node speedscope_schema.mjs MODULES FILE: fails unless FILE is valid by the schema that speedscope publishes.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'

const [modules, file] = process.argv.slice(2)
const require = createRequire(path.resolve(modules, 'package.json'))
const Ajv = require('ajv').default

const schema = JSON.parse(fs.readFileSync(path.join(modules, 'speedscope/dist/release/file-format-schema.json'), 'utf8'))
const validate = new Ajv({ strict: false }).compile(schema)
if (!validate(JSON.parse(fs.readFileSync(file, 'utf8')))) {
  console.error(JSON.stringify(validate.errors.slice(0, 3)))
  process.exit(1)
}
