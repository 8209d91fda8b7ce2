// Planning from a sheet: a file that is dropped on the field becomes its text; a choice checks the sheet again.

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
