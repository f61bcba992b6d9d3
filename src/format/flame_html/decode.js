// SPDX-License-Identifier: Apache-2.0
// The data of the page: see page_data.h for how it is laid out.

function decodeVarints(base64, count) {
  const bytes = atob(base64);
  const numbers = new Float64Array(count);
  for (let i = 0, at = 0; i < count; ++i) {
    let number = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes.charCodeAt(at++);
      number += (byte & 127) * scale;
      if (byte < 128) break;
    }
    numbers[i] = number;
  }
  return numbers;
}

function decodeSigned(base64, count) {
  const numbers = decodeVarints(base64, count);
  for (let i = 0; i < count; ++i) {
    // Arithmetic, not bits: values reach past 32 bits.
    const half = Math.floor(numbers[i] / 2);
    numbers[i] = numbers[i] - 2 * half === 1 ? -half - 1 : half;
  }
  return numbers;
}

// Characters that turn the direction of text around could make a name look like another one.
function withoutDirectionMarks(text) {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function decodeFunctions(data, strings) {
  const column = (name) => Uint32Array.from(decodeVarints(data[name], data.count));
  const columns = { count: data.count, strings };
  for (const name of ["name", "shortName", "file", "kind", "module", "package", "inlined"]) columns[name] = column(name);
  return columns;
}

// Parents and depths out of `shape`.
function decodeShape(base64, count) {
  const up = decodeVarints(base64, count - 1);
  const parent = new Int32Array(count).fill(-1);
  const depth = new Uint32Array(count);
  const path = [0];
  for (let i = 1; i < count; ++i) {
    path.length -= up[i - 1];
    parent[i] = path[path.length - 1];
    depth[i] = path.length;
    path.push(i);
  }
  return { parent, depth };
}

function decodeProfile(json) {
  const data = JSON.parse(json);
  const strings = data.strings.map(withoutDirectionMarks);
  const count = data.nodes.count;
  const fn = new Uint32Array(count);
  fn.set(decodeVarints(data.nodes.function, count - 1), 1);
  return {
    title: withoutDirectionMarks(data.title),
    column: data.column,
    inverted: data.inverted,
    valueTypes: data.valueTypes,
    samples: data.samples,
    timeMs: data.timeMs,
    durationNs: data.durationNs,
    losses: data.losses,
    provenance: data.provenance,
    comments: data.comments,
    functions: decodeFunctions(data.functions, strings),
    shape: { count, fn, ...decodeShape(data.nodes.shape, count) },
    selfColumns: data.nodes.self,
  };
}

function selfColumn(profile, column) {
  const base64 = profile.selfColumns[column];
  return base64 === undefined ? new Float64Array(profile.shape.count) : decodeSigned(base64, profile.shape.count);
}
