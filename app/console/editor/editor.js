// The markdown editor: CodeMirror with what writing needs, in the page's own colours.
//
// It lives in a shadow root: CodeMirror then adds its styles as a constructed style sheet, which a content security
// policy without `unsafe-inline` allows.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { insertNewlineContinueMarkup, deleteMarkupBackward, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { verbatimAt, within } from "./blocks.js";
import { hasNote, run, withNotes } from "./commands.js";
import { findKeys, finding } from "./find.js";
import { pastedRows, written } from "./grid.js";
import { constructsAt, shortcuts, toolsAt } from "./inline.js";
import { language } from "./language.js";
import { fromHtml } from "./paste.js";
import { keep, placeAt, places } from "./places.js";
import { linkAt, rich, richCell } from "./rich.js";
import { slash } from "./slash.js";
import { inTables, target } from "./tables.js";

export { inTables, linkAt, run, target };

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
  ".cm-placeholder": { color: "var(--muted)" },
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

/** Where the page is what scrolls, the toolbar and the buttons lie over the text: the cursor stays between them. */
const free = EditorView.scrollMargins.of(({ root: { host } }) => {
  if (getComputedStyle(host).overflowY !== "clip") return null;
  const [top, bottom] = [".bar", ".buttons"].map((part) => host.closest(".writing").querySelector(part).offsetHeight);
  return { top: top + 20, bottom: bottom + 8 };
});

const ADDRESS = /^https?:\/\/\S+$/i;
const LINKS = new Set(["Link", "Image", "Autolink", "URL"]);

/** Pastes formatted text as markdown; plain text, and the lines of a code editor, as they are.

What is pasted into an empty text is without the document's title, which its page shows above the text. */
function paste({ clipboardData }, view, found, title) {
  if (clipboardData.types.includes("vscode-editor-data")) return false;
  const { doc, selection: { main } } = view.state;
  const whole = doc.toString();
  const pasted = fromHtml(clipboardData.getData("text/html"), (label) => hasNote(whole, label), !whole.trim() && title) ?? sheet(clipboardData);
  if (!pasted) return false;
  const [before, after] = [whole.slice(0, main.from), whole.slice(main.to)];
  const lines = (text, edge) => (text ? "\n\n".slice(edge.exec(text)[0].length) : "");
  const gap = pasted.begins ? lines(before, /\n{0,2}$/) : "";
  const text = gap + pasted.markdown + (pasted.ends ? lines(after, /^\n{0,2}/) : "");
  const from = main.from + gap.length;
  const pictures = pasted.pictures.map(({ at, alone, ...one }) => ({ ...one, place: placeAt(from + at, one.alt || "A picture", alone) }));
  const effects = pictures.map(({ place }) => place.effect);
  const change = pasted.notes
    ? { changes: withNotes(view.state, main.from, main.to, text, pasted.notes), selection: { anchor: main.from + text.length } }
    : view.state.replaceSelection(text);
  view.dispatch(change, { effects, userEvent: "input.paste", scrollIntoView: true });
  if (pictures.length || pasted.lost) found({ pictures, lost: pasted.lost });
  return true;
}

/** Makes a link of the words that are selected, where an address is pasted: not in code or links, and not of half of marked words. */
function linked({ clipboardData }, view) {
  const { state } = view;
  const { from, to, empty } = state.selection.main;
  const url = clipboardData.getData("text/plain").trim();
  const words = state.sliceDoc(from, to);
  if (empty || !ADDRESS.test(url) || ADDRESS.test(words) || /[\n[\]]/.test(words)) return false;
  if (verbatimAt(state, from) || within(state, from, LINKS, 1) || within(state, to, LINKS, -1)) return false;
  const around = [...constructsAt(state, from), ...constructsAt(state, to)];
  const isHalf = (one) => one.from < to && from < one.to && (from > one.from || to < one.to) && (from < one.start || to > one.finish);
  if (around.some((one) => isHalf(one) || (one.tool === "code" && one.from < from))) return false;
  const text = `[${words}](${/[()]/.test(url) ? `<${url}>` : url})`;
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.paste", scrollIntoView: true });
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

/** Cells of a spreadsheet that come as text alone. */
function sheet(clipboard) {
  const rows = clipboard.getData("text/html") ? null : pastedRows(clipboard);
  return rows && { markdown: written(rows, []), begins: true, ends: true, pictures: [], lost: 0 };
}

/** Puts the cursor at a place of the text, in the middle of what is seen. */
export function goTo(view, at) {
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
}

const mode = new Compartment();

/** Shows a text with its marks, or as it will look. */
export const showMarkdown = (view, isMarkdown) =>
  view.dispatch({ effects: mode.reconfigure(isMarkdown ? [] : view.asRich()) });

/** Makes an editor in a place.

`changed` gets the text after each change, `save` is called by Ctrl-S or Cmd-S, `link` by Ctrl-K, `cites` after `[^`, `ask`
by an entry of `/` that needs a dialog, and `moved` with the marks at the cursor. */
export function createEditor(place, text, { label, title, changed, save, link, cites = () => [], ask = () => {}, moved = () => {}, isMarkdown = true }) {
  const root = place.attachShadow({ mode: "open" });
  const inner = document.createElement("div");
  inner.style.height = "100%";
  root.append(inner);
  const found = ({ pictures, lost }) => place.dispatchEvent(new CustomEvent("pictures", { detail: { pictures, lost } }));
  const keys = [
    keymap.of([
      { key: "Mod-s", preventDefault: true, run: () => (save(), true) },
      { key: "Mod-k", run: () => (link(), true) },
    ]),
    findKeys(() => view),
    shortcuts,
  ];
  const words = [language, syntaxHighlighting(colours), drawSelection(), EditorView.lineWrapping, free, EditorView.domEventHandlers({ paste: linked })];
  const named = (name) => EditorView.contentAttributes.of({ "aria-label": name, tabindex: "0", spellcheck: "true", autocorrect: "on", autocapitalize: "sentences" });
  const tell = () => moved(toolsAt(target(view).state));
  const asRich = () => [
    rich({ link, moved: tell, cell: (name) => [words, richCell, named(name), keys, keymap.of(defaultKeymap)] }),
    slash(ask),
    placeholder("Write here, or press / for headings, lists, tables and pictures"),
  ];
  const view = new EditorView({
    parent: inner,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        words,
        named(label),
        mode.of(isMarkdown ? [] : asRich()),
        look,
        finding((state) => !mode.get(state).length),
        places,
        EditorView.domEventHandlers({ paste: (event, view) => paste(event, view, found, title) }),
        autocompletion({ icons: false, defaultKeymap: false, interactionDelay: 0, activateOnTypingDelay: 20 }),
        Prec.highest(keymap.of(completionKeymap)),
        markdownLanguage.data.of({ autocomplete: citing(cites) }),
        keys,
        keymap.of([
          { key: "Enter", run: insertNewlineContinueMarkup },
          { key: "Backspace", run: deleteMarkupBackward },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
          if (update.docChanged || update.selectionSet || update.transactions.length) tell();
        }),
      ],
    }),
  });
  /** Keeps a place of the text for what is still to come, on a line of its own. */
  view.keepPlace = (at, name) => {
    const place = placeAt(at, name);
    keep(view, place);
    return place;
  };
  view.asRich = asRich;
  return view;
}
