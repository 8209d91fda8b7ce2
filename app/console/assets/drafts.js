// What somebody typed into a form and did not save: the browser stores it, and the form has it again when it is opened.
// Each tab stores its own; that of a tab which was closed is in the form of the next that is opened.
// Answers, notes and other single fields are stored one by one, for *Read* and *Write* together.

import { $, $$, localTimes } from "./console.js";

const PREFIX = "unsaved ";
const LIFE = 30 * 24 * 60 * 60 * 1000;
const PAUSE = 400;
const LOCK_PAUSE = 300;

const page = `${PREFIX}${document.body.dataset.token} ${location.pathname}${location.search}`;
const form = () => $("form[data-draft]");
const stored = () => Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
let timer = 0;
const key = form() ? await keyOfTab() : page;

/** Where this tab stores what the form has; it holds a lock of that name while it shows the page. */
async function keyOfTab() {
  const named = () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const keyOf = (tab) => {
    sessionStorage.setItem("tab", tab);
    return `${page} tab ${tab}`;
  };
  const own = keyOf(sessionStorage.getItem("tab") ?? named());
  if (await locks(own)) return own;
  const other = keyOf(named()); // the tab was duplicated
  await locks(other);
  return other;
}

/** Returns whether a lock is there for this page, which keeps it; the page before in the same tab may be about to end. */
function locks(name) {
  if (!navigator.locks) return true; // a page over http
  return new Promise((resolve) => {
    const keep = () => {
      resolve(true);
      return new Promise(() => {});
    };
    navigator.locks.request(name, { signal: AbortSignal.timeout(LOCK_PAUSE) }, keep).catch(() => resolve(false));
  });
}

/** Takes over the last of what tabs stored that do not show this page any more. */
async function takeOver() {
  const open = new Set((await navigator.locks?.query())?.held.map(({ name }) => name));
  const left = stored().filter((name) => (name === page || name.startsWith(`${page} tab `)) && !open.has(name));
  const [last] = left.sort((one, other) => JSON.parse(localStorage.getItem(other)).at - JSON.parse(localStorage.getItem(one)).at);
  if (!last) return;
  localStorage.setItem(key, localStorage.getItem(last));
  localStorage.removeItem(last);
}

/** The fields of a form without its CSRF token and its idempotency key, which are of one page. */
const fieldsOf = (form) => [...form.elements].filter(
  ({ name, type }) => name && !name.startsWith("_") && !["submit", "file"].includes(type),
);

const isBox = (field) => field.type === "checkbox";
const nameOf = (field) => (isBox(field) ? `${field.name}=${field.value}` : field.name);
const valueOf = (field) => (isBox(field) ? field.checked : field.value);

function firstValue(field) {
  if (isBox(field)) return field.defaultChecked;
  if (!field.options) return field.defaultValue;
  return ([...field.options].find((one) => one.defaultSelected) ?? field.options[0])?.value;
}

/** Whether a form has what is not saved: what was typed since, or what a save was refused with. */
export const isUnsaved = (form) =>
  form.dataset.draft === "refused" || fieldsOf(form).some((field) => valueOf(field) !== firstValue(field));

/** Stores what this page's form has; removes what is stored of it once that is saved. */
export function store() {
  clearTimeout(timer);
  if (!form()) return;
  if (!isUnsaved(form())) return localStorage.removeItem(key);
  const fields = fieldsOf(form()).map((field) => [nameOf(field), valueOf(field)]);
  try {
    localStorage.setItem(key, JSON.stringify({ at: Date.now(), fields }));
  } catch {
    // The browser has no room for it.
  }
}

const FIELDS = `${PREFIX}${document.body.dataset.token} ${location.pathname.replace(/\/edit$/, "")} fields`;
const single = () => $$("#main form[method=post]:not([data-draft], .composer) textarea[id]");
const storedFields = (name) => JSON.parse(localStorage.getItem(name) ?? '{"fields":{}}').fields;
const own = new Set(); // the fields that were typed in on this page, or restored

function storeFields(name = FIELDS, fields = storedFields(name)) {
  for (const id of name === FIELDS ? own : []) {
    const field = single().find((one) => one.id === id);
    if (field && field.value !== field.defaultValue) fields[id] = field.value;
    else delete fields[id]; // it was sent, or emptied
  }
  try {
    if (Object.keys(fields).length) localStorage.setItem(name, JSON.stringify({ at: Date.now(), fields }));
    else localStorage.removeItem(name);
  } catch {
    // The browser has no room for it.
  }
}

function restoreFields() {
  const fields = storedFields(FIELDS);
  for (const field of single().filter(({ id }) => id in fields)) {
    own.add(field.id);
    if (field.value === field.defaultValue) field.value = fields[field.id];
    const folded = field.closest("details");
    if (folded) folded.open = true;
  }
}

function storeAll() {
  store();
  storeFields();
}

/** Removes what is stored of this page's form, which has been saved or is given up. */
function forget() {
  clearTimeout(timer);
  removeEventListener("pagehide", storeAll);
  localStorage.removeItem(key);
}

function restore() {
  const { at, fields } = JSON.parse(localStorage.getItem(key) ?? '{"fields":[]}');
  const changed = fields
    .map(([name, value]) => [fieldsOf(form()).find((field) => nameOf(field) === name), value])
    .filter(([field, value]) => field && valueOf(field) !== value);
  if (changed.every(([field]) => field.type === "hidden")) return localStorage.removeItem(key); // it was saved after all
  for (const [field, value] of changed) field[isBox(field) ? "checked" : "value"] = value;
  const notice = $("#restored").content.cloneNode(true);
  $("time", notice).dateTime = new Date(at).toISOString();
  $("button", notice).addEventListener("click", () => {
    forget();
    form().reset();
    location.reload();
  });
  localTimes(notice);
  const shown = notice.firstElementChild;
  document.addEventListener("saved", () => shown.remove());
  $("#main").prepend(notice);
}

for (const name of stored()) {
  if (JSON.parse(localStorage.getItem(name)).at < Date.now() - LIFE) localStorage.removeItem(name);
}

// A form that was sent is saved if the next page says so, and refused if that page has it again.
const sent = sessionStorage.getItem("sent");
sessionStorage.removeItem("sent");
if (sent && $(":is(#main, #toasts) > .notice[data-ok=true], form[data-draft=refused]")) localStorage.removeItem(sent);
const { name: sentTo, ids } = JSON.parse(sessionStorage.getItem("sent fields") ?? "{}");
sessionStorage.removeItem("sent fields");
if (sentTo && $(":is(#main, #toasts) > .notice[data-ok=true]")) {
  storeFields(sentTo, Object.fromEntries(Object.entries(storedFields(sentTo)).filter(([id]) => !ids.includes(id))));
}
restoreFields();

if (form()?.dataset.draft === "refused") store();
else if (form()) {
  if (!localStorage.getItem(key)) await takeOver();
  restore();
}

addEventListener("pagehide", storeAll);
document.addEventListener("input", ({ target }) => {
  if (single().includes(target)) own.add(target.id);
  else if (!target.closest("form[data-draft]")) return;
  clearTimeout(timer);
  timer = setTimeout(storeAll, PAUSE);
});
document.addEventListener("submit", ({ target, defaultPrevented }) => {
  const ids = single().filter(({ form }) => form === target).map(({ id }) => id);
  if (ids.length && !defaultPrevented) sessionStorage.setItem("sent fields", JSON.stringify({ name: FIELDS, ids }));
  if (target === form()) sessionStorage.setItem("sent", key);
  if ($("[data-signs-out]", target)) {
    forget();
    for (const name of stored()) localStorage.removeItem(name);
  }
});
