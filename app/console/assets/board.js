// The board: cards are moved by dragging, by the button on the card, and by keys.

import { $, $$, dragging, instant, isMeant, opened, refresh, send } from "./console.js";

const ASKS = { scheduled: "publishAt", published: "publish" };
const LABELS = { note: "Request changes", publishAt: "Schedule", publish: "Publish now", unpublish: "Unpublish" };
const FREELY = ["idea", "planned", "drafting"]; // between these a document goes back and forth
const dialog = $("#move");

const cardOf = (node) => node.closest?.(".card");
const focused = () => cardOf(document.activeElement ?? document.body);

function asks(card, to) {
  if (to === "drafting" && ["review", "approved"].includes(card.dataset.status)) return "note";
  if (to === "drafting" && card.dataset.status === "published") return "unpublish";
  return ASKS[to];
}

/** Whether a scheduled card stays in its column, for another time. */
const isAgain = (card, to) => to === "scheduled" && card.dataset.status === to;

/** Whether a column can't be entered from a card's: what is past drafting goes back to drafting first. */
function isTooFarBack(card, to) {
  return !FREELY.includes(card.dataset.status) && FREELY.includes(to) && to !== "drafting";
}

function showAsked(card) {
  const to = $("input[name=to]:checked", dialog)?.value;
  for (const field of $$("[data-asks]", dialog)) {
    field.hidden = field.dataset.asks !== asks(card, to);
    for (const input of $$("textarea, [type=datetime-local]", field)) input.required = !field.hidden;
  }
  const button = $("[value=move]", dialog);
  button.textContent = isAgain(card, to) ? "Reschedule" : (LABELS[asks(card, to)] ?? "Move");
  button.dataset.kind = asks(card, to) === "unpublish" ? "danger" : "main";
}

/** Asks where to move a card, and for what that needs; `to` is chosen already where the card was dragged. */
async function ask(card, to = "") {
  $("[data-title]", dialog).textContent = $("h3", card).textContent;
  for (const choice of $$("input[name=to]", dialog)) {
    choice.checked = choice.value === (to || card.dataset.status);
    choice.closest("label").hidden = to ? choice.value !== to : isTooFarBack(card, choice.value);
  }
  if (dialog.dataset.unsent !== card.dataset.id) [$("#move-note").value, $("#move-at").value] = ["", card.dataset.at];
  dialog.dataset.unsent = card.dataset.id; // what is typed stays until the card is moved
  const offer = $("#move-offer");
  offer.closest("label").hidden = !card.dataset.offers;
  offer.checked = card.dataset.offers === "yes";
  showAsked(card);
  dialog.onchange = () => showAsked(card);
  const answer = opened(dialog);
  ((to && $("[data-asks]:not([hidden]) > :is(textarea, [type=datetime-local])", dialog)) || $("input[name=to]:checked", dialog)).focus();
  if ((await answer) !== "move") return;
  const chosen = $("input[name=to]:checked", dialog).value;
  if (chosen !== card.dataset.status || isAgain(card, chosen)) await move(card, chosen, $("#move-note").value, $("#move-at").value, offer.checked);
}

async function move(card, to, note = "", at = "", offers = false) {
  const fields = { from: card.dataset.status, to, baseVersion: card.dataset.version };
  if (asks(card, to) === "note") fields.note = note;
  if (asks(card, to) === "note" && offers) fields.offer = "yes";
  if (asks(card, to) === "publishAt") {
    if (!(await isMeant(at))) return;
    fields.publishAt = instant(at);
  }
  const action = isAgain(card, to) ? "reschedule" : "move";
  const url = `${location.pathname.replace(/board$/, "documents")}/${card.dataset.id}/${action}`;
  const goesBack = FREELY.includes(fields.from) && FREELY.includes(to);
  const undo = goesBack ? () => send(url, { from: to, to: fields.from }).then(refresh) : null;
  const done = await send(url, fields, undo);
  if (done) delete dialog.dataset.unsent;
  refresh();
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-move]")) ask(cardOf(event.target));
});

dragging(cardOf, ".column", (card, column) => {
  const to = column.dataset.status;
  if (to === card.dataset.status) return;
  if (asks(card, to)) ask(card, to);
  else move(card, to);
});

// Columns that are set aside are narrow, as empty ones are, and stay so in this browser.
const aside = new Set(JSON.parse(localStorage.getItem("aside") ?? "[]"));

function setAside() {
  for (const column of $$(".column")) {
    const isAside = aside.has(column.dataset.status);
    column.toggleAttribute("data-aside", isAside);
    $("[data-aside-toggle]", column)?.setAttribute("aria-expanded", !isAside);
  }
}

/** Shows what is looked for: what a search found, and on a phone the column where something waits. */
function showFirst() {
  const isPhone = matchMedia("(max-width: 46rem)").matches;
  const filled = $$(".column:has(.card)");
  const isSearch = new URLSearchParams(location.search).has("q");
  const first = (isPhone && !isSearch && filled.find((column) => "waits" in column.dataset)) || filled[0];
  if (first && (isPhone || isSearch)) $("#board").scrollLeft = first.offsetLeft - 8;
}

document.addEventListener("click", (event) => {
  const column = event.target.closest("[data-aside-toggle]")?.closest(".column");
  if (!column) return;
  const { status } = column.dataset;
  if (!aside.delete(status)) aside.add(status);
  localStorage.setItem("aside", JSON.stringify([...aside]));
  setAside();
});
document.addEventListener("htmx:afterSwap", setAside);
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (detail.requestConfig?.elt.matches(".filters")) showFirst();
});
setAside();
showFirst();

function neighbour(card, key) {
  const column = card.closest(".column");
  const cards = $$(".card", column);
  const place = cards.indexOf(card);
  if (key === "ArrowUp") return cards[place - 1];
  if (key === "ArrowDown") return cards[place + 1];
  const columns = $$(".column");
  const way = key === "ArrowRight" ? 1 : -1;
  for (let at = columns.indexOf(column) + way; columns[at]; at += way) {
    const beside = $$(".card", columns[at]);
    if (beside.length) return beside[Math.min(place, beside.length - 1)];
  }
  return null;
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || $("dialog[open]") || event.ctrlKey || event.metaKey) return;
  const card = focused();
  if (event.key.startsWith("Arrow")) {
    const next = card ? neighbour(card, event.key) : $(".card");
    if (!next) return;
    event.preventDefault();
    $("a", next).focus();
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  } else if (event.key === "m" && card && $("[data-move]", card)) {
    event.preventDefault();
    ask(card);
  }
});
