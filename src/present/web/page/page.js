// SPDX-License-Identifier: Apache-2.0
// The token is in the part of the address that is never sent (#token=…), and stays in this tab.
"use strict";

const find = (id) => document.getElementById(id);
const hash = new URLSearchParams(location.hash.slice(1));
if (hash.has("token")) {
  sessionStorage.setItem("token", hash.get("token"));
  hash.delete("token");
  history.replaceState(null, "", "#" + hash.toString());
}

async function ask(path) {
  const token = sessionStorage.getItem("token");
  const response = await fetch(path, { headers: token ? { Authorization: "Bearer " + token } : {} });
  if (response.ok) return response;
  if (response.status === 401) throw new Error("The token is missing or wrong: open this page with #token=TOKEN at the end of its address.");
  const answer = await response.json().catch(() => ({}));
  const error = answer.error || { message: "status " + response.status };
  throw new Error(error.message + (error.hint ? "; " + error.hint : ""));
}

// What may be asked of a profile: the controller puts its list here. How the table is cut is said below.
const VIEW_FIELDS = [/* view_fields_as_json() */];
const asked = VIEW_FIELDS.filter((field) => !["form", "top", "max_tokens", "full_names"].includes(field.name));

function say(text) {
  find("message").textContent = text;
}

// Names are data from anywhere: they only ever become text.
function row(cells) {
  const line = document.createElement("tr");
  for (const cell of cells) {
    const place = line.appendChild(document.createElement("td"));
    if (typeof cell === "object") place.append(cell);
    else place.textContent = cell;
    if (typeof cell === "number" || /^[\d.]+%$/.test(cell)) place.className = "number";
  }
  return line;
}

function button(text, action) {
  const link = document.createElement("button");
  link.className = "link";
  link.textContent = text;
  link.addEventListener("click", action);
  return link;
}

async function showServices() {
  const { services } = await (await ask("api/v1/services")).json();
  find("services").tBodies[0].replaceChildren(...services.map((one) => row([
    button(one.service, () => choose(one)), one.kinds.join(", "), one.instances, one.windows,
    new Date(one.last_ns / 1e6).toISOString(),
  ])));
  if (services.length === 0) say("No profiles have arrived yet.");
  const wanted = services.find((one) => one.service === hash.get("service"));
  if (wanted) choose(wanted);
}

function choose(service) {
  find("chosen").hidden = false;
  find("service").value = service.service;
  find("kind").replaceChildren(...service.kinds.map((kind) => new Option(kind)));
  show();
}

// Several values of one field are lines.
function showFields() {
  for (const field of asked) {
    const label = find("view").appendChild(document.createElement("label"));
    label.textContent = field.name;
    label.title = field.text;
    const input = label.appendChild(document.createElement(field.repeated ? "textarea" : "input"));
    input.id = "view-" + field.name;
    input.placeholder = field.value;
    if (field.repeated) input.rows = 1;
    if (field.offered.length === 0) continue;
    const list = label.appendChild(document.createElement("datalist"));
    list.id = input.id + "-words";
    list.append(...field.offered.map((word) => new Option(word)));
    input.setAttribute("list", list.id);
  }
}

function view(fields) {
  const wanted = new URLSearchParams();
  for (const field of fields)
    for (const line of find("view-" + field.name).value.split("\n")) if (line) wanted.append(field.name, line);
  return "&" + wanted;
}

function parameters() {
  const wanted = new URLSearchParams({ service: find("service").value, kind: find("kind").value });
  for (const id of ["from", "to", "node", "version"]) if (find(id).value) wanted.set(id, find(id).value);
  return wanted;
}

let shown = 0;
async function show() {
  const turn = ++shown;
  say("");
  try {
    const wanted = parameters();
    const [top, flame] = await Promise.all([
      ask("api/v1/top?top=20&" + wanted + view(asked)),
      ask("api/v1/profile?to_format=html&" + wanted + view(asked.filter((field) => field.of_filter))),
    ]);
    const [summary, page] = [await top.json(), await flame.text()];
    if (turn !== shown) return;
    find("top").tBodies[0].replaceChildren(...summary.rows.map((one) => row([
      one.name, one.file ? one.file + (one.line ? ":" + one.line : "") : one.module || "",
      one.self_percent.toFixed(1) + "%", one.total_percent.toFixed(1) + "%",
    ])));
    find("flame").srcdoc = page;
  } catch (error) {
    if (turn !== shown) return;
    find("top").tBodies[0].replaceChildren();
    find("flame").srcdoc = "";
    say(error.message);
  }
}

find("range").addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
showFields();
showServices().catch((error) => say(error.message));
