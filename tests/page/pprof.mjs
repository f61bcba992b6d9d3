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

const SAMPLE_TIME = 1000; // our own field

// "parse@parser.c:12~10" → its parts; the last is where the function begins
function frameOf(text) {
  const [, name, file, line, start] = /^(.*?)(?:@([^@:]*)(?::(\d+)(?:~(\d+))?)?)?$/s.exec(text);
  return { name, file: file ?? "", line: Number(line ?? 0), start: Number(start ?? 0) };
}

// stacks: [frames from root to leaf (a list, or joined by ";"), value or values, { labels, time }]. A frame is a name, or in a text
// joined by ";" name@file:line, or name@file:line~start. Labels: { thread: "io" }. types: [["cpu", "nanoseconds"], …]. losses: [[reason, count], …].
export function pprof(stacks, types = [["samples", "count"]], losses = []) {
  const strings = new Table();
  const functions = new Table();
  const locations = new Table();
  strings.id("");
  const parts = types.map(([type, unit]) => bytes(1, [...number(1, strings.id(type)), ...number(2, strings.id(unit))]));
  for (const [path, value, { labels = {}, time = 0 } = {}] of stacks) {
    const frames = Array.isArray(path) ? path.map((name) => ({ name, file: "", line: 0, start: 0 })) : path.split(";").map(frameOf);
    const ids = frames.map((frame) => locations.id(JSON.stringify(frame)) + 1).reverse();
    const values = Array.isArray(value) ? value : [value];
    const sample = [bytes(1, ids.flatMap(varint)), bytes(2, values.flatMap(varint))];
    for (const [key, text] of Object.entries(labels)) sample.push(bytes(3, [...number(1, strings.id(key)), ...number(2, strings.id(text))]));
    if (time !== 0) sample.push(Buffer.from(number(SAMPLE_TIME, time)));
    parts.push(bytes(2, Buffer.concat(sample)));
  }
  for (const [key, index] of locations.ids) {
    const { name, file, line, start } = JSON.parse(key);
    const at = bytes(4, [...number(1, functions.id(JSON.stringify([name, file, start])) + 1), ...number(2, line)]);
    parts.push(bytes(4, Buffer.concat([Buffer.from(number(1, index + 1)), at])));
  }
  for (const [key, index] of functions.ids) {
    const [name, file, start] = JSON.parse(key);
    parts.push(bytes(5, [...number(1, index + 1), ...number(2, strings.id(name)), ...number(4, strings.id(file)), ...number(5, start)]));
  }
  for (const [reason, count] of losses) parts.push(bytes(1002, [...number(1, strings.id(reason)), ...number(2, count)]));
  for (const text of strings.ids.keys()) parts.push(bytes(6, Buffer.from(text)));
  return Buffer.concat(parts);
}
