// Line breaks within a paragraph, which readers see as spaces: here they are seen as spaces too, and stay in the text.
//
// A change beside such a break puts a space in its place: words that begin a line could become a list or a heading there.

import { syntaxTree } from "@codemirror/language";
import { EditorState, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

class Space extends WidgetType {
  eq() {
    return true;
  }
  toDOM() {
    return Object.assign(document.createElement("span"), { className: "cm-soft", textContent: " " });
  }
  ignoreEvent() {
    return false;
  }
}

const SPACE = Decoration.replace({ widget: new Space() });
const WORDS = new Set(["Paragraph", "Task", "FootnoteDefinition"]);
const LEAVES = /^(Table|(ATX|Setext)Heading\d|FencedCode|CodeBlock|HTMLBlock|CommentBlock|ProcessingInstructionBlock|LinkReference)$/;

/** The first line of a callout. */
export const CALLOUT = /^\s*>\s*(\[!(note|tip|important|warning|caution)\][ \t]*)/i;

function found(state) {
  const breaks = [];
  syntaxTree(state).iterate({
    enter({ name, from, to, node }) {
      if (!WORDS.has(name)) return !LEAVES.test(name);
      let quotes = 0;
      for (let around = node.parent; around; around = around.parent) quotes += around.name === "Blockquote";
      const marks = new RegExp(`^(?:[ \\t]*> ?){0,${quotes}}[ \\t]*`);
      let line = state.doc.lineAt(from);
      while (line.to < to) {
        const next = state.doc.line(line.number + 1);
        if (!/ {2}$|(?<!\\)(\\\\)*\\$/.test(line.text) && !CALLOUT.test(line.text)) breaks.push(SPACE.range(line.to, next.from + marks.exec(next.text)[0].length));
        line = next;
      }
      return false;
    },
  });
  return Decoration.set(breaks);
}

export const soft = StateField.define({
  create: found,
  update: (value, tr) => {
    if (tr.isUserEvent("input.type.compose")) return value.map(tr.changes); // a line that is replaced would end the composition
    return tr.docChanged || syntaxTree(tr.state) !== syntaxTree(tr.startState) ? found(tr.state) : value;
  },
  provide: (own) => [EditorView.decorations.from(own), EditorView.atomicRanges.of((view) => view.state.field(own, false) ?? Decoration.none)],
});

/** The breaks in a range or at its ends. */
export function breaksIn(state, from, to) {
  const breaks = [];
  state.field(soft, false)?.between(from, to, (start, end) => { breaks.push({ from: start, to: end }); });
  return breaks;
}

const beside = EditorState.transactionFilter.of((tr) => {
  const isMine = ["input", "delete"].some((name) => tr.isUserEvent(name));
  if (!tr.docChanged || !isMine || ["input.type.compose", "input.join", "input.format"].some((name) => tr.isUserEvent(name))) return tr;
  const changes = [];
  tr.changes.iterChangedRanges((from, to) => {
    for (const one of breaksIn(tr.startState, from, to)) if (one.to <= from || one.from >= to) changes.push({ ...one, insert: " " });
  });
  return changes.length ? [tr, { changes }] : tr;
});

/** Does to a paragraph of several lines what a command does to one line: they are joined before, in the same step.

Breaks at the cursor are removed; the others become spaces, where `isWhole` says that the command takes the whole paragraph. */
export const joined = (command, isWhole = () => true) => (view) => {
  const { state } = view;
  let { from, to } = state.selection.main;
  const { main } = state.selection;
  if (isWhole(state)) {
    for (const [pos, side] of [[from, 1], [to, -1]]) {
      for (let node = syntaxTree(state).resolveInner(pos, side); node; node = node.parent) {
        if (WORDS.has(node.name)) [from, to] = [Math.min(from, node.from), Math.max(to, node.to)];
      }
    }
  }
  const changes = breaksIn(state, from, to).map((one) => ({ ...one, insert: main.empty && one.from <= main.head && main.head <= one.to ? "" : " " }));
  if (!changes.length) return command(view);
  const first = state.update({ changes, filter: false });
  let second = null;
  const isDone = command({ state: first.state, dispatch: (...specs) => { second = first.state.update(...specs); } });
  if (second) {
    view.dispatch({ changes: first.changes.compose(second.changes), selection: second.newSelection, scrollIntoView: true, userEvent: "input.join" });
  }
  return isDone;
};

export const softBreaks = [soft, beside];
