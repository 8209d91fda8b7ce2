// Writing: the textarea becomes an editor, the preview follows it, and nothing is lost by leaving unawares.

import { $, refresh, say, working } from "./console.js";
import { isUnsaved, store } from "./drafts.js";

const area = $("[data-editor]");
const form = area.form;
const { createEditor } = await import(area.dataset.editor);
const headers = { "X-CSRF-Token": $('meta[name="csrf-token"]').content, "HX-Request": "true" };
const words = $("[data-words]");
let timer = 0;
let asking = null;
let saving = false;
let sent = false;

function changed(text) {
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  const read = text.replace(/\]\([^)\s]*[^)]*\)/g, "]"); // as it is counted when it is saved: not the addresses of links
  const count = read.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*/gu)?.length ?? 0;
  words.textContent = `About ${count.toLocaleString("en")} words`;
  clearTimeout(timer);
  timer = setTimeout(preview, 350);
}

/** Saves the text and stays on the page, also where the service can't save it now; a save that is refused sends the form, whose page says why. */
async function save() {
  if (saving) return;
  if (!isUnsaved(form)) return say("All of it is saved.");
  saving = true;
  const text = area.value;
  const over = working();
  const response = await fetch(form.action, { method: "POST", headers, body: new FormData(form) }).catch(() => null);
  const result = await response?.json().catch(() => null);
  saving = false;
  over();
  if (!response || response.status === 429 || response.status >= 500) return say(whyNotSaved(response, result), false);
  if (!response.ok || !result) return form.requestSubmit();
  form.elements.baseVersion.value = result.version;
  area.defaultValue = text;
  store();
  say(result.message);
  document.dispatchEvent(new Event("saved"));
  refresh();
  htmx.ajax("GET", form.action, { target: "#facts", select: "#facts", swap: "outerHTML" });
}

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
  const html = await fetch(area.dataset.preview, options)
    .then((response) => (response.ok ? response.text() : null), () => null);
  if (html !== null) $("#preview").innerHTML = html;
}

const host = document.createElement("div");
host.className = "editor";
area.after(host);
area.hidden = true;
const label = area.labels[0];
const view = createEditor(host, area.value, { label: label.textContent, changed, save });
label.addEventListener("click", () => view.focus());
changed(area.value);
if (!isUnsaved(form)) clearTimeout(timer); // the page came with its preview

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault(); // the focus is not in the editor: a browser would save the page as a file
  save();
});
form.addEventListener("submit", () => { sent = true; });
addEventListener("beforeunload", (event) => {
  if (!sent && isUnsaved(form)) event.preventDefault();
});
