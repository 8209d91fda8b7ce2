// The calendar: pieces are moved to another day by dragging, or by `m` and a date.

import { $, $$, opened, refresh, send } from "./console.js";

const dialog = $("#move-day");
let dragged = null;

const pieceOf = (node) => node.closest?.(".piece[draggable=true]");

async function move(piece, day) {
  const view = $("#calendar").dataset.view;
  await send(`${$("#calendar").dataset.moveTo}/${piece.dataset.id}`, { kind: piece.dataset.kind, day, view });
  refresh();
}

document.addEventListener("dragstart", (event) => {
  dragged = pieceOf(event.target);
  if (!dragged) return;
  dragged.dataset.dragged = "";
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.dataset.id);
});
document.addEventListener("dragend", () => {
  delete dragged?.dataset.dragged;
  for (const day of $$(".day[data-over]")) delete day.dataset.over;
  dragged = null;
});
document.addEventListener("dragover", (event) => {
  const day = event.target.closest?.(".day");
  for (const other of $$(".day[data-over]")) if (other !== day) delete other.dataset.over;
  if (!dragged || !day) return;
  event.preventDefault();
  day.dataset.over = "";
});
document.addEventListener("drop", (event) => {
  const day = event.target.closest?.(".day");
  if (!dragged || !day) return;
  event.preventDefault();
  const piece = dragged;
  delete piece.dataset.dragged;
  if (!day.contains(piece)) move(piece, day.dataset.day);
});

document.addEventListener("keydown", async (event) => {
  if (event.target.closest("input, textarea, select") || $("dialog[open]") || event.ctrlKey || event.metaKey) return;
  const piece = pieceOf(document.activeElement ?? document.body);
  const step = $(`[data-step="${CSS.escape(event.key)}"]`);
  if (step) step.click();
  else if (event.key === "m" && piece) {
    event.preventDefault();
    $("[data-title]", dialog).textContent = $("a", piece).textContent;
    $("#move-to-day").value = piece.closest(".day").dataset.day;
    if ((await opened(dialog)) === "move" && $("#move-to-day").value) await move(piece, $("#move-to-day").value);
  }
});
