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

// A form that was opened has the cursor.
document.addEventListener("toggle", ({ target }) => target.open && target.querySelector("textarea")?.focus(), true);
