// Sources: keys that lead from one to the next and compare it, and marks on words of a text that stand in no excerpt.

import { $, $$ } from "./console.js";

const left = () => $$(".source-card[data-left]");
const here = () => document.activeElement?.closest?.(".source-card[data-left]") ?? left()[0];

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.key === "y") $("[data-verifies]", here() ?? document)?.click();
  if (event.key === "s" && left().length) {
    const all = left();
    const next = all[(all.indexOf(document.activeElement) + 1) % all.length];
    next.focus();
    next.scrollIntoView({ block: "start" });
  }
});
if (left().length && !location.hash) left()[0].focus({ preventScroll: true });

/** Marks words in the preview, wherever its elements divide them. */
function mark() {
  if (!("highlights" in CSS)) return;
  const nodes = [];
  const walker = document.createTreeWalker($(".prose") ?? document.createElement("p"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(".footnotes, .footnote-ref")) nodes.push(walker.currentNode);
  let text = "";
  const places = []; // of each character that is no space: its node, and where it is in it
  for (const node of nodes) {
    for (let at = 0; at < node.data.length; at += 1) {
      if (/[\s"'“”„‘’«»]/.test(node.data[at])) continue;
      text += node.data[at];
      places.push([node, at]);
    }
  }
  const wrong = new Highlight();
  for (const exact of JSON.parse($("#sources-of-text")?.dataset.wrong ?? "[]")) {
    const sought = exact.replace(/[\s"'“”„‘’«»]/g, "");
    for (let at = sought ? text.indexOf(sought) : -1; at >= 0; at = text.indexOf(sought, at + 1)) {
      const range = document.createRange();
      range.setStart(...places[at]);
      const [node, end] = places[at + sought.length - 1];
      range.setEnd(node, end + 1);
      if (!/^[\d.,]+$/.test(sought) || !/\d/.test(text[at - 1] ?? "") && !/\d/.test(text[at + sought.length] ?? "")) wrong.add(range);
    }
  }
  CSS.highlights.set("unsupported", wrong);
}
mark();
document.addEventListener("htmx:afterSettle", mark);
