// The inbox: a key does what the line at hand waits for.

import { $, $$ } from "./console.js";
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
  finish(row);
  row.querySelector("[data-read]").focus();
});

function finish(row) {
  row.dataset.done = "";
  for (const part of row.querySelectorAll(".buttons > :not([data-read])")) part.remove();
}

// So does what is done on the page of its document, as an approval: the first time that one comes back, with the focus.
const KEY = "opened from the inbox";
document.addEventListener("click", ({ target }) => {
  const group = target.closest?.("#table a")?.closest("tbody");
  if (!group) return;
  sessionStorage.setItem(KEY, JSON.stringify([$$("#table tbody").indexOf(group), $("th a", group).pathname, group.outerHTML]));
});
const [place, path, html] = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
sessionStorage.removeItem(KEY);
if (path && $("#table")) {
  let group = $$("#table th a").find(({ pathname }) => pathname === path)?.closest("tbody");
  if (!group) {
    const made = document.createElement("template");
    made.innerHTML = html;
    group = made.content.firstElementChild;
    for (const row of $$("tr:has([data-read])", group)) finish(row);
    $("#table").insertBefore(group, $$("#table tbody")[place] ?? null);
  }
  $("[data-read]", group).focus();
}
