// SPDX-License-Identifier: Apache-2.0
// Writes small pprof files, so that tests can say what they mean: [["main;parse", 3], ["main;run", 5]].

function varint(number) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(number)); ; rest >>= 7n) {
    if (rest < 0x80n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

const number = (field, value) => [...varint(field << 3), ...varint(value)];
const bytes = (field, content) => Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(content.length)]), Buffer.from(content)]);

class Table {
  ids = new Map();
  id(key) {
    if (!this.ids.has(key)) this.ids.set(key, this.ids.size);
    return this.ids.get(key);
  }
}

// stacks: [frames from root to leaf (a list, or joined by ";"), value or values]. types: [["cpu", "nanoseconds"], …].
// losses: [[reason, count], …].
export function pprof(stacks, types = [["samples", "count"]], losses = []) {
  const strings = new Table();
  const functions = new Table();
  strings.id("");
  const parts = types.map(([type, unit]) => bytes(1, [...number(1, strings.id(type)), ...number(2, strings.id(unit))]));
  for (const [path, value] of stacks) {
    const names = Array.isArray(path) ? path : path.split(";");
    const locations = names.map((name) => functions.id(name) + 1).reverse();
    const values = Array.isArray(value) ? value : [value];
    parts.push(bytes(2, Buffer.concat([bytes(1, locations.flatMap(varint)), bytes(2, values.flatMap(varint))])));
  }
  for (const [name, index] of functions.ids) {
    const line = bytes(4, number(1, index + 1));
    parts.push(bytes(4, Buffer.concat([Buffer.from(number(1, index + 1)), line])));
    parts.push(bytes(5, [...number(1, index + 1), ...number(2, strings.id(name))]));
  }
  for (const [reason, count] of losses) parts.push(bytes(1002, [...number(1, strings.id(reason)), ...number(2, count)]));
  for (const text of strings.ids.keys()) parts.push(bytes(6, Buffer.from(text)));
  return Buffer.concat(parts);
}
