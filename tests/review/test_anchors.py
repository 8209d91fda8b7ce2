"""Where quotes stand in later texts, held to an oracle that was written apart (decisions, section 17)."""

import random
import re

import pytest

from app.review.anchors import BLOCK, Quote, first_places, lines_of, locate, quote_at
from tests.live import quickest

HISTORIES = 2_000
"""How many histories are drawn; 100,000 were run once, with other seeds too."""


def oracle(text: str, quote: Quote) -> int | None:
    """Looks at every place of the text, and compares character by character."""
    both, either = [], []
    for start in range(len(text) - len(quote["exact"]) + 1):
        end = start + len(quote["exact"])
        if text[start:end] != quote["exact"]:
            continue
        before, after = text[:start], text[end:]
        has_prefix = before.endswith(quote["prefix"]) if quote["prefix"] else before == ""
        has_suffix = after.startswith(quote["suffix"]) if quote["suffix"] else after == ""
        if has_prefix and has_suffix:
            both.append(start)
        if has_prefix or has_suffix:
            either.append(start)
    found = both or either
    return found[0] if len(found) == 1 else None


def edited(draw: random.Random, text: str) -> str:
    """Returns a text after one edit: words added, removed, moved or repeated."""
    start = draw.randrange(len(text) + 1)
    end = min(len(text), start + draw.randrange(40))
    passage, rest = text[start:end], text[:start] + text[end:]
    place = draw.randrange(len(rest) + 1)
    return draw.choice(
        (
            text[:start] + draw.choice(("rye ", "a", "\n", "é", "🍞")) + text[start:],
            rest,
            rest[:place] + passage + rest[place:],
            text[:start] + passage + text[start:],
            text + text[: draw.randrange(60)],
        )
    )


def a_text(draw: random.Random) -> str:
    alphabet = draw.choice(("ab", "abc ", "ab\r\n", "abcdefghijkl é🍞\n"))
    return "".join(draw.choices(alphabet, k=draw.randrange(1, 200)))


@pytest.mark.contract("decided-threads.anchors")
@pytest.mark.parametrize("seed", range(4))
def test_in_no_history_of_edits_is_a_remark_shown_at_other_words(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(HISTORIES // 4):
        text = a_text(draw)
        quotes = []
        for _ in range(draw.randrange(1, 6)):
            start = draw.randrange(len(text))
            quotes.append(quote_at(text, start, text[start : start + draw.randrange(1, 50)]))
        for _ in range(draw.randrange(4)):
            text = edited(draw, text) or "a"
        found = locate(text, quotes)
        assert found == [oracle(text, quote) for quote in quotes], (text, quotes)
        assert lines_of(text, [place for place in found if place is not None]) == {
            place: 1
            + len(re.findall(r"\r\n|\r|\n", text[: place + (text[place - 1 : place + 1] == "\r\n")]))
            - (text[place - 1 : place + 1] == "\r\n")
            for place in found
            if place is not None
        }


@pytest.mark.contract("decided-threads.settled-anchors")
@pytest.mark.parametrize(
    ("text", "prefix", "suffix", "place"),
    [
        ("rye", "", "", 0),
        ("rye bread", "", "", 0),
        ("a rye bread", "", "", None),
        ("a rye bread", "a ", " bread", 2),
        ("the rye bread", "a ", " bread", 4),
        ("a rye loaf", "a ", " bread", 2),
        ("the rye loaf", "a ", " bread", None),
        ("a rye bread, a rye bread", "a ", " bread", None),
        ("a rye loaf, the rye bread", "a ", " bread", None),
        ("a rye bread, a rye loaf", "a ", " bread", 2),
        ("rye bread, no rye bread", "", " bread", 0),
        ("no rye bread", "", " bread", 3),
    ],
)
def test_a_quote_stands_with_its_whole_prefix_or_its_whole_suffix_at_one_place(
    text: str, prefix: str, suffix: str, place: int | None
) -> None:
    quote = Quote(exact="rye", prefix=prefix, suffix=suffix)

    assert locate(text, [quote]) == [place]
    assert oracle(text, quote) == place


def test_places_that_overlap_count_as_several() -> None:
    assert first_places("ababa", "aba", 9) == [0, 2]
    assert locate("aba" * 20 + "ba", [Quote(exact="aba", prefix="", suffix="")]) == [None]


def test_words_that_stand_in_blocks_that_repeat_are_found_all_the_same() -> None:
    text = "x" * 5_000 + "rye" + "x" * 5_000
    quote = quote_at(text, 5_000, "rye")

    assert locate(text, [quote]) == [5_000]
    assert locate("x" * 10_000, [quote]) == [None]
    assert all(locate("y" * n + text, [quote]) == [5_000 + n] for n in range(2 * BLOCK))


@pytest.mark.contract("decided-threads.linear")
def test_200_threads_in_2_mb_are_found_in_one_pass() -> None:
    draw = random.Random(7)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randrange(2, 9))) for _ in range(5_000)]
    text = " ".join(draw.choices(words, k=350_000))[:2_000_000]
    quotes = [quote_at(text, place, text[place : place + 60]) for place in draw.sample(range(1_900_000), 200)]

    assert None not in locate(text, quotes)
    assert quickest(lambda: locate(text, quotes), 0.05) < 0.05
