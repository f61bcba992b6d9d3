// SPDX-License-Identifier: Apache-2.0

// Truth: all that workers of a cluster do is `hot`; the primary does nothing. All want the same port for their inspectors.
//
//   node cluster.js SECONDS WORKERS PORT
//
// WORKLOAD_READY names a file that appears when all workers work. SIGTERM ends them all.
'use strict';
const cluster = require('cluster');
const fs = require('fs');

function hot(n) {
  let x = 1;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

function turn() {
  hot(1e6);
  setTimeout(turn, 2);
}

// Workers end when their primary has gone.
function end() {
  process.exit(0);
}

if (cluster.isPrimary || cluster.isMaster) {
  (cluster.setupPrimary || cluster.setupMaster)({ inspectPort: Number(process.argv[4]) });
  let online = 0;
  cluster.on('online', () => {
    if (++online === Number(process.argv[3]) && process.env.WORKLOAD_READY) fs.writeFileSync(process.env.WORKLOAD_READY, '');
  });
  for (let i = 0; i < Number(process.argv[3]); i++) cluster.fork();
  process.on('SIGTERM', end);
  setTimeout(end, 1000 * Number(process.argv[2]));
} else {
  process.on('disconnect', () => process.exit(0));
  turn();
}
