"""What a word is, in any script, for counting and for searching."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.core.text.html import word_count
from app.core.text.markdown import parsed_html
from app.core.text.words import MAX_LENGTH, MAX_WORDS, count_words, search_words, words
from tests.core.text.prose import PROSE, UNSPACED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world", ["Hello", "world"]),
        ("can't 3.14 1,000 e.g.", ["can't", "3.14", "1,000", "e.g"]),
        ("well-known and/or", ["well", "known", "and", "or"]),
        ("say 'apple' or ‘oak’", ["say", "apple", "or", "oak"]),
        ("snake_case _x_ ___", ["snake_case", "_x_"]),
        ("— … !? 🎉 👩‍👩‍👧‍👦 ∑", []),
        ("l’été café e\u0301", ["l’été", "café", "e\u0301"]),
        ("Привет мир", ["Привет", "мир"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("你好世界", ["你", "好", "世", "界"]),
        ("東京へ行くテスト", ["東", "京", "へ", "行", "く", "テスト"]),
        ("𠀀𠀁", ["𠀀", "𠀁"]),
        ("สวัสดีชาวโลก", ["สวัสดี", "ชาว", "โลก"]),
        ("ສະບາຍດີ", ["ສະບາຍດີ"]),
        ("ភាសាខ្មែរ", ["ភាសាខ្មែរ"]),
        ("မြန်မာဘာသာစကား", ["မြန်မာဘာသာ", "စကား"]),
        ("Python ภาษาไทย 3", ["Python", "3", "ภาษา", "ไทย"]),
        ("\u00adéa b\u00adc \u200bन", ["éa", "b\u00adc", "न"]),
        ("\u3164 a\u115f \u17b4 \u061c", ["a"]),
        ("", []),
    ],
)
def test_words_of_any_script(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected
    assert count_words(text) == len(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Quick the QUICK", ["quick", "the"]),
        ("Crème BRÛLÉE Ångström", ["angstrom", "brulee", "creme"]),
        ("Straße STRASSE", ["strasse"]),
        ("Đà Nẵng Łódź smørrebrød Æble œuvre þing", ["aeble", "da", "lodz", "nang", "oeuvre", "smorrebrod", "thing"]),
        ("İstanbul ISTANBUL", ["istanbul"]),
        ("ΣΊΣΥΦΟΣ Σίσυφος", ["σισυφοσ"]),
        ("l'été", ["ete", "l"]),
        ("how-to-bake_bread 3.14", ["14", "3", "bake", "bread", "how", "to"]),
        ("ﬁne Ｆｕｌｌ ²", ["2", "fine", "full"]),
        ("パン ﾊﾟﾝ はん", ["は", "ん", "ハン"]),
        ("한국어", ["한국어"]),
        ("كِتَاب كتاب", ["كتاب"]),
        ("की का", ["का", "की"]),
        ("🎉 — ?", []),
    ],
)
def test_case_accents_and_punctuation_are_ignored_in_a_search(text: str, expected: list[str]) -> None:
    assert search_words(text) == expected


def test_the_words_of_several_texts_are_searched_as_one() -> None:
    assert search_words("b a", "c", "", "a") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("How to bake Bread", "bread BAKE"),
        ("L'École de l’air", "ecole"),
        ("機械学習入門", "機械学習"),
        ("ภาษาไทยสำหรับทุกคน", "ภาษา"),
        ("Ελληνικά", "ελληνικα"),
    ],
)
def test_a_title_is_found_by_some_of_its_words(title: str, query: str) -> None:
    assert set(search_words(query)) <= set(search_words(title))


def test_part_of_a_word_finds_nothing() -> None:
    assert not set(search_words("brea")) <= set(search_words("How to bake bread"))


def test_words_and_their_number_are_bounded_on_both_sides_alike() -> None:
    assert search_words("a" * 10_000) == search_words("a" * 300) == ["a" * MAX_LENGTH]
    assert len(search_words(" ".join(map(str, range(5_000))))) == MAX_WORDS


@given(st.text(max_size=50))
def test_every_search_word_finds_the_text_that_it_is_from(text: str) -> None:
    kept = search_words(text)

    assert kept == sorted(set(kept))
    assert set(search_words(*kept)) <= set(kept)


_PIECES = st.sampled_from(
    [
        *"abZ09_'.,:;-\t\n \"()/@",
        "é",
        "’",
        "‘",
        "“",
        "”",
        "—",
        "…",
        "→",
        "你好",
        "々",
        "へ\u0301",
        "<",
        ">",
        "_",
        "テスト",
        "ไทย",
        "e\u0301",
        "🎉",
        "\u00a0",
        "\u00ad",
        "\u200d",
        "\ufeff",
    ]
)


_EXACT = ("L", "Nd", "Nl", "Zs", "Pd", "Ps", "Pe", "Pi", "Pf", "Sm", "Sc")
"""Categories of characters; a mark that stands alone, and Indian signs and fractions, may be counted as words."""


_MARK_BESIDE_A_JOINER = re.compile("['’‘.:,;·][\xad\u0301\u200d\ufeff]|[\xad\u0301\u200d\ufeff]['’‘.:,;·]")
"""Text where `words` finds a boundary and UAX #29 none."""


@settings(max_examples=500, deadline=None)
@given(
    st.lists(_PIECES, max_size=40).map("".join)
    | st.text(st.characters(max_codepoint=127), max_size=60)
    | st.text(st.characters(codec="cp1252"), max_size=60)
    | st.text(st.characters(categories=_EXACT, exclude_characters="৲৳৻૱௹"), max_size=60)
)
def test_words_are_counted_as_they_are_divided(text: str) -> None:
    assume("_" not in text or "テ" not in text)  # an underscore joins katakana to what follows
    assume(not _MARK_BESIDE_A_JOINER.search(text))
    assert count_words(text) == len(list(words(text)))


@pytest.mark.parametrize("language", PROSE)
def test_words_of_prose_are_counted_as_they_are_divided(language: str) -> None:
    assert count_words(PROSE[language]) == len(list(words(PROSE[language])))


@pytest.mark.parametrize("language", PROSE)
def test_counting_words_takes_no_longer_than_parsing_a_few_times(language: str) -> None:
    text, english = (PROSE[one] * (20_000 // len(PROSE[one].encode())) for one in (language, "English"))
    most = 4 * (7 if language in UNSPACED else 3)

    ratios = sorted(seconds(word_count, text) / seconds(parsed_html, english) for _ in range(9))

    assert ratios[4] < most


def seconds(work: Callable[[str], object], text: str) -> float:
    """Returns the CPU seconds of this thread that work on a text takes."""
    start = time.thread_time()
    work(text)
    return time.thread_time() - start
