// The calendar: pieces are moved to another day by dragging, or by `m` and a date.

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
