// Members' names, completed after an @ in a remark or an answer. Without the list the text is typed as it is.

import { $$ } from "./console.js";

const MOST = 6;
const BEFORE = /(^|[^\p{L}\p{N}\p{M}_.+-])@([\p{L}\p{N}\p{M}_.+' -]{0,40})$/u;
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const list = Object.assign(document.createElement("ul"), { className: "mentions", id: "mentions", hidden: true });
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Members");
let field = null;
let names = null;

/** What is typed after the last @ before the caret, null where there is none. */
function typed() {
  const found = BEFORE.exec(field.value.slice(0, field.selectionStart));
  return found && found[2];
}

function close() {
  list.hidden = true;
  field?.removeAttribute("aria-activedescendant");
}

async function show() {
  if (typed() === null) return close();
  names ??= fetch("/console/names").then((response) => (response.ok ? response.json() : [])).catch(() => []);
  const known = await names;
  const sought = field && typed();
  if (sought === null || sought === undefined) return close();
  const begins = (name) => ` ${folded(name)}`.includes(` ${folded(sought)}`);
  const found = known.filter((name) => begins(name) && name !== sought).slice(0, MOST);
  list.replaceChildren(...found.map(option));
  if (!found.length) return close();
  field.after(list);
  list.hidden = false;
  choose(list.firstElementChild);
}

function option(name, place) {
  const made = Object.assign(document.createElement("li"), { id: `mention-${place}`, textContent: name });
  made.setAttribute("role", "option");
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // the field keeps the focus
    complete(name);
  });
  return made;
}

function choose(next) {
  for (const other of $$("[aria-selected]", list)) other.removeAttribute("aria-selected");
  next?.setAttribute("aria-selected", "true");
  if (next) field.setAttribute("aria-activedescendant", next.id);
}

function complete(name) {
  const end = field.selectionStart;
  field.setRangeText(`${name} `, end - typed().length, end, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("input", (event) => {
  if (!event.target.matches?.("textarea[name=text]")) return;
  field = event.target;
  show();
});
document.addEventListener("focusout", close);
document.addEventListener(
  "keydown",
  (event) => {
    if (list.hidden || event.target !== field) return;
    const now = list.querySelector("[aria-selected]");
    if (event.key === "ArrowDown") choose(now?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === "ArrowUp") choose(now?.previousElementSibling ?? list.lastElementChild);
    else if (event.key === "Enter" || event.key === "Tab") complete(now.textContent);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);
