// Remarks on a text that is revised stand beside their words; on a narrow window they stay above the text.

import { $, $$ } from "./console.js";
import { host, inTables, view } from "./write.js";

const main = $("#main");
const isPhone = matchMedia("(max-width: 46rem)");
const isWide = matchMedia("(min-width: 75.01rem)");

/** Where the words of a thread begin and end in the text; no words where they are not found, or at several places. */
function placeOf({ dataset }, text) {
  const { exact, prefix = "" } = JSON.parse(dataset.quote ?? '{"exact":""}');
  const at = text.indexOf(prefix + exact);
  const from = at < 0 ? Math.max(0, text.indexOf(exact)) : at + prefix.length;
  return [from, at < 0 && from !== text.lastIndexOf(exact) ? from : from + exact.length];
}

/** Marks the words of the threads in what is drawn of the text. */
function mark() {
  if (!("highlights" in CSS)) return;
  const marks = { must: new Highlight(), thread: new Highlight() };
  const threads = $$("#remarks > .thread");
  const text = threads.length ? view.state.doc.toString() : ""; // this runs for each letter that is typed
  const inTable = inTables(view);
  for (const thread of threads) {
    const [from, to] = placeOf(thread, text).map((place) => inTable(place) ?? view.domAtPos(place));
    const range = new Range();
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    (marks[thread.dataset.level] ?? marks.thread).add(range);
  }
  for (const [name, found] of Object.entries(marks)) CSS.highlights.set(name, found);
}

/** The height at which a place is on the screen; an estimate for a part of a long text that is not drawn. */
function heightOf(place) {
  const { from, length, top, height } = view.lineBlockAt(place);
  return inTables(view)(place)?.node.parentElement.getBoundingClientRect().top ?? view.coordsAtPos(place)?.top ?? view.documentTop + top + (height * (place - from)) / Math.max(1, length);
}

/** Puts each thread at the height of its words, or directly below the one before it. */
function arrange() {
  mark();
  const threads = $$("#remarks > .thread");
  main.toggleAttribute("data-revised", isWide.matches && threads.length > 0);
  for (const element of [$("#remarks"), ...threads]) element.removeAttribute("style");
  if (!main.hasAttribute("data-revised")) return;
  const top = host.getBoundingClientRect().top;
  $("#remarks").style.top = `${top - main.getBoundingClientRect().top}px`;
  const text = view.state.doc.toString();
  const places = new Map(threads.map((thread) => [thread, placeOf(thread, text)[0]]));
  const inOrder = threads.toSorted((one, other) => places.get(one) - places.get(other));
  if (inOrder.some((thread, number) => thread !== threads[number])) {
    const focused = document.activeElement;
    $("#remarks").append(...inOrder);
    focused.focus({ preventScroll: true });
  }
  for (const thread of inOrder) {
    const place = places.get(thread);
    const more = heightOf(place) - thread.getBoundingClientRect().top;
    if (more > 0) thread.style.marginTop = `${more}px`;
  }
}

// The text comes first, unless the remarks are why it was not submitted, or have an answer that is not sent.
const isFirst = !$("#toasts > [data-ok=false], #remarks textarea:not(:placeholder-shown)");
if (isPhone.matches && isFirst) $(".beside:has(#remarks)").open = false;
new ResizeObserver(arrange).observe(host);
new MutationObserver(mark).observe(view.contentDOM, { childList: true, characterData: true, subtree: true });
document.addEventListener("htmx:afterSettle", arrange);
arrange();
