"""The tables of html: the elements and attributes that may come out of markdown, and how elements end."""

from typing import Final

_INLINE = """
    a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strike strong sub sup time tt u
    var wbr
"""
_OTHERS = """
    address article aside blockquote br caption center col colgroup dd details div dl dt figcaption figure footer
    h1 h2 h3 h4 h5 h6 header hgroup hr img input li main meter nav ol p pre progress rp rt ruby section summary
    table tbody td tfoot th thead tr ul
"""
INLINE: Final = frozenset(_INLINE.split())
"""Elements inside a line of text; where one begins or ends, no word ends."""

INLINE_MARKDOWN: Final = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})
"""What markdown has inside a line of text, as its parser calls it."""

HIDDEN: Final = frozenset({"script", "style"})
"""Elements whose content is no text."""

ELEMENTS: Final = INLINE | frozenset(_OTHERS.split())
"""Elements that may come out: no script, style, frame or form, nothing of svg and math."""

ATTRIBUTES: Final = {
    "*": {"dir", "lang", "title"},
    "a": {"href", "hreflang"},
    "code": {"class"},
    "col": {"span"},
    "colgroup": {"span"},
    "data": {"value"},
    "del": {"datetime"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "input": {"checked", "disabled", "type"},
    "ins": {"datetime"},
    "meter": {"high", "low", "max", "min", "optimum", "value"},
    "ol": {"reversed", "start", "type"},
    "progress": {"max", "value"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
"""The attributes that they may have: no `style`; no `id` or `name`, by which a page's scripts find things; and of
addresses, only `href` and `src`, since nh3 lets any scheme through in the others."""

GIVEN: Final = {"input": {"type": "checkbox", "disabled": ""}}
"""The attributes that elements always have: the only control is the box of a task list."""

VOID: Final = frozenset({"br", "col", "hr", "img", "input", "wbr"})
"""Elements that hold nothing and have no end tag."""

TABLE_PARTS: Final = frozenset({"colgroup", "table", "tbody", "tfoot", "thead", "tr"})
"""Elements that hold parts of a table and nothing else."""

IN_TABLE_PARTS: Final = TABLE_PARTS - {"table"} | {"caption", "col", "td", "th"}

_CELLS, _ROWS = frozenset({"colgroup", "p", "td", "th"}), frozenset({"tbody", "tfoot", "thead"})
ENDED_BY: Final = {
    **dict.fromkeys(INLINE, frozenset[str]()),
    **dict.fromkeys(ELEMENTS - INLINE, frozenset({"p"})),
    **dict.fromkeys(("br", "img", "input", "meter", "progress", "rp", "rt", "ruby"), frozenset()),
    "a": frozenset({"a"}),
    "li": frozenset({"li", "p"}),
    **dict.fromkeys(("dd", "dt"), frozenset({"dd", "dt", "p"})),
    **dict.fromkeys(("td", "th"), _CELLS),
    "tr": _CELLS | {"tr"},
    **dict.fromkeys(_ROWS, _CELLS | _ROWS | {"tr"}),
}
"""Authors may leave out many end tags: for the start of each element, the open elements that it ends."""
