// What the toolbar and `/` do to the text.

import { redo, undo } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { openSearchPanel } from "@codemirror/search";
import { prefixOf, verbatimAt } from "./blocks.js";
import { toggle } from "./inline.js";
import { joined } from "./soft.js";
import { target, writeIn } from "./tables.js";

const WRITES = { scrollIntoView: true, userEvent: "input.insert" };

/** Gives the lines that are selected a mark, instead of the one that they have; takes it away where they all have it. */
const begin = (name, sign) => joined((view) => {
  const { state } = view;
  const { from, to } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from).number, state.doc.lineAt(to).number];
  const lines = Array.from({ length: last - first + 1 }, (_, at) => state.doc.line(first + at)).filter(
    (line) => first === last || line.text.trim(),
  );
  const own = (line) => prefixOf(state, line).marks.filter((mark) => mark.name === name || (name !== "QuoteMark" && mark.name !== "QuoteMark"));
  const is = (line) => own(line).some((mark) => mark.name === name && isLike(state.sliceDoc(mark.mark, mark.markEnd), sign));
  const isOff = lines.every(is);
  const changes = lines.flatMap((line, at) => {
    const marks = own(line);
    const [start, end] = marks.length ? [marks[0].mark, marks.at(-1).to] : [placeOf(state, line, name), null];
    const insert = isOff ? "" : (sign === "1. " ? `${at + 1}. ` : sign);
    const above = at === 0 && !isOff && name !== "QuoteMark" && line.number > 1 ? state.doc.line(line.number - 1) : null;
    const gap = above?.text.trim() && !line.text.trim() && !prefixOf(state, above).marks.some((mark) => mark.name === name) ? "\n" : "";
    return [{ from: start, to: end ?? start, insert: gap + insert }];
  });
  const set = state.changes(changes);
  view.dispatch({ changes: set, selection: state.selection.map(set, 1), ...WRITES });
});

const isLike = (mark, sign) => (sign === "1. " ? /\d/.test(mark) : mark.trim() === sign.trim() || (sign === "- " && /^[-*+]$/.test(mark)));

function placeOf(state, line, name) {
  if (name === "QuoteMark") return line.from;
  const quotes = prefixOf(state, line).marks.filter((mark) => mark.name === "QuoteMark");
  return quotes.at(-1)?.to ?? line.from;
}

/** A paragraph: lines lose the marks that they begin with. */
function paragraph(view) {
  const { state } = view;
  const { from, to } = state.selection.main;
  const changes = [];
  for (let line = state.doc.lineAt(from); line.from <= to; line = state.doc.line(line.number + 1)) {
    changes.push({ from: line.from, to: prefixOf(state, line).end });
    if (line.number === state.doc.lines) break;
  }
  view.dispatch({ changes, ...WRITES });
}

/** Puts a block of its own where the cursor is: on its line if that is empty, else below it. */
function block(view, text, select = null) {
  const { state } = view;
  let line = state.doc.lineAt(state.selection.main.to);
  const outer = verbatimAt(state, line.from);
  if (outer) line = state.doc.lineAt(outer.to);
  else if (line.text.trim()) {
    let node = syntaxTree(state).resolveInner(prefixOf(state, line).end, 1);
    while (node.parent && node.parent.name !== "Document") node = node.parent;
    if (node.name !== "Document" && /List|Blockquote|Paragraph/.test(node.name)) line = state.doc.lineAt(node.to);
  }
  const before = line.text.trim() ? "\n\n" : line.number > 1 && state.doc.line(line.number - 1).text.trim() ? "\n" : "";
  const rest = state.sliceDoc(line.to, Math.min(state.doc.length, line.to + 2));
  const after = "\n\n".slice(/^\n*/.exec(rest)[0].length);
  const at = line.to + before.length;
  const insert = before + text + (rest.length && !rest.trim() && line.to + rest.length === state.doc.length ? after || "" : after);
  const anchor = select === null ? at + text.length + 2 : at + select;
  view.dispatch({ changes: { from: line.to, insert }, selection: { anchor: Math.min(anchor, state.doc.length + insert.length) }, ...WRITES });
  return at;
}

function table(view) {
  const at = block(view, "|  |  |  |\n| - | - | - |\n|  |  |  |\n|  |  |  |", 0);
  writeIn(view, at);
}

function code(view) {
  if (!view.state.selection.main.empty) return toggle("code")(view);
  return block(view, "```\n\n```", 4);
}

export const hasNote = (text, label) => text.includes(`[^${label}]`);

/** Returns the change that puts a text in place of a range, and notes where those go on, at the end of the whole. */
export function withNotes(state, from, to, text, notes) {
  const all = state.doc.toString();
  const end = Math.max(all.trimEnd().length, to);
  const before = end === to ? all.slice(0, from) + text : all.slice(0, end);
  const gap = /(^|\n)\[\^[^\s[\]]+\]:[^\n]*$/.test(before) ? "\n" : "\n\n";
  const last = `${gap}${notes}\n`;
  return state.changes(
    end === to ? { from, to: all.length, insert: text + last } : [{ from, to, insert: text }, { from: end, to: all.length, insert: last }],
  );
}

/** A footnote: its number at the cursor, and its words at the end of the text. */
function footnote(view) {
  const { state } = view;
  const text = state.doc.toString();
  let number = 1;
  while (hasNote(text, number)) number += 1;
  const { to } = state.selection.main;
  const set = withNotes(state, to, to, `[^${number}]`, `[^${number}]: `);
  view.dispatch({ changes: set, selection: { anchor: set.newLength - 1 }, ...WRITES });
}

export const commands = {
  paragraph: joined(paragraph),
  heading: begin("HeaderMark", "## "),
  subheading: begin("HeaderMark", "### "),
  title: begin("HeaderMark", "# "),
  bold: toggle("bold"),
  italic: toggle("italic"),
  strike: toggle("strike"),
  list: begin("ListMark", "- "),
  numbers: begin("ListMark", "1. "),
  tasks: begin("ListMark", "- [ ] "),
  quote: begin("QuoteMark", "> "),
  callout: (view) => block(view, "> [!NOTE]\n> ", 12),
  code,
  table,
  rule: (view) => block(view, "---"),
  footnote,
  undo,
  redo,
};

const IN_CELLS = new Set(["bold", "italic", "strike", "code"]);

/** Does what a tool is for, in the cell that is written in or in the text; returns whether there is such a tool. */
export function run(view, name) {
  if (name === "find") return openSearchPanel(view);
  if (!(name in commands)) return false;
  const at = target(view);
  if (at === view || name === "undo" || name === "redo") commands[name](view);
  else if (IN_CELLS.has(name)) toggle(name)(at);
  target(view).focus(); // which a table has moved into its first cell
  return true;
}
