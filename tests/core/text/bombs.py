"""The largest markdown there may be, made of what takes parsers longest."""

import os
from collections.abc import Iterable

LENGTH = 2_097_152


def _full_of(unit: str, before: str = "") -> str:
    return (before + unit * (LENGTH // len(unit)))[:LENGTH]


BOMBS = {
    # nesting
    "quotes": _full_of("> "),
    "bare quotes": _full_of(">"),
    "lists": _full_of("- "),
    "deeper lists": "".join(" " * (2 * depth) + "- a\n" for depth in range(1_440)),
    "emphasis": _full_of("*a _b "),
    "closed emphasis": "*a _b " * (LENGTH // 12) + "b_ a*" * (LENGTH // 12),
    "strong": _full_of("**a *a"),
    "strikes": _full_of("~~a "),
    "open links": _full_of("[a]("),
    "brackets": _full_of("["),
    "images": _full_of("!["),
    "backticks": "".join("`" * length + " " for length in range(2_040)),
    # many small things
    "words": _full_of("a "),
    "lines": _full_of("a\n"),
    "paragraphs": _full_of("a\n\n"),
    "paragraphs of braces": _full_of("{" * 1_000 + "\n\n"),
    "headings": _full_of("#\n"),
    "different headings": "".join(f"# {number}\n" for number in range(LENGTH // 9)),
    "items": _full_of("-\n"),
    "tasks": _full_of("- [ ] a\n"),
    "cells": ("|" * 65_000 + "\n" + "|-" * 64_999 + "|\n" + ("|" * 65_000 + "\n") * 29)[:LENGTH],
    "tables": _full_of("a|b\n-|-\n\n"),
    "short rows": ("|a" * 1_000 + "|\n" + "|-" * 1_000 + "|\n" + "|\n" * LENGTH)[:LENGTH],
    "addresses": _full_of("http://a.b "),
    "mail addresses": _full_of("a@b.c "),
    "unfinished addresses": _full_of("www.a.b_"),
    "an address of references": _full_of("&a;", before="www.a.b/"),
    "image paragraphs": _full_of("![]()\n\n"),
    "definitions": "".join(f"[{number}]: a\n" for number in range(LENGTH // 13)),
    "uses of a definition": _full_of("[a]", before="[a]: " + "b" * 50_000 + "\n\n"),
    # characters that are written longer
    "ampersands": _full_of("&"),
    "quotation marks": _full_of('"'),
    "lines of ampersands": _full_of("&" * 10 + "\n"),
    "no-break spaces": _full_of("\xa0"),
    "lines of no-break spaces": _full_of("\xa0" * 10 + "\n"),
    "citations": _full_of("[^s1]"),
    "footnotes": _full_of("[^a] ", before="[^a]: b\n\n"),
    "fences": _full_of("```\n"),
    "references": _full_of("&amp;"),
    "raw references": _full_of("&a", before="<div>\n"),
    "long raw references": _full_of("&" + "a" * 32, before="<div>\n"),
    "less-than": _full_of("<", before="<div>\n"),
    "nulls": _full_of("\0"),
    # raw html
    "b": _full_of("<b>"),
    "different b": "".join(f"<b title={number}>" for number in range(LENGTH // 17)),
    "div": _full_of("<div>"),
    "a": _full_of("<a>"),
    "p": _full_of("<p>"),
    "crossed": _full_of("<div><table></div></table>"),
    "loose in a table": _full_of("<dd>", before="<table>\n"),
    "text loose in a table": _full_of("x<tr>", before="<table>\n"),
    "unfinished tags": _full_of("<a ", before="<div>\n"),
    "unfinished values": _full_of("<a='", before="<div>\n"),
    "attributes": "<div " + " ".join(f"a{number}" for number in range(LENGTH // 8)) + ">",
    "a value of references": '<img alt="' + "&a;" * (LENGTH // 3 - 10) + '">',
    "unfinished comments": _full_of("<!--", before="<div>\n"),
    "comments": _full_of("<!---->"),
    "scripts": _full_of("<script></script "),
    "instructions": _full_of("<?"),
    # scripts of the world
    "han": _full_of("你好世界"),
    "hiragana": _full_of("こんにちは"),
    "thai": _full_of("สวัสดีชาวโลก"),
    "thai and latin": _full_of("aก"),
    "burmese": _full_of("မြန်မာဘာသာ"),
    "emoji": _full_of("👩‍👩‍👧‍👦"),
    "marks": _full_of("\u0301"),
    "marks in a word": _full_of("a'" + "\u0301" * 1_000),
    "one word": _full_of("a'"),
}

WORST = (
    *("quotes", "bare quotes", "brackets", "cells", "tables", "ampersands", "a value of references", "attributes"),
    *("different b", "loose in a table", "text loose in a table", "han", "thai"),
    *("lines of ampersands", "no-break spaces", "lines of no-break spaces"),
)
"""Those that took longest to render before something was done about each."""


def tried(texts: dict[str, str], worst: Iterable[str]) -> dict[str, str]:
    """Returns the worst of some texts; with EVERY_BOMB=1 all of them, for ten minutes."""
    return texts if os.environ.get("EVERY_BOMB") else {name: texts[name] for name in worst}


def seconds_of_processor() -> float:
    """Returns the seconds that this process and those that it started have worked."""
    return sum(os.times()[:4])
