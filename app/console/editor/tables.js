// A table is a grid: the cell that is written in is an editor of its own, whose words go into the text at once.

import { redo, undo } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { EditorState, Prec, StateField, Transaction } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, keymap } from "@codemirror/view";
import { ALIGNS, addRow, align, editColumns, fill, pastedRows, readTable, removeRow, setCell, toCell, toWords } from "./grid.js";
import { draw, drawnAfter } from "./draw.js";
import { writeBelow } from "./leave.js";

let current = null;

/** The editor of the cell that is written in, or else that of the text. */
export const target = (view) => (current?.view === view ? current.editor : view);

class Grid extends WidgetType {
  constructor(source, options) {
    super();
    Object.assign(this, { source, options });
  }
  eq(other) {
    return other.source === this.source;
  }
  get estimatedHeight() {
    return this.source.split("\n").length * 38;
  }
  toDOM(view) {
    const table = new Table(view, this.options);
    table.place.table = table;
    table.show(readTable(view.state.toText(this.source), 0, this.source.length));
    return table.place;
  }
  updateDOM(dom, view) {
    dom.table.show(readTable(view.state.toText(this.source), 0, this.source.length));
    return true;
  }
  destroy(dom) {
    if (current?.table === dom.table) dom.table.leave();
  }
  ignoreEvent() {
    return true;
  }
}

const element = (name, fields = {}, ...children) => {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...children);
  return made;
};

/** The tools of a table: label, name, hint, and a drawing instead of the label. */
const TOOLS = [
  ["↑ Row", "rowAbove", "Row above"], ["↓ Row", "rowBelow", "Row below"], ["✕ Row", "removeRow", "Delete row"], null,
  ["← Column", "columnLeft", "Column left"], ["→ Column", "columnRight", "Column right"], ["✕ Column", "removeColumn", "Delete column"], null,
  ["", "left", "Align the column left", "M2 3h12M2 6.3h7M2 9.6h12M2 13h7"],
  ["", "center", "Centre the column", "M2 3h12M4.500 6.3h7M2 9.6h12M4.500 13h7"],
  ["", "right", "Align the column right", "M2 3h12M7 6.3h7M2 9.6h12M7 13h7"], null,
  ["✕ Table", "removeTable", "Delete table"],
  ["✓ Done", "leave", "Write below the table (Esc)"],
];
const SVG = "http://www.w3.org/2000/svg";

function drawing(path) {
  const [svg, line] = ["svg", "path"].map((name) => document.createElementNS(SVG, name));
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

class Table {
  constructor(view, options) {
    Object.assign(this, { view, options, texts: [], cells: [] });
    this.grid = element("table");
    this.scroll = element("div", { className: "cm-grid-scroll" }, this.grid);
    this.tools = element("div", { className: "cm-grid-tools" });
    this.tools.setAttribute("role", "toolbar");
    this.tools.setAttribute("aria-label", "Table");
    for (const tool of TOOLS) {
      if (!tool) {
        this.tools.append(element("span", { className: "cm-grid-gap" }));
        continue;
      }
      const [label, name, title, path] = tool;
      const button = element("button", { type: "button", tabIndex: -1, title }, path ? drawing(path) : label);
      button.dataset.does = name;
      button.setAttribute("aria-label", title);
      button.addEventListener("mousedown", (event) => event.preventDefault());
      button.addEventListener("click", () => this.act(name));
      this.tools.append(button);
    }
    this.tools.addEventListener("keydown", (event) => this.onTools(event));
    this.place = element("div", { className: "cm-grid" }, this.scroll, this.tools);
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-label", "Table");
    this.grid.addEventListener("mousedown", (event) => {
      const cell = event.target.closest("th, td");
      if (!cell || cell.contains(current?.editor?.dom) || event.button) return;
      event.preventDefault();
      this.write(...this.indexOf(cell), event);
    });
    this.grid.addEventListener("focusin", (event) => {
      if (event.target.matches("th, td")) this.write(...this.indexOf(event.target));
    });
  }

  /** Where the table is in the text now. */
  read() {
    const at = this.view.posAtDOM(this.place);
    let found = null;
    this.view.state.field(this.options.field).between(at, at, (from, to) => {
      if (from === at) found = { from, to };
    });
    return found && readTable(this.view.state.doc, found.from, found.to);
  }

  indexOf(cell) {
    const row = this.cells.findIndex((cells) => cells.includes(cell));
    return [row, this.cells[row].indexOf(cell)];
  }

  /** Shows what the text has: only the cells that are others. */
  show({ rows, width, aligns }) {
    const isSame = this.cells.length === rows.length && this.cells[0].length === width;
    if (!isSame) {
      if (current?.table === this) this.leave(false);
      const makeRow = (name) => Array.from({ length: width }, () => element(name, { tabIndex: -1 }));
      this.cells = rows.map((_, at) => makeRow(at ? "td" : "th"));
      for (const head of this.cells[0]) head.scope = "col";
      this.cells[0][0].tabIndex = 0;
      const body = element("tbody", {}, ...this.cells.slice(1).map((cells) => element("tr", {}, ...cells)));
      this.grid.replaceChildren(element("thead", {}, element("tr", {}, ...this.cells[0])), body);
      this.texts = rows.map(() => []);
    }
    rows.forEach(({ cells }, row) => {
      for (let column = 0; column < width; column += 1) {
        const cell = this.cells[row][column];
        cell.className = aligns[column] ? `cm-${aligns[column]}` : "";
        const text = cells[column]?.text ?? "";
        if (this.texts[row][column] === text) continue;
        this.texts[row][column] = text;
        const own = current?.table === this && current.row === row && current.column === column ? current.editor : null;
        if (own) sync(own, toWords(text));
        else this.draw(row, column);
      }
    });
  }

  /** Begins to write in a cell. */
  write(row, column, event = null) {
    if (current?.table === this && current.row === row && current.column === column) return current.editor.focus();
    current?.table.leave();
    const cell = this.cells[row]?.[column];
    if (!cell) return undefined;
    cell.replaceChildren();
    const label = `${this.cells[0][column].textContent.trim() || `Column ${column + 1}`}, ${row ? `row ${row}` : "heading"}`;
    const editor = new EditorView({
      parent: cell,
      root: this.view.root,
      state: EditorState.create({
        doc: toWords(this.texts[row][column]),
        extensions: [this.keys(), this.options.cell(label), EditorView.updateListener.of((update) => this.typed(update)), EditorView.domEventHandlers({ paste: (paste) => this.paste(paste) })],
      }),
    });
    current = { table: this, view: this.view, editor, row, column };
    this.place.classList.add("cm-written");
    this.view.requestMeasure();
    const { length } = editor.state.doc;
    const at = event ? editor.posAtCoords({ x: event.clientX, y: event.clientY }, false) : length;
    editor.dispatch({ selection: event ? { anchor: at } : { anchor: 0, head: length } });
    editor.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.options.moved();
    return undefined;
  }

  /** Ends writing in a cell. */
  leave(draws = true) {
    if (current?.table !== this) return;
    const { editor, row, column } = current;
    current = null;
    this.place.classList.remove("cm-written");
    this.view.requestMeasure();
    editor.destroy();
    if (draws) this.draw(row, column);
  }

  /** Shows a cell's words; a head without any has a name for screen readers. */
  draw(row, column) {
    const cell = this.cells[row][column];
    draw(cell, this.texts[row][column]);
    if (!row && !this.texts[0][column]) cell.append(element("span", { className: "cm-unseen", textContent: `Column ${column + 1}` }));
  }

  /** Where a place of the text is drawn: in the cell that has it, or the one before. */
  domAt({ rows }, pos) {
    const last = (all) => Math.max(0, all.findLastIndex(({ from }) => from <= pos));
    const row = last(rows);
    const column = Math.min(last(rows[row].cells), this.cells[row].length - 1);
    const { start, text } = rows[row].cells[column] ?? { start: pos, text: "" };
    const before = text.slice(0, Math.max(0, pos - start));
    const isWritten = current?.table === this && current.row === row && current.column === column;
    return isWritten ? current.editor.domAtPos(toWords(before).length) : drawnAfter(this.cells[row][column], before);
  }

  /** Puts what is typed in a cell into the text. */
  typed(update) {
    if (update.selectionSet || update.docChanged || update.focusChanged) this.options.moved();
    if (!update.docChanged || update.transactions.some((tr) => tr.annotation(Transaction.remote))) return;
    const text = toCell(update.state.doc.toString());
    const table = this.read();
    const { row, column } = current;
    if (!table || text === this.texts[row][column]) return;
    this.texts[row][column] = text;
    const event = update.transactions.map((tr) => tr.annotation(Transaction.userEvent)).find(Boolean) ?? "input.cell";
    this.view.dispatch({ changes: setCell(table, row, column, text), annotations: Transaction.userEvent.of(event.startsWith("delete") ? "cell.delete" : "cell.type") });
  }

  paste(event) {
    const rows = pastedRows(event.clipboardData);
    if (!rows) return false;
    event.preventDefault();
    const { row, column } = current;
    this.change(fill(this.read(), row, column, rows), [row + rows.length - 1, column + Math.max(...rows.map(({ length }) => length)) - 1]);
    return true;
  }

  /** Changes the table, and goes on in a cell. */
  change(changes, [row, column]) {
    this.leave();
    this.view.dispatch({ changes, userEvent: "input.table" });
    this.write(Math.min(row, this.cells.length - 1), Math.max(0, Math.min(column, this.cells[0].length - 1)));
  }

  act(name) {
    const table = this.read();
    if (!table || current?.table !== this) return;
    const { row, column } = current;
    const widths = (at, count) => (cells) => cells.toSpliced(at, count, ...(count ? [] : [""]));
    if (name === "rowBelow") this.change(addRow(table, row + 1), [row + 1, column]);
    else if (name === "rowAbove") this.change(addRow(table, Math.max(1, row)), [Math.max(1, row), column]);
    else if (name === "removeRow" && row) this.change(removeRow(table, row), [row, column]);
    else if (name === "columnLeft") this.change(editColumns(table, widths(column, 0)), [row, column]);
    else if (name === "columnRight") this.change(editColumns(table, widths(column + 1, 0)), [row, column + 1]);
    else if (name === "removeColumn" && table.width > 1) this.change(editColumns(table, widths(column, 1)), [row, column]);
    else if (name === "leave") this.end();
    else if (name in ALIGNS) this.change(align(table, column, table.aligns[column] === name ? "" : name), [row, column]);
    else if (name === "removeTable") {
      this.leave();
      const { doc } = this.view.state;
      const to = Math.min(doc.length, table.to + /^\n{0,2}/.exec(doc.sliceString(table.to, table.to + 2))[0].length);
      this.view.dispatch({ changes: { from: table.from, to }, selection: { anchor: table.from }, userEvent: "input.table" });
      this.view.focus();
    }
  }

  onTools(event) {
    const buttons = [...this.tools.querySelectorAll("button")];
    const at = buttons.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) buttons.at((at + step) % buttons.length).focus();
    else if (event.key === "Escape") current?.editor.focus();
    else return;
    event.preventDefault();
  }

  /** Goes on writing below the table. */
  end() {
    const { to } = this.read();
    this.leave();
    writeBelow(this.view, to);
    this.view.focus();
  }

  /** Goes to the text before or after the table; to a new paragraph where there is none. */
  exit(after) {
    const { from, to } = this.read();
    this.leave();
    const { view } = this;
    const { doc } = view.state;
    const near = after ? to + 2 : from - 2;
    const line = near >= 0 && near <= doc.length ? doc.lineAt(near) : null;
    const next = line && tableOf(view, line);
    if (next) return next.write(after ? 0 : next.cells.length - 1, 0);
    if (line) view.dispatch({ selection: { anchor: after ? line.from : line.to }, scrollIntoView: true });
    else if (after && to + 1 === doc.length) view.dispatch({ selection: { anchor: to + 1 }, scrollIntoView: true });
    else {
      const at = after ? to : from;
      const insert = after && to === doc.length ? "\n" : "\n\n";
      view.dispatch({ changes: { from: at, insert }, selection: { anchor: after ? at + insert.length : at }, userEvent: "input.table", scrollIntoView: true });
    }
    return view.focus();
  }

  keys() {
    const move = (rows, columns) => {
      const { row, column } = current;
      let [r, c] = [row + rows, column + columns];
      const [height, width] = [this.cells.length, this.cells[0].length];
      if (c >= width) [r, c] = [r + 1, 0];
      if (c < 0) [r, c] = [r - 1, width - 1];
      if (r < 0) this.exit(false);
      else if (r >= height) this.change(addRow(this.read(), height), [height, c]);
      else this.write(r, c);
      return true;
    };
    /** Up and down within the lines of a cell, then to the next one, then out of the table. */
    const vertical = (down) => (editor) => {
      const { main } = editor.state.selection;
      const next = editor.moveVertically(main, down);
      if (next.head !== main.head && next.head !== 0 && next.head !== editor.state.doc.length) return false;
      const row = current.row + (down ? 1 : -1);
      if (row < 0 || row >= this.cells.length) this.exit(down);
      else this.write(row, current.column);
      return true;
    };
    const sideways = (right) => (editor) => {
      const { main } = editor.state.selection;
      if (!main.empty || main.head !== (right ? editor.state.doc.length : 0)) return false;
      const [row, column] = [current.row, current.column + (right ? 1 : -1)];
      if (column >= 0 && column < this.cells[0].length) this.write(row, column);
      return true;
    };
    /** Undoes in the text; where that takes the cell, one goes on in the one that is there then, or where the table was. */
    const outer = (command) => () => {
      const { row, column } = current;
      command(this.view);
      if (current) return true;
      if (this.place.isConnected) this.write(Math.min(row, this.cells.length - 1), Math.min(column, this.cells[0].length - 1));
      else this.view.focus();
      return true;
    };
    return Prec.highest(keymap.of([
      { key: "Tab", run: () => move(0, 1), shift: () => move(0, -1) },
      { key: "Enter", run: () => move(1, 0), shift: (editor) => (editor.dispatch(editor.state.replaceSelection("\n"), { userEvent: "input.type" }), true) },
      { key: "ArrowUp", run: vertical(false) },
      { key: "ArrowDown", run: vertical(true) },
      { key: "ArrowLeft", run: sideways(false) },
      { key: "ArrowRight", run: sideways(true) },
      ...["Escape", "Mod-Enter"].map((key) => ({ key, run: () => (this.end(), true) })),
      { key: "Alt-F10", run: () => (this.tools.querySelector("button").focus(), true) },
      { key: "Mod-z", run: outer(undo), shift: outer(redo) },
      { key: "Mod-y", run: outer(redo) },
    ]));
  }
}

/** Gives a cell's editor the words that the text has, where they are others. */
function sync(editor, words) {
  const old = editor.state.doc.toString();
  if (toCell(old) === toCell(words)) return;
  let from = 0;
  while (from < Math.min(old.length, words.length) && old[from] === words[from]) from += 1;
  let same = 0;
  while (same < Math.min(old.length, words.length) - from && old.at(-1 - same) === words.at(-1 - same)) same += 1;
  editor.dispatch({ changes: { from, to: old.length - same, insert: words.slice(from, words.length - same) }, annotations: Transaction.remote.of(true) });
}

/** Tables that are not within lists or quotes. */
function found(state, options) {
  const ranges = [];
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== "Table") continue;
    const [from, to] = [state.doc.lineAt(node.from).from, state.doc.lineAt(node.to).to];
    ranges.push(Decoration.replace({ widget: new Grid(state.sliceDoc(from, to), options), block: true }).range(from, to));
  }
  return Decoration.set(ranges);
}

/** From the text into a table by the arrow keys. */
const into = (down) => (view) => {
  const { main } = view.state.selection;
  if (!main.empty) return false;
  const next = view.moveVertically(main, down);
  const { doc } = view.state;
  const line = doc.lineAt(main.head);
  for (let step = 1; step <= 2; step += 1) {
    const number = line.number + (down ? step : -step);
    if (number < 1 || number > doc.lines) return false;
    const at = doc.line(number);
    const table = tableOf(view, at);
    if (table && (next.head === main.head || view.state.doc.lineAt(next.head).number !== line.number)) {
      table.write(down ? 0 : table.cells.length - 1, 0);
      return true;
    }
    if (at.text.trim()) return false;
  }
  return false;
};

const drawn = (view) => [...view.contentDOM.querySelectorAll(":scope > .cm-grid")].map(({ table }) => ({ table, at: table.read() })).filter(({ at }) => at);

/** The table that has a line of the text. */
const tableOf = (view, line) => drawn(view).find(({ at }) => at.from <= line.from && line.to <= at.to)?.table;

/** Returns a function that finds where a place of the text is in a table that is drawn; it returns null for other places. */
export function inTables(view) {
  const tables = drawn(view);
  return (pos) => {
    const found = tables.find(({ at }) => at.from <= pos && pos <= at.to);
    return found ? found.table.domAt(found.at, pos) : null;
  };
}

/** Backspace behind a table goes into its last cell. */
function backInto(view) {
  const { empty, head } = view.state.selection.main;
  const line = view.state.doc.lineAt(head);
  if (!empty || head !== line.from || line.number < 3 || view.state.doc.line(line.number - 1).text.trim()) return false;
  const table = tableOf(view, view.state.doc.line(line.number - 2));
  if (!table) return false;
  table.write(table.cells.length - 1, table.cells[0].length - 1);
  return true;
}

/** Begins to write in the table that stands at a place. */
export function writeIn(view, at) {
  const table = tableOf(view, view.state.doc.lineAt(at));
  table?.write(0, 0);
}

export const tables = (options) => {
  const shared = { ...options };
  const field = StateField.define({
    create: (state) => found(state, shared),
    update: (value, tr) => (tr.docChanged || syntaxTree(tr.state) !== syntaxTree(tr.startState) ? found(tr.state, shared) : value),
    provide: (own) => [EditorView.decorations.from(own), EditorView.atomicRanges.of((view) => view.state.field(own))],
  });
  shared.field = field;
  return [
    field,
    look,
    Prec.highest(keymap.of([
      { key: "ArrowDown", run: into(true) },
      { key: "ArrowUp", run: into(false) },
      { key: "Backspace", run: backInto },
    ])),
    EditorView.domEventHandlers({
      focus: () => {
        current?.table.leave();
        return false;
      },
    }),
  ];
};

const look = EditorView.theme({
  ".cm-grid": { position: "relative", padding: ".4em 0 .6em", fontFamily: "var(--sans)", fontSize: "var(--text-m)", lineHeight: "1.5" },
  ".cm-grid-scroll": { overflowX: "auto", padding: "2px" },
  ".cm-grid table": { borderCollapse: "collapse" },
  ".cm-grid th, .cm-grid td": { border: "1px solid var(--line)", padding: ".35rem .6rem", minWidth: "6rem", maxWidth: "24rem", height: "1.5em", textAlign: "start", verticalAlign: "top", cursor: "text", overflowWrap: "anywhere" },
  ".cm-grid th": { fontWeight: "600", backgroundColor: "var(--sunken)" },
  ".cm-grid .cm-left": { textAlign: "left" },
  ".cm-grid .cm-center": { textAlign: "center" },
  ".cm-grid .cm-right": { textAlign: "right" },
  ".cm-grid :is(th, td):focus-within": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-grid .cm-editor": { height: "auto", background: "none", fontSize: "inherit" },
  ".cm-grid .cm-editor.cm-focused": { outline: "none" },
  ".cm-grid .cm-scroller": { fontFamily: "inherit", fontSize: "inherit", lineHeight: "inherit", overflow: "visible" },
  ".cm-grid .cm-content": { padding: "0", maxWidth: "none", margin: "0", minWidth: "2rem" },
  ".cm-grid .cm-editor .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-grid .cm-editor .cm-line::selection, .cm-grid .cm-editor .cm-line ::selection": { backgroundColor: "transparent !important" },
  ".cm-grid-tools": { boxSizing: "border-box", display: "none", maxWidth: "100%", flexWrap: "wrap", width: "max-content", alignItems: "center", gap: "1px", marginTop: ".4rem", padding: ".2rem", border: "1px solid var(--line)", borderRadius: "var(--round)", backgroundColor: "var(--surface)" },
  ".cm-written .cm-grid-tools": { display: "flex" },
  ".cm-grid-tools button": { flex: "none", border: "0", borderRadius: "var(--round)", padding: ".4rem", background: "none", color: "var(--text)", font: "500 var(--text-xs)/1 var(--sans)", cursor: "pointer", whiteSpace: "nowrap" },
  ".cm-grid-tools svg": { width: ".9rem", height: ".9rem", fill: "none", stroke: "currentColor", strokeWidth: "1.4", strokeLinecap: "round", display: "block" },
  ".cm-grid-tools button:is(:hover, :focus-visible)": { backgroundColor: "var(--sunken)" },
  ".cm-unseen": { position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)", whiteSpace: "nowrap" },
  ".cm-grid-gap": { flex: "none", width: "1px", height: "1rem", margin: "0 .2rem", backgroundColor: "var(--line)" },
  ".cm-grid code": { fontFamily: "var(--mono)", fontSize: ".88em", backgroundColor: "var(--surface)", borderRadius: ".2rem", padding: ".1em .25em" },
  ".cm-grid img": { maxWidth: "100%", maxHeight: "8rem" },
  ".cm-grid u": { color: "var(--accent)", textUnderlineOffset: ".18em" },
});
