// SPDX-License-Identifier: Apache-2.0
// A server parses, prints, validates, executes and builds schemas; one query has very many fields of the same name.
const g = require('graphql');
const schema = g.buildSchema('type Query { a(x: Int): Query b: String c: [Query] } type Other { d: Int }');

function ordinary(number) {
  const document = g.parse(`query Q($v: Int) { a(x: $v) { b c { b a { b } } } x${number}: b }`);
  g.print(document);
  g.visit(document, {Field: () => undefined});
  g.validate(schema, document);
  g.executeSync({schema, document, rootValue: {a: {b: 'x', c: [{b: 'y'}]}, b: 'z'}, variableValues: {v: 1}});
  g.getOperationAST(document);
  g.printSchema(schema);
  g.introspectionFromSchema(schema);
  g.separateOperations(document);
  g.stripIgnoredCharacters('query {  a { b } }');
  g.findBreakingChanges(schema, schema);
}

for (let i = 0; i < 180; i++) ordinary(i);
const fields = Array.from({length: 240}, () => 'a(x: 1) { b }').join(' ');
const spreads = Array.from({length: 180}, (_, i) => `...F${i}`).join(' ');
const fragments = Array.from({length: 180}, (_, i) => `fragment F${i} on Query { a(x: 1) { b } }`).join('\n');
console.log(g.validate(schema, g.parse(`{ ${fields} ${spreads} } ${fragments}`)).length);
