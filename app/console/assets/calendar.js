// The calendar: pieces are moved to another day by dragging, by the button on the piece, or by `m`, and a date.

import { $, dragging, opened, refresh, send } from "./console.js";

const dialog = $("#move-day");

const pieceOf = (node) => node.closest?.(".piece[draggable=true]");

async function move({ id, kind }, from, day, isUndo = false) {
  const undo = isUndo ? null : () => move({ id, kind }, day, from, true);
  await send(`${$("#calendar").dataset.moveTo}/${id}`, { kind, from, day }, undo);
  refresh();
}

const dayOf = (piece) => piece.closest(".day").dataset.day;

dragging(pieceOf, ".day", (piece, day) => {
  if (!day.contains(piece)) move(piece.dataset, dayOf(piece), day.dataset.day);
});

async function ask(piece) {
  $("[data-title]", dialog).textContent = $("a", piece).textContent;
  const before = ($("#move-to-day").value = dayOf(piece));
  if ((await opened(dialog)) === "move" && $("#move-to-day").value) await move(piece.dataset, before, $("#move-to-day").value);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-move]")) ask(pieceOf(event.target));
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || $("dialog[open]") || event.ctrlKey || event.metaKey) return;
  const piece = pieceOf(document.activeElement ?? document.body);
  if (event.key !== "m" || !piece) return;
  event.preventDefault();
  ask(piece);
});
