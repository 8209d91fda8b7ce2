// Finding and replacing: a browser finds only the lines that are drawn.

import { SearchQuery, closeSearchPanel, findNext, findPrevious, getSearchQuery, openSearchPanel, replaceAll, replaceNext, search, setSearchQuery } from "@codemirror/search";
import { EditorView, keymap } from "@codemirror/view";
import { inTables } from "./tables.js";

/** What is not seen of a line where marks are hidden: addresses, and the names of footnotes. */
const UNSEEN = /\]\((?:<[^<>]*>|[^()\s]*)|\[\^[^\]\s]+\]/g;
const MOST = 999;

const isSeen = (_, { doc }, from, to) => {
  const line = doc.lineAt(from);
  return ![...line.text.matchAll(UNSEEN)].some(({ index, 0: text }) => from < line.from + index + text.length && to > line.from + index);
};

const button = (label, act) => {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: label });
  made.addEventListener("click", act);
  return made;
};
const field = (label, value, input) => {
  const made = Object.assign(document.createElement("input"), { type: "text", placeholder: label, value, spellcheck: false, autocomplete: "off" });
  made.setAttribute("aria-label", label);
  made.addEventListener("input", input);
  return made;
};

const panel = (isMarkdown) => (view) => {
  const old = getSearchQuery(view.state);
  const query = () => new SearchQuery({ search: sought.value, replace: given.value, literal: true, test: isMarkdown(view.state) ? undefined : isSeen });
  let [asked, found, frame] = [null, [], 0];
  const ask = () => view.dispatch({ effects: setSearchQuery.of((asked = query())) });
  const sought = field("Find", old.search, ask);
  const given = field("Replace with", old.replace, ask);
  const count = Object.assign(document.createElement("span"), { className: "cm-found" });
  count.setAttribute("role", "status");
  sought.setAttribute("main-field", "true");
  const act = (command) => () => (ask(), command(view));
  const dom = Object.assign(document.createElement("div"), { className: "cm-find" });
  dom.setAttribute("role", "search");
  dom.append(
    sought, button("Previous", act(findPrevious)), button("Next", act(findNext)), count,
    given, button("Replace", act(replaceNext)), button("Replace all", act(replaceAll)), button("Close", act(closeSearchPanel)),
  );
  dom.addEventListener("keydown", (event) => {
    const does = { Enter: event.target === given ? replaceNext : event.shiftKey ? findPrevious : findNext, Escape: closeSearchPanel }[event.key];
    if (!does || (event.key === "Enter" && !event.target.matches("input"))) return;
    event.preventDefault();
    event.stopPropagation();
    act(does)();
  });

  /** Says how many there are, and which of them is selected. */
  function tell() {
    const { main } = view.state.selection;
    found = [];
    for (const cursor = asked?.valid && asked.getCursor(view.state); cursor && found.length < MOST; ) {
      const { value, done } = cursor.next();
      if (done) break;
      found.push(value);
    }
    const at = 1 + found.findIndex(({ from, to }) => from === main.from && to === main.to);
    count.textContent = !asked?.valid ? "" : at ? `${at} of ${found.length}` : `${found.length || "None"} found`;
    later(at !== 0);
  }

  /** Marks what is found in tables, which are drawn after this; scrolls to what is selected. */
  function later(scrolls = false) {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => mark(scrolls));
    });
  }

  function mark(scrolls) {
    if (!("highlights" in CSS)) return;
    const { main } = view.state.selection;
    const drawn = inTables(view);
    const marks = { found: new Highlight(), here: new Highlight() };
    for (const { from, to } of found) {
      const [start, end] = [drawn(from), drawn(to)];
      if (!start || !end) continue;
      const range = new Range();
      range.setStart(start.node, start.offset);
      range.setEnd(end.node, end.offset);
      const isHere = from === main.from && to === main.to;
      marks[isHere ? "here" : "found"].add(range);
      if (isHere && scrolls) start.node.parentElement.scrollIntoView({ block: "center", inline: "nearest" });
    }
    for (const [name, ranges] of Object.entries(marks)) CSS.highlights.set(name, ranges);
  }
  return {
    dom,
    top: true,
    mount: () => (queueMicrotask(ask), sought.select()),
    destroy: () => {
      cancelAnimationFrame(frame);
      for (const name of ["found", "here"]) CSS.highlights?.delete(name);
    },
    update: (update) => {
      const sent = update.transactions.flatMap(({ effects }) => effects).filter((one) => one.is(setSearchQuery)).at(-1)?.value;
      if (sent && sent !== asked) {
        sought.value = sent.search; // the words that are selected when one finds again
        queueMicrotask(ask);
      } else if (sent || update.docChanged || update.selectionSet) tell();
      else if (update.viewportChanged || update.geometryChanged) later();
    },
  };
};

const look = EditorView.theme({
  ".cm-panels": { zIndex: "4", backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-panels-top": { top: "var(--above, 0) !important", borderBottom: "1px solid var(--line)" },
  ".cm-find": { display: "flex", flexWrap: "wrap", gap: "var(--space-2)", alignItems: "center", padding: "var(--space-2) var(--space-3)", font: "var(--text-s)/1.4 var(--sans)" },
  ".cm-find input": { flex: "1 1 8rem", minWidth: "0", padding: ".3rem .5rem", border: "1px solid var(--edge)", borderRadius: "var(--round)", backgroundColor: "var(--surface)", color: "var(--text)", font: "inherit" },
  ".cm-find button": { padding: ".3rem .6rem", border: "1px solid var(--line)", borderRadius: "var(--round)", background: "none", color: "var(--text)", font: "inherit", cursor: "pointer" },
  ".cm-find button:hover": { backgroundColor: "var(--sunken)" },
  ".cm-find :focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-found": { minWidth: "5.5em", color: "var(--muted)" },
  ".cm-searchMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--accent)", borderRadius: ".15rem" },
});

/** Finds in the text by Ctrl-F; `isMarkdown` tells whether a state is shown with its marks. */
export const finding = (isMarkdown) => [
  search({ top: true, createPanel: panel(isMarkdown), scrollToMatch: (range) => EditorView.scrollIntoView(range, { y: "center" }) }), look,
];

/** Keys that find, for the text and its cells. */
export const findKeys = (view) => keymap.of([
  { key: "Mod-f", run: () => openSearchPanel(view()) },
  { key: "F3", run: () => findNext(view()), shift: () => findPrevious(view()), preventDefault: true },
]);
