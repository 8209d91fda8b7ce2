// The calendar: pieces are moved to another day by dragging, by the button on the piece, or by `m`, and a date.

import { $, dragging, opened, refresh, send } from "./console.js";

const dialog = $("#move-day");

const pieceOf = (node) => node.closest?.(".piece[draggable=true]");

async function move(piece, day) {
  await send(`${$("#calendar").dataset.moveTo}/${piece.dataset.id}`, { kind: piece.dataset.kind, day });
  refresh();
}

dragging(pieceOf, ".day", (piece, day) => {
  if (!day.contains(piece)) move(piece, day.dataset.day);
});

async function ask(piece) {
  $("[data-title]", dialog).textContent = $("a", piece).textContent;
  $("#move-to-day").value = piece.closest(".day").dataset.day;
  if ((await opened(dialog)) === "move" && $("#move-to-day").value) await move(piece, $("#move-to-day").value);
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-move]")) ask(pieceOf(event.target));
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || $("dialog[open]") || event.ctrlKey || event.metaKey) return;
  const piece = pieceOf(document.activeElement ?? document.body);
  const step = $(`[data-step="${CSS.escape(event.key)}"]`);
  if (step) step.click();
  else if (event.key === "m" && piece) {
    event.preventDefault();
    ask(piece);
  }
});
