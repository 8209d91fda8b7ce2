// Says every few seconds that this page has a text open, and shows who else has.

import { $ } from "./console.js";

const SEEN = 10_000;
const HIDDEN = 60_000;
const line = $("#present");
const page = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}`;
let timer = 0;
let last = 0;

function fields(more = "") {
  const form = new FormData();
  form.set("_csrf", $('meta[name="csrf-token"]').content);
  form.set("page", page);
  if (more) form.set(more, "yes");
  return form;
}

/** Says that the text is open, and shows what is known then; nothing where that can't be learned. */
async function beat() {
  clearTimeout(timer);
  last = Date.now();
  const { hidden } = document;
  timer = setTimeout(beat, hidden ? HIDDEN : SEEN);
  const headers = { "HX-Request": "true" };
  const options = { method: "POST", headers, body: fields(hidden ? "hidden" : "") };
  const response = await fetch(line.dataset.open, options).catch(() => null);
  const text = response?.ok ? await response.text().catch(() => "") : "";
  if (line.textContent !== text) line.textContent = text;
  line.hidden = !text;
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  timer = setTimeout(beat, Math.max(0, last + SEEN - Date.now()));
});
addEventListener("pagehide", () => {
  clearTimeout(timer);
  navigator.sendBeacon(line.dataset.open, fields("left"));
});
addEventListener("pageshow", ({ persisted }) => { if (persisted) beat(); });
beat();
