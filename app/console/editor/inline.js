// Marks around words: bold, italic, struck, code. They are not seen, so that typing and deleting at their edges keeps them whole.

import { syntaxTree } from "@codemirror/language";
import { EditorSelection, EditorState, StateEffect, StateField } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { breaksIn } from "./soft.js";

export const MARKS = { bold: "**", italic: "_", strike: "~~", code: "`" };
const NODES = { StrongEmphasis: "bold", Emphasis: "italic", Strikethrough: "strike", InlineCode: "code" };

function construct(state, { name, from, to, firstChild, lastChild }) {
  if (!firstChild || firstChild.to > lastChild.from) return null;
  return { tool: NODES[name], from, to, start: firstChild.to, finish: lastChild.from, mark: state.sliceDoc(from, firstChild.to) };
}

/** What lies around a place, or touches it: the outermost first. */
export function constructsAt(state, pos) {
  const found = new Map();
  for (const side of [-1, 1]) {
    for (let node = syntaxTree(state).resolveInner(pos, side); node; node = node.parent) {
      if (node.name in NODES) found.set(`${node.from} ${node.to}`, construct(state, node.node));
    }
  }
  return [...found.values()].filter(Boolean).sort((one, other) => one.from - other.from || other.to - one.to);
}

/** Milliseconds until CodeMirror has read what an input method wrote. */
export const COMPOSED = 80;

const pend = StateEffect.define();

/** Marks that the next words typed get: each by its tool, with the place of the closing mark that they come before, if any. */
const pending = StateField.define({
  create: () => [],
  update: (value, tr) => {
    for (const effect of tr.effects) if (effect.is(pend)) return effect.value;
    if (value.length && tr.docChanged && tr.isUserEvent("input.type.compose")) {
      return value.map((one) => ({ from: tr.startState.selection.main.from, ...one }));
    }
    return tr.docChanged || tr.selection ? [] : value;
  },
});

/** The marks that words typed at the cursor have. */
export function toolsAt(state) {
  const { main } = state.selection;
  const around = constructsAt(state, main.head).filter(({ start, finish }) => start <= main.from && main.to <= finish);
  return new Set([...around, ...state.field(pending, false) ?? []].map(({ tool }) => tool));
}

/** Marks what is selected, or the word at the cursor, or what is typed next; takes the mark away where it is there already. */
export const toggle = (tool) => (view) => {
  const { state } = view;
  const { main } = state.selection;
  const mark = MARKS[tool];
  const waiting = state.field(pending, false) ?? [];
  const scrollIntoView = true;
  if (main.empty && waiting.some((one) => one.tool === tool)) {
    view.dispatch({ effects: pend.of(waiting.filter((one) => one.tool !== tool)) });
    return true;
  }
  const own = constructsAt(state, main.from).find((one) => one.tool === tool && one.from <= main.from && main.to <= one.to);
  if (own && main.empty && own.finish === main.head) {
    view.dispatch({ selection: { anchor: own.to } });
    return true;
  }
  if (own) {
    const changes = [{ from: own.from, to: own.start }, { from: own.finish, to: own.to }];
    view.dispatch({ changes, userEvent: "input.format", scrollIntoView });
    return true;
  }
  const word = main.empty ? state.wordAt(main.head) : null;
  const inWord = word && word.from < main.head && main.head < word.to;
  if (main.empty && !inWord && !state.field(pending, false)) {
    view.dispatch({ changes: { from: main.head, insert: mark + mark }, selection: { anchor: main.head + mark.length }, userEvent: "input.format" });
    return true;
  }
  if (main.empty && !inWord) {
    view.dispatch({ effects: pend.of([...waiting, { tool, mark }]) });
    return true;
  }
  const parts = linesOf(state, inWord ? word : main);
  const signs = tool === "code" && /`/.test(state.sliceDoc(main.from, main.to)) ? ["`` ", " ``"] : [mark, mark];
  const changes = parts.flatMap(({ from, to }) => [{ from, insert: signs[0] }, { from: to, insert: signs[1] }]);
  const set = state.changes(changes);
  const selection = main.empty
    ? EditorSelection.cursor(set.mapPos(main.head, 1))
    : EditorSelection.range(set.mapPos(parts[0].from, 1), set.mapPos(parts.at(-1).to, -1));
  view.dispatch({ changes: set, selection, userEvent: "input.format", scrollIntoView });
  return true;
};

/** The words of each line or softly broken lines of a selection, without the spaces around them and the marks that lines begin with. */
function linesOf(state, { from, to }) {
  const parts = [];
  for (let line = state.doc.lineAt(from); line.from <= to; line = state.doc.line(line.number + 1)) {
    const sign = /^\s*(?:>\s?)*(?:(?:[-*+]|\d+[.)])\s+)?(?:#{1,6}\s+)?/.exec(line.text)[0].length;
    const [start, end] = [Math.max(from, line.from + sign), Math.min(to, line.to)];
    const text = state.sliceDoc(start, Math.max(start, end));
    if (text.trim()) {
      const part = { from: start + /^\s*/.exec(text)[0].length, to: end - /\s*$/.exec(text)[0].length };
      const goesOn = parts.length && breaksIn(state, line.from, line.from).some((one) => one.from < line.from);
      if (goesOn) parts.at(-1).to = part.to;
      else parts.push(part);
    }
    if (line.number === state.doc.lines) break;
  }
  return parts.length ? parts : [{ from, to }];
}

/** What is typed, if nothing else happens. */
function typed(tr) {
  if (!tr.isUserEvent("input.type") || tr.isUserEvent("input.type.compose")) return null;
  const { main } = tr.startState.selection;
  let text = null;
  tr.changes.iterChanges((from, to, _, __, insert) => {
    text = text === null && main.empty && from === main.head && to === from ? insert.toString() : "";
  });
  return text && !text.includes("\n") ? { at: main.head, text } : null;
}

/** The marks that words get which wait for them, and the changes that take closing marks from before the words. */
function marksOf(waiting) {
  const rejoined = waiting.filter(({ close }) => close !== undefined);
  const fresh = waiting.filter(({ close }) => close === undefined);
  return {
    opening: fresh.map(({ mark }) => mark).join(""),
    closing: [...fresh].reverse().concat(rejoined).map(({ mark }) => mark).join(""),
    changes: rejoined.map(({ close, mark }) => ({ from: close, to: close + mark.length })),
    removed: rejoined.reduce((sum, { mark }) => sum + mark.length, 0),
  };
}

/** Words of an input method get their marks when they are complete: before, a change would end the composition. */
const composed = EditorView.domEventHandlers({
  compositionend: (_, view) => {
    setTimeout(() => {
      const waiting = view.state.field(pending, false) ?? [];
      const { from } = waiting[0] ?? {};
      const { head } = view.state.selection.main;
      if (from === undefined || view.composing || !view.state.sliceDoc(from, head).trim()) return;
      const { opening, closing, changes, removed } = marksOf(waiting);
      view.dispatch({
        changes: [...changes, { from, insert: opening }, { from: head, insert: closing }],
        selection: { anchor: head - removed + opening.length },
        effects: pend.of([]),
        userEvent: "input.format",
      });
    }, COMPOSED);
    return false;
  },
});

/** Gives what is typed the marks that wait for it; a space at the end of marked words goes behind their mark. */
function marked(tr) {
  const state = tr.startState;
  const input = typed(tr);
  if (!input) return tr;
  const waiting = state.field(pending);
  const { at, text } = input;
  const isSpace = !text.trim();
  const done = (changes, cursor, waits = []) => ({
    changes, selection: { anchor: cursor }, effects: pend.of(waits), scrollIntoView: true, userEvent: "input.type",
  });
  if (waiting.length) {
    if (isSpace) return done({ from: at, insert: text }, at + text.length, waiting);
    const { opening, closing, changes, removed } = marksOf(waiting);
    return done([...changes, { from: at, insert: opening + text + closing }], at - removed + opening.length + text.length);
  }
  if (!isSpace) return tr;
  const ended = constructsAt(state, at).filter(({ finish, tool, start }) => finish === at && tool !== "code" && start < at).reverse();
  if (!ended.length || ended.some(({ to }, index) => index && ended[index].finish !== ended[index - 1].to && to < at)) return tr;
  const end = ended.at(-1).to;
  let close = at;
  const waits = ended.map(({ tool, mark }) => ({ tool, mark, close: (close += mark.length) - mark.length }));
  return done({ from: end, insert: text }, end + text.length, waits);
}

/** Keeps the marks of words of which a part is deleted, and takes those away that would have no words left. */
function whole(tr) {
  if (!tr.isUserEvent("delete") || tr.isUserEvent("delete.marks")) return tr;
  const state = tr.startState;
  const cuts = [];
  tr.changes.iterChanges((from, to, _, __, insert) => cuts.push({ from, to, insert }));
  if (cuts.length !== 1 || cuts[0].insert.length) return tr;
  const [{ from, to }] = cuts;
  let { from: start, to: end } = { from, to };
  const around = [...constructsAt(state, from), ...constructsAt(state, to)]
    .filter((one, at, all) => all.findIndex((other) => other.from === one.from && other.to === one.to) === at);
  if (!around.length) return tr;
  // A mark is not seen: the key deletes the letter before or behind it.
  const isOne = state.selection.main.empty && !tr.isUserEvent("delete.selection");
  if (isOne && tr.isUserEvent("delete.backward")) {
    let at = state.selection.main.head;
    for (let one; (one = around.find(({ to: edge }) => edge === at) ?? around.find(({ start: edge }) => edge === at)); ) {
      at = one.to === at ? one.finish : one.from;
    }
    if (at !== state.selection.main.head) {
      const width = Math.max(1, to - from);
      const inside = around.find(({ from: a, to: b }) => a <= to && to <= b);
      if (at <= 0) return [];
      [start, end] = [Math.max(0, at - (inside ? 1 : width)), at];
      if (/[\uDC00-\uDFFF]/.test(state.sliceDoc(start, end)) && end - start === 1) start -= 1;
    }
  }
  if (isOne && tr.isUserEvent("delete.forward")) {
    let at = state.selection.main.head;
    for (let one; (one = around.find(({ from: edge }) => edge === at) ?? around.find(({ finish: edge }) => edge === at)); ) {
      at = one.from === at ? one.start : one.to;
    }
    if (at !== state.selection.main.head) [start, end] = [at, Math.min(state.doc.length, at + String.fromCodePoint(state.sliceDoc(at, at + 2).codePointAt(0) ?? 32).length)];
    if (state.sliceDoc(start, end) === "\n") return [];
  }
  const kept = [];
  for (const one of around) {
    const isAll = start <= one.start && one.finish <= end;
    for (const [a, b] of [[one.from, one.start], [one.finish, one.to]]) {
      if (isAll) kept.push({ from: a, to: b, cut: true });
      else if (a < end && b > start) kept.push({ from: a, to: b });
    }
  }
  let ranges = [{ from: start, to: end }];
  for (const { from: a, to: b } of kept.filter(({ cut }) => !cut)) {
    ranges = ranges.flatMap((r) => (b <= r.from || a >= r.to ? [r] : [{ from: r.from, to: a }, { from: b, to: r.to }])).filter((r) => r.from < r.to);
  }
  const moved = [];
  for (const one of around.filter(({ start: a, finish: b }) => !(start <= a && b <= end))) {
    // Spaces that are left at the edges of the words go outside of their marks.
    const left = ranges.filter((r) => r.to === one.finish && r.from > one.start).map((r) => r.from)[0];
    if (left && one.tool !== "code") {
      const spaces = /\s+$/.exec(state.sliceDoc(one.start, left))?.[0].length ?? 0;
      if (spaces) moved.push({ from: left - spaces, insert: state.sliceDoc(one.finish, one.to) }, { from: one.finish, to: one.to });
    }
    const right = ranges.filter((r) => r.from === one.start && r.to < one.finish).map((r) => r.to)[0];
    if (right && one.tool !== "code") {
      const spaces = /^\s+/.exec(state.sliceDoc(right, one.finish))?.[0].length ?? 0;
      if (spaces) moved.push({ from: right + spaces, insert: state.sliceDoc(one.from, one.start) }, { from: one.from, to: one.start });
    }
  }
  const all = [...ranges, ...kept.filter(({ cut }) => cut)];
  const merged = merge(all);
  if (!moved.length && merged.length === 1 && merged[0].from === from && merged[0].to === to) return tr;
  const changes = state.changes([...merge([...merged, ...moved.filter(({ to: b }) => b)]), ...moved.filter(({ insert }) => insert)]);
  const cursor = changes.mapPos(ranges[0]?.from ?? start, 1);
  return { changes, selection: { anchor: moved.length ? changes.mapPos(ranges[0].from, 1) : cursor }, scrollIntoView: true, userEvent: "delete.marks" };
}

/** Ranges in order, those that touch as one. */
function merge(ranges) {
  const sorted = ranges.map(({ from, to }) => ({ from, to })).sort((a, b) => a.from - b.from);
  const out = [];
  for (const one of sorted) {
    if (out.length && one.from <= out.at(-1).to) out.at(-1).to = Math.max(out.at(-1).to, one.to);
    else out.push(one);
  }
  return out;
}

export const shortcuts = keymap.of([
  { key: "Mod-b", run: toggle("bold") },
  { key: "Mod-i", run: toggle("italic") },
  { key: "Mod-Shift-x", run: toggle("strike") },
  { key: "Mod-e", run: toggle("code") },
]);

export const inline = [pending, composed, EditorState.transactionFilter.of((tr) => {
  if (!tr.docChanged) return tr;
  const next = marked(tr);
  return next === tr ? whole(tr) : next;
})];
