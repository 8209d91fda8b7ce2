// The table: all rows of a page are selected at once, or several by `x`; what is selected is counted.

import { $, $$, say } from "./console.js";

const rows = () => $$("#table tbody [name=id]");
let last = null;

function count() {
  const all = $("[data-all]");
  const checked = rows().filter((row) => row.checked);
  const selected = checked.length;
  if (all) Object.assign(all, { hidden: false, checked: selected > 0, indeterminate: selected > 0 && selected < rows().length });
  if ($("[data-selected]")) $("[data-selected]").textContent = `${selected} selected`;
  const taken = checked.filter((row) => "taken" in row.dataset).length;
  const question = taken ? `${taken} of ${selected} have an assignee or are being drafted: offer them all the same?` : "";
  for (const offer of $$("[name=bulk][value=offer]")) offer.dataset.question = question;
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-all]")) for (const row of rows()) row.checked = event.target.checked;
  if (event.target.closest("#table")) count();
});

document.addEventListener("click", (event) => {
  if (!event.target.matches("#table [name=id]")) return;
  const [from, to] = [rows().indexOf(last), rows().indexOf(event.target)].sort((a, b) => a - b);
  if (event.shiftKey && from >= 0) for (const row of rows().slice(from, to)) row.checked = event.target.checked;
  last = event.target;
  count();
});

document.addEventListener("keydown", (event) => {
  if ($("dialog[open]") || event.ctrlKey || event.metaKey || event.target.closest("select, textarea, input:not([type=checkbox])")) return;
  const row = event.target.closest("#table tbody tr");
  if (event.key.toLowerCase() !== "x" || !row) return;
  $("[name=id]", row)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: event.shiftKey }));
});

// An action that sets something needs it: an empty field would clear it in all of them.
document.addEventListener("submit", (event) => {
  const field = event.submitter?.closest(".bulk-action")?.querySelector("select, input");
  if (!field || !(field.selectedOptions?.[0].disabled ?? !field.value)) return;
  event.preventDefault();
  field.focus();
  say("Choose what to set first.", false);
}, true);

document.addEventListener("htmx:afterSwap", count);
count();
