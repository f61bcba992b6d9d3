// SPDX-License-Identifier: Apache-2.0
// A busy target: rounds of work, and how much CPU time they took, in a file.
const fs = require("fs");

function rank(n) {
  const items = [];
  for (let i = 0; i < n; i++) items.push({ id: i, score: (i * 7919) % 1009 });
  return items.sort((a, b) => a.score - b.score)[0].id;
}

function encode(n) {
  return JSON.parse(JSON.stringify(Array.from({ length: n }, (_, i) => ({ i, name: "item" + i })))).length;
}

function serve() {
  return rank(1000) + encode(200);
}

const file = fs.openSync(process.argv[2], "w");
for (let rounds = 1; ; rounds++) {
  serve();
  if (rounds % 20) continue;
  const used = process.cpuUsage();
  fs.writeSync(file, `${rounds} ${(used.user + used.system) * 1000}\n`, 0);
}
