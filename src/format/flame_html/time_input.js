// SPDX-License-Identifier: Apache-2.0
// Moving about in the view by time: drag to zoom, wheel with Ctrl to zoom, sideways to move; the keys w, a, s, d and + and -.

const DRAG_LEAST = 5; // pixels: less is a click
const NARROWEST_RANGE = 4; // steps of time on the whole screen

function shownRange(app) {
  return { from: app.layout.from, to: app.layout.to };
}

// `isStep`: the back button undoes it.
function setRangeWithin(app, from, to, isStep) {
  const { start, end } = app.model.chart;
  const length = Math.max(NARROWEST_RANGE, Math.min(to - from, end - start));
  const begin = Math.max(start, Math.min(from, end - length));
  app.setRange(length >= end - start ? null : { from: begin, to: begin + length }, isStep);
}

// `at`: the part of the screen, 0 to 1, that stays where it is.
function zoomTime(app, factor, at = 0.5) {
  const { from, to } = shownRange(app);
  const middle = from + (to - from) * at;
  setRangeWithin(app, middle - (middle - from) * factor, middle + (to - middle) * factor, false);
}

function moveTime(app, part) {
  const { from, to } = shownRange(app);
  setRangeWithin(app, from + (to - from) * part, to + (to - from) * part, false);
}

// A click: opens or closes a lane, or shows the time of a frame.
function zoomInTime(app, place, entry) {
  if (entry < 0) {
    const lane = app.layout.laneOf(entry);
    lane.isOpen = !lane.isOpen;
    app.relayout();
    return app.say(`${lane.name.slice(0, 200)}: ${lane.isOpen ? "open" : "closed"}`);
  }
  const { starts, ends } = app.layout.row(place.row);
  const [start, end] = [starts[place.index], ends[place.index]];
  setRangeWithin(app, start, end, true);
  return app.say(`${nameOf(app, entry).slice(0, 200)}: ${valueText(Math.round((end - start) * app.profile.timeStepNs), "nanoseconds")}`);
}

function onlyThisTime(app) {
  app.setDuring({ from: Math.floor(app.layout.from) + 1, to: Math.ceil(app.layout.to) + 1 });
}

function listenToTime(app) {
  const { canvas, scroller, brush } = app.ui;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (app.view === "time" && event.button === 0 && event.pointerType !== "touch") drag = { x: event.clientX, isMoved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.isMoved ||= Math.abs(event.clientX - drag.x) >= DRAG_LEAST;
    if (drag.isMoved) showBrush(app, drag.x, event.clientX);
  });
  window.addEventListener("pointerup", (event) => {
    if (drag?.isMoved) {
      const box = canvas.getBoundingClientRect();
      const at = (x) => app.layout.from + (Math.max(0, Math.min(x - box.left, box.width)) / box.width) * (app.layout.to - app.layout.from);
      setRangeWithin(app, at(Math.min(drag.x, event.clientX)), at(Math.max(drag.x, event.clientX)), true);
      app.isDragged = true; // the click that follows is none
    }
    drag = null;
    brush.hidden = true;
  });
  scroller.addEventListener("wheel", (event) => {
    if (app.view !== "time") return;
    const box = canvas.getBoundingClientRect();
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) zoomTime(app, 1.002 ** event.deltaY, (event.clientX - box.left) / box.width);
    else if (sideways !== 0) moveTime(app, sideways / box.width);
    else return;
    event.preventDefault();
  }, { passive: false });
}

function showBrush(app, from, to) {
  const { brush, canvas } = app.ui;
  const box = canvas.getBoundingClientRect();
  const [left, right] = [Math.max(box.left, Math.min(from, to)), Math.min(box.right, Math.max(from, to))];
  brush.style.cssText = `left:${left}px;width:${right - left}px;top:${box.top}px;height:${box.height}px`;
  brush.hidden = false;
}

// Whether the key was one of the view's own.
function takeTimeKey(app, key) {
  if (app.view !== "time") return false;
  if (key === "+" || key === "=" || key === "w") zoomTime(app, 0.5);
  else if (key === "-" || key === "s") zoomTime(app, 2);
  else if (key === "a" || key === "d") moveTime(app, key === "a" ? -0.3 : 0.3);
  else return false;
  return true;
}
