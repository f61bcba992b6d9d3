// SPDX-License-Identifier: Apache-2.0
// The head of the page: what this is a profile of, and what is missing from it.

function addFact(list, label, value) {
  const group = element("div");
  group.append(element("dt", "", label), element("dd", "", value));
  list.append(group);
}

function showFacts(app) {
  const { profile, compared } = app;
  document.getElementById("title").textContent = profile.title;
  const list = app.ui.facts;
  list.replaceChildren();
  if (compared) showBothFacts(app, list);
  else showOwnFacts(app, list);
  if (!app.selection.isEverything) addFact(list, "shown", choiceText(app).replace(/^; of /, ""));
  for (const { key, value } of profile.provenance.slice(0, compared ? 0 : 4)) addFact(list, key.slice(0, 40), value.slice(0, 80));
  list.title = profile.comments.join("\n").slice(0, 2000);
}

function showOwnFacts(app, list) {
  const { profile } = app;
  addFact(list, app.valueType.type || "value", valueText(app.callTree.total[0], app.unit));
  if (app.valueType.type !== "samples" || app.callTree.total[0] !== profile.samples) addFact(list, "samples", samplesText(profile));
  if (profile.durationNs > 0) addFact(list, "duration", valueText(profile.durationNs, "nanoseconds"));
  if (profile.timeMs > 0) addFact(list, "recorded", new Date(profile.timeMs).toISOString().replace("T", " ").replace(/\..*/, " UTC"));
}

function showBothFacts(app, list) {
  const { profile, compared, callTree } = app;
  const { base, fresh } = compared.names;
  if (profile.title !== `${base} → ${fresh}`) {
    addFact(list, "before", base);
    addFact(list, "after", fresh);
  }
  const ratio = callTree.baseTotal[0] === 0 ? "" : ` (${percentText(callTree.total[0] / callTree.baseTotal[0] - 1)})`;
  addFact(list, app.valueType.type || "value", `${valueText(callTree.baseTotal[0], app.unit)} → ${valueText(callTree.total[0], app.unit)}${ratio}`);
  addFact(list, "samples", `${samplesText(profile.base)} → ${samplesText(profile)}`);
  if (!compared.isChanceKnown) addFact(list, "chance", "cannot be told: how many samples there were is not known");
  if (profile.durationNs > 0 && profile.base.durationNs > 0) addFact(list, "duration", `${valueText(profile.base.durationNs, "nanoseconds")} → ${valueText(profile.durationNs, "nanoseconds")}`);
}

// Some formats do not say how many there were.
function samplesText(profile) {
  return profile.samples === null ? "not known" : profile.samples.toLocaleString("en-US");
}

function percentText(ratio) {
  return `${ratio > 0 ? "+" : ratio < 0 ? "−" : ""}${Math.abs(ratio * 100).toFixed(1)}%`;
}

// What happened and is not in the graph, and what is in it but cut short. Both are said, never hidden.
function showLosses(app) {
  const { profile } = app;
  const parts = [];
  if (profile.base) parts.push(...lossParts(profile.base.losses, "before: "), ...lossParts(profile.losses, "after: "));
  else parts.push(...lossParts(profile.losses, ""));
  if (profile.folded > 0) parts.push([`${profile.folded.toLocaleString("en-US")} small frames`, " are in “(other)”: this graph holds the largest, the table has every function whole"]);
  app.ui.losses.hidden = parts.length === 0;
  app.ui.losses.replaceChildren(...parts.flatMap(([strong, text], i) => [document.createTextNode(i > 0 ? "; " : ""), element("strong", "", strong), document.createTextNode(text)]));
}

function lossParts(losses, whose) {
  return [lossPart(losses.filter((loss) => !loss.isIn), whose, "lost", "and not in this graph"), lossPart(losses.filter((loss) => loss.isIn), whose, "not whole", "though in this graph")].filter((part) => part !== null);
}

function lossPart(losses, whose, verb, where) {
  if (losses.length === 0) return null;
  const all = losses.reduce((sum, loss) => sum + loss.count, 0);
  const reasons = losses.map((loss) => `${loss.reason} ${loss.count.toLocaleString("en-US")}`).join(", ");
  return [`${whose}${all.toLocaleString("en-US")} ${verb}`, ` ${where}: ${reasons}`];
}
