// What is pasted from a web page, Google Docs or Word, as markdown.

import { fromDom } from "hast-util-from-dom";
import { toMdast } from "hast-util-to-mdast";
import { gfmFootnoteToMarkdown } from "mdast-util-gfm-footnote";
import { gfmStrikethroughToMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableToMarkdown } from "mdast-util-gfm-table";
import { toMarkdown } from "mdast-util-to-markdown";

import { notesIn } from "./notes.js";

/** Marks that a style stands for, as Google Docs writes them, and the elements in which they say nothing new. */
const STYLES = {
  strong: { style: /(^|;)\s*font-weight:\s*(bold|[6-9]00)/i, within: "strong, b" },
  em: { style: /(^|;)\s*font-style:\s*italic/i, within: "em, i" },
  del: { style: /(^|;)\s*text-decoration[^;]*:[^;]*line-through/i, within: "del, s" },
};
const NOT_BOLD = /(^|;)\s*font-weight:\s*(normal|400)/i;
const WORD_LEVEL = /mso-list:\s*l\d+\s+level(\d+)/i;
const NUMBER = /^\(?(\d+|[a-z]+)[.)]/i;
const ADDRESS = /^\s*(https?:|mailto:|tel:)/i;
const HEADINGS = ":is(h1, h2, h3, h4, h5, h6)";
const IN_CELLS = ":is(td, th) :is(p, div, li, ul, ol, blockquote, pre, h1, h2, h3, h4, h5, h6)";
const UNSEEN = /(^|;)\s*(display:\s*none|mso-hide:\s*all)/i;
const GOOGLE = /^https:\/\/[a-z0-9-]+\.googleusercontent\.com\//i;
const MARKS = "strong, b, em, i, del, s, a";
const WORD = /\bmso-|class=["']?Mso|urn:schemas-microsoft-com/i;
/** What a reviewer wrote beside a text, and the signs of it in the text: Word, WPS, Google Docs. */
const COMMENTS = [
  '[data-style*="mso-element:comment"]', ".msocomtxt, .msocomoff, .MsoCommentText, .MsoCommentReference, .msocomanchor",
  'a[href*="#_msocom_"], a[name^="_msocom_"], [data-style*="mso-special-character:comment"]', 'sup:has(> a[href*="#cmnt"])',
  ":is(div, p):has(> a[id^=cmnt]:first-child)",
].join();
const DELETED = "del[cite], del[datetime], .msoDel";

const options = {
  bullet: "-",
  emphasis: "_",
  rule: "-",
  listItemIndent: "one",
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false }), gfmStrikethroughToMarkdown(), gfmFootnoteToMarkdown()],
};
const labelled = (type, { properties: { dataLabel } }) => ({ type, identifier: dataLabel, label: dataLabel });
const handlers = {
  u: (state, node) => state.all(node),
  "x-mark": (state, node) => labelled("footnoteReference", node),
  "x-note": (state, node) => ({ ...labelled("footnoteDefinition", node), children: state.toFlow(state.all(node)) }),
};
const nodeHandlers = { comment: () => undefined };

const styleOf = (element) => element.dataset.style ?? "";
const unwrap = (element) => element.replaceWith(...element.childNodes);

/** Returns formatted text as markdown, with its footnotes, and whether it begins and ends with something else than a paragraph; null for
plain text. `isTaken` says of a footnote's label whether the text has it already; a first block that is the `title` is left out. */
export function fromHtml(html, isTaken, title) {
  const { body } = new DOMParser().parseFromString(unstyled(html), "text/html");
  review(body, WORD.test(html));
  const { marks, lost } = picturesIn(body);
  notesIn(body, isTaken);
  clean(body);
  const tree = toMdast(fromDom(body), { handlers, nodeHandlers });
  tighten(tree);
  tree.children = tree.children.filter(({ type, children }) => type !== "paragraph" || !children.every((one) => one.type === "break"));
  const isNote = ({ type }) => type === "footnoteDefinition";
  const notes = withoutMarks(toMarkdown({ type: "root", children: tree.children.filter(isNote) }, options).trimEnd(), marks);
  const blocks = (tree.children = tree.children.filter((one) => !isNote(one)));
  if (blocks.length > 1 && title && wordsOf(blocks[0]).trim() === title) blocks.shift();
  const isPlain = ({ type, children }) =>
    type === "paragraph" ? children.every((one) => one.type === "text") : type === "code" && !body.querySelector("code");
  if (!blocks.length || (blocks.length === 1 && isPlain(blocks[0]))) return null;
  const [begins, ends] = [blocks[0], blocks.at(-1)].map(({ type }) => type !== "paragraph");
  const shown = withoutMarks(toMarkdown(tree, options).trimEnd(), marks);
  return { ...shown, begins, ends, notes: notes.markdown, lost: lost + notes.pictures.length };
}

/** The words of a part of the text, without its marks. */
const wordsOf = ({ value, children = [] }) => value ?? children.map(wordsOf).join("");

/** Accepts what was changed, and leaves out what reviewers wrote beside it. In Word a text that is crossed out is no `del`. */
function review(body, isWord) {
  for (const one of body.querySelectorAll(`${COMMENTS}, ${isWord ? "del" : DELETED}`)) one.remove();
  for (const one of body.querySelectorAll("ins")) unwrap(one);
}

/** Takes the marks of pictures out of a text; returns it with the pictures, each with its place, and whether a line is its own. */
function withoutMarks(markdown, marks) {
  const pictures = [];
  let text = "";
  for (const part of markdown.split(/(!\[\]\(#picture-\d+\))/)) {
    const mark = /^!\[\]\((#picture-\d+)\)$/.exec(part)?.[1];
    if (marks.has(mark)) pictures.push({ ...marks.get(mark), at: text.length });
    else text += part;
  }
  for (const one of pictures) one.alone = /(^|\n)$/.test(text.slice(0, one.at)) && /^(\n|$)/.test(text.slice(one.at));
  return { markdown: text, pictures };
}

/** Finds the pictures that are in the text itself, or at an address of Google Docs, and puts a mark in their place; counts those that can't be taken. */
function picturesIn(body) {
  const marks = new Map();
  let lost = 0;
  for (const one of body.querySelectorAll("img")) {
    const source = one.getAttribute("src") ?? "";
    const alt = (one.getAttribute("alt") ?? "").trim();
    if (GOOGLE.test(source) || /^data:image\/(png|jpe?g|webp|gif|avif);base64,[a-z0-9+\/=\s]+$/i.test(source)) {
      const mark = `#picture-${marks.size}`;
      for (const [name, value] of [["src", mark], ["alt", ""], ["title", ""]]) one.setAttribute(name, value);
      marks.set(mark, { source, alt });
    } else if (!/^https?:/i.test(source)) lost += 1;
  }
  return { marks, lost };
}

/** Moves styles to where the content security policy of the page does not complain of them. */
const unstyled = (html) => html
  .replace(/<style\b.*?<\/style\s*>/gis, "")
  .replace(/<[^>]+>/g, (tag) => tag.replace(/\sstyle\s*=/gi, " data-style="));

/** Leaves lines between the items of those lists alone in which an item has several paragraphs; breaks the lines of cells by html. */
function tighten(node, inCell = node.type === "tableCell") {
  for (const child of node.children ?? []) tighten(child, inCell || child.type === "tableCell");
  if (inCell && node.type === "break") Object.assign(node, { type: "html", value: "<br>" });
  if (node.type === "listItem") node.spread = node.children.filter(({ type }) => type !== "list").length > 1;
  if (node.type === "list") node.spread = node.children.some(({ spread }) => spread);
}

/** Leaves what markdown can say, as elements in the order that HTML has for them. */
function clean(body) {
  const all = (selector) => [...body.querySelectorAll(selector)];
  for (const one of all("img")) if (!/^(https?:|#picture-)/i.test(one.getAttribute("src") ?? "")) one.remove();
  for (const one of all("a")) {
    one.removeAttribute("title");
    if (!ADDRESS.test(one.getAttribute("href") ?? "")) unwrap(one);
  }
  for (const one of all("button, .EOP, [hidden]")) one.remove();
  for (const one of all("[data-style]")) if (UNSEEN.test(styleOf(one))) one.remove();
  for (const one of all("table")) if (isLayout(one)) one.replaceWith(...cellsOf(one).map((cell) => renamed(cell, "div")));
  for (const one of all("o\\:p")) unwrap(one);
  for (const one of all("p.MsoTitle")) one.replaceWith(renamed(one, "h1"));
  makeLists(all('[data-style*="mso-list:"]:is(p, h1, h2, h3, h4, h5, h6), .ListContainerWrapper'));
  for (const one of all("ul > ul, ul > ol, ol > ul, ol > ol")) one.previousElementSibling?.append(one);
  for (const one of all("b, strong")) if (NOT_BOLD.test(styleOf(one))) unwrap(one);
  for (const one of all("span, font")) {
    for (const [name, { style, within }] of Object.entries(STYLES)) {
      if (style.test(styleOf(one)) && !one.closest(within)) one.append(renamed(one, name));
    }
    unwrap(one);
  }
  for (const one of all("table:not(:has(th)) tr:first-child > td")) one.replaceWith(renamed(one, "th"));
  for (const one of all(`:is(${HEADINGS}, th) :is(b, strong)`)) unwrap(one);
  for (const one of all(`${HEADINGS} br`)) one.replaceWith(" ");
  body.normalize();
  for (const one of all(MARKS)) if (one.nodeName !== "A" && one.previousSibling?.nodeName === one.nodeName) join(one);
  for (const one of all(MARKS).reverse()) bare(one);
  for (const one of all(IN_CELLS)) {
    one.before(document.createElement("br"));
    one.after(document.createElement("br"));
    unwrap(one);
  }
  for (const one of all("td, th")) oneBreak(one);
  for (const one of all("p")) if (!one.textContent.trim() && !one.querySelector("img")) one.remove();
}

/** Leaves one line break between the words of a cell, and none at its ends. */
function oneBreak(cell) {
  const nodes = document.createNodeIterator(cell, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let [hasWords, last] = [false, null];
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (node.nodeName === "BR" && (last || !hasWords)) node.remove();
    else if (node.nodeName === "BR") last = node;
    else if (node.nodeName === "IMG" || node.data?.trim()) [hasWords, last] = [true, null];
  }
  last?.remove();
}

const cellsOf = (table) => [...table.rows].flatMap((row) => [...row.cells]);

/** Whether a table only places what is in it, as those of newsletters do. */
const isLayout = (table) => table.querySelector("table") !== null || cellsOf(table).length < 2;

function renamed(element, name) {
  const made = element.ownerDocument.createElement(name);
  made.append(...element.childNodes);
  return made;
}

function join(element) {
  element.previousSibling.append(...element.childNodes);
  element.remove();
}

/** Puts the spaces at the edges of a mark outside of it, where markdown demands them. */
function bare(element) {
  if (!element.textContent.trim() && !element.querySelector("img")) return unwrap(element);
  for (const [end, side, trimmed] of [["firstChild", "before", "trimStart"], ["lastChild", "after", "trimEnd"]]) {
    let node = element;
    while (node[end]) node = node[end];
    if (!node.data || node.data === node.data[trimmed]()) continue;
    node.data = node.data[trimmed]();
    element[side](" ");
  }
}

/** Makes lists of Word's paragraphs, each of which says its level in its style, or of the lists of one item of Word in a browser. */
function makeLists(items) {
  let lists = []; // in which the item before stands, the outermost first
  for (const item of items) {
    const own = item.querySelector("li");
    const level = Number(own?.dataset.ariaLevel ?? WORD_LEVEL.exec(styleOf(item))?.[1]);
    if (!level) continue;
    const sign = item.querySelector('[data-style*="mso-list:Ignore"]');
    const name = item.querySelector("ol") || NUMBER.test(sign?.textContent.trim() ?? "") ? "ol" : "ul";
    sign?.remove();
    if (item.previousElementSibling !== lists[0]) lists = [];
    lists.length = Math.min(lists.length, level);
    if (lists[level - 1] && lists[level - 1].localName !== name) lists.pop();
    while (lists.length < level) {
      const list = item.ownerDocument.createElement(lists.length === level - 1 ? name : "ul");
      if (lists.length) (lists.at(-1).lastElementChild ?? lists.at(-1).appendChild(item.ownerDocument.createElement("li"))).append(list);
      else item.before(list);
      lists.push(list);
    }
    lists.at(-1).append(renamed(own ?? item, "li"));
    item.remove();
  }
}
