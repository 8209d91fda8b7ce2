"""What schemas refuse: wrong types, too long, out of range. A table for each table of the contract."""

from typing import Any

import pytest

from app.briefs.schemas import BriefQuery, ClaimFields, ClaimNextFields, RenewFields
from app.categories.schemas import DraftCategoryFields, DraftClusterFields
from app.core.errors import HttpApiDecodeError
from app.core.schemas.loading import cached_schema, load
from app.core.schemas.queries import from_query
from app.documents.schemas import BriefFields
from app.intents.schemas import DraftDocumentFields, IntentQuery

TEXTS = [
    (DraftDocumentFields, "title", 300),
    (DraftDocumentFields, "slug", 200),
    (DraftDocumentFields, "markdown", 2_097_152),
    (DraftDocumentFields, "status", 500),
    (DraftDocumentFields, "assigneeId", 500),
    (DraftDocumentFields, "categoryId", 500),
    (DraftDocumentFields, "clusterId", 500),
    (DraftDocumentFields, "dueDate", 500),
    (DraftClusterFields, "name", 100),
    (DraftClusterFields, "description", 2_000),
    (DraftCategoryFields, "name", 200),
    (DraftCategoryFields, "slug", 200),
    (DraftCategoryFields, "description", 2_000),
    (DraftCategoryFields, "categoryId", 500),
    (BriefFields, "audience", 500),
    (BriefFields, "intent", 500),
    (BriefFields, "keyword", 200),
    (BriefFields, "notes", 5_000),
    (BriefFields, "outline", 5_000),
    (BriefFields, "wordCount", 50),
]
LISTS = [
    (DraftClusterFields, "keywords", 50, 100),
    (BriefFields, "internalLinks", 50, 500),
    (BriefFields, "referenceUrls", 50, 500),
]
TABLES = {DraftDocumentFields, DraftClusterFields, DraftCategoryFields, BriefFields}

CLEF = "\N{MUSICAL SYMBOL G CLEF}"
"""One code point, two UTF-16 units, four bytes."""


def issues(table: Any, data: Any) -> list[tuple[str, str]]:
    with pytest.raises(HttpApiDecodeError) as refused:
        load(table, data)
    return [(issue["path"], issue["message"]) for issue in refused.value.extra["issues"]]


def test_these_tables_name_every_field_of_the_contract() -> None:
    here = {(table, name) for table, name, *_ in [*TEXTS, *LISTS]} | {(DraftDocumentFields, "brief")}

    assert here == {(table, name) for table in TABLES for name in cached_schema(table).fields}


@pytest.mark.contract(
    "limits.document-title",
    "limits.document-slug",
    "limits.document-markdown",
    "limits.cluster-name",
    "limits.cluster-description",
    "limits.category-name-slug",
    "limits.category-description",
    "limits.brief-audience",
    "brief.audience",
    "brief.keyword",
    "brief.notes",
    "brief.outline",
    "brief.wordCount",
    "limits.brief-keyword",
    "limits.brief-notes-outline",
    "limits.brief-wordCount",
    "decided-intents.unstated-length",
    "decided-http.code-points",
)
@pytest.mark.parametrize(("table", "name", "limit"), TEXTS)
@pytest.mark.parametrize("character", ["a", CLEF, "\N{COMBINING ACUTE ACCENT}"])
def test_a_text_has_as_many_code_points_as_its_limit_and_not_one_more(table, name, limit, character) -> None:
    longest = character * limit

    assert load(table, {name: longest}) == {name: longest}
    assert issues(table, {name: longest + character}) == [(name, f"Must be at most {limit:,} characters.")]


@pytest.mark.contract("limits.cluster-keywords", "limits.brief-lists")
@pytest.mark.parametrize(("table", "name", "count", "limit"), LISTS)
def test_a_list_has_as_many_items_as_its_limit_each_as_long_as_theirs(table, name, count, limit) -> None:
    fullest = [CLEF * limit] * count

    assert load(table, {name: fullest}) == {name: fullest}
    assert issues(table, {name: ["a"] * (count + 1)}) == [(name, f"Must have at most {count} items.")]
    assert issues(table, {name: ["a", CLEF * (limit + 1)]}) == [(f"{name}[1]", f"Must be at most {limit} characters.")]


@pytest.mark.contract("decided-http.strict-types", "errors.HttpApiDecodeError")
@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, _ in TEXTS])
@pytest.mark.parametrize("value", [5, 5.0, 0, True, False, [], ["a"], {}, {"a": "b"}])
def test_what_is_no_string_is_refused_as_a_text(table, name, value) -> None:
    assert issues(table, {name: value}) == [(name, "Must be a string.")]


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, *_ in LISTS])
@pytest.mark.parametrize("value", ["a", "a,b", 5, True, {}, {"0": "a"}])
def test_what_is_no_array_is_refused_as_a_list(table, name, value) -> None:
    assert issues(table, {name: value}) == [(name, "Must be an array.")]


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, *_ in LISTS])
@pytest.mark.parametrize(
    ("item", "message"),
    [
        (5, "Must be a string."),
        (True, "Must be a string."),
        (None, "Must not be null: leave it out."),
        ([], "Must be a string."),
    ],
)
def test_what_is_no_string_is_refused_in_a_list(table, name, item, message) -> None:
    assert issues(table, {name: ["a", item]}) == [(f"{name}[1]", message)]


@pytest.mark.parametrize("value", ["a", 5, True, [], [{}]])
def test_what_is_no_object_is_refused_as_a_brief(value) -> None:
    assert issues(DraftDocumentFields, {"brief": value}) == [("brief", "Must be an object.")]


@pytest.mark.contract("decided-http.strict-types")
@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, _ in TEXTS])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\0b", "Must not hold a null character."),
        ("a\ud83d", "Must not hold half of a surrogate pair."),
        ("\ude00b", "Must not hold half of a surrogate pair."),
    ],
)
def test_a_null_byte_or_half_a_surrogate_pair_is_refused(table, name, text, message) -> None:
    assert issues(table, {name: text}) == [(name, message)]


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, *_ in LISTS])
@pytest.mark.parametrize("text", ["a\0b", "a\ud83d"])
def test_a_null_byte_or_half_a_surrogate_pair_is_refused_in_a_list(table, name, text) -> None:
    assert [path for path, _ in issues(table, {name: [text]})] == [f"{name}[0]"]


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name, *_ in [*TEXTS, *LISTS]])
def test_null_is_taken_for_every_field_as_it_clears_it(table, name) -> None:
    assert load(table, {name: None}) == {name: None}


def test_a_brief_is_cleared_by_null_and_so_is_each_field_in_it() -> None:
    assert load(DraftDocumentFields, {"brief": None}) == {"brief": None}
    assert load(DraftDocumentFields, {"brief": {"keyword": None}}) == {"brief": {"keyword": None}}


@pytest.mark.contract("conventions.unknown")
@pytest.mark.parametrize("table", sorted(TABLES, key=lambda table: table.__name__))
def test_fields_that_a_table_does_not_know_are_ignored(table) -> None:
    assert load(table, {"state": "claimed", "projectId": 5, "$set": {}, "": "\0"}) == {}


def test_fields_that_the_brief_does_not_know_are_ignored() -> None:
    sent = {"brief": {"state": "ready", "claimedBy": {}, "keyword": "rye"}}

    assert load(DraftDocumentFields, sent) == {"brief": {"keyword": "rye"}}


@pytest.mark.contract("decided-http.HttpApiDecodeError", "intent-document.brief")
def test_every_issue_is_reported_at_once_with_its_path_in_order() -> None:
    sent = {
        "title": 5,
        "markdown": [],
        "brief": {"keyword": "a" * 201, "referenceUrls": ["http://a.example", 7], "intent": 1},
    }

    assert [path for path, _ in issues(DraftDocumentFields, sent)] == [
        "brief.intent",
        "brief.keyword",
        "brief.referenceUrls[1]",
        "markdown",
        "title",
    ]


@pytest.mark.contract("decided-intents.kept-until-confirm")
@pytest.mark.parametrize(
    "sent",
    [
        {"status": "published"},
        {"dueDate": "soon"},
        {"assigneeId": "nobody"},
        {"slug": "not a slug"},
        {"title": " "},
        {"brief": {"intent": "curious", "referenceUrls": ["ftp://a.example"], "internalLinks": ["x"]}},
    ],
)
def test_meaning_is_not_checked_at_the_door(sent) -> None:
    assert load(DraftDocumentFields, sent) == sent


@pytest.mark.contract("decided-briefs.lease", "decided-http.whole-numbers")
@pytest.mark.parametrize("table", [ClaimFields, ClaimNextFields, RenewFields])
@pytest.mark.parametrize("seconds", [60, 61, 3_600, 86_400, 60.0, 8.64e4])
def test_a_lease_is_from_a_minute_to_a_day(table, seconds) -> None:
    assert load(table, {"leaseSeconds": seconds}) == {"leaseSeconds": seconds}


@pytest.mark.contract("decided-briefs.lease", "decided-http.strict-types")
@pytest.mark.parametrize("table", [ClaimFields, ClaimNextFields, RenewFields])
@pytest.mark.parametrize("seconds", [59, 0, -60, 86_401, 2**63, "60", "3600", 59.0, 60.5, 1e300, True, None, [], {}])
def test_a_lease_that_is_none_is_refused(table, seconds) -> None:
    assert [path for path, _ in issues(table, {"leaseSeconds": seconds})] == ["leaseSeconds"]


@pytest.mark.contract("limits.briefs-limit", "limits.briefs-offset")
def test_a_page_of_briefs_is_of_fifty_ready_ones_from_the_first_by_default() -> None:
    assert load(BriefQuery, from_query(cached_schema(BriefQuery), {})) == {"limit": 50, "offset": 0, "state": ["ready"]}


@pytest.mark.contract("limits.briefs-limit", "limits.briefs-offset")
@pytest.mark.parametrize(
    ("query", "read"),
    [
        ({"limit": "1"}, {"limit": 1}),
        ({"limit": "100"}, {"limit": 100}),
        ({"offset": "100000"}, {"offset": 100_000}),
        ({"state": "none,claimed,drafted,ready"}, {"state": ["none", "claimed", "drafted", "ready"]}),
        ({"state": "ready,ready"}, {"state": ["ready"]}),
        ({"sort": "title", "q": "rye"}, {}),
    ],
)
def test_what_the_query_of_briefs_takes(query, read) -> None:
    assert load(BriefQuery, from_query(cached_schema(BriefQuery), query)).items() >= read.items()


@pytest.mark.contract("limits.briefs-limit", "limits.briefs-offset", "decided-briefs.state-checked")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("limit", value) for value in ("0", "101", "-1", "", "ten", "5.0", "1e1", "true", "٥", "9" * 19, "9" * 400)),
        *(("offset", value) for value in ("-1", "100001", "", "x", "0.0")),
        *(("state", value) for value in ("", "Ready", "open", "ready,", ",ready", "ready, none", "ready;none", "\0")),
    ],
)
def test_what_the_query_of_briefs_refuses(name, value) -> None:
    assert [path for path, _ in issues(BriefQuery, from_query(cached_schema(BriefQuery), {name: value}))] == [name]


@pytest.mark.contract("decided-http.issues-bounded")
@pytest.mark.parametrize(("table", "name", "count", "limit"), LISTS)
def test_a_list_that_is_too_long_is_one_issue_and_its_items_are_not_judged(table, name, count, limit) -> None:
    assert issues(table, {name: [1] * (count + 1)}) == [(name, f"Must have at most {count} items.")]


@pytest.mark.contract("decided-http.issues-bounded")
def test_an_error_lists_100_issues_and_counts_the_rest() -> None:
    brief = {"internalLinks": [1] * 50, "referenceUrls": [1] * 50, "audience": 1, "notes": 1}

    with pytest.raises(HttpApiDecodeError) as refused:
        load(DraftDocumentFields, {"brief": brief})

    assert len(refused.value.extra["issues"]) == 100
    assert refused.value.extra["more"] == 2


@pytest.mark.parametrize("kind", ["documents", "", "Document", 5])
def test_the_kind_of_a_draft_is_checked_at_once(kind) -> None:
    assert [path for path, _ in issues(IntentQuery, {"kind": kind})] == ["kind"]
