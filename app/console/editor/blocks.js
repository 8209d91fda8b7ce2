// Lines of markdown: the marks that they begin with, the blank lines between paragraphs, and Enter, Backspace and Tab on them.

import { insertNewlineContinueMarkupCommand } from "@codemirror/lang-markdown";
import { syntaxTree } from "@codemirror/language";
import { EditorSelection, EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { COMPOSED, constructsAt } from "./inline.js";
import { breaksIn, joined } from "./soft.js";

const VERBATIM = new Set(["FencedCode", "CodeBlock", "HTMLBlock", "CommentBlock", "ProcessingInstructionBlock", "LinkReference"]);
const MARKS = new Set(["QuoteMark", "ListMark", "HeaderMark", "TaskMarker", "FootnoteMark"]);

const ancestors = function* (node) {
  for (let one = node; one; one = one.parent) yield one;
};
export const within = (state, pos, names, side = 0) => {
  for (const node of ancestors(syntaxTree(state).resolveInner(pos, side))) if (names.has(node.name)) return node;
  return null;
};

/** The block shown as it is written in which a place lies: code, html. */
export const verbatimAt = (state, pos) => within(state, pos, VERBATIM, 1) ?? within(state, pos, VERBATIM, -1);

/** The marks that a line begins with (quotes, list, heading, task), each with the spaces around it. */
export function prefixOf(state, line) {
  const marks = [];
  let end = line.from;
  if (!/^\s*([>#]|[-*+]|\d|\[\^)/.test(line.text)) return { marks, end };
  syntaxTree(state).iterate({
    from: line.from,
    to: line.to,
    enter: ({ name, from, to, node }) => {
      if (VERBATIM.has(name)) return false;
      if (!MARKS.has(name) || from < line.from || to > line.to || state.sliceDoc(end, from).trim()) return undefined;
      if (name === "HeaderMark" && node.parent.name.startsWith("Setext")) return undefined;
      const after = /^[ \t]*/.exec(state.sliceDoc(to, line.to))[0].length;
      const next = name === "QuoteMark" ? to + Math.min(after, 1) : to + after;
      marks.push({ name, from: end, mark: from, markEnd: to, to: next, node: node.node });
      end = next;
      return undefined;
    },
  });
  return { marks, end };
}

/** Whether a line is the blank one between two paragraphs, where nobody writes. */
export function isGap(state, line) {
  if (line.text.trim() || line.number === 1 || line.number === state.doc.lines) return false;
  return state.doc.line(line.number - 1).text.trim() !== "" && !verbatimAt(state, line.from);
}

/** Places the cursor where one can write: not in the blank line between paragraphs, and not before the marks of a line. */
function placed(tr) {
  const { ranges, main } = tr.newSelection;
  if (ranges.length > 1 || !main.empty) return tr;
  const state = tr.startState;
  const before = state.selection.main.head;
  const line = state.doc.lineAt(main.head);
  const { end } = prefixOf(state, line);
  let { head } = main;
  if (isGap(state, line)) {
    const isBack = before > line.to && !tr.isUserEvent("select.pointer");
    head = isBack ? line.from - 1 : prefixOf(state, state.doc.line(line.number + 1)).end;
  } else if (head < end) {
    head = before === end && line.number > 1 ? leftOf(state, line) : end;
  }
  return head === main.head ? tr : [tr, { selection: EditorSelection.cursor(head, main.assoc), sequential: true }];
}

/** From the beginning of a line's words one goes to the end of the line above. */
function leftOf(state, line) {
  const above = state.doc.line(line.number - 1);
  return isGap(state, above) ? above.from - 1 : above.to;
}

/** Whether a place is on an empty line right under a paragraph, where words would belong to it. */
function isUnder(state, pos) {
  const line = state.doc.lineAt(pos);
  if (line.text.trim() || line.number === 1) return false;
  const above = state.doc.line(line.number - 1).text;
  return above.trim() !== "" && !/(\\| {2})$/.test(above) && !verbatimAt(state, line.from - 1);
}

/** Words typed under a paragraph begin a new one: a blank line is between. */
function apart(tr) {
  const { startState: state } = tr;
  const { main } = state.selection;
  if (!tr.isUserEvent("input.type") || tr.isUserEvent("input.type.compose") || !main.empty || !isUnder(state, main.head)) return tr;
  const { from } = state.doc.lineAt(main.head);
  return [{ changes: { from, insert: "\n" }, selection: { anchor: main.head + 1 } }, shifted(tr, from)];
}

/** The same for words of an input method, when they are complete: before, a change would end the composition. */
function apartComposed() {
  let isNew = false;
  return EditorView.domEventHandlers({
    compositionstart: (_, { state }) => {
      isNew = isUnder(state, state.selection.main.head);
    },
    compositionend: (_, view) => {
      if (!isNew) return;
      isNew = false;
      setTimeout(() => {
        const line = view.state.doc.lineAt(view.state.selection.main.head);
        if (line.text.trim()) view.dispatch({ changes: { from: line.from, insert: "\n" }, userEvent: "input.format" });
      }, COMPOSED);
    },
  });
}

/** The same transaction in a text that has a line more before it. */
function shifted(tr, at) {
  const changes = [];
  tr.changes.iterChanges((from, to, _, __, insert) => changes.push({ from: from + 1, to: to + 1, insert }));
  const { anchor, head } = tr.newSelection.main;
  const { scrollIntoView, effects } = tr;
  const selection = { anchor: anchor + 1, head: head + 1 };
  return changes.every(({ from }) => from > at) ? { changes, selection, effects, scrollIntoView, userEvent: "input.type", sequential: true } : tr;
}

/** A heading that is deleted with all of its words goes with its mark: what follows stays what it is. */
function withMark(tr) {
  const { startState: state } = tr;
  const { main } = state.selection;
  const [first, last] = [state.doc.lineAt(main.from), state.doc.lineAt(main.to)];
  if (!tr.isUserEvent("delete") || first.number === last.number) return tr;
  const { marks, end } = prefixOf(state, first);
  const next = prefixOf(state, last).end;
  if (marks.length !== 1 || marks[0].name !== "HeaderMark" || main.from > end || main.to > next) return tr;
  const anchor = first.from + next - last.from;
  return { changes: { from: first.from, to: last.from }, selection: { anchor }, scrollIntoView: true, userEvent: "delete.selection" };
}

const filter = EditorState.transactionFilter.of((tr) => {
  if (tr.docChanged) return tr.isUserEvent("delete") ? withMark(tr) : apart(tr);
  return tr.selection ? placed(tr) : tr;
});

const isInItem = (state) => within(state, state.selection.main.head, new Set(["ListItem"]), -1);
const continueMarkup = insertNewlineContinueMarkupCommand({ nonTightLists: false });
const PLAIN = { userEvent: "input", scrollIntoView: true };

/** Enter: a new paragraph, item or line of code; in an empty item or quote the end of it. */
function enter(view) {
  const { state } = view;
  const { from, to } = state.selection.main;
  const insert = (text, at = from, end = to) => {
    view.dispatch({ changes: { from: at, to: end, insert: text }, selection: { anchor: at + text.length }, ...PLAIN });
    return true;
  };
  if (verbatimAt(state, from)) return insert("\n" + /^[ \t]*/.exec(state.doc.lineAt(from).text)[0]);
  const line = state.doc.lineAt(from);
  const { marks, end } = prefixOf(state, line);
  const last = marks.at(-1);
  if (last?.name === "QuoteMark") {
    const sign = state.sliceDoc(line.from, end);
    if (line.text.slice(end - line.from).trim()) return insert(`\n${sign.trimEnd()}\n${sign}`);
    const above = line.number > 1 ? state.doc.line(line.number - 1) : line;
    const isEmpty = above !== line && above.text.trim() === sign.trim();
    return insert(line.number > 1 ? "\n" : "", isEmpty ? above.from : line.from, line.to);
  }
  if (last && last.name !== "HeaderMark" && continueMarkup(view)) return true;
  const around = constructsAt(state, from);
  const open = around.filter(({ start, finish }) => start < from && from < finish);
  if (open.length) {
    const [closing, opening] = [open.map(({ mark }) => mark).join(""), open.map(({ mark }) => mark).reverse().join("")];
    const text = `${closing}\n\n${opening}`;
    return insert(text);
  }
  const edge = around.find(({ finish, start }) => finish === from || start === from);
  if (edge && from === to) {
    const at = edge.finish === from ? edge.to : edge.from;
    return insert("\n\n", at, at);
  }
  return insert(line.text.trim() ? "\n\n" : "\n");
}

/** Shift-Enter: a line within the paragraph. */
function breakLine(view) {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.from);
  const { marks, end } = prefixOf(state, line);
  if (verbatimAt(state, line.from) || marks.at(-1)?.name === "HeaderMark" || !line.text.trim()) return enter(view);
  const indent = state.sliceDoc(line.from, end).replace(/[^>\s]/g, " ");
  view.dispatch(state.replaceSelection(`\\\n${indent}`), PLAIN);
  return true;
}

/** Backspace at the beginning of a line's words takes its mark, or joins the paragraph to the one above. */
function backspace(view) {
  const { state } = view;
  const { empty, head } = state.selection.main;
  if (!empty || verbatimAt(state, head)) return false;
  const line = state.doc.lineAt(head);
  const { marks, end } = prefixOf(state, line);
  const soft = breaksIn(state, head, head).find(({ to }) => to === head);
  if (soft) {
    view.dispatch({ changes: soft, userEvent: "delete.backward", scrollIntoView: true });
    return true;
  }
  if (marks.length && head <= end) {
    const last = marks.at(-1);
    const above = line.number > 1 ? state.doc.line(line.number - 1).text.trim() : "";
    const gap = last.name === "ListMark" && above && marks.length === 1 ? "\n" : "";
    view.dispatch({ changes: { from: last.from, to: last.to, insert: gap }, userEvent: "delete.backward", scrollIntoView: true });
    return true;
  }
  if (head !== line.from || line.number < 3) return false;
  const gap = state.doc.line(line.number - 1);
  if (!isGap(state, gap)) return false;
  const above = state.doc.line(gap.number - 1);
  const block = syntaxTree(state).resolveInner(above.from, 1);
  const rule = [...ancestors(block)].find(({ name }) => name === "HorizontalRule");
  const table = [...ancestors(block)].some(({ name }) => name === "Table");
  const isApart = table || verbatimAt(state, above.from);
  const isLast = line.number === state.doc.lines;
  if (isApart && line.text.trim()) return true;
  const joins = line.text.trim() || isLast || (!isApart && !state.doc.line(line.number + 1).text.trim());
  const from = rule ? above.from : joins ? above.to : gap.from;
  view.dispatch({
    changes: { from, to: line.text.trim() || rule ? line.from : line.to },
    selection: { anchor: rule || isApart ? from : above.to },
    userEvent: "delete.backward",
    scrollIntoView: true,
  });
  return true;
}

/** Delete at the end of a paragraph joins the next one to it. */
function remove(view) {
  const { state } = view;
  const { empty, head } = state.selection.main;
  const line = state.doc.lineAt(head);
  if (!empty || head !== line.to || line.number + 2 > state.doc.lines || verbatimAt(state, head)) return false;
  const gap = state.doc.line(line.number + 1);
  if (!isGap(state, gap)) return false;
  const next = state.doc.line(gap.number + 1);
  if (within(state, next.from, new Set(["Table", "FencedCode", "HTMLBlock"]), 1)) return true;
  view.dispatch({ changes: { from: head, to: prefixOf(state, next).end }, userEvent: "delete.forward" });
  return true;
}

/** Up and down leave out the blank lines between paragraphs. */
const step = (forward, extend) => (view) => {
  const { main } = view.state.selection;
  let next = view.moveVertically(main, forward);
  if (isGap(view.state, view.state.doc.lineAt(next.head))) next = view.moveVertically(next, forward);
  if (next.head === main.head) return false;
  view.dispatch({
    selection: extend
      ? EditorSelection.range(main.anchor, next.head, next.goalColumn)
      : EditorSelection.cursor(next.head, next.assoc, undefined, next.goalColumn),
    scrollIntoView: true,
    userEvent: "select",
  });
  return true;
};

/** Moves a list's item under the one before it, or back. */
const indent = (deeper) => (view) => {
  const { state } = view;
  const line = state.doc.lineAt(state.selection.main.head);
  const item = within(state, prefixOf(state, line).end, new Set(["ListItem"]), -1);
  if (!item || item.from < line.from) return false;
  const own = item.from - line.from;
  const outer = item.parent?.parent?.name === "ListItem" ? item.parent.parent : null;
  const before = item.prevSibling;
  if (deeper ? !before : !outer) return true;
  const width = deeper
    ? /^([-*+]|\d+[.)])\s+/.exec(state.sliceDoc(before.from, before.to))?.[0].length ?? 2
    : own - (outer.from - state.doc.lineAt(outer.from).from);
  const changes = [];
  for (let at = line; at.from <= item.to; at = state.doc.line(at.number + 1)) {
    if (deeper && at.text) changes.push({ from: at.from, insert: " ".repeat(width) });
    if (!deeper) changes.push({ from: at.from, to: at.from + Math.min(width, /^ */.exec(at.text)[0].length) });
    if (at.number === state.doc.lines) break;
  }
  view.dispatch({ changes, userEvent: "input.indent" });
  return true;
};

export const blocks = [
  filter,
  apartComposed(),
  Prec.high(keymap.of([
    { key: "Enter", run: joined(enter, isInItem), shift: joined(breakLine, () => false) },
    { key: "Backspace", run: backspace },
    { key: "Delete", run: remove },
    { key: "ArrowUp", run: step(false), shift: step(false, true) },
    { key: "ArrowDown", run: step(true), shift: step(true, true) },
    { key: "Tab", run: joined(indent(true), isInItem), shift: joined(indent(false), isInItem) },
  ])),
];
