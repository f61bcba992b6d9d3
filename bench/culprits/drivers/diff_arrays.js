// SPDX-License-Identifier: Apache-2.0
// Two long arrays that have little in common are compared.
const {diffArrays} = require('diff');
let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647);
const list = () => Array.from({length: 1300}, () => random() % 97);
console.log(diffArrays(list(), list()).length);
