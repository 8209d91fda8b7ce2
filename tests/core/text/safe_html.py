"""What html that is safe on any page may hold, read by two parsers that are not ours.

The lists are written out again on purpose: a change of the rules has to be made here too.
"""

import re
import warnings
from collections.abc import Iterator
from typing import Any

import html5lib
import lxml.html

_ELEMENTS = """
    a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup data dd del details dfn
    div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li main mark meter nav
    ol p pre progress q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th
    thead time tr tt u ul var wbr
"""
_ATTRIBUTES = """
    align alt checked class colspan datetime dir disabled height high href hreflang lang low max min open optimum
    rel reversed rowspan scope span src start title type value width
    aria-label data-footnote-backref data-footnote-ref data-footnotes id
"""
ELEMENTS = set(_ELEMENTS.split())
ATTRIBUTES = set(_ATTRIBUTES.split())
URL_SCHEMES = {"href": {"http", "https", "mailto", "tel", ""}, "src": {"http", "https", ""}}
HTML = "{http://www.w3.org/1999/xhtml}"


def unsafe_parts(html: str) -> list[str]:
    """Returns what in a fragment of html must not be there, in the eyes of a browser's parser and of libxml2."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # html5lib tells of what lxml can't name
        browser = html5lib.parseFragment(html)
    for_xml = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]", "\ufffd", html)
    return [*_unsafe(browser), *_unsafe(lxml.html.fragment_fromstring(for_xml, create_parent="div"))]


def depth_of(html: str) -> int:
    """Returns how many elements stand inside each other, in the eyes of a browser's parser."""
    deepest, level = 0, list(html5lib.parseFragment(html))
    while level:
        deepest, level = deepest + 1, [child for element in level for child in element]
    return deepest


def scheme_of(url: str) -> str:
    """Returns the scheme that a browser sees: spaces and control characters around it and line breaks in it are none.

    (WHATWG URL standard, section 4.4)
    """
    url = re.sub(r"[\t\n\r]", "", url.strip("".join(map(chr, range(0x21)))))
    scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*):", url)
    return scheme[1].lower() if scheme else ""


def _unsafe(tree: Any) -> Iterator[str]:
    for element in tree.iter():
        if element is tree:
            continue
        if not isinstance(element.tag, str):
            yield f"a comment or an instruction: {element.text!r}"
            continue
        name = element.tag.removeprefix(HTML)
        if name not in ELEMENTS:
            yield f"<{name}>"
        for attribute, value in element.attrib.items():
            yield from _unsafe_attribute(name, attribute, value)
        if name == "input" and (element.get("type"), element.get("disabled")) != ("checkbox", ""):
            yield f"<input {dict(element.attrib)}>"


def _unsafe_attribute(element: str, name: str, value: str) -> Iterator[str]:
    if name not in ATTRIBUTES:
        yield f"<{element} {name}>"
    if name in URL_SCHEMES and scheme_of(value) not in URL_SCHEMES[name]:
        yield f"<{element} {name}={value!r}>"
    if name == "id" and not re.fullmatch(r"fn(ref)?-[\w%.-]+", value):
        yield f"<{element} id={value!r}>"
    if name == "class" and not re.fullmatch(r"language-\S+|footnotes|footnote-ref|footnote-backref", value):
        yield f"<{element} class={value!r}>"
