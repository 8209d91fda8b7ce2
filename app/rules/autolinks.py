"""Bare addresses in text that become links, as GitHub's extension of markdown has it (GFM, section 6.9)."""

import re
from collections.abc import Iterator
from typing import Any

_HOST = r"[\w-]++(?:\.[\w-]++)*+"
_ADDRESS = re.compile(
    rf"(?<![^\s*_~(])(?:(?P<scheme>(?:https?|ftp)://)|www\.)(?P<host>{_HOST})[^\s<]*+"
    r"|(?<![\w.+-])(?P<mail>[a-zA-Z0-9._+-]++@[a-zA-Z0-9_-]++(?:\.[a-zA-Z0-9_-]++)++)(?!\+)",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?:https?://|www\.)[^\s<>\]|]++")
_EMPHASIS, _PROTECTED = "*_~", "\ufdd0\ufdd1\ufdd2"
_PROTECT = str.maketrans(_EMPHASIS, _PROTECTED)

_MAY_BE_EMPHASIS = re.compile(r"[*~]|(?<![^\W_])_|_(?![^\W_])")
"""An underline between letters or digits never is."""
_RESTORE = str.maketrans(_PROTECTED, _EMPHASIS)


def protected(markdown: str) -> str:
    """Returns markdown in which `*`, `_` and `~` inside of bare addresses are no emphasis: `/__init__.py`.

    They are replaced everywhere alike by characters that Unicode reserves for internal use, so `restored` brings them
    back in text, code and links. Markdown that has such characters itself is returned as it is.
    """
    may_have_addresses = "://" in markdown or "www." in markdown
    if not may_have_addresses or any(character in markdown for character in _PROTECTED):
        return markdown
    if not _MAY_BE_EMPHASIS.search("\n".join(_BARE.findall(markdown))):
        return markdown  # as most is; looking at each address takes longer
    return _BARE.sub(_without_emphasis, markdown)


def restored(value: Any) -> Any:
    """Returns what the parser found in protected markdown, a text or what holds texts, as it is in the markdown."""
    if isinstance(value, str):
        return value.translate(_RESTORE)
    if isinstance(value, dict):
        return {key: restored(inner) for key, inner in value.items()}
    return value


def linked(text: str) -> Iterator[tuple[str, str]]:
    """Returns the text in parts, each with the address that it links to; an empty one where it is no link."""
    end = 0
    if "://" in text or "www." in text.lower() or "@" in text:
        for found in _ADDRESS.finditer(text):
            shown, address = _link(found)
            if shown:
                yield text[end : found.start()], ""
                yield shown, address
                end = found.start() + len(shown)
    yield text[end:], ""


def _link(found: re.Match[str]) -> tuple[str, str]:
    if found["mail"]:
        return ("", "") if found[0][-1] in "-_" else (found[0], f"mailto:{found[0]}")
    if "_" in "".join(found["host"].rsplit(".", 2)[-2:]):
        return "", ""
    shown = _trimmed(found[0])
    return shown, shown if found["scheme"] else f"http://{shown}"


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
