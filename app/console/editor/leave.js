// Leaving what has a text of its own, as a quote, code or a footnote: by `Esc` or `Ctrl-Enter`, which is said at its end.

import { syntaxTree } from "@codemirror/language";
import { Prec } from "@codemirror/state";
import { WidgetType, keymap } from "@codemirror/view";
import { prefixOf } from "./blocks.js";

const BOXES = new Set(["Blockquote", "FencedCode", "CodeBlock", "HTMLBlock", "CommentBlock", "FootnoteDefinition"]);
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The outermost box at the cursor. */
export function boxAt(state) {
  let box = null;
  const { head } = state.selection.main;
  for (const side of [-1, 1]) {
    for (let node = syntaxTree(state).resolveInner(head, side); node; node = node.parent) if (BOXES.has(node.name)) box = node;
    if (box) break;
  }
  return box;
}

/** The label of the footnote, `[^1]`, that begins at a place. */
export const labelAt = (state, at) => /^\[\^[^\s[\]]+\]/.exec(state.doc.lineAt(at).text.slice(at - state.doc.lineAt(at).from))?.[0];

/** Where one writes on from a footnote's number in the text to its words, or back; null if there is no other end. */
export function otherEnd(state, label, isReference) {
  const text = state.doc.toString();
  const at = text.search(isReference ? new RegExp(`^${escaped(label)}:`, "m") : new RegExp(`${escaped(label)}(?!:)`));
  if (at < 0) return null;
  return isReference ? state.doc.lineAt(at).to : at + label.length;
}

const back = (state, box) => (box.name === "FootnoteDefinition" ? otherEnd(state, labelAt(state, box.from), false) : null);

/** Goes on below the end of a line: where something follows that is no place to write, in a new paragraph. */
export function writeBelow(view, end) {
  const { state } = view;
  const rest = state.sliceDoc(end);
  const next = rest.startsWith("\n\n") ? state.doc.lineAt(end + 2) : null;
  const isPlace = next && !/^\s*([<`>|]|~~~|\[\^|---| {4})/.test(next.text);
  const insert = isPlace ? "" : /^\n[^\n]/.test(rest) ? "\n\n\n" : "\n\n";
  view.dispatch({ changes: { from: end, insert }, selection: { anchor: isPlace ? prefixOf(state, next).end : end + 2 }, userEvent: "input.leave", scrollIntoView: true });
}

/** Goes from a footnote back to its number, and from another box to below it. */
function leave(view) {
  const { state } = view;
  const box = boxAt(state);
  if (!box) return false;
  const anchor = back(state, box);
  if (anchor === null) writeBelow(view, state.doc.lineAt(box.to).to);
  else view.dispatch({ selection: { anchor }, scrollIntoView: true });
  return true;
}

/** Enter at the end of a footnote. */
function leaveNote(view) {
  const { state } = view;
  const { main } = state.selection;
  const box = main.empty && main.head === state.doc.lineAt(main.head).to ? boxAt(state) : null;
  return box !== null && back(state, box) !== null && leave(view);
}

/** At the end of the box that one writes in: how it is left. */
export class Leave extends WidgetType {
  constructor(isNote) {
    super();
    this.isNote = isNote;
  }
  eq(other) {
    return other.isNote === this.isNote;
  }
  toDOM(view) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "cm-leave", tabIndex: -1 });
    button.append(Object.assign(document.createElement("kbd"), { textContent: "Esc" }), this.isNote ? "Back to the text" : "Write below");
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => { leave(view); view.focus(); });
    return button;
  }
}

export const leaving = Prec.high(keymap.of([
  { key: "Escape", run: leave },
  { key: "Mod-Enter", run: leave },
  { key: "Enter", run: leaveNote },
]));
