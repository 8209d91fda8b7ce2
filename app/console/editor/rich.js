// Markdown shown as it will look: marks are hidden, lists have bullets, pictures are seen. The text stays as it is.
//
// Only the visible range is decorated. Tables are in tables.js, what keys do in blocks.js and inline.js.

import { syntaxTree } from "@codemirror/language";
import { StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, showTooltip } from "@codemirror/view";
import { blocks, isGap, prefixOf } from "./blocks.js";
import { inline } from "./inline.js";
import { Leave, boxAt, labelAt, leaving, otherEnd } from "./leave.js";
import { CALLOUT, softBreaks } from "./soft.js";
import { tables } from "./tables.js";

/** Something small in place of a mark. */
class Sign extends WidgetType {
  constructor(name, text = "", label = "") {
    super();
    Object.assign(this, { name, text, label });
  }
  eq(other) {
    return other.name === this.name && other.text === this.text;
  }
  toDOM() {
    const sign = Object.assign(document.createElement(this.name === "note" ? "sup" : "span"), { className: `cm-${this.name}`, textContent: this.text });
    if (this.label) sign.setAttribute("aria-label", this.label);
    if (this.label) sign.setAttribute("role", "img");
    return sign;
  }
  ignoreEvent() {
    return false;
  }
}

class Picture extends WidgetType {
  constructor(address, words) {
    super();
    Object.assign(this, { address, words });
  }
  eq(other) {
    return other.address === this.address && other.words === this.words;
  }
  get estimatedHeight() {
    return 240;
  }
  toDOM(view) {
    const picture = Object.assign(document.createElement("span"), { className: "cm-picture" });
    const caption = Object.assign(document.createElement("span"), { textContent: this.words || "No description", className: "cm-caption" });
    picture.append(caption);
    if (/^(https?:)?\/|^data:image\//i.test(this.address)) {
      const image = Object.assign(document.createElement("img"), { alt: this.words, referrerPolicy: "no-referrer", draggable: false });
      image.addEventListener("load", () => view.requestMeasure());
      image.addEventListener("error", () => {
        image.remove();
        caption.textContent = `Picture that can't be shown: ${this.words || this.address}`;
        view.requestMeasure();
      });
      image.src = this.address;
      picture.prepend(image);
    }
    return picture;
  }
  ignoreEvent() {
    return false;
  }
}

class Box extends WidgetType {
  constructor(on) {
    super();
    this.on = on;
  }
  eq(other) {
    return other.on === this.on;
  }
  toDOM(view) {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: this.on, className: "cm-box" });
    box.setAttribute("aria-label", "Done");
    box.addEventListener("mousedown", (event) => event.preventDefault());
    box.addEventListener("click", (event) => {
      event.preventDefault();
      const at = view.posAtDOM(box);
      const line = view.state.doc.lineAt(at);
      const from = line.from + line.text.search(/\[[ xX]\]/) + 1;
      view.dispatch({ changes: { from, to: from + 1, insert: this.on ? " " : "x" }, userEvent: "input" });
    });
    return box;
  }
  ignoreEvent() {
    return true;
  }
}

const HIDDEN = Decoration.replace({});
const RULE = Decoration.replace({ widget: new Sign("rule", "", "Rule") });
const classes = {};
const styled = (name) => (classes[name] ??= Decoration.mark({ class: name }));
const RAW = { FencedCode: "cm-code", CodeBlock: "cm-code", HTMLBlock: "cm-raw", CommentBlock: "cm-raw", ProcessingInstructionBlock: "cm-raw", LinkReference: "cm-raw" };

/** The numbers of footnotes in the order of the text, and the labels that links are defined with. */
const labels = StateField.define({
  create: (state) => read(state.doc.toString()),
  update: (value, tr) => {
    let same = true;
    const is = (doc, from, to) => /[[\]^:]/.test(doc.sliceString(Math.max(0, from - 2), to + 2));
    tr.changes.iterChanges((from, to, start, end) => {
      same &&= !is(tr.startState.doc, from, to) && !is(tr.newDoc, start, end);
    });
    return same ? value : read(tr.newDoc.toString());
  },
});

function read(text) {
  const notes = new Map();
  const links = new Set();
  for (const [, label] of text.matchAll(/\[\^([^\s[\]]+)\](?!:)/g)) if (!notes.has(label)) notes.set(label, notes.size + 1);
  for (const [, label] of text.matchAll(/^[ ]{0,3}\[([^\]]+)\]:/gm)) links.add(label.trim().toLowerCase());
  return { notes, links };
}

const textOf = (state, node) => state.sliceDoc(node.from, node.to);
const isDefined = (state, label) => state.field(labels).links.has(label.slice(1, -1).trim().toLowerCase());

/** A link with its words and its address; null for brackets that link to nothing. */
export function linkOf(state, node) {
  const [open, close] = node.getChildren("LinkMark");
  if (!open || !close || open.to === close.from) return null;
  const url = node.getChild("URL");
  const label = node.getChild("LinkLabel");
  const isLink = url || isDefined(state, label && label.to - label.from > 2 ? textOf(state, label) : state.sliceDoc(open.from, close.to));
  return isLink ? { from: node.from, to: node.to, start: open.to, finish: close.from, url: url ? textOf(state, url).replace(/^<|>$/g, "") : "" } : null;
}

function decorations(view) {
  const { state } = view;
  const ranges = [];
  const atoms = [];
  const lines = new Map();
  const onLine = (line, name) => lines.set(line.from, `${lines.get(line.from) ?? ""} ${name}`);
  const hide = (from, to, decoration = HIDDEN) => {
    if (from >= to) return;
    ranges.push(decoration.range(from, to));
    atoms.push(decoration.range(from, to));
  };
  const eachLine = (node, visible, act) => {
    const last = Math.min(node.to, visible.to);
    for (let line = state.doc.lineAt(Math.max(node.from, visible.from)); ; line = state.doc.line(line.number + 1)) {
      act(line);
      if (line.to >= last || line.number === state.doc.lines) return;
    }
  };
  const head = state.selection.main.head;

  function enter({ name, from, to, node }, visible) {
    if (name === "Table") {
      if (node.parent?.name !== "Document") eachLine(node, visible, (line) => onLine(line, "cm-raw"));
      return false;
    }
    if (name in RAW) {
      eachLine(node, visible, (line) => onLine(line, RAW[name] + (line.from <= from ? " cm-first" : "") + (line.to >= to ? " cm-last" : "")));
      if (name === "FencedCode") {
        for (const mark of node.getChildren("CodeMark")) {
          const line = state.doc.lineAt(mark.from);
          if (head >= line.from && head <= line.to) continue;
          hide(mark.from, mark.to);
          if (mark.from > from) onLine(line, "cm-shut");
        }
      }
      return false;
    }
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(name);
    if (heading) eachLine(node, visible, (line) => onLine(line, `cm-h cm-h${heading[1]}`));
    if (name === "HeaderMark") {
      const { parent } = node;
      if (parent.name.startsWith("Setext")) {
        onLine(state.doc.lineAt(from), "cm-under");
        hide(from, to);
      } else if (from > parent.from) hide(from - /\s*$/.exec(state.sliceDoc(parent.from, from))[0].length, to);
    }
    if (name === "Blockquote") eachLine(node, visible, (line) => onLine(line, `cm-quote${/^(\s*>){2}/.test(line.text) ? " cm-quote2" : ""}${/^[\s>]*$/.test(line.text) && (head < line.from || head > line.to) ? " cm-gap" : ""}`));
    const callout = name === "Blockquote" && CALLOUT.exec(state.sliceDoc(from, state.doc.lineAt(from).to));
    if (callout) {
      const kind = callout[2].toLowerCase();
      const start = from + callout[0].length - callout[1].length;
      const isTitled = from + callout[0].length < state.doc.lineAt(from).to;
      eachLine(node, visible, (line) => onLine(line, `cm-callout cm-callout-${kind}${line.from <= from ? " cm-title" : ""}`));
      hide(start, from + callout[0].length, isTitled ? HIDDEN : Decoration.replace({ widget: new Sign("kind", callout[2][0].toUpperCase() + kind.slice(1)) }));
    }
    if (name === "ListItem") {
      let depth = 0;
      for (let one = node; one; one = one.parent) if (one.name === "ListItem") depth += 1;
      const first = state.doc.lineAt(from);
      eachLine(node, visible, (line) => {
        if (!line.text.trim()) return;
        onLine(line, `cm-item cm-item${Math.min(depth, 6)}${line.from === first.from ? ` cm-begins` : ""}`);
      });
    }
    if (name === "HorizontalRule") hide(from, to, RULE);
    if (name === "Emphasis" || name === "StrongEmphasis" || name === "Strikethrough" || name === "InlineCode") {
      const [open, close] = [node.firstChild, node.lastChild];
      if (!open || open.to >= close.from) return undefined;
      hide(open.from, open.to);
      hide(close.from, close.to);
      if (name === "InlineCode") ranges.push(styled("cm-inline-code").range(open.to, close.from));
    }
    if (name === "Link") {
      const link = linkOf(state, node.node);
      if (!link) return undefined;
      hide(from, link.start);
      hide(link.finish, to);
      ranges.push(styled("cm-link").range(link.start, link.finish));
    }
    if (name === "Image") {
      const url = node.getChild("URL");
      const marks = node.getChildren("LinkMark");
      if (!url || state.doc.lineAt(from).to < to) return false;
      const address = textOf(state, url).replace(/^<|>$/g, "");
      const words = state.sliceDoc(marks[0].to, marks[1].from).replace(/\\([[\]])/g, "$1");
      hide(from, to, Decoration.replace({ widget: new Picture(address, words) }));
      return false;
    }
    if (name === "Autolink") for (const mark of node.getChildren("LinkMark")) hide(mark.from, mark.to);
    if (name === "Escape") hide(from, from + 1);
    if (name === "Entity") hide(from, to, Decoration.replace({ widget: new Sign("entity", decoded(state.sliceDoc(from, to))) }));
    if (name === "HardBreak" && state.sliceDoc(from, from + 1) === "\\") hide(from, from + 1);
    if (name === "HTMLTag" || name === "Comment") ranges.push(styled("cm-tag").range(from, to));
    if (name === "FootnoteReference") {
      const number = state.field(labels).notes.get(state.sliceDoc(from + 2, to - 1));
      hide(from, to, Decoration.replace({ widget: new Sign("note", `${number}`, `Footnote ${number}`) }));
    }
    if (name === "FootnoteMark") {
      const number = state.field(labels).notes.get(/\^(.*)\]/.exec(state.sliceDoc(from, to))[1]);
      onLine(state.doc.lineAt(from), "cm-item cm-item1 cm-begins cm-footnote");
      hide(from, to, Decoration.replace({ widget: new Sign("number", number ? `${number}.` : "–", number ? `Footnote ${number}` : "Footnote without a reference") }));
    }
    return undefined;
  }

  for (const visible of view.visibleRanges) {
    syntaxTree(state).iterate({ ...visible, enter: (node) => enter(node, visible) });
    for (let line = state.doc.lineAt(visible.from); ; line = state.doc.line(line.number + 1)) {
      signs(state, line, hide);
      if (isGap(state, line)) onLine(line, "cm-gap");
      if (line.to >= visible.to || line.number === state.doc.lines) break;
    }
  }
  const box = boxAt(state);
  if (box) ranges.push(Decoration.widget({ widget: new Leave(box.name === "FootnoteDefinition"), side: 1 }).range(state.doc.lineAt(box.to).to));
  for (const [at, names] of lines) ranges.push(Decoration.line({ class: names.trim() }).range(at));
  return { shown: Decoration.set(ranges, true), atoms: Decoration.set(atoms, true) };
}

/** Hides the marks at the beginning of a line, or puts a bullet, a number or a box in their place. */
function signs(state, line, hide) {
  const { marks } = prefixOf(state, line);
  marks.forEach(({ name, from, mark, markEnd, to, node }, at) => {
    if (name === "ListMark") {
      hide(from, mark);
      if (marks[at + 1]?.name === "TaskMarker") return hide(mark, to);
      const isNumber = node.parent.parent.name === "OrderedList";
      const widget = isNumber ? new Sign("number", numberOf(state, node.parent)) : new Sign("bullet", "•");
      return hide(mark, to, Decoration.replace({ widget }));
    }
    if (name === "TaskMarker") return hide(mark, to, Decoration.replace({ widget: new Box(/x/i.test(state.sliceDoc(mark, markEnd))) }));
    return name === "FootnoteMark" ? undefined : hide(from, to);
  });
  const last = marks.at(-1);
  if (!last && /^[ \t]+\S/.test(line.text)) {
    const indent = /^[ \t]+/.exec(line.text)[0].length;
    const at = syntaxTree(state).resolveInner(line.from + indent, 1);
    let inItem = false;
    for (let node = at; node; node = node.parent) {
      if (node.name in RAW) return;
      inItem ||= node.name === "ListItem" || node.name === "Paragraph";
    }
    if (inItem) hide(line.from, line.from + indent);
  }
}

function numberOf(state, item) {
  let first = item;
  let at = 0;
  while (first.prevSibling?.name === "ListItem") [first, at] = [first.prevSibling, at + 1];
  const [, start, sign] = /^(\d+)([.)])/.exec(state.sliceDoc(first.from, first.from + 12)) ?? [null, 1, "."];
  return `${Number(start) + at}${sign}`;
}

const decoded = (entity) => new DOMParser().parseFromString(entity, "text/html").body.textContent;

const shown = ViewPlugin.fromClass(class {
  constructor(view) {
    Object.assign(this, decorations(view));
    this.line = view.state.doc.lineAt(view.state.selection.main.head).number;
  }
  update(update) {
    const { state, startState, view } = update;
    const line = state.doc.lineAt(state.selection.main.head).number;
    const moved = line !== this.line;
    this.line = line;
    if (view.composing && update.docChanged) {
      this.shown = this.shown.map(update.changes);
      this.atoms = this.atoms.map(update.changes);
    } else if (update.docChanged || update.viewportChanged || moved || syntaxTree(state) !== syntaxTree(startState)) {
      Object.assign(this, decorations(view));
    }
  }
}, {
  decorations: (plugin) => plugin.shown,
  provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.atoms ?? Decoration.none),
});

/** The link or the picture at the cursor. */
export function linkAt(state) {
  const { main } = state.selection;
  for (const side of [-1, 1]) {
    for (let node = syntaxTree(state).resolveInner(main.head, side); node; node = node.parent) {
      if (node.name === "Image" && main.from >= node.from && main.to <= node.to) {
        const url = node.getChild("URL");
        const [open, close] = node.getChildren("LinkMark");
        if (url && main.empty) return { isImage: true, from: node.from, to: node.to, start: open.to, finish: close.from, url: textOf(state, url).replace(/^<|>$/g, "") };
      }
      if (node.name === "Link" && main.from >= node.from && main.to <= node.to) {
        const link = linkOf(state, node);
        if (link?.url) return link;
      }
    }
  }
  return null;
}

const button = (text, act) => {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", act);
  return made;
};

/** The address of the link at the cursor, with what can be done to it. */
const address = (edit) => StateField.define({
  create: () => null,
  update: (value, tr) => {
    if (!tr.docChanged && !tr.selection) return value;
    const link = tr.state.selection.main.empty ? linkAt(tr.state) : null;
    if (!link) return null;
    if (value && value.pos === link.from && value.url === link.url && value.isImage === link.isImage) return value;
    return { pos: link.from, url: link.url, isImage: link.isImage, above: false, strictSide: false, create: (view) => ({ dom: card(view, link, edit) }) };
  },
  provide: (field) => showTooltip.from(field),
});

function card(view, { url, isImage }, edit) {
  const dom = Object.assign(document.createElement("div"), { className: "cm-card" });
  const where = Object.assign(document.createElement("a"), { href: url, textContent: isImage ? "Picture" : url.replace(/^https?:\/\//, ""), target: "_blank", rel: "noreferrer" });
  const take = () => {
    const link = linkAt(view.state);
    const changes = isImage
      ? { from: link.from, to: link.to }
      : [{ from: link.from, to: link.start }, { from: link.finish, to: link.to }];
    view.dispatch({ changes, userEvent: "input.format" });
    view.focus();
  };
  dom.append(where, button("Edit", () => edit(isImage)), button("Remove", take));
  return dom;
}

/** Clicking a footnote's number goes to its words, and back. */
const follow = EditorView.domEventHandlers({
  mousedown(event, view) {
    const sign = event.target.closest?.(".cm-note, .cm-footnote .cm-number");
    if (!sign) return false;
    const label = labelAt(view.state, view.posAtDOM(sign));
    const anchor = label ? otherEnd(view.state, label, sign.matches(".cm-note")) : null;
    if (anchor === null) return false;
    event.preventDefault();
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
    return true;
  },
});

export const rich = (options) => [
  labels, softBreaks, shown, address(options.link), follow, tables(options), leaving, blocks, inline, look,
];

/** What shows marks in a cell of a table, which has one line. */
export const richCell = [labels, shown, inline];

const item = (depth) => ({ paddingInlineStart: `${depth * 1.6}em` });
const look = EditorView.theme({
  ".cm-scroller": { fontFamily: "var(--serif)", fontSize: "1.0625rem", lineHeight: "1.65" },
  ".cm-content": { minWidth: "0", maxWidth: "42rem", margin: "0 auto", padding: "var(--space-6) var(--space-5) 8rem" },
  ".cm-line": { position: "relative" },
  ".cm-gap": { lineHeight: "0.9" },
  ".cm-h": { fontFamily: "var(--sans)", lineHeight: "1.3", fontWeight: "640", paddingTop: ".6em", paddingBottom: ".1em" },
  ".cm-h1": { fontSize: "1.6rem" },
  ".cm-h2": { fontSize: "1.3rem" },
  ".cm-h3": { fontSize: "1.1rem" },
  ".cm-h4, .cm-h5, .cm-h6": { fontSize: "1rem" },
  ".cm-under": { fontSize: ".3rem", paddingTop: "0" },
  ".cm-quote": { borderInlineStart: "3px solid var(--line)", paddingInlineStart: "1em", color: "var(--muted)" },
  ".cm-quote2": { boxShadow: "inset 10px 0 0 var(--surface), inset 13px 0 0 var(--line)", paddingInlineStart: "2em" },
  ".cm-callout": { "--callout": "var(--accent)", "--muted": "var(--text)", borderColor: "var(--callout)" },
  ".cm-callout-tip": { "--callout": "var(--approved)" },
  ".cm-callout-important, .cm-callout-warning": { "--callout": "var(--warm)" },
  ".cm-callout-caution": { "--callout": "var(--danger)" },
  ".cm-title": { "--muted": "var(--callout)", color: "var(--callout)", fontFamily: "var(--sans)", fontSize: ".92em", fontWeight: "600" },
  ".cm-item1": item(1), ".cm-item2": item(2), ".cm-item3": item(3), ".cm-item4": item(4), ".cm-item5": item(5), ".cm-item6": item(6),
  ".cm-begins": { textIndent: "-1.6em" },
  ".cm-begins > *": { textIndent: "0" },
  ".cm-soft": { whiteSpace: "normal" },
  ".cm-bullet, .cm-number": { display: "inline-block", minWidth: "1.6em", color: "var(--muted)", whiteSpace: "nowrap" },
  ".cm-number": { boxSizing: "border-box", paddingInlineEnd: ".2em", fontVariantNumeric: "tabular-nums" },
  ".cm-footnote": { fontSize: ".92em", color: "var(--muted)" },
  ".cm-footnote .cm-number": { cursor: "pointer", color: "var(--accent)" },
  ".cm-note": { cursor: "pointer", color: "var(--accent)", fontFamily: "var(--sans)", fontSize: ".72em", fontWeight: "600", lineHeight: "0", padding: "0 .1em" },
  ".cm-box": { fontSize: "inherit", width: ".9em", height: ".9em", margin: "0 .7em 0 0", verticalAlign: "-.12em", accentColor: "var(--accent)" },
  ".cm-code, .cm-raw": { fontFamily: "var(--mono)", fontSize: "var(--text-s)", lineHeight: "1.55" },
  ".cm-code": { backgroundColor: "var(--sunken)", padding: "0 var(--space-3)" },
  ".cm-code.cm-first": { borderRadius: "var(--round) var(--round) 0 0", paddingTop: ".35em", color: "var(--muted)", fontSize: "var(--text-xs)" },
  ".cm-code.cm-last": { borderRadius: "0 0 var(--round) var(--round)", paddingBottom: ".35em" },
  ".cm-shut": { lineHeight: ".4" },
  ".cm-raw": { color: "var(--muted)" },
  ".cm-inline-code": { fontFamily: "var(--mono)", fontSize: ".88em", backgroundColor: "var(--sunken)", borderRadius: ".2rem", padding: ".1em .25em", color: "var(--text)" },
  ".cm-tag": { fontFamily: "var(--mono)", fontSize: ".8em", color: "var(--muted)" },
  ".cm-link": { color: "var(--accent)", textDecoration: "underline", textDecorationThickness: ".06em", textUnderlineOffset: ".18em", cursor: "text" },
  ".cm-rule": { display: "inline-block", width: "100%", borderTop: "1px solid var(--edge)", verticalAlign: "middle" },
  ".cm-picture": { display: "inline-block", maxWidth: "100%", textIndent: "0", verticalAlign: "top", cursor: "default" },
  ".cm-picture img": { display: "block", maxWidth: "100%", maxHeight: "26rem", borderRadius: "var(--round)" },
  ".cm-caption": { display: "block", fontFamily: "var(--sans)", fontSize: "var(--text-s)", lineHeight: "1.4", color: "var(--muted)", padding: ".3em 0" },
  ".cm-tooltip": { border: "1px solid var(--line)", borderRadius: "var(--round)", backgroundColor: "var(--surface)", color: "var(--text)", boxShadow: "var(--lifted)" },
  ".cm-leave": { display: "none", marginInlineStart: "1em", border: "0", padding: "0", background: "none", color: "var(--muted)", font: "var(--text-xs)/1.4 var(--sans)", cursor: "pointer", whiteSpace: "nowrap" },
  "&.cm-focused .cm-leave": { display: "inline" },
  ".cm-leave kbd": { font: "inherit", border: "1px solid var(--line)", borderRadius: ".25rem", padding: "0 .3em", marginInlineEnd: ".5em" },
  "@media (pointer: coarse)": { ".cm-leave": { color: "var(--accent)" }, ".cm-leave kbd": { display: "none" } },
  ".cm-card": { display: "flex", gap: "var(--space-2)", alignItems: "center", padding: ".2rem .4rem .2rem .7rem", fontFamily: "var(--sans)", fontSize: "var(--text-s)", maxWidth: "min(26rem, 90vw)", zIndex: "3" },
  ".cm-card a": { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", color: "var(--accent)" },
  ".cm-card button": { border: "0", borderRadius: "var(--round)", padding: ".3rem .5rem", background: "none", color: "var(--text)", font: "550 var(--text-s)/1 var(--sans)", cursor: "pointer" },
  ".cm-card button:hover": { backgroundColor: "var(--sunken)" },
  "@media (max-width: 48rem)": { ".cm-content": { padding: "var(--space-4) var(--space-4) 8rem" } },
});
