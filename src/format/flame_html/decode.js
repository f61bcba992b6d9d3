// SPDX-License-Identifier: Apache-2.0
// The data of the page: see page_data.h for how it is laid out.

// Numbers of seven bits a byte, one after the other.
class Varints {
  constructor(base64) {
    this.bytes = atob(base64);
    this.at = 0;
  }

  next() {
    let number = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes.charCodeAt(this.at++);
      number += (byte & 127) * scale;
      if (byte < 128) return number;
    }
  }

  // Arithmetic, not bits: values reach past 32 bits.
  nextSigned() {
    return unzigzag(this.next());
  }
}

function unzigzag(number) {
  const half = Math.floor(number / 2);
  return number - 2 * half === 1 ? -half - 1 : half;
}

function decodeColumn(base64, count, into = new Uint32Array(count)) {
  const numbers = new Varints(base64);
  for (let i = 0; i < count; ++i) into[i] = numbers.next();
  return into;
}

// Characters that turn the direction of text around could make a name look like another one.
function withoutDirectionMarks(text) {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function decodeFunctions(data, strings) {
  const columns = { count: data.count, strings };
  for (const name of ["name", "shortName", "file", "kind", "module", "package", "inlined"]) columns[name] = decodeColumn(data[name], data.count);
  return columns;
}

// A name without what goes before it, or another text.
function shortName(functions, f) {
  const number = functions.shortName[f];
  return number % 2 === 1 ? functions.strings[functions.name[f]].slice((number - 1) / 2) : functions.strings[number / 2];
}

// Parents and depths out of `shape`.
function decodeShape(data) {
  const { count } = data;
  const up = new Varints(data.shape);
  const functions = new Varints(data.function);
  const fn = new Uint32Array(count);
  const parent = new Int32Array(count).fill(-1);
  const depth = new Uint32Array(count);
  const path = [0];
  for (let i = 1; i < count; ++i) {
    path.length -= up.next();
    fn[i] = functions.next();
    parent[i] = path[path.length - 1];
    depth[i] = path.length;
    path.push(i);
  }
  return { count, fn, parent, depth };
}

// start[n] .. start[n + 1) are the places of node n. Without lines each node is its own place.
function decodePlaces(data, shape) {
  const { count } = shape;
  if (!data) return { count, hasLines: false };
  const places = { count: data.count, hasLines: true, start: new Uint32Array(count + 1), node: new Uint32Array(data.count), parent: new Int32Array(data.count).fill(-1), line: new Uint32Array(data.count) };
  const [more, parents, lines] = [new Varints(data.more), new Varints(data.parent), new Varints(data.line)];
  const lastLine = new Map();
  for (let node = 0, place = 0; node < count; ++node) {
    const above = shape.parent[node];
    const hasChoice = above >= 0 && places.start[above + 1] - places.start[above] > 1;
    const end = place + 1 + more.next();
    places.start[node + 1] = end;
    for (; place < end; ++place) {
      places.node[place] = node;
      if (node === 0) continue;
      places.parent[place] = places.start[above] + (hasChoice ? parents.next() : 0);
      places.line[place] = (lastLine.get(shape.fn[node]) ?? 0) + lines.nextSigned();
      lastLine.set(shape.fn[node], places.line[place]);
    }
  }
  return places;
}

function decodeRows(data) {
  const rows = { count: data.count, context: new Uint32Array(data.count), place: new Uint32Array(data.count), time: data.time === undefined ? null : new Uint32Array(data.count), values: data.values };
  const [runs, places, times] = [new Varints(data.runs), new Varints(data.place), data.time === undefined ? null : new Varints(data.time)];
  for (let run = 0, i = 0, place = 0; run < data.runCount; ++run) {
    const context = runs.next();
    const end = i + runs.next();
    for (let time = 0; i < end; ++i) {
      rows.context[i] = context;
      rows.place[i] = place += places.nextSigned();
      if (times) rows.time[i] = time += times.next();
    }
  }
  return rows;
}

// The values of all rows in one column.
function rowValues(rows, column) {
  const values = new Float64Array(rows.count);
  if (rows.values[column] === undefined) return values;
  const numbers = new Varints(rows.values[column]);
  for (let i = 0, last = 0; i < rows.count; ++i) {
    const number = numbers.next();
    values[i] = last = number === 0 ? last : unzigzag(number - 1);
  }
  return values;
}

function decodeFacets(data) {
  const members = new Varints(data.contexts.members);
  const facets = data.facets.map((facet) => ({ ...facet, name: withoutDirectionMarks(facet.name), values: facet.values.map(withoutDirectionMarks), of: new Uint32Array(data.contexts.count) }));
  for (let context = 0; context < data.contexts.count; ++context) {
    for (const facet of facets) facet.of[context] = members.next();
  }
  return facets;
}

function decodeFacts(data) {
  const { samples, timeMs, durationNs, losses, provenance, comments } = data;
  return { samples, timeMs, durationNs, losses, provenance, comments, rows: decodeRows(data.rows) };
}

// Of each profile, what its functions are worth in all, also in frames that this page does not hold; null: it holds them all.
function decodeSums(data) {
  const signed = (base64) => Float64Array.from(decodeColumn(base64, data.functions.count, new Float64Array(data.functions.count)), unzigzag);
  return data.sums?.map(({ self, total }) => ({ self: signed(self), total: signed(total) })) ?? null;
}

function decodeProfile(json) {
  const data = JSON.parse(json);
  const shape = decodeShape(data.nodes);
  const { comparison } = data;
  return {
    ...decodeFacts(data),
    title: withoutDirectionMarks(data.title),
    column: data.column,
    inverted: data.inverted,
    valueTypes: data.valueTypes,
    functions: decodeFunctions(data.functions, data.strings.map(withoutDirectionMarks)),
    folded: data.nodes.folded,
    sums: decodeSums(data),
    shape,
    places: decodePlaces(data.places, shape),
    facets: decodeFacets(data),
    contextCount: data.contexts.count,
    timeStepNs: data.timeStepNs ?? 0,
    hasTimes: data.hasTimes,
    base: data.base ? decodeFacts(data.base) : null,
    comparison: comparison ? { ...comparison, baseName: withoutDirectionMarks(comparison.baseName), newName: withoutDirectionMarks(comparison.newName), significant: decodeColumn(comparison.significant, data.functions.count) } : null,
  };
}
