"""Markdown as its parser reads it: CommonMark with GitHub's tables, strikethrough and task lists, by pyromark.

pyromark binds pulldown-cmark, which is written in Rust: threads parse at once, and no input takes it long. It knows no
bare addresses, which become links in GitHub's extension (GFM, section 6.9): `protected` and `linked` find them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyromark

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
_LONE_RETURN = re.compile(r"\r(?!\n)")
_ADDRESS = re.compile(
    r"(?<![^\s*_~(])(?:(?P<scheme>(?:https?|ftp)://)|www\.)(?P<host>[\w-]++(?:\.[\w-]++)*+)[^\s<]*+"
    r"|(?<![\w.+-])(?P<mail>[a-zA-Z0-9._+-]++@[a-zA-Z0-9_-]++(?:\.[a-zA-Z0-9_-]++)++)(?<![_-])(?!\+)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:https?://|www\.)[^\s<>\]|]++")
_PROTECT = str.maketrans("*_~", "\ufdd0\ufdd1\ufdd2")
_RESTORE = {"\ufdd0": "*", "\ufdd1": "_", "\ufdd2": "~", "%EF%B7%90": "*", "%EF%B7%91": "_", "%EF%B7%92": "~"}
"""Characters that Unicode reserves for internal use, as they are in text and in the parser's html of an address."""
_PROTECTED = re.compile("[\ufdd0-\ufdd2]|%EF%B7%9[0-2]")


def parsed_html(markdown: str) -> str:
    """Returns the html that the parser makes of markdown: raw html as it is, bare addresses as text."""
    source = protected(markdown)
    html = pyromark.html(_with_line_feeds(source), options=_OPTIONS)
    return html if source == markdown else restored(html)


def events_with_places(markdown: str) -> Iterable[tuple[Any, Any]]:
    """Returns the parser's own events, raw html whole, each with its `start` and `end` in bytes of the UTF-8 text.

    An event without details is a string, as `"SoftBreak"`; any other is a dict with one key: `{"Text": "a"}`.
    """
    return pyromark.events_with_range(_with_line_feeds(markdown), options=_OPTIONS, merge_text=True)


def _with_line_feeds(markdown: str) -> str:
    """Returns markdown with a line feed for each lone carriage return, which the parser misses in code and raw html."""
    return _LONE_RETURN.sub("\n", markdown) if "\r" in markdown else markdown


def protected(markdown: str) -> str:
    """Returns markdown in which `*`, `_` and `~` inside of bare addresses do not mark emphasis: `/__init__.py`.

    Other characters stand for them, in code and links too; `restored` brings them back in whatever is made of it.
    """
    addresses = "\n".join(_BARE.findall(markdown))
    if not any(mark in addresses for mark in "*_~") or _PROTECTED.search(markdown):
        return markdown
    return _BARE.sub(_without_emphasis, markdown)


def restored(text: str) -> str:
    """Returns what was made of protected markdown as it is in the markdown."""
    return _PROTECTED.sub(lambda found: _RESTORE[found[0]], text)


def linked(text: str) -> Iterator[tuple[str, str]]:
    """Returns the text in parts, each with the address that it links to; an empty one where it is no link."""
    end = 0
    for found in _ADDRESS.finditer(text) if "://" in text or "@" in text or "www." in text.lower() else ():
        shown = found[0] if found["mail"] else _trimmed(found[0])
        if "_" in "".join((found["host"] or "").rsplit(".", 2)[-2:]):
            continue
        yield text[end : found.start()], ""
        end = found.start() + len(shown)
        yield shown, ("mailto:" if found["mail"] else "" if found["scheme"] else "http://") + shown
    yield text[end:], ""


def _without_emphasis(found: re.Match[str]) -> str:
    address = _trimmed(found[0])
    return address.translate(_PROTECT) + found[0][len(address) :]


def _trimmed(address: str) -> str:
    """Returns an address without what ends a sentence: punctuation, a `)` that closes none, a character reference."""
    surplus = address.count(")") - address.count("(")
    end = len(address)
    while end:
        last = address[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last == ";":
            start = address.rfind("&", 0, end)
            if start < 0 or not address[start + 1 : end - 1].isalnum():
                break
            end = start + 1
        elif last not in "?!.,:*_~'\"":
            break
        end -= 1
    return address[:end]
