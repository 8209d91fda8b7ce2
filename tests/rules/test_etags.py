"""Entity tags: one for each state of a record (decisions, section 3)."""

from datetime import UTC, datetime, timedelta

import pytest

from app.rules.etags import matches, read_tags, record_tag, tag_of

NOW = datetime(2027, 1, 31, 9, tzinfo=UTC)
DOCUMENT = {"version": 3, "rev": 14}
LEASED = {**DOCUMENT, "brief": {"state": "claimed", "claimExpiresAt": NOW}}


@pytest.mark.contract("decided-http.etag")
def test_a_documents_tag_begins_with_its_version_and_ends_in_its_writes() -> None:
    assert tag_of(DOCUMENT, NOW) == "3-14"
    assert record_tag({"rev": 14}) == "14"


@pytest.mark.contract("decided-http.etag", "decided-briefs.expired-is-ready")
def test_a_documents_tag_changes_at_the_instant_that_its_claim_expires() -> None:
    assert tag_of(LEASED, NOW - timedelta(milliseconds=1)) == "3-14"
    assert tag_of(LEASED, NOW) == "3-14x"


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ('"3-14"', ("3-14",)),
        ('"3-14x"', ("3-14x",)),
        ('"14"', ("14",)),
        ('"3-14.00ff"', ("3-14",)),
        ('"1-2", "3-14" ,"7"', ("1-2", "3-14", "7")),
        ('"other", "3-14"', ("3-14",)),
        ("*", None),
        (" * ", None),
        ("", ()),
        ('W/"3-14"', ()),
        ("3-14", ()),
        ('"3-14', ()),
        ('"other"', ()),
        ('"3-14y"', ()),
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
        ('"3-14"', LEASED, False),
        ('"3-14x"', LEASED, True),
        ('"14"', {"rev": 14}, True),
        ('"13"', {"rev": 14}, False),
        ('"3-14"', {"rev": 14}, False),
        ("none of ours", DOCUMENT, False),
        ("", DOCUMENT, False),
    ],
)
def test_a_record_is_in_the_state_that_a_tag_names_only_if_it_is_its_tag(header, record, holds) -> None:
    assert matches(read_tags(header), record, NOW) is holds


def test_without_a_header_there_is_no_condition() -> None:
    assert matches(None, DOCUMENT, NOW)
