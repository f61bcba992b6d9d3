// SPDX-License-Identifier: Apache-2.0
//
// Truth: the 60/30/10 split of split.c in JavaScript: six of ten pieces of work are of sixty, three of thirty, one of ten. The
// loops are the same, so their iterations are the truth. It goes back to its event loop after some pieces, as a server does.
//
//   node split.js SECONDS [workers N]     (SIGTERM ends it early); N worker threads do the same beside the main thread
//   node split.js SECONDS server          serves HTTP on a port of its own, which it prints, and is its own client
'use strict';
const fs = require('fs');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

function sixty(n) {
  let x = 60;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

function thirty(n) {
  let x = 30;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

function ten(n) {
  let x = 10;
  for (let i = 0; i < n; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

const units = { sixty: 0, thirty: 0, ten: 0 };
let pieces = 0;
let kept = 0;
let dice = 42;

function roll(below) {
  dice = (Math.imul(dice, 1103515245) + 12345) >>> 0;
  return (dice >>> 8) % below;
}

// A call with several targets: V8 would inline one with a single target, and what it inlined before a profiler came shows as
// its caller.
const functions = [sixty, sixty, sixty, sixty, sixty, sixty, thirty, thirty, thirty, ten];

function work() {
  const piece = functions[roll(10)];
  const n = 10000 + roll(20000);
  kept ^= piece(n);
  units[piece.name] += n;
  pieces++;
}

function truth() {
  const text = JSON.stringify({ work: pieces, units }) + '\n';
  if (process.env.WORKLOAD_TRUTH) fs.writeFileSync(process.env.WORKLOAD_TRUTH, text);
  else fs.writeSync(1, text);
}

function run(end, done) {
  for (let i = 0; i < 20; i++) work();
  if (Date.now() < end) setImmediate(run, end, done);
  else done();
}

function serve(end) {
  const http = require('http');
  const server = http.createServer((request, response) => {
    for (let i = 0; i < 20; i++) work();
    response.end('done\n');
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    fs.writeSync(2, 'port ' + port + '\n');
    (function ask() {
      http.get({ port, host: '127.0.0.1', agent: false }, (answer) => {
        answer.resume();
        answer.on('end', () => (Date.now() < end ? setImmediate(ask) : server.close(truth)));
      });
    })();
  });
}

if (isMainThread) {
  const end = Date.now() + 1000 * (parseFloat(process.argv[2]) || 2);
  // For who measures its memory: what a collector would find does not count. The file is beside the truth.
  process.on('SIGUSR2', () => {
    if (global.gc) global.gc();
    if (process.env.WORKLOAD_TRUTH) fs.writeFileSync(require('path').dirname(process.env.WORKLOAD_TRUTH) + '/collected', '');
  });
  process.on('SIGTERM', () => {
    truth();
    process.exit(0);
  });
  if (process.argv[3] === 'workers') {
    for (let i = 0; i < Number(process.argv[4]); i++) new Worker(__filename, { workerData: { end } });
  }
  if (process.argv[3] === 'server') serve(end);
  else run(end, truth);
} else {
  run(workerData.end, () => parentPort.postMessage({ units, pieces }));
}
