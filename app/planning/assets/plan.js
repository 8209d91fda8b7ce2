// Planning from a sheet: a file that is dropped on the field becomes its text; a choice about columns checks the sheet again.

import { $, say } from "./console.js";

const field = $("[data-drop]");

field?.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});

field?.addEventListener("drop", async (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  if (file.size > 2_000_000) return say("The file is too long for the console: use content-workflow plan.", false);
  field.value = await file.text();
  say(`${file.name} is in the field.`);
});

document.addEventListener("change", ({ target }) => {
  if (target.closest("[data-rechecks]")) target.form.requestSubmit($("[data-checks]"));
});

// What was changed is neither right nor wrong until it is checked, and the figures of the page are of before.
function mark({ target }) {
  const part = target.closest(".cells td, .names div");
  if (!part) return;
  const message = $(".wrong, .hint", part) ?? part.appendChild(document.createElement("p"));
  Object.assign(message, { className: "hint", textContent: "Not checked yet" });
  target.removeAttribute("aria-invalid");
  const row = target.closest("tr");
  if (row && !$("[aria-invalid]", row)) delete $("[data-ok]", row)?.dataset.ok;
  $("[data-checks]").dataset.kind = "main";
  const adds = $("[name=confirmed]");
  if (adds) Object.assign(adds, { disabled: true }).dataset.kind = "";
}
document.addEventListener("input", mark);
document.addEventListener("change", mark);
