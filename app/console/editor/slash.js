// `/` at the beginning of a line: a list of what can be put there.

import { markdownLanguage } from "@codemirror/lang-markdown";
import { EditorView } from "@codemirror/view";
import { prefixOf, verbatimAt } from "./blocks.js";
import { commands } from "./commands.js";

const ENTRIES = [
  ["Heading", "heading", "section title"], ["Subheading", "subheading", "smaller"], ["Bulleted list", "list"], ["Numbered list", "numbers"],
  ["To-do list", "tasks"], ["Quote", "quote"], ["Callout", "callout", "note"], ["Table", "table"], ["Picture", "image"], ["Link", "link"], ["Code", "code"],
  ["Footnote", "footnote"], ["Rule", "rule", "line"],
];

const source = (ask) => {
  const options = ENTRIES.map(([label, name, detail], at) => ({
    label, detail, boost: -at,
    apply(view, _, from, to) {
      view.dispatch({ changes: { from: from - 1, to }, userEvent: "input.insert" });
      if (name in commands) commands[name](view);
      else ask(name);
    },
  }));
  return (context) => {
    const found = context.matchBefore(/\/[\w -]*$/);
    if (!found) return null;
    const { state } = context;
    const line = state.doc.lineAt(found.from);
    if (found.from !== Math.max(line.from, prefixOf(state, line).end) || verbatimAt(state, found.from)) return null;
    return { from: found.from + 1, options, validFor: /^[\w -]*$/ };
  };
};

export const slash = (ask) => [
  markdownLanguage.data.of({ autocomplete: source(ask) }),
  EditorView.theme({
    ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--sans)", fontSize: "var(--text-m)", padding: ".25rem", maxHeight: "30rem", columns: "2", columnGap: "0" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".3rem .6rem", borderRadius: "var(--round)", lineHeight: "1.3", breakInside: "avoid" },
    ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent-soft)", color: "var(--text)" },
    ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650" },
    ".cm-completionDetail": { fontStyle: "normal", color: "var(--muted)" },
  }),
];
