"""Words in any script, for counting, for searching and for comparing."""

import re
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from unicodedata import combining, normalize

import regex
from anyascii import anyascii

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
_LATIN = "cp1252"
"""An encoding with a byte for each letter and mark of English, German, French and other languages."""
_UNLIKE = b"\0"
_ALIKE = {"’": "'", "‘": "'", "·": ":", **dict.fromkeys("²³¹¼½¾¸\u00ad", "\0")}


def _ascii_of(code: int) -> str:
    character = bytes([code]).decode(_LATIN, "replace")
    return character if character.isascii() else _ALIKE.get(character, "a" if character.isalpha() else " ")


_ASCII = "".join(map(_ascii_of, range(256))).encode()
"""For each byte an ASCII one that divides words alike; `_UNLIKE` where there is none."""
_RUNS = bytes(ord("a" if chr(code).isalnum() or code == ord("_") else " ") for code in range(128)) + b" " * 128
_JOINED = (
    *(re.compile(mark + rb"(?<=[a-zA-Z].)(?=[a-zA-Z])") for mark in (rb"'", rb"\.", rb":")),
    *(re.compile(mark + rb"(?<=[0-9].)(?=[0-9])") for mark in (rb"'", rb"\.", rb",", rb";")),
)
"""The marks that join letters and those that join digits. Each pattern begins with its mark, as that is found fast."""
_NO_LETTERS = re.compile(rb"_(?<![a-zA-Z0-9_]_)_*+(?![a-zA-Z0-9])")
_BY_CHARACTER = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Line_Break=Complex_Context}"
_STARTS_UNSPACED = regex.compile(rf"[{_BY_CHARACTER}]")
COMPARED = regex.compile(rf"[{_BY_CHARACTER}]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}]--[{_BY_CHARACTER}]]++", regex.VERSION1)
"""A word as texts are compared."""
_LATIN_LETTER = regex.compile(r"[\p{Latin}--[A-Za-z]]", regex.VERSION1)
_PIECE = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*+")


def words(text: str) -> Iterator[str]:
    """Returns the words of a text, not in its order.

    They are the segments of Unicode's default rules (UAX #29) that hold a letter or a digit: `can't` and `3.14` are
    one word, `well-known` is two, each Han character and each hiragana is one, a run of katakana is one, an emoji is
    none. Thai, Lao, Khmer and Burmese, written without spaces, are divided by the dictionaries of ICU.
    """
    from icu4py.breakers import WordBreaker  # takes 4 MB, and a process that writes no text needs none

    spaced = map(itemgetter(0), _WORD.finditer(_UNSPACED.sub(" ", text)))
    unspaced = WordBreaker(" ".join(_UNSPACED.findall(text)), "root")
    return chain(spaced, (word for word in unspaced if word[0].isalnum()))


def count_words(text: str) -> int:
    """Returns how many words a text has: as many as `words` returns.

    A text in a language of Western Europe is counted ten times faster without making a word of it: the runs of
    letters, digits and underscores, less those that an apostrophe or a point joins and those of underscores alone.
    """
    try:
        source = text.replace("→", " ").encode(_LATIN).translate(_ASCII)
    except UnicodeEncodeError:
        source = _UNLIKE
    if _UNLIKE in source:
        return sum(map(bool, words(text)))  # true for each word, without a step of Python
    runs = (b" " + source.translate(_RUNS)).count(b" a")
    return runs - sum(len(pattern.findall(source)) for pattern in (*_JOINED, _NO_LETTERS))


def search_words(*texts: str) -> list[str]:
    """Returns the words that texts are found by: without case, accents and punctuation, sorted, each once.

    A record is found when it has all words of the query. So what words hold is divided once more (`l'été` is found
    by `ete`), the same on both sides, and at most 64 characters of a word and 1,000 words count.
    """
    pieces = (piece for text in texts for word in words(text) for piece in _PIECE.findall(folded(word)))
    return sorted({piece[:MAX_LENGTH] for piece in pieces})[:MAX_WORDS]


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
