"""Entity tags: one for each state of a record (decisions, section 3)."""

import pytest

from app.core.records import matches, read_tags, record_tag, tag_of

DOCUMENT = {"version": 3, "rev": 14}


@pytest.mark.contract("decided-http.etag")
def test_a_documents_tag_begins_with_its_version_and_ends_in_its_writes() -> None:
    assert tag_of(DOCUMENT) == "3-14"
    assert record_tag({"rev": 14}) == "14"


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ('"3-14"', ("3-14",)),
        ('"14"', ("14",)),
        ('"3-14.00ff"', ("3-14",)),
        ('"1-2", "3-14" ,"7"', ("1-2", "3-14", "7")),
        ('"other", "3-14"', ("3-14",)),
        ("*", None),
        (" * ", None),
        ("", ()),
        ('W/"3-14"', ("3-14",)),
        ('W/"1-2.0f", "x", W/"7"', ("1-2", "7")),
        ('xW/"3-14"', ()),
        ("3-14", ()),
        ('"3-14', ()),
        ('"other"', ()),
        ('"3-14x"', ()),
        ('"-14"', ()),
        (f'"{"9" * 30}"', ()),
    ],
)
def test_what_an_if_match_header_names(header, tags) -> None:
    assert read_tags(header) == tags


@pytest.mark.contract("decided-http.PreconditionFailed")
@pytest.mark.parametrize(
    ("header", "record", "holds"),
    [
        ("*", DOCUMENT, True),
        ('"3-14"', DOCUMENT, True),
        ('"1-1", "3-14"', DOCUMENT, True),
        ('"3-13"', DOCUMENT, False),
        ('"2-14"', DOCUMENT, False),
        ('"14"', DOCUMENT, False),
        ('"3-14x"', DOCUMENT, False),
        ('"14"', {"rev": 14}, True),
        ('"13"', {"rev": 14}, False),
        ('"3-14"', {"rev": 14}, False),
        ("none of ours", DOCUMENT, False),
        ("", DOCUMENT, False),
    ],
)
def test_a_record_is_in_the_state_that_a_tag_names_only_if_it_is_its_tag(header, record, holds) -> None:
    assert matches(read_tags(header), record) is holds


def test_without_a_header_there_is_no_condition() -> None:
    assert matches(None, DOCUMENT)
