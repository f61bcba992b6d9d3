// SPDX-License-Identifier: Apache-2.0
// A recommendation service. byId() copies the whole index for every product.
'use strict';
const http = require('http');

const products = Array.from({ length: 250 }, (_, i) => ({ id: `p${i}`, price: (i * 37) % 100 }));

function byId(list) {
  return list.reduce((index, product) => ({ ...index, [product.id]: product }), {});
}

function recommend(seed) {
  const index = byId(products);
  return Object.values(index).filter((product) => product.price > seed % 90).slice(0, 10);
}

http.createServer((request, response) => {
  const seed = Number(new URL(request.url, 'http://localhost').searchParams.get('seed')) || 7;
  response.end(JSON.stringify(recommend(seed)) + '\n');
}).listen(Number(process.argv[2]), '127.0.0.1');
