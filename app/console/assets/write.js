// Writing: the textarea becomes an editor with a toolbar, the preview follows it, and nothing is lost by leaving unawares.

import { $, $$, opened, refresh, say, send, sending, working } from "./console.js";
import { isUnsaved, store } from "./drafts.js";
import { combobox, documents } from "./palette.js";

const area = $("[data-editor]");
const form = area.form;
const headers = { "X-CSRF-Token": $('meta[name="csrf-token"]').content, "HX-Request": "true" };
const words = $("[data-words]");
let timer = 0;
let asking = null;
let saving = null;
let sent = false;

// Registered before the editor is loaded, as accepting saves the text first.
const loading = import(area.dataset.editor);
document.addEventListener("click", (event) => {
  const button = event.target.closest('#remarks [formaction$="/accept"]');
  if (!button) return;
  event.preventDefault();
  loading.then(() => sending(button.form, () => accept(button)), () => button.form.requestSubmit(button));
});
export const { createEditor, goTo, inTables, linkAt, run, showMarkdown, target } = await loading;

function changed(text) {
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  clearTimeout(timer);
  timer = setTimeout(preview, 350);
}

/** Saves the text and stays on the page; returns whether it was saved. While a save runs, there is no second one. */
function save() {
  saving ??= saveNow().finally(() => { saving = null; });
  return saving;
}

/** Saves the text, also where the service can't do it now; a save that is refused sends the form, whose page says why. */
async function saveNow() {
  const text = area.value;
  const over = working();
  const response = await fetch(form.action, { method: "POST", headers, body: new FormData(form) }).catch(() => null);
  const result = await response?.json().catch(() => null);
  over();
  if (!response || response.status === 429 || response.status >= 500) say(whyNotSaved(response, result), false);
  else if (!response.ok || !result) form.requestSubmit();
  else {
    isNow(text, result.version);
    if (form.elements.drafts?.checked) form.elements.drafts.closest(".ticks").remove(); // it is in Drafting now
    say(result.message);
    document.dispatchEvent(new Event("saved"));
    refresh();
    return true;
  }
  return false;
}

/** Notes which text is saved now, and as which version. */
function isNow(text, version) {
  form.elements.baseVersion.value = version;
  form.dataset.draft = "shown";
  area.defaultValue = text;
  for (const box of $$("[type=checkbox]", form)) box.defaultChecked = box.checked;
  store();
}

/** Accepts a suggestion: the text and an answer that are typed are sent before, and then the editor has the new words. */
async function accept(button) {
  const answer = button.form;
  await saving;
  if (isUnsaved(form) && !(await save())) return;
  if (answer.elements.text.value) {
    if (!(await send(answer.action, new FormData(answer)))) return;
    answer.reset();
  }
  if (!(await send(button.getAttribute("formaction"), { _key: answer.elements._key.value }))) return;
  const html = await fetch(location.pathname).then((response) => response.text(), () => "");
  const page = new DOMParser().parseFromString(html, "text/html");
  const accepted = $("[data-editor]", page)?.value;
  if (accepted === undefined || area.value !== area.defaultValue) return; // what was typed meanwhile stays: saving it merges both
  isNow(accepted, $("[name=baseVersion]", page).value);
  view.dispatch({ changes: difference(view.state.doc.toString(), accepted) });
}

/** The change that makes one text of another, so that the cursor stays where it is. */
function difference(old, text) {
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from += 1;
  let same = 0;
  while (same < most - from && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  return { from, to: old.length - same, insert: text.slice(from, text.length - same) };
}

// A check's place in the text that is saved, which may have changed since.
document.addEventListener("click", (event) => {
  const { line } = event.target.closest?.("[data-line]")?.dataset ?? {};
  if (!line) return;
  event.preventDefault();
  const before = area.defaultValue.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
  const { from, to, insert } = difference(area.defaultValue, area.value);
  goTo(view, before <= from ? before : Math.max(before - to, 0) + from + insert.length);
});

/** The service's own message says how long to wait, or what to report of a bug. */
function whyNotSaved(response, result) {
  const says = [429, 500].includes(response?.status) && result?.message;
  if (says) return `${says} The text is stored in this browser.`;
  return "The service can't save the text right now. It is stored in this browser: try again in a moment.";
}

async function preview() {
  const body = new FormData();
  body.set("markdown", area.value.slice(0, 250000));
  asking?.abort();
  const { signal } = (asking = new AbortController());
  const options = { method: "POST", headers, body, signal };
  const response = await fetch(area.dataset.preview, options).catch(() => null);
  const html = response?.ok ? await response.text().catch(() => null) : null;
  if (html === null) return;
  $("#preview").innerHTML = html;
  const count = response.headers.get("X-Words");
  words.textContent = count ? `${count} ${count === "1" ? "word" : "words"}` : "";
}

/** Tools that ask for an address; the others are the editor's. */
const TOOLS = {
  link: { title: "Link", words: "Words", asked: "Document or address", before: "[" },
  image: { title: "Picture", words: "What it shows, for those who don't see it", asked: "Address", before: "![" },
};

/** Uses a tool; a picture is one of the project's pictures, where there are some to choose from. */
function use(name) {
  const pictures = name === "image" && $('[data-picks="text"]');
  if (pictures) pictures.click();
  else if (!run(view, name)) insert(name);
}

const dialog = $("#address");
const { words: wordsOf, url: urlOf } = $("form", dialog).elements;
const ADDRESS = /^(https?:\/\/|mailto:|\/|#|\.\.?\/)[^\s<>]+$/i;
let known = ""; // an address that is not of this form, as the link at the cursor has it

/** An address as people write it, such as `www.a.example`, with what is missing at its beginning. */
function completed(text) {
  if (/^[^\s@/:<>]+@[^\s@/:<>]+\.[^\s@/:<>]+$/.test(text)) return `mailto:${text}`;
  return /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(:\d+)?([/?#][^\s<>]*)?$/u.test(text) ? `https://${text}` : text;
}

const isAddress = () => urlOf.value.trim() === known || ADDRESS.test(completed(urlOf.value.trim()));
const isTitle = () => dialog.dataset.asks === "link" && urlOf.value.trim() !== "" && !isAddress();

/** Documents to link to: by what is typed, or by the words that get the link. */
async function linkable(typed) {
  if (dialog.dataset.asks !== "link" || typed && (typed === known || ADDRESS.test(typed))) return []; // not those that are completed: `Node.js` is a title, too
  const found = await documents(typed || wordsOf.value);
  return found.filter(({ url }) => !location.pathname.startsWith(`${url}/`)).map(({ title, status, address }) => [title, status, () => {
    urlOf.value = known = address;
    wordsOf.value ||= title;
    check();
    $("[value=yes]", dialog).click();
  }]);
}

function check() {
  const isLink = dialog.dataset.asks === "link";
  const says = `${isLink ? "Choose a document, or type" : "Type"} an address that begins with https://, or with / for a page of the same site.`;
  urlOf.setCustomValidity(!urlOf.value || isAddress() ? "" : says);
}

const offer = combobox(urlOf, $("ul", dialog), linkable, "No document has this title. An address begins with https://, or with /.", isTitle);
urlOf.addEventListener("input", check);

/** Asks for an address and for the words that have it; returns their markdown, or nothing. */
export async function addressed(name, text = "", address = "") {
  const { title, words: label, asked, before } = TOOLS[name];
  dialog.dataset.asks = name;
  $("h2", dialog).textContent = title;
  wordsOf.labels[0].textContent = label;
  urlOf.labels[0].textContent = asked;
  [wordsOf.value, urlOf.value, known] = [text, address, address];
  check();
  offer();
  const answer = opened(dialog);
  (name === "link" || text ? urlOf : wordsOf).focus();
  if ((await answer) !== "yes") return "";
  const url = urlOf.value.trim() === known ? known : completed(urlOf.value.trim());
  const shown = wordsOf.value || (before === "[" ? url : "");
  return `${before}${shown.replace(/(?<!\\)[[\]]/g, "\\$&")}](${/[()]/.test(url) ? `<${url}>` : url})`;
}

/** Gives an address to the words that are selected, or changes the link at the cursor. */
async function insert(name) {
  const place = target(view);
  const own = linkAt(place.state);
  const { from, to } = own ?? place.state.selection.main;
  const selected = own ? place.state.sliceDoc(own.start, own.finish) : place.state.sliceDoc(from, to);
  const markdown = await (/^https?:\/\/\S+$/.test(selected) ? addressed(name, "", selected) : addressed(name, selected, own?.url));
  if (markdown) place.dispatch({ changes: { from, to, insert: markdown }, selection: { anchor: from + markdown.length } });
  place.focus();
}

/** Asks for a source and adds it; returns the mark that cites it, or nothing. */
async function addSource() {
  const dialog = $("#new-source");
  const asked = $("form", dialog);
  const answer = opened(dialog);
  asked.elements.title.focus();
  if ((await answer) !== "yes") return "";
  const body = new FormData(asked);
  const response = await fetch($("#citable").dataset.adds, { method: "POST", headers, body }).catch(() => null);
  const result = await response?.json().catch(() => null);
  if (!response?.ok) {
    say(result?.message ?? "The source can't be added right now: try again in a moment.", false);
    return "";
  }
  asked.reset();
  citable.push(result);
  say(result.message);
  return `[^s${result.number}]`;
}

/** Shows the text with the marks of markdown and a preview beside it, or as it will look: as this person chose last. */
const CHOICE = `markdown ${document.body.dataset.token}`;
const marksButton = $("[data-shows-markdown]");
function show(isMarkdown) {
  form.classList.toggle("with-preview", isMarkdown);
  marksButton.setAttribute("aria-pressed", isMarkdown);
}
marksButton.addEventListener("click", () => {
  const isMarkdown = marksButton.getAttribute("aria-pressed") === "false";
  localStorage.setItem(CHOICE, isMarkdown);
  showMarkdown(view, isMarkdown);
  show(isMarkdown);
  view.focus();
});

export const host = document.createElement("div");
host.className = "editor";
area.after(host);
const typedAt = document.activeElement === area ? area.selectionStart : null; // before the editor was loaded
area.hidden = true;
const label = area.labels[0];
const saveByKey = () => (isUnsaved(form) ? save() : say("All of it is saved."));
const citable = JSON.parse($("#citable")?.dataset.citable ?? "[]");
const cites = () => ($("#citable") ? [
  ...citable.map(({ number, title }) => ({ mark: `[^s${number}]`, title })),
  { title: "New source…", make: addSource },
] : []);
const isMarkdown = localStorage.getItem(CHOICE) === "true";
show(isMarkdown);
export const view = createEditor(host, area.value, {
  label: label.textContent,
  title: $("h1").textContent,
  changed,
  save: saveByKey,
  link: (isImage) => insert(isImage ? "image" : "link"),
  cites,
  ask: use,
  moved: (tools) => {
    for (const button of $$("[data-tool][aria-pressed]")) button.setAttribute("aria-pressed", tools.has(button.dataset.tool));
  },
  isMarkdown,
});
label.addEventListener("click", () => view.focus());
new ResizeObserver(([{ target }]) => host.style.setProperty("--tools", `${target.offsetHeight}px`)).observe($(".writing > .bar"));
if (typedAt !== null) {
  view.dispatch({ selection: { anchor: typedAt } });
  view.focus();
}
$(".tools").hidden = false;
$(".tools").addEventListener("mousedown", (event) => event.preventDefault()); // the cursor stays where it is
for (const button of $$("[data-tool]")) button.addEventListener("click", () => use(button.dataset.tool));
changed(area.value);
if (!isUnsaved(form)) clearTimeout(timer); // the page came with its preview

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault(); // the focus is not in the editor: a browser would save the page as a file
  saveByKey();
});
form.addEventListener("submit", () => { sent = true; });
addEventListener("beforeunload", (event) => {
  if (!sent && isUnsaved(form)) event.preventDefault();
});
