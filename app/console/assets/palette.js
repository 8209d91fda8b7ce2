// The palette: any piece, any page and any action on the piece at hand, by the beginning of a word.

import { $, $$ } from "./console.js";

const dialog = $("#palette");
const field = $("input", dialog);
const list = $("[role=listbox]", dialog);
const isMac = navigator.platform.startsWith("Mac");
let shown = 0;

/** What the page itself has: its tabs, which come first since they change nothing, what can be done with its piece, the navigation. */
function here() {
  const pages = (selector) => $$(selector).map((link) => [link.textContent.trim(), "Page", () => link.click()]);
  const buttons = $$(".actions .button").map((button) => [button.textContent.trim(), "Action", () => press(button)]);
  return [...pages(".tabs a:not([aria-current])"), ...pages(".crumbs > a:not([data-back])"), ...buttons, ...pages(".side nav a")];
}

/** Presses a button, or leads to its form where that asks for something first, or proposes it. */
function press(button) {
  const asks = button.form && $("textarea, input:not([type=hidden], [type=checkbox])", button.form);
  if (!asks || asks.value !== asks.defaultValue) return button.click();
  button.closest("details")?.setAttribute("open", "");
  asks.focus();
}

const begins = (text, sought) => ` ${text.toLowerCase()}`.includes(` ${sought}`);

async function show() {
  const number = ++shown;
  const sought = field.value.trim().toLowerCase();
  const response = await fetch(`${dialog.dataset.find}?texts=1&q=${encodeURIComponent(sought)}`).catch(() => null);
  const found = response?.ok ? await response.json() : [];
  if (number !== shown) return;
  const pieces = found.map(({ title, status, url, sentence }) => [title, status, () => location.assign(url), sentence]);
  const others = here().filter(([text]) => !sought || begins(text, sought));
  list.replaceChildren(...[...(sought ? pieces : []), ...others, ...(sought ? [] : pieces)].slice(0, 14).map(option));
  if (!list.children.length) list.textContent = "Nothing found. Words of texts are found whole.";
  choose(list.firstElementChild);
}

function option([text, kind, run, sentence], place) {
  const made = document.createElement("li");
  Object.assign(made, { id: `palette-${place}`, role: "option", textContent: text });
  made.append(Object.assign(document.createElement("span"), { className: "muted", textContent: kind }));
  if (sentence) made.insertAdjacentHTML("beforeend", `<p class="sentence">${sentence}</p>`);
  made.addEventListener("click", () => {
    dialog.close();
    run();
  });
  return made;
}

function choose(next) {
  for (const other of $$("[aria-selected]", list)) other.removeAttribute("aria-selected");
  next?.setAttribute("aria-selected", "true");
  next?.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", next?.id ?? "");
}

let timer = 0;
field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(show, 120);
});
field.addEventListener("keydown", (event) => {
  const now = $("[aria-selected]", list);
  if (event.key === "ArrowDown") choose(now?.nextElementSibling ?? list.firstElementChild);
  else if (event.key === "ArrowUp") choose(now?.previousElementSibling ?? list.lastElementChild);
  else if (event.key === "Enter") now?.click();
  else return;
  event.preventDefault();
});

function open() {
  field.value = "";
  dialog.showModal();
  show();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.key.toLowerCase() !== "k" || !(isMac ? event.metaKey : event.ctrlKey)) return;
  event.preventDefault();
  if (!$("dialog[open]")) open();
});
$("[data-opens-palette]")?.addEventListener("click", open);
