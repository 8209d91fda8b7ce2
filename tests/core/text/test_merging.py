"""Two texts that were made of one are merged where they changed different paragraphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text.merging import merged

BASE = "One.\n\nTwo.\n\nThree.\n"


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ("Uno.\n\nTwo.\n\nThree.\n", "One.\n\nTwo.\n\nTres.\n", "Uno.\n\nTwo.\n\nTres.\n"),
        ("Uno.\n\nTwo.\n\nThree.\n", "One.\n\nDos.\n\nThree.\n", "Uno.\n\nDos.\n\nThree.\n"),
        ("Uno.\n\nTwo.\n\nThree.\n", "Ein.\n\nTwo.\n\nThree.\n", None),
        ("Uno.\n\nTwo.\n\nThree.\n", "Uno.\n\nTwo.\n\nTres.\n", "Uno.\n\nTwo.\n\nTres.\n"),
        ("One.\n\nThree.\n", "Uno.\n\nTwo.\n\nThree.\n", "Uno.\n\nThree.\n"),
        ("One.\n\nThree.\n", "One.\n\nTwo more.\n\nThree.\n", None),
        ("One.\n\nNew.\n\nTwo.\n\nThree.\n", "One.\n\nTwo.\n\nTres.\n", "One.\n\nNew.\n\nTwo.\n\nTres.\n"),
        ("One.\n\nNew.\n\nTwo.\n\nThree.\n", "One.\n\nOther.\n\nTwo.\n\nThree.\n", None),
        ("", "One.\n\nTwo.\n\nTres.\n", None),
        (BASE, "Anything", "Anything"),
        ("Anything", BASE, "Anything"),
    ],
)
def test_changes_of_different_paragraphs_are_merged(mine: str, theirs: str, both: str | None) -> None:
    assert merged(BASE, mine, theirs) == both
    assert merged(BASE, theirs, mine) == both


@given(st.text("ab\n \r", max_size=40), st.text("ab\n \r", max_size=40))
def test_one_change_alone_is_taken_as_it_is(base: str, mine: str) -> None:
    assert merged(base, mine, base) == merged(base, base, mine) == merged(base, mine, mine) == mine


def test_a_long_text_of_blank_lines_is_divided_quickly() -> None:
    text = "\n" * 200_000 + "a " * 100_000
    assert merged(text, text + "b", text) == text + "b"
