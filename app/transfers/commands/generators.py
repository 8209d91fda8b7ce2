"""What generators of static sites do with a text that is no markdown: shortcodes, Liquid, formulas, the code of MDX.

Code in a text is not looked at: it is shown as it is.
"""

import re
from collections.abc import Iterator

from app.core.text.html import text_of_paragraphs

FOLDERS = ("static", "public", "assets")
"""The folders of a site, beside its root, in which generators look for a path like `/images/loaf.png`."""
MDX = ".mdx"

CODE = re.compile(
    r"^ {0,3}(`{3,}+|~{3,}+)[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)|(?<!`)`++[^`\n]+`+", re.MULTILINE | re.DOTALL
)
_TAG = re.compile(
    r"(\{\{[<%])[-\s]*/?\s*(\w[\w./-]*)|(\{%)-?\s*(\w+)|(\{\{)-?\s*(\w[\w.]*)"
    r"|(\{)([#.][\w:.-]+)[^{}\n]*\}[ \t#]*$|(\{:)([^{}\n]{1,80})\}|(?<![\w:])(:)([a-z+][\w+-]*):(?![\w:])",
    re.MULTILINE,
)
_FORMULA = re.compile(
    r"(?<!\\)(\$\$)[^$]++\$\$|\\([(\[])(?:(?!\\[()\[\]]).)++\\[)\]]"
    r"|(?<![\w$\\])(\$)(?=\S)(?:[^\s$]{1,200}|[^$\n]{0,200}[\\^_={}+<>][^$\n]{0,200})(?<=\S)\$(?![\w{$])"
    r"|^[^\s:][^\n]*\n\n?(:)[ \t]+\S|^(:::)[ \t]*\w|^(\*\[)[^\]\n]+\]:",
    re.MULTILINE | re.DOTALL,
)
_WRITTEN = {
    "$$": "$$…$$",
    "(": r"\(…\)",
    "[": r"\[…\]",
    "$": "$…$",
    ":": ": a definition",
    ":::": ":::",
    "*[": "*[…]: an abbreviation",
}
_SITE = r"\{\{-?\s*site\.(?:base)?url\s*-?\}\}(?=/|\{\{-?\s*site\.(?:base)?url\b|\{%-?\s*(?:post_url|link)\b)"
_RELATIVE = r"\{\{-?\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')\s*\|\s*(?:relative|absolute)_url\s*-?\}\}"
_FILE = r"\{%-?\s*link\s+/?([^\s%]+\.(?!md\b|markdown\b)\w+)\s*-?%\}"
_ADDRESS = re.compile(f"{CODE.pattern}|{_SITE}|{_RELATIVE}|{_FILE}", CODE.flags)
_CONTENTS = (
    r"(?i:\{\{[<%]?\s*(?:toc|table-?_?of-?_?contents)\b[^{}\n]{0,80}\}\}"
    r"|\{%-?\s*(?:include\w*\s+)?toc\b[^{}\n]{0,80}%\}"
    r"|\[\[?_?toc_?\]\]?|<!-- *(?:/?toc|tocstop) *-->)[ \t]*$"
)
"""The place for a table of contents, which the generator makes."""
_ATTRIBUTES = re.compile(
    rf"{CODE.pattern}|(?:^(?:[*+-]|1\.) [^\n]*\n(?=\{{:\s*toc))?"
    rf"(?P<list>\{{::?[^:{{}}\n][^{{}}\n]{{0,80}}\}}|^[ \t]*+{_CONTENTS})",
    CODE.flags,
)
_IN_HTML = re.compile(
    rf"{CODE.pattern}|^(?=<\w[^<>]*>[ \t]*$)(<\w[^<>\n]*?)(?<!\s)\s++markdown\s*=\s*[\"']?(?:1|block)[\"']?([^<>]*>)",
    CODE.flags,
)
"""A tag after which kramdown goes on with markdown, which takes an empty line here."""
_MORE = re.compile(rf"{CODE.pattern}|(<!--\s*more\b[^>]*-->)", CODE.flags | re.IGNORECASE)
_MARKS = re.compile(r"^[ \t]*+(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)+", re.MULTILINE)
"""The marks of lists and quotes."""
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:.*$", re.MULTILINE)
_OF_HUGO = re.compile(
    rf"{CODE.pattern}|(?:(?P<link>\]\([^()\n]*+\))|^(?:(?P<heading>\#{{1,6}} [^\n{{]*+)|[ \t>]*+))"
    rf"(?P<list>\{{(?:[.\#]|[\w-]+=)[^{{}}\n]*+\}}|{_CONTENTS})(?(link)|[ \t\#]*+$)",
    CODE.flags,
)
_ENDS = {"{{<": ">}}", "{{%": "%}}", "{%": "%}", "{{": "}}", "{": "}", "{:": "}", ":": ":"}
_MDX_CODE = re.compile(r"^(?:(?:import|export)\s.*|.*(?:</?[A-Z]|<>|(?<!\\)\{).*)", re.MULTILINE)


def tags_in(markdown: str) -> Iterator[tuple[str, int]]:
    """Yields what a text has that is not markdown here, each once, with its line.

    That are shortcodes, Liquid tags, lists of attributes, formulas, definition lists and directives.
    """
    seen, text = set[str](), _without_code(markdown)
    for found in _TAG.finditer(text):
        begins, name = filter(None, found.groups())
        space = "" if begins in ("{", "{:", ":") else " "
        tag = f"{begins}{space}{name}{space}{_ENDS[begins]}"
        if tag not in seen:
            seen.add(tag)
            yield tag, _line(text, found)
    for found in _FORMULA.finditer(text):
        kind = found.lastindex or 0
        if (written := _WRITTEN[found[kind]]) not in seen:
            seen.add(written)
            yield written, text.count("\n", 0, found.start(kind)) + 1


def with_paths(markdown: str) -> str:
    """Returns a text with the paths that Jekyll makes of `site.baseurl`, `{{ "/x" | relative_url }}`, `{% link %}`."""

    def path(found: re.Match[str]) -> str:
        return (found[2] or found[3] or found[4] and f"/{found[4]}" or "") if found[0][0] == "{" else found[0]

    return _ADDRESS.sub(path, markdown)


def without_attributes(markdown: str, *, is_of_jekyll: bool) -> tuple[str, frozenset[str]]:
    """Returns a text without lists of attributes (kramdown's or Hugo's) and places of contents; and these."""
    lists = _ATTRIBUTES if is_of_jekyll else _OF_HUGO
    if is_of_jekyll:
        markdown = _IN_HTML.sub(lambda one: f"{one[2]}{one[3]}\n" if one[2] else one[0], markdown)
    found = frozenset(one["list"].strip() for one in lists.finditer(markdown) if one["list"])

    def left(one: re.Match[str]) -> str:
        before = one.groupdict(default="")
        return (before.get("heading", "").rstrip() + before.get("link", "")) if one["list"] else one[0]

    return lists.sub(left, markdown).strip("\n"), found


def summary_of(markdown: str, length: int) -> str:
    """Returns the text of what stands before `<!--more-->`, of lists where there is no paragraph; empty without it."""
    cut = next((found.start() for found in _MORE.finditer(markdown) if found[2]), 0)
    before = "\n\n".join((markdown[:cut], *_DEFINITION.findall(markdown, cut))) if cut else ""
    return text_of_paragraphs(before, length) or text_of_paragraphs(_MARKS.sub("\n\n", before), length)


def code_in(markdown: str) -> str | None:
    """Returns the first line of MDX that is not markdown (an import, JSX, an expression); None where there is none."""
    text = _without_code(markdown)
    found = _MDX_CODE.search(text)
    return f"line {_line(text, found)} of the text: {found[0].strip()[:80]}" if found else None


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1


def _without_code(markdown: str) -> str:
    return CODE.sub(lambda found: "\n" * found[0].count("\n"), markdown)
