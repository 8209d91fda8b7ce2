// The words of a cell that nobody writes in, as they will look.

import { parser } from "./language.js";

const ELEMENTS = { StrongEmphasis: "strong", Emphasis: "em", Strikethrough: "s", InlineCode: "code" };
const MARKS = new Set(["EmphasisMark", "StrikethroughMark", "CodeMark", "LinkMark", "URL", "LinkTitle", "LinkLabel"]);

/** Shows the markdown of a cell in it. */
export function draw(cell, text) {
  const source = text.replace(/\\\|/g, "|");
  cell.replaceChildren();
  if (!source) return;
  const tree = parser.parse(source);
  const paragraph = tree.topNode.firstChild;
  if (paragraph?.name === "Paragraph" && paragraph.from === 0 && paragraph.to === source.length) children(cell, paragraph, source);
  else cell.append(source);
}

function children(parent, node, source) {
  let at = node.from;
  for (let child = node.firstChild; child; child = child.nextSibling) {
    parent.append(source.slice(at, child.from));
    at = child.to;
    one(parent, child, source);
  }
  parent.append(source.slice(at, node.to));
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
  else if (node.name === "Escape") parent.append(text.slice(1));
  else if (node.name === "FootnoteReference") make("sup").textContent = text.slice(2, -1);
  else if (!MARKS.has(node.name)) parent.append(text);
}
