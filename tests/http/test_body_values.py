"""How many values a body may have, counted before it is parsed."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.http import bodies
from app.http.bodies import MAX_VALUES, too_many_values
from tests.live import quickest


@pytest.mark.parametrize(
    "raw",
    [
        b'{"x":"' + b'\\",' * 6_000_000,
        b'{"x":"' + b'\\",' * 6_000_000 + b"\\",
        b'["' + b"," * 200_000 + b'",' + b"\\" * 18_000_000,
        b'["' + b"," * 200_000 + b'"' + b'"' * 300_000 + b'\\"' * 9_000_000,
        b'["' + b"," * 18_000_000 + b'"]',
    ],
    ids=lambda raw: raw[:12],
)
def test_strings_of_twenty_megabytes_are_distinguished_from_values_fast(raw: bytes) -> None:
    def count() -> None:
        assert not too_many_values(raw)

    assert quickest(count, 3) < 3


@pytest.mark.parametrize("part", [b'\\"\\\\",', b'\\",\\\\"', b'\\"\\"\\\\",'], ids=["one", "two", "three"])
def test_backslashes_outside_of_strings_do_not_hide_how_many_strings_there_are(part: bytes) -> None:
    raw = b"," * (MAX_VALUES + 1) + part * (19_000_000 // len(part))

    def count() -> None:
        assert too_many_values(raw)

    assert quickest(count, 0.5) < 0.5


VALUES = st.recursive(
    st.text(st.sampled_from('",[{\\ab'), max_size=6) | st.integers(0, 9),
    lambda values: st.lists(values, max_size=5) | st.dictionaries(st.text('"\\,', max_size=2), values, max_size=4),
)


def marks(value: object) -> int:
    """Returns how many brackets and commas the JSON of a value has outside of strings."""
    if isinstance(value, list):
        return 1 + max(0, len(value) - 1) + sum(map(marks, value))
    if isinstance(value, dict):
        return 1 + max(0, len(value) - 1) + sum(map(marks, value.values()))
    return 0


@given(VALUES)
def test_text_inside_strings_does_not_count(value: object) -> None:
    raw, number = orjson.dumps([value]), marks([value])
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(bodies, "MAX_VALUES", number)
        assert not too_many_values(raw)
        monkeypatch.setattr(bodies, "MAX_VALUES", number - 1)
        assert too_many_values(raw)


def test_values_up_to_the_limit_are_allowed() -> None:
    assert not too_many_values(orjson.dumps([""] * MAX_VALUES))
    assert too_many_values(orjson.dumps([""] * (MAX_VALUES + 1)))
