// Tables of markdown as rows of cells: where each cell is in the text, and the changes that edit them.

export const ALIGNS = { left: ":-", center: ":-:", right: "-:" };

/** The cells of one line: each with its place, without the spaces around its words. */
function cellsOf(text, from) {
  const cells = [];
  const start = /^\s*/.exec(text)[0].length;
  const end = text.trimEnd().length;
  const isOpen = text[start] === "|";
  let at = isOpen ? start + 1 : start;
  const add = (to) => {
    const raw = text.slice(at, to);
    const left = raw.length - raw.trimStart().length;
    const words = raw.trim();
    cells.push({ from: from + at, to: from + to, start: from + at + (words ? left : 0), text: words });
  };
  for (let i = at, escaped = false; i < end; i += 1) {
    if (text[i] === "|" && !escaped) {
      add(i);
      at = i + 1;
    }
    escaped = !escaped && text[i] === "\\";
  }
  const isClosed = at >= end;
  if (!isClosed) add(end);
  return { from, to: from + text.length, cells, isWhole: isOpen && isClosed };
}

/** Reads a table: its rows, the heads first, and how its columns are aligned. */
export function readTable(doc, from, to) {
  const lines = [];
  for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
    lines.push(cellsOf(line.text, line.from));
    if (line.to >= to || line.number === doc.lines) break;
  }
  const [heads, rule, ...rest] = lines;
  const width = heads.cells.length;
  const aligns = rule.cells.map(({ text }) => (/^:.*:$/.test(text) ? "center" : text.startsWith(":") ? "left" : text.endsWith(":") ? "right" : ""));
  return { from: heads.from, to: lines.at(-1).to, rule, rows: [heads, ...rest], width, aligns };
}

const line = (cells) => `| ${cells.join(" | ")} |`;
const textsOf = ({ cells }, width) => Array.from({ length: Math.max(width, cells.length) }, (_, at) => cells[at]?.text ?? "");
const ruleOf = (align) => ALIGNS[align] ?? "-";

/** A table as text. */
export const written = (rows, aligns) => {
  const width = Math.max(...rows.map((row) => row.length));
  const all = rows.map((row) => line(Array.from({ length: width }, (_, at) => row[at] ?? "")));
  const rule = line(Array.from({ length: width }, (_, at) => ruleOf(aligns[at])));
  return [all[0], rule, ...all.slice(1)].join("\n");
};

/** The change that sets a cell's words. */
export function setCell(table, row, column, text) {
  const { cells, isWhole, from, to } = table.rows[row];
  const cell = cells[column];
  if (cell && isWhole) {
    return cell.text && text
      ? { from: cell.start, to: cell.start + cell.text.length, insert: text }
      : { from: cell.from, to: cell.to, insert: text ? ` ${text} ` : "  " };
  }
  const texts = textsOf(table.rows[row], table.width);
  texts[column] = text;
  return { from, to, insert: line(texts) };
}

/** The change that adds an empty row before the one with an index. */
export function addRow(table, at) {
  const empty = line(Array(table.width).fill(""));
  const above = at === 1 ? table.rule : table.rows[at - 1];
  return { from: above.to, insert: `\n${empty}` };
}

/** The change that takes a row away. */
export function removeRow(table, at) {
  const above = at === 1 ? table.rule : table.rows[at - 1];
  return { from: above.to, to: table.rows[at].to };
}

/** The change that rewrites a table with other columns: `edit` changes the texts of a row, and the alignments. */
export function editColumns(table, edit) {
  const rows = table.rows.map((row) => edit(textsOf(row, table.width), ""));
  return { from: table.from, to: table.to, insert: written(rows, edit([...table.aligns], "")) };
}

/** The change that aligns a column. */
export function align(table, column, side) {
  const cell = table.rule.cells[column];
  if (table.rule.isWhole) return { from: cell.start, to: cell.start + cell.text.length, insert: ruleOf(side) };
  const aligns = [...table.aligns];
  aligns[column] = side;
  return { from: table.rule.from, to: table.rule.to, insert: line(aligns.map(ruleOf)) };
}

/** The change that puts rows of words into a table from a cell on; the table grows. */
export function fill(table, row, column, rows) {
  const texts = table.rows.map((one) => textsOf(one, table.width));
  rows.forEach((cells, down) => {
    const own = (texts[row + down] ??= Array(table.width).fill(""));
    cells.forEach((text, right) => { own[column + right] = text; });
  });
  const filled = texts.map((cells) => Array.from(cells, (text) => text ?? ""));
  return { from: table.from, to: table.to, insert: written(filled, table.aligns) };
}

/** A cell's words as they are edited: the marks that a table needs are left out; and back. */
export const toWords = (text) => text.replace(/\\\|/g, "|").replace(/<br\s*\/?>/gi, "\n");
export const toCell = (words) => words.replace(/\|/g, "\\|").replace(/\s*\n\s*/g, "<br>").trim();

/** Rows that a clipboard has from a spreadsheet; null if it has something else. */
export function pastedRows(clipboard) {
  const html = clipboard.getData("text/html");
  if (/<table/i.test(html)) {
    const { body } = new DOMParser().parseFromString(html.replace(/<style\b.*?<\/style\s*>/gis, "").replace(/\sstyle\s*=/gi, " data-style="), "text/html");
    const found = body.querySelectorAll("table");
    const rest = body.cloneNode(true);
    for (const one of rest.querySelectorAll("table, meta, link, title")) one.remove();
    if (found.length === 1 && !rest.textContent.trim()) return [...found[0].rows].map(({ cells }) => [...cells].map((cell) => plain(wordsOf(cell))));
  }
  const text = clipboard.getData("text/plain").replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return text.includes("\t") && !/^\t/m.test(text) ? separated(text).map((row) => row.map(plain)) : null;
}

/** The words of a cell, with a line for each of its paragraphs and items. */
function wordsOf(cell) {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replace(/\s+/g, " ");
  for (const one of cell.querySelectorAll("br, p, div, li")) {
    one.before("\n");
    one.append("\n");
  }
  return cell.textContent.trim();
}

/** Rows of text separated by tabs, where a cell with line breaks is between quotation marks. */
function separated(text) {
  const rows = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))(\t|\n|$)/g)) {
    rows.at(-1).push(quoted?.replace(/""/g, '"') ?? bare);
    if (end === "\n") rows.push([]);
    else if (!end) break;
  }
  return rows;
}

/** Words as markdown that shows them as they are. */
const plain = (words) => toCell(words.replace(/[ \t\u00a0]+/g, " ").replace(/([\\`*_[\]<~])/g, "\\$1"));
