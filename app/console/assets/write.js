// Writing: the textarea becomes an editor, the preview follows it, and nothing is lost by leaving unawares.

import { $ } from "./console.js";
import { isUnsaved } from "./drafts.js";

const area = $("[data-editor]");
const form = area.form;
const { createEditor } = await import(area.dataset.editor);
const words = $("[data-words]");
let timer = 0;
let asking = null;
let sent = false;

function changed(text) {
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  const count = text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu)?.length ?? 0;
  words.textContent = `About ${count.toLocaleString("en")} words`;
  clearTimeout(timer);
  timer = setTimeout(preview, 350);
}

async function preview() {
  const body = new FormData();
  body.set("markdown", area.value.slice(0, 250000));
  const headers = { "X-CSRF-Token": $('meta[name="csrf-token"]').content, "HX-Request": "true" };
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
createEditor(host, area.value, { label: label.textContent, changed, save: () => form.requestSubmit() });
label.addEventListener("click", () => $(".cm-content", host).focus());
changed(area.value);
clearTimeout(timer);

form.addEventListener("submit", () => { sent = true; });
addEventListener("beforeunload", (event) => {
  if (!sent && isUnsaved(form)) event.preventDefault();
});
