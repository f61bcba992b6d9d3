// SPDX-License-Identifier: Apache-2.0
// Records are indexed by copying the whole index for each of them.
const fixed = process.argv[2] === 'fixed';

function indexById(rows) {
  if (fixed) return Object.fromEntries(rows.map(row => ['k' + row.id, row]));
  return rows.reduce((index, row) => ({...index, ['k' + row.id]: row}), {});
}

function makeRows(count) {
  return Array.from({length: count}, (_, i) => ({id: (i * 7919) % 100003, name: `name ${i}`, tags: [i % 3, i % 5]}));
}

function describe(rows) {
  return rows.map(row => JSON.stringify(row)).sort().join('\n').length;
}

let length = 0;
for (let turn = 0; turn < 20; turn++) length += describe(makeRows(20000));
console.log(length, Object.keys(indexById(makeRows(2600))).length);
