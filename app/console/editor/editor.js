// The markdown editor: CodeMirror with what writing needs, in the page's own colours.
//
// It lives in a shadow root: CodeMirror then adds its styles as a constructed style sheet, which a content security
// policy without `unsafe-inline` allows.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { insertNewlineContinueMarkup, deleteMarkupBackward, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorSelection, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { fromHtml } from "./paste.js";

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "650", color: "var(--text)" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: [tags.monospace], color: "var(--approved)" },
  { tag: tags.quote, color: "var(--muted)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "var(--text-m)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { padding: "var(--space-4)", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0" },
  ".cm-tooltip.cm-tooltip-autocomplete": { border: "1px solid var(--edge)", borderRadius: "var(--round)", backgroundColor: "var(--surface)", boxShadow: "var(--lifted)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--sans)", maxWidth: "min(30rem, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "var(--space-1) var(--space-2)", color: "var(--text)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionDetail": { fontStyle: "normal", color: "var(--muted)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
});

/** A command that puts what is selected between two texts, and leaves it selected. */
const between = (before, after) => ({ state, dispatch }) => {
  dispatch(state.changeByRange(({ from, to }) => ({
    changes: [{ from, insert: before }, { from: to, insert: after }],
    range: EditorSelection.range(from + before.length, to + before.length),
  })));
  return true;
};

/** Pastes formatted text as markdown; plain text, and the lines of a code editor, as they are. */
function paste({ clipboardData }, view, found) {
  if (clipboardData.types.includes("vscode-editor-data")) return false;
  const pasted = fromHtml(clipboardData.getData("text/html"));
  if (!pasted) return false;
  const { doc, selection } = view.state;
  const [before, after] = [doc.sliceString(0, selection.main.from), doc.sliceString(selection.main.to)];
  const lines = (text, edge) => (text ? "\n\n".slice(edge.exec(text)[0].length) : "");
  const text = [
    pasted.begins ? lines(before, /\n{0,2}$/) : "",
    pasted.markdown,
    pasted.ends ? lines(after, /^\n{0,2}/) : "",
  ].join("");
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
  if (pasted.pictures.length || pasted.lost) found(pasted);
  return true;
}

/** Completes a footnote after `[^`, with what `cites` returns: `{mark, title}`, or `{title, make}`, whose `make` returns a mark later. */
const citing = (cites) => (context) => {
  const before = context.matchBefore(/\[\^[^\]\[\n]{0,40}$/);
  if (!before) return null;
  const put = (view, mark, from, to) => view.dispatch({ changes: { from, to, insert: mark }, selection: { anchor: from + mark.length }, userEvent: "input.complete" });
  const end = (view, to) => to + (view.state.sliceDoc(to, to + 1) === "]" ? 1 : 0);
  const options = cites().map(({ mark, title, make }) => ({
    label: `[^${title}`,
    displayLabel: title,
    detail: mark,
    boost: make ? -99 : 0,
    apply: (view, _, from, to) => {
      if (mark) return put(view, mark, from, end(view, to));
      put(view, "", from, end(view, to));
      make().then((made) => { if (made) put(view, made, from, from); view.focus(); });
    },
  }));
  return { from: before.from, options, filter: true };
};

/** Makes an editor in a place; `changed` gets the text after each change, `save` is called by Ctrl-S or Cmd-S, `link` by Ctrl-K, `cites` after `[^`. */
export function createEditor(place, text, { label, changed, save, link, cites }) {
  const root = place.attachShadow({ mode: "open" });
  const inner = document.createElement("div");
  inner.style.height = "100%";
  root.append(inner);
  const places = new Set();
  const found = ({ pictures, lost }) => place.dispatchEvent(new CustomEvent("pictures", { detail: { pictures, lost } }));
  const view = new EditorView({
    parent: inner,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocorrect: "on" }),
        markdownLanguage,
        syntaxHighlighting(colours),
        look,
        EditorView.domEventHandlers({ paste: (event, view) => paste(event, view, found) }),
        autocompletion({ override: [citing(cites)], icons: false, defaultKeymap: false }),
        keymap.of([
          ...completionKeymap,
          { key: "Mod-s", preventDefault: true, run: () => (save(), true) },
          { key: "Mod-b", run: between("**", "**") },
          { key: "Mod-i", run: between("_", "_") },
          { key: "Mod-k", run: () => (link(), true) },
          { key: "Enter", run: insertNewlineContinueMarkup },
          { key: "Backspace", run: deleteMarkupBackward },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          for (const place of places) place.at = update.changes.mapPos(place.at, 1);
          changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  /** Keeps a place of the text while it changes; `done` returns where it is then. */
  view.keepPlace = (at) => {
    const place = { at, done: () => (places.delete(place), place.at) };
    places.add(place);
    return place;
  };
  return view;
}
