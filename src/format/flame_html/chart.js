// SPDX-License-Identifier: Apache-2.0
// The lanes of chart_lanes.js on the screen: which frames of which rows are in the part of the time that is shown. Rows are laid out
// when they are drawn; the work depends on the pixels of the screen, however many samples there are. A closed lane shows the functions
// that the thread was in, an open one whole stacks.
//
// row(r) = { nodes, xs, ws, starts, ends } as in layout.js, or { heading, nodes: [code], … } for the line that names a lane.

const ROWS_OPEN = 80; // lanes are open, the largest first, as long as there are no more rows
const DEEPEST_LANE = 400;

class Chart {
  constructor(app) {
    this.lanes = makeLanes(app);
    this.tree = app.callTree;
    this.isMixed = this.lanes.some((lane) => lane.isMixed);
    this.start = Infinity;
    this.end = -Infinity;
    for (const lane of this.lanes) {
      this.start = Math.min(this.start, lane.starts[0]);
      this.end = Math.max(this.end, lane.ends[lane.ends.length - 1]);
    }
    if (this.lanes.length === 0) [this.start, this.end] = [0, 1];
    let rows = 0;
    this.lanes.forEach((lane, i) => {
      lane.isOpen = i === 0 || (i < 20 && rows + 1 + this.depthOf(lane) <= ROWS_OPEN);
      rows += this.rowsOf(lane);
    });
  }

  depthOf(lane) {
    return Math.min(laneLevels(lane, this.tree).length, DEEPEST_LANE);
  }

  rowsOf(lane) {
    return 1 + (lane.isOpen ? this.depthOf(lane) : 1);
  }
}

class ChartLayout {
  constructor(app, chart, range, pixels) {
    this.app = app;
    this.chart = chart;
    this.tree = chart.tree;
    this.from = range?.from ?? chart.start;
    this.to = range?.to ?? chart.end;
    this.pixels = pixels;
    this.scale = pixels / Math.max(this.to - this.from, 1e-9);
    this.firstRow = [0]; // of each lane
    for (const lane of chart.lanes) this.firstRow.push(this.firstRow[this.firstRow.length - 1] + chart.rowsOf(lane));
    this.rows = new Map();
  }

  get rowCount() {
    return this.firstRow[this.firstRow.length - 1];
  }

  get rootRow() {
    return 0;
  }

  row(r) {
    if (r < 0 || r >= this.rowCount) return undefined;
    if (!this.rows.has(r)) this.rows.set(r, this.makeRow(r));
    return this.rows.get(r);
  }

  laneAt(r) {
    let low = 0;
    for (let high = this.firstRow.length - 1; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (this.firstRow[middle] <= r) low = middle;
      else high = middle;
    }
    return low;
  }

  makeRow(r) {
    const number = this.laneAt(r);
    const lane = this.chart.lanes[number];
    const level = r - this.firstRow[number] - 1;
    if (level < 0) return { heading: this.headingOf(lane), nodes: [-1 - number], xs: [0], ws: [this.pixels] };
    return this.visible(lane.isOpen ? laneLevels(lane, this.tree)[level] : lane);
  }

  headingOf(lane) {
    return `${lane.isOpen ? "▾" : "▸"} ${lane.name}   ${valueText(lane.value, this.app.unit)}`;
  }

  // Of frames that share a pixel, the first is drawn.
  visible({ starts, ends, nodes }) {
    const row = { nodes: [], xs: [], ws: [], starts: [], ends: [] };
    for (let i = firstAfter(ends, this.from); i < starts.length && starts[i] < this.to; ) {
      const x = (starts[i] - this.from) * this.scale;
      const w = (ends[i] - starts[i]) * this.scale;
      row.nodes.push(nodes[i]);
      row.xs.push(x);
      row.ws.push(Math.max(w, 1));
      row.starts.push(starts[i]);
      row.ends.push(ends[i]);
      i = w >= 1 ? i + 1 : Math.max(i + 1, firstAfter(ends, this.from + (x + 1) / this.scale));
    }
    return row;
  }

  laneOf(code) {
    return this.chart.lanes[-code - 1];
  }

  leadOf(node) {
    return node;
  }

  // Up and down go to what encloses a frame, and to the first that it encloses; across the line that names a lane too.
  neighbour({ row, index }, key) {
    const here = this.row(row);
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const next = index + (key === "ArrowLeft" ? -1 : 1);
      return here.nodes[next] === undefined ? undefined : { row, index: next };
    }
    const target = key === "ArrowUp" ? row - 1 : row + 1;
    const there = this.row(target);
    if (!there || there.nodes.length === 0) return this.nextLane(row, key);
    const found = there.xs.findIndex((x, i) => x + there.ws[i] > here.xs[index] + 0.5 && x < here.xs[index] + here.ws[index] - 0.5);
    return found >= 0 ? { row: target, index: found } : this.nextLane(row, key);
  }

  nextLane(row, key) {
    const target = this.firstRow[this.laneAt(row) + (key === "ArrowUp" ? 0 : 1)];
    return target === undefined || target >= this.rowCount || target === row ? undefined : { row: target, index: 0 };
  }
}

// The first position whose number is greater, in rising numbers.
function firstAfter(numbers, limit) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
