// The words of a cell that nobody writes in, as they will look.

import { parser } from "./language.js";

const ELEMENTS = { StrongEmphasis: "strong", Emphasis: "em", Strikethrough: "s", InlineCode: "code" };
const MARKS = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "LinkMark", "URL", "LinkTitle", "LinkLabel"]);

const sourceOf = (text) => text.replace(/\\\|/g, "|");

/** Adds words, which know where they are in the source. */
function add(parent, source, from, to) {
  if (from < to) parent.appendChild(document.createTextNode(source.slice(from, to))).from = from;
}

/** Where the words of a cell go on behind the beginning of its markdown. */
export function drawnAfter(cell, text) {
  const at = sourceOf(text).length;
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let found = { node: cell, offset: 0 };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.from <= at) found = { node, offset: Math.min(node.length, at - node.from) };
  }
  return found;
}

/** Shows the markdown of a cell in it. */
export function draw(cell, text) {
  const source = sourceOf(text);
  cell.replaceChildren();
  if (!source) return;
  const tree = parser.parse(source);
  const paragraph = tree.topNode.firstChild;
  if (paragraph?.name === "Paragraph" && paragraph.from === 0 && paragraph.to === source.length) children(cell, paragraph, source);
  else add(cell, source, 0, source.length);
}

function children(parent, node, source) {
  let at = node.from;
  for (let child = node.firstChild; child; child = child.nextSibling) {
    add(parent, source, at, child.from);
    at = child.to;
    one(parent, child, source);
  }
  add(parent, source, at, node.to);
}

function one(parent, node, source) {
  const text = source.slice(node.from, node.to);
  const make = (name) => parent.appendChild(document.createElement(name));
  if (node.name in ELEMENTS) children(make(ELEMENTS[node.name]), node, source);
  else if (node.name === "Link" && node.getChild("URL")) children(make("u"), node, source);
  else if (node.name === "Image" && node.getChild("URL")) {
    const [open, close] = node.getChildren("LinkMark");
    const image = make("img");
    image.alt = source.slice(open.to, close.from);
    image.referrerPolicy = "no-referrer";
    const url = node.getChild("URL");
    image.src = source.slice(url.from, url.to).replace(/^<|>$/g, "");
  } else if (node.name === "HTMLTag" && /^<br\s*\/?>$/i.test(text)) make("br");
  else if (node.name === "Escape") add(parent, source, node.from + 1, node.to);
  else if (node.name === "FootnoteReference") make("sup").textContent = text.slice(2, -1);
  else if (!MARKS.has(node.name)) add(parent, source, node.from, node.to);
}
