"""Names that nothing knows, and the known name that is near (decisions, section 11)."""

import pytest

from app.core.schemas.validation import near_name

KNOWN = ("title", "slug", "categoryId", "documentId", "q", "keyword", "baseVersion", "id")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Title", "title"),
        ("category_id", "categoryId"),
        ("base-version", "baseVersion"),
        ("titel", "title"),
        ("titles", "title"),
        ("keywrd", "keyword"),
        ("category", "categoryId"),
        ("slgu", None),  # two edits, and a name of four letters may have one
        ("slog", "slug"),
        ("ids", "id"),
        ("search", None),
        ("tilteX", None),
        ("", "q"),
        ("x" * 10_000, None),
    ],
)
def test_a_near_name_is_equal_but_for_case_or_differs_by_at_most_two_edits(name: str, near: str | None) -> None:
    assert near_name(name, KNOWN) == near


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert near_name("title", ()) is None
