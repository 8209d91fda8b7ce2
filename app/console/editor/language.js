// Markdown as the service reads it: GFM and footnotes, without what CodeMirror's own markdown adds.

import { markdownLanguage } from "@codemirror/lang-markdown";
import { Language } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const REFERENCE = /^\[\^[^\s[\]]+\]/;
const DEFINITION = /^\[\^[^\s[\]]+\]:[ \t]*/;

const footnotes = {
  defineNodes: [
    { name: "FootnoteReference", style: tags.link },
    { name: "FootnoteDefinition", block: true },
    { name: "FootnoteMark", style: tags.processingInstruction },
  ],
  parseInline: [{
    name: "FootnoteReference",
    before: "Link",
    parse(cx, next, pos) {
      const found = next === 91 ? REFERENCE.exec(cx.slice(pos, cx.end)) : null;
      return found ? cx.addElement(cx.elt("FootnoteReference", pos, pos + found[0].length)) : -1;
    },
  }],
  parseBlock: [{
    name: "FootnoteDefinition",
    before: "LinkReference",
    leaf: (_, leaf) => (DEFINITION.test(leaf.content) ? { nextLine: () => false, finish: finishDefinition } : null),
    endLeaf: (_, line) => DEFINITION.test(line.text.slice(line.pos)),
  }],
};

function finishDefinition(cx, leaf) {
  const { start, content } = leaf;
  const width = DEFINITION.exec(content)[0].length;
  cx.addLeafElement(leaf, cx.elt("FootnoteDefinition", start, start + content.length, [
    cx.elt("FootnoteMark", start, start + width),
    ...cx.parser.parseInline(content.slice(width), start + width),
  ]));
  return true;
}

export const parser = markdownLanguage.parser.configure([{ remove: ["Subscript", "Superscript", "Emoji"] }, footnotes]);
export const language = new Language(markdownLanguage.data, parser, [], "markdown");
