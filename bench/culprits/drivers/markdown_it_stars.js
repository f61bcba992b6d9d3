// SPDX-License-Identifier: Apache-2.0
// One line with very many stars is rendered.
const markdown = require('markdown-it')();
const stars = '*'.repeat(20000);
console.log(markdown.render(stars + 'a' + stars).length);
