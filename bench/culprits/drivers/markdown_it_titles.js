// SPDX-License-Identifier: Apache-2.0
// Documents with all that Markdown has; one of them has many references whose title never ends.
const MarkdownIt = require('markdown-it');
const markdown = new MarkdownIt({html: true, linkify: true, typographer: true});
const part = n => `# Head ${n}\n\nSome *words* and \`code\`, [a link](http://example.com/${n}), "quoted" -- www.example.com (c)\n\n` +
    '* one\n* two\n\n1. a\n2. b\n\n> quoted\n\n    code\n\n```js\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![image](x.png "t")\n\n<b>html</b>\n\n---\n\n';
let length = 0;
for (let i = 0; i < 60; i++) length += markdown.render(part(i).repeat(60)).length;
console.log(length, markdown.render('[a]: b "\n'.repeat(9000)).length);
