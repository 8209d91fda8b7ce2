"""Slugs: made from titles of any script, numbered, and refused when they are no path segment."""

import re
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.slugs import MAX_LENGTH, numbered, slug_of, slug_problem


@pytest.mark.contract("decided-intents.slug-made")
@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("How to bake bread", "how-to-bake-bread"),
        ("  --Hello,   World!--  ", "hello-world"),
        ("Don’t panic, it's 3.14", "dont-panic-its-3-14"),
        ("C++ & C#", "c-c"),
        ("snake_case/path", "snake-case-path"),
        ("100 % für 5 €", "100-fuer-5-eur"),
        ("Crème brûlée", "creme-brulee"),
        ("Łódź, Straße, Ærø", "lodz-strasse-aero"),
        ("Äpfel, Öl & Übung", "aepfel-oel-uebung"),
        ("Fu\u0308r Größe, GRÖẞE", "fuer-groesse-groesse"),
        ("Zoë, naïve", "zoe-naive"),
        ("İstanbul ve ılık", "istanbul-ve-ilik"),
        ("Привет, мир", "privet-mir"),
        ("Καλημέρα κόσμε", "kalimera-kosme"),
        ("مرحبا", "mrhb"),
        ("नमस्ते दुनिया", "nmste-duniya"),
        ("สวัสดี", "swasdi"),
        ("你好,世界", "ni-hao-shi-jie"),
        ("안녕 세계", "annyeong-segye"),
        ("カタカナ", "katakana"),
        ("ﬁne Ｆｕｌｌ", "fine-full"),
        ("🎉 Party 🎉", "party"),
        ("🎉🚀👩‍👩‍👧", "untitled"),
        ("!?…", "untitled"),
        ("", "untitled"),
    ],
)
def test_a_title_makes_a_slug(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_a_long_title_is_cut_after_a_word() -> None:
    assert slug_of("word " * 60) == "-".join(["word"] * 40)
    assert slug_of("ab " * 60 + "c" * 300) == "-".join(["ab"] * 60)
    assert slug_of("a" * 200 + " b") == "a" * 200
    assert slug_of("a" * 300) == "a" * 200


@given(st.text(max_size=300))
def test_every_title_makes_a_slug_that_is_fit(title: str) -> None:
    slug = slug_of(title)

    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= MAX_LENGTH
    assert slug_problem(slug) is None


@pytest.mark.contract("decided-intents.slug-made")
@pytest.mark.parametrize(
    ("slug", "n", "expected"),
    [
        ("a", 2, "a-2"),
        ("a-2", 3, "a-2-3"),
        ("a" * 200, 2, "a" * 198 + "-2"),
        ("a" * 200, 1000, "a" * 195 + "-1000"),
        ("a" * 197 + "-bc", 2, "a" * 197 + "-2"),
    ],
)
def test_a_slug_that_is_taken_is_numbered(slug: str, n: int, expected: str) -> None:
    assert numbered(slug, n) == expected


@pytest.mark.contract("decided-intents.slug-form")
@pytest.mark.parametrize("slug", ["a", "A-b_c.d~1", "été", "你好", "می‌خواهم", "क्‍ष", "...", "a.", "🎉", "e\u0301"])
def test_letters_of_any_script_are_fit(slug: str) -> None:
    assert slug_problem(slug) is None


@pytest.mark.contract("decided-intents.slug-form")
@pytest.mark.parametrize("character", [*" !\"#$%&'()*+,/:;<=>?@[\\]^`{|}", *map(chr, range(32)), "\x7f"])
def test_no_other_character_of_ascii_is(character: str) -> None:
    assert slug_problem(f"a{character}b") is not None


@pytest.mark.contract("decided-intents.slug-form")
@pytest.mark.parametrize(
    ("slug", "says"),
    [
        ("", "A slug is not blank. Leave it out to have one made from the title."),
        (" \u3000", "A slug is not blank. Leave it out to have one made from the title."),
        ("..", "A slug is not only dots, which mean a folder in an address. Use letters, digits or hyphens."),
        ("a/b", "`/` can't be part of a slug. Use letters, digits, hyphens, `.`, `_` or `~`."),
        (
            "a b",
            "A space or invisible character (U+0020) can't be part of a slug. "
            "Use letters, digits, hyphens, `.`, `_` or `~`.",
        ),
        (
            "a\u202eb",  # turns the direction of what follows
            "A space or invisible character (U+202E) can't be part of a slug. "
            "Use letters, digits, hyphens, `.`, `_` or `~`.",
        ),
    ],
)
def test_a_refusal_says_what_to_do(slug: str, says: str) -> None:
    assert slug_problem(slug) == says


@pytest.mark.parametrize("character", ["\u00a0", "\u2028", "\u200b", "\ufeff", "\u00ad", "\u0085", "\ue000"])
def test_spaces_and_invisible_characters_of_unicode_are_not_fit(character: str) -> None:
    assert slug_problem(f"a{character}b") is not None


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=20))
def test_what_is_fit_comes_back_from_an_address_as_it_was_sent(slug: str) -> None:
    if slug_problem(slug) is None:
        assert unquote(quote(slug, safe="")) == slug
