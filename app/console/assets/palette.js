// The palette: any piece, any page and any action on the piece at hand, by the beginning of a word; and finding pieces elsewhere.

import { $, $$ } from "./console.js";

const dialog = $("#palette");
const field = $("input", dialog);
const isMac = navigator.platform.startsWith("Mac");

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

/** Documents by their titles, or those changed last; with `texts` also by their words. */
export async function documents(sought, texts = "") {
  const response = await fetch(`${dialog.dataset.find}?${texts}q=${encodeURIComponent(sought)}`).catch(() => null);
  return response?.ok ? response.json() : [];
}

/** Lists below a field what `find` returns for its words, as `[text, kind, run, sentence]`: arrows and Enter choose, or a click.

The first is chosen where `isSought`: what is in the field is words, and no answer itself. */
export function combobox(field, list, find, none = "", isSought = () => true) {
  let [shown, timer, isOld] = [0, 0, false];
  Object.assign(list, { role: "listbox", ariaLabel: "Found" });
  Object.assign(field, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
  field.setAttribute("aria-controls", list.id);

  function choose(next) {
    for (const other of $$("[aria-selected]", list)) other.removeAttribute("aria-selected");
    next?.setAttribute("aria-selected", "true");
    next?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", next?.id ?? "");
  }

  function option([text, kind, run, sentence], place) {
    const made = document.createElement("li");
    Object.assign(made, { id: `${list.id}-${place}`, role: "option", textContent: text });
    made.append(Object.assign(document.createElement("span"), { className: "muted", textContent: kind }));
    if (sentence) made.insertAdjacentHTML("beforeend", `<p class="sentence">${sentence}</p>`);
    made.addEventListener("click", run);
    return made;
  }

  async function show() {
    clearTimeout(timer);
    const number = ++shown;
    const found = await find(field.value.trim());
    if (number !== shown) return;
    isOld = false;
    list.replaceChildren(...found.map(option));
    if (!found.length && isSought()) list.textContent = none;
    field.ariaExpanded = `${found.length > 0}`;
    choose(isSought() ? list.firstElementChild : null);
  }

  const chosen = () => $("[aria-selected]", list);
  field.addEventListener("input", () => {
    clearTimeout(timer);
    isOld = true;
    timer = setTimeout(show, 120);
  });
  field.addEventListener("keydown", (event) => {
    const ofForm = event.ctrlKey || event.metaKey || event.isComposing;
    if (event.key === "ArrowDown") choose(chosen()?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === "ArrowUp") choose(chosen()?.previousElementSibling ?? list.lastElementChild);
    else if (event.key !== "Enter" || ofForm || !(isSought() || chosen())) return;
    else if (isOld) show().then(() => chosen()?.click());
    else chosen()?.click();
    event.preventDefault();
  });
  return show;
}

const show = combobox(field, $("ul", dialog), async (words) => {
  const sought = words.toLowerCase();
  const found = await documents(sought, "texts=1&");
  const pieces = found.map(({ title, status, url, sentence }) => [title, status, () => location.assign(url), sentence]);
  const others = here().filter(([text]) => !sought || begins(text, sought));
  const all = [...(sought ? pieces : []), ...others, ...(sought ? [] : pieces)].slice(0, 14);
  return all.map(([text, kind, run, sentence]) => [text, kind, () => (dialog.close(), run()), sentence]);
}, "Nothing found. Words of texts are found whole.");

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
