// Footnotes in what is pasted: a mark and a note that lead to each other, as Word, Google Docs, LibreOffice, Pandoc, GitHub and Wikipedia write them.

const MARK = /^\W*(\d{1,4}|[a-z]{1,2}|[ivxlc]{1,7}|[*\u2020\u2021\u00a7]+)\W*$/i;
const BLOCKS = "p, li, div, dd";
const AROUND = "div, li, section, aside";
const SEPARATORS = "hr, br";
const SIGNS = "sup, .mw-cite-backlink, .MsoFootnoteReference, .MsoEndnoteReference";

/** Makes `<x-mark>` and, at the end, `<x-note>` of each pair, with a label that `isTaken` doesn't know yet. */
export function notesIn(body, isTaken) {
  const named = new Map();
  for (const one of body.querySelectorAll("[id], [name]")) {
    for (const name of [one.id, one.getAttribute("name")]) if (name && !named.has(name)) named.set(name, one);
  }
  const links = [...body.querySelectorAll('a[href*="#"]')];
  const targetOf = (link) => named.get(fragment(link));
  const found = new Map(); // the notes by what their marks lead to
  let number = 0;
  for (const link of links) {
    const target = targetOf(link);
    if (!target || target.contains(link) || !MARK.test(link.textContent)) continue;
    if (!found.has(target)) {
      const back = links.find((one) => isBetween(link, one) && target.contains(one) && targetOf(one)?.contains(link));
      if (!back) continue;
      do number += 1; while (isTaken(`${number}`));
      found.set(target, { label: `${number}`, back, marks: [] });
    }
    found.get(target).marks.push(link);
  }
  const notes = [...found.values()];
  const ends = notes.map(({ back }) => blockOf(back, notes));
  for (const [at, { label, marks }] of notes.entries()) {
    const block = ends[at];
    for (const mark of marks) outermost(mark).replaceWith(made(body, "x-mark", label));
    for (const one of block.querySelectorAll('a[href*="#"]')) if (MARK.test(one.textContent) || /^\W*$/.test(one.textContent)) outermost(one).remove();
    separated(block);
    const note = made(body, "x-note", label);
    note.append(...block.childNodes);
    trimmed(note);
    emptied(block);
    body.append(note);
  }
}

const fragment = (link) => decodeURIComponent(/#([^#]*)$/.exec(link.getAttribute("href"))[1].replace(/%(?![\da-f]{2})/gi, "%25"));
const isBetween = (first, second) => Boolean(first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING);

function made(body, name, label) {
  const element = body.ownerDocument.createElement(name);
  element.dataset.label = label;
  return element;
}

/** Returns the block of a note: what is around its link back, and around no other note and no mark. */
function blockOf(back, notes) {
  let block = back.closest(BLOCKS) ?? back.parentElement;
  const isOwn = (around) => notes.every((one) => (one.back === back || !around.contains(one.back)) && !one.marks.some((mark) => around.contains(mark)));
  while (block.parentElement?.matches(AROUND) && isOwn(block.parentElement)) block = block.parentElement;
  return block;
}

/** Returns an element with those around it that have nothing else in them. */
function outermost(element) {
  let outer = element;
  while (outer.parentElement?.matches(`span, font, b, strong, i, em, ${SIGNS}`) && outer.parentElement.textContent.trim() === outer.textContent.trim()) {
    outer = outer.parentElement;
  }
  return outer.closest(".mw-cite-backlink") ?? outer;
}

/** Removes the line before the first note, and a heading that only screen readers tell. */
function separated(block) {
  for (let one = block; one && !one.matches("body"); one = one.parentElement) {
    while (one.previousElementSibling?.matches(`${SEPARATORS}, .sr-only`)) one.previousElementSibling.remove();
    if (one.previousElementSibling) break;
  }
  for (const one of block.querySelectorAll("hr, :scope > br")) one.remove();
}

/** Removes the spaces between the sign of a note and its words. */
function trimmed(note) {
  const walker = note.ownerDocument.createTreeWalker(note, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    walker.currentNode.data = walker.currentNode.data.trimStart();
    if (walker.currentNode.data) break;
  }
}

/** Removes a block whose note was taken out, and what is around it and empty then. */
function emptied(block) {
  let one = block;
  const isEmpty = (around) => !around.textContent.trim() && !around.querySelector("img");
  while (!one.parentElement.matches("body") && isEmpty(one.parentElement)) one = one.parentElement;
  one.remove();
}
