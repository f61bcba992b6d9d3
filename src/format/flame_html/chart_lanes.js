// SPDX-License-Identifier: Apache-2.0
// Samples in the order in which they were taken, a lane for each thread: what each was doing from when to when. A sample lasts as long
// as it stands for, if its value is a time, but never beyond the next one. Samples of one moment (captures that know the phases of a
// run, not each sample's time, have them) lie beside each other in the order of the flame graph, and that is said.

const TOLERATED_GAP = 0.5; // of a sample: clocks are not that even

// [{ name, value, starts, ends, nodes, isMixed }], the largest first. Times are in steps.
function makeLanes(app) {
  const { profile, selection } = app;
  const { rows, places } = profile;
  if (!rows.time) return [];
  const values = rowValues(rows, app.column);
  const mask = selection.contexts();
  const laneOf = new Map();
  for (let i = 0; i < rows.count; ++i) {
    if (mask[rows.context[i]] === 0 || rows.time[i] === 0 || values[i] === 0) continue;
    const key = laneKey(profile.facets, rows.context[i]);
    if (!laneOf.has(key)) laneOf.set(key, { name: laneName(profile.facets, rows.context[i]), value: 0, rows: [] });
    const lane = laneOf.get(key);
    lane.rows.push(i);
    lane.value += values[i];
  }
  const perStep = SECONDS[app.unit] === undefined ? 0 : (SECONDS[app.unit] * 1e9) / profile.timeStepNs;
  const nodeOf = (row) => (places.hasLines ? places.node[rows.place[row]] : rows.place[row]);
  return [...laneOf.values()].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).map((lane) => placeInTime(lane, rows.time, values, perStep, nodeOf));
}

const isOfLane = (facet) => facet.kind === "process" || facet.kind === "thread";

function laneKey(facets, context) {
  return facets.filter(isOfLane).map((facet) => facet.of[context]).join(" ");
}

function laneName(facets, context) {
  const named = facets.filter(isOfLane).map((facet) => facet.values[facet.of[context]]);
  return named.length === 0 ? "all threads" : [...new Set(named)].join(" · ");
}

function placeInTime(lane, times, values, perStep, nodeOf) {
  // Rows are sorted by context before time, and a lane may have several contexts.
  const order = lane.rows.sort((a, b) => times[a] - times[b] || nodeOf(a) - nodeOf(b));
  const usual = perStep > 0 ? 0 : usualGap(order, times);
  const placed = { name: lane.name, value: lane.value, starts: [], ends: [], nodes: [], isMixed: false };
  for (let i = 0; i < order.length; ) {
    let end = i;
    let sum = 0;
    for (; end < order.length && times[order[end]] === times[order[i]]; ++end) sum += Math.abs(values[order[end]]);
    const start = times[order[i]] - 1;
    const next = end < order.length ? times[order[end]] - 1 : Infinity;
    const wanted = perStep > 0 ? Math.max(sum * perStep, 1e-3) : usual;
    const length = next - start <= wanted * (1 + TOLERATED_GAP) ? next - start : wanted;
    placed.isMixed ||= end - i > 1;
    for (let at = start; i < end; ++i) {
      const part = (length * Math.abs(values[order[i]])) / sum;
      addSegment(placed, at, at + part, nodeOf(order[i]));
      at += part;
    }
  }
  return placed;
}

// What was being done before goes on.
function addSegment({ starts, ends, nodes }, start, end, node) {
  const last = nodes.length - 1;
  if (last >= 0 && nodes[last] === node && start - ends[last] < 1e-6) {
    ends[last] = end;
    return;
  }
  starts.push(start);
  ends.push(end);
  nodes.push(node);
}

function usualGap(order, times) {
  const gaps = [];
  for (let i = 1; i < order.length; ++i) if (times[order[i]] > times[order[i - 1]]) gaps.push(times[order[i]] - times[order[i - 1]]);
  gaps.sort((a, b) => a - b);
  return gaps.length === 0 ? 1 : gaps[gaps.length >> 1];
}

// levels[d]: { starts, ends, nodes } of the frames at depth d + 1. Calls that go on from one sample to the next are one.
function laneLevels(lane, tree) {
  if (lane.levels) return lane.levels;
  const levels = [];
  let last = 0;
  let lastEnd = -1;
  const close = (depth) => {
    for (let d = tree.depth[last] - 1; d >= depth; --d) levels[d].ends.push(lastEnd);
  };
  lane.nodes.forEach((node, i) => {
    const common = lane.starts[i] - lastEnd < 1e-6 ? tree.depth[commonAncestor(tree, last, node)] : 0;
    close(common);
    for (let at = node; tree.depth[at] > common; at = tree.parent[at]) {
      const level = (levels[tree.depth[at] - 1] ??= { starts: [], ends: [], nodes: [] });
      level.starts.push(lane.starts[i]);
      level.nodes.push(at);
    }
    last = node;
    lastEnd = lane.ends[i];
  });
  close(0);
  lane.levels = levels;
  return levels;
}

function commonAncestor(tree, a, b) {
  while (a !== b) {
    if (tree.depth[a] >= tree.depth[b]) a = tree.parent[a];
    else b = tree.parent[b];
  }
  return a;
}
