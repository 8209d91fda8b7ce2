// The inbox: a key does what the line at hand waits for.

import "./mentions.js";

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.key !== "x") return;
  if (event.target.closest?.("textarea, dialog")) return;
  const row = document.activeElement?.closest("#table tr");
  const act = row?.querySelector("[data-acts]");
  if (!act) return;
  event.preventDefault();
  act.click();
});

// What is done stays where it is, so that no other line comes under the mouse.
document.addEventListener("done", ({ target }) => {
  const row = target.closest("tr");
  row.dataset.done = "";
  for (const part of row.querySelectorAll(".buttons > :not([data-read])")) part.remove();
  row.querySelector("[data-read]").focus();
});
