"""Words in any script, for counting, for searching and for comparing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, compress, groupby
from operator import itemgetter, not_
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

import regex
from anyascii import anyascii

if TYPE_CHECKING:
    from icu4py.breakers import WordBreaker

MAX_WORDS = 1_000
"""Words stored of one record; more than its searchable fields can hold."""

MAX_LENGTH = 64
"""Characters of a word that count; in the record and in the query alike."""

SHORTEST_BEGINNING = 2
"""Letters and digits of a word's beginning, at least."""

# `regex` sees no boundary between an apostrophe and a vowel, as in `l'été`; in `'apple'` there is one all the same.
# Nor does it see one after a space and an invisible character, like a soft hyphen.
_WORD = regex.compile(r"(?w)(?:\b|(?<=['’‘\p{Cf}\p{M}]))_*+[\p{L}\p{N}].*?\b", regex.DOTALL)
_UNSPACED = regex.compile(r"\p{Line_Break=Complex_Context}[\p{Line_Break=Complex_Context}\p{M}]*+")
_UNLIKE = b"\xff\\g<0>"
_LIKE = {
    b"'": "2018-2019 FF07",
    b":": "00B7 0387 05F4 FF1A",
    b",": "060C FF0C",
    b".": "FF0E",
    b";": "FF1B",
    b"": "00AD 0300-036F 200C-200F 202A-202F 2060-2064 20D0-20F0 302A-302F 3099-309A FE00-FE0F FE20-FE2F FEFF",
    b" ": """
        0080-00A9 00AB-00AC 00AE-00B1 00B4 00B6 00BB 00BF 00D7 00F7 03F6 0482 05BE 05C0 05C3 05C6 0606-060B 061B
        061D-061F 066A 066D 06D4 06DE 06E9 06FD-06FE 0964-0965 0970 0E3F 0E4F 0E5A-0E5B 0F01-0F17 0F1A-0F1F 0F34 0F36
        0F38 0F3A-0F3D 0F85 0FBE-0FDA 2000-200B 2010-2017 201A-2023 2025-2026 2028-2029 2030-203E 2041-2043 2045-2053
        2055-205F 20A0-20CF 2100-2101 2103-2106 2108-2109 2114 2116-2118 211E-2123 2190-23FF 2500-2775 2794-2BFF
        3000-3004 3008-3020 3030 303D-303F 309B-309C 30A0 30FB FF01-FF06 FF08-FF0B FF0D FF0F FF1C-FF20 FF3B-FF3E FF40
        FF5B-FF65 FFE0-FFEE FFFC-FFFD 1F000-1F0FF 1F200-1F3FA 1F400-1FAFF
    """,
    b"0": "0660-0669 06F0-06F9 0966-096F 09E6-09EF FF10-FF19",
    b"a": "10D0-10FA 1E00-1EFF 3005 3105-312F 3131-318E FF21-FF3A FF41-FF5A",
    b" a ": "30A1-30FA 30FC-30FF",
    _UNLIKE: "0378-0385 0530-0590 3006-3007 3021-3029 3031-303C 3190-33FF 4DC0-4DFF A000-ABFF D7B0-D7FF",
}
"""For characters in UTF-8, the ASCII ones that divide words alike: katakana is a word, and joined by no other letter.

Others are letters if their first byte is in `_LETTERS`, or else `_UNLIKE`: only `words` knows how they divide words.
"""


def _patterns() -> Iterator[tuple[int, re.Pattern[bytes], bytes]]:
    """Yields a pattern for each first byte and what its matches are like."""
    for like, ranges in _LIKE.items():
        last_bytes: defaultdict[bytes, bytes] = defaultdict(bytes)
        for start, _, end in (one.partition("-") for one in ranges.split()):
            for first, last in _blocks(int(start, 16), int(end or start, 16)):
                last_bytes[first[:-1]] += b"\\x%02x-\\x%02x" % (first[-1], last[-1])
        for lead, prefixes in groupby(sorted(last_bytes), itemgetter(0)):
            rests = [b"%s[%s]" % (re.escape(prefix[1:]), last_bytes[prefix]) for prefix in prefixes]
            one = b"%s(?:%s)" % (re.escape(bytes([lead])), b"|".join(rests))
            yield lead, re.compile(b"%s(?:%s)*" % (one, one) if like in (b" ", b" a ") else one), like


def _blocks(first: int, last: int) -> Iterator[tuple[bytes, bytes]]:
    """Yields the first and the last character of each part of a range that differs in the last byte only."""
    while first <= last:
        end = min(last, first | 63)
        yield chr(first).encode(), chr(end).encode()
        first = end + 1


_RULES = tuple(_patterns())
_IDEOGRAPHS = bytes(range(0xE3, 0xEA))
"""The first bytes of Han and hiragana, of which each character is a word."""
_LETTERS = bytes([*range(0xC0), *range(0xC3, 0xCB), *range(0xCE, 0xD4), *range(0xD6, 0xDC), 0xE0, *range(0xE3, 0xEE)])
_RUN_OF_IDEOGRAPHS = re.compile(rb"[\xe3-\xe9][\x80-\xbf\xe3-\xe9]+")
_MAYBE_UNSPACED = (0xE0, 0xE1, 0xEA, 0xF0)
_RUNS = bytes(ord("a" if chr(code).isalnum() or code == ord("_") else " ") for code in range(128)) + b"a" * 128
_JOINED = (
    *(re.compile(mark + rb"(?<=[a-zA-Z\x80-\xff].)(?=[a-zA-Z\x80-\xff])") for mark in (rb"'", rb"\.", rb":")),
    *(re.compile(mark + rb"(?<=[0-9].)(?=[0-9])") for mark in (rb"'", rb"\.", rb",", rb";")),
    re.compile(rb'"(?<=\xd7.")(?=\xd7)', re.DOTALL),
)
"""The marks that join letters, digits and Hebrew letters. Each begins with its mark, as that is found fast."""
_NO_LETTERS = re.compile(rb"_(?<![a-zA-Z0-9\x80-\xff_]_)_*+(?![a-zA-Z0-9\x80-\xff])")
_BY_CHARACTER = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Line_Break=Complex_Context}"
_STARTS_UNSPACED = regex.compile(rf"[{_BY_CHARACTER}]")
COMPARED = regex.compile(rf"[{_BY_CHARACTER}]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}]--[{_BY_CHARACTER}]]++", regex.VERSION1)
"""A word as texts are compared."""
_LATIN_LETTER = regex.compile(r"[\p{Latin}--[A-Za-z]]", regex.VERSION1)
_PIECE = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*+")
_PLAIN_PIECE = re.compile("[a-z0-9]+")
UNSEEN = re.compile("[\u061c\u115f\u1160\u17b4\u17b5\u3164\uffa0]")
"""Letters and signs that nobody sees: the fillers of Hangul, vowels of Khmer that are not written, a mark of Arabic."""


def words(text: str) -> Iterator[str]:
    """Returns the words of a text, not in its order.

    They are the segments of Unicode's default rules (UAX #29) that hold a letter or a digit: `can't` and `3.14` are
    one word, `well-known` is two, each Han character and each hiragana is one, a run of katakana is one, an emoji is
    none. Thai, Lao, Khmer and Burmese, written without spaces, are divided by the dictionaries of ICU.
    """
    text = UNSEEN.sub("", text)
    spaced = map(itemgetter(0), _WORD.finditer(_UNSPACED.sub(" ", text)))
    return chain(spaced, (word for word in _breaker(_UNSPACED.findall(text)) if word[0].isalnum()))


def _breaker(unspaced: list[str]) -> WordBreaker:
    from icu4py.breakers import WordBreaker  # takes 4 MB, and a process that writes no text needs none

    return WordBreaker(" ".join(unspaced), "root")


def count_words(text: str) -> int:
    """Returns how many words a text has: as many as `words` returns, but a mark or sign that stands alone may be one.

    It is three to ten times faster: the bytes of the text are made ASCII that divides words alike, and runs of
    letters, digits and underscores are counted, less those that an apostrophe or a point joins.
    """
    if text.isascii():
        return _count_runs(text.encode())
    text = UNSEEN.sub("", text)
    source = text.encode()
    count = 0
    if any(lead in source for lead in _MAYBE_UNSPACED) and (unspaced := _UNSPACED.findall(text)):
        count = len([*_breaker(unspaced).segments()]) - len(unspaced) + 1  # without the spaces between
        source = _UNSPACED.sub(" ", text).encode()
    for lead, pattern, like in _RULES:
        if lead in source:
            source = pattern.sub(like, source)
    if source.translate(None, _LETTERS):
        unlike, source = _divided(source)
        count += sum(1 for _ in words(unlike))
    if ideographs := len(source) - len(source.translate(None, _IDEOGRAPHS)):
        source = _RUN_OF_IDEOGRAPHS.sub(b" ", source)
    return count + ideographs + _count_runs(source)


def _divided(source: bytes) -> tuple[str, bytes]:
    """Returns the pieces between spaces that have a character that is `_UNLIKE`, and all others."""
    pieces = source.split()
    unlike = [bool(piece.translate(None, _LETTERS)) for piece in pieces]
    text = b" ".join(compress(pieces, unlike)).replace(b"\xff", b"").decode()
    return text, b" ".join(compress(pieces, map(not_, unlike)))


def _count_runs(source: bytes) -> int:
    runs = (b" " + source.translate(_RUNS)).count(b" a")
    return runs - sum(len(pattern.findall(source)) for pattern in (*_JOINED, _NO_LETTERS))


def search_words(*texts: str) -> list[str]:
    """Returns the words that texts are found by: without case, accents and punctuation, sorted, each once.

    A record is found when it has all words of the query. So what words hold is divided once more (`l'été` is found
    by `ete`), the same on both sides, and at most 64 characters of a word and 1,000 words count.
    """
    return sorted({piece for text in texts for piece in pieces_of(text)})[:MAX_WORDS]


def pieces_of(text: str) -> Iterator[str]:
    """Returns the words that a text is found by, as `search_words` has them: not in its order, and some repeatedly.

    What is ASCII between spaces is divided by a simple pattern, four times as fast.
    """
    between_spaces = dict.fromkeys(text.split())
    plain = [one for one in between_spaces if one.isascii()]
    others = (
        words(" ".join(one for one in between_spaces if not one.isascii())) if len(plain) < len(between_spaces) else ()
    )
    pieces = chain(
        _PLAIN_PIECE.findall(folded(" ".join(plain))), *(_PIECE.findall(folded(one)) for one in dict.fromkeys(others))
    )
    return (piece[:MAX_LENGTH] for piece in pieces)


def query_words(query: str) -> tuple[list[str], str | None]:
    """Returns the words that a record must have to be found, and what one of its words must begin with, or None.

    The last word of a query may be the beginning of one, from two letters or digits on: somebody is still typing it.
    """
    whole = search_words(query)
    pieces = _PIECE.findall(folded(query))
    last = pieces[-1][:MAX_LENGTH] if pieces else ""
    if last not in whole or sum(map(str.isalnum, last)) < SHORTEST_BEGINNING:
        return whole, None
    return [word for word in whole if word != last], last


def compared_words(text: str, shortest: int = 1) -> list[str]:
    """Returns the words of a text in order, as texts are compared: without case, accents and an English plural's `s`.

    In scripts without spaces, as Chinese, Japanese and Thai have, each character is a word. Words of other scripts
    with fewer characters than `shortest` are left out.
    """
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in COMPARED.findall(folded(text))
        if len(word) >= shortest or _STARTS_UNSPACED.match(word)
    ]


def folded(text: str) -> str:
    """Returns a text without case and accents, and with plain letters for others of the Latin script, as `ø` and `æ`.

    Vowel signs, as of Devanagari, are no accents and stay.
    """
    if text.isascii():
        return text.lower()
    bare = "".join(character for character in normalize("NFKD", text) if not combining(character))
    return normalize("NFC", _LATIN_LETTER.sub(_plain_letter, bare).casefold())


def _plain_letter(found: regex.Match[str]) -> str:
    plain = anyascii(found[0])
    return plain if plain.isalpha() else found[0]
