"""PATCH of a document: what may change, what is refused and in which order, when the version moves.

(decisions, section 5)
"""

from typing import Any

import pytest

from app.core.store.store import Store
from tests.documents.steps import (
    NOBODY,
    a_category,
    a_cluster,
    a_document,
    a_document_in,
    a_member,
    claimed,
    events_of,
    ok,
    path_of,
    refused,
    types_of,
)
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

TEXTS = {
    "title": (300, "Spelt"),
    "slug": (200, "spelt"),
    "subtitle": (300, "The old grain"),
    "metaTitle": (300, "Spelt bread"),
    "metaDescription": (500, "All of spelt"),
    "excerpt": (500, "Spelt is old."),
}


@pytest.mark.contract("decided-documents.patch", "decided-documents.lengths")
@pytest.mark.parametrize("field", TEXTS)
def test_a_text_can_be_changed_as_long_as_it_is_within_its_length(rest: Rest, field: str) -> None:
    limit, value = TEXTS[field]
    path = path_of(a_document(rest))

    assert ok(rest.patch(path, {field: value}))[field] == value
    assert ok(rest.patch(path, {field: "x" * limit}))[field] == "x" * limit
    too_long = rest.patch(path, {field: "x" * (limit + 1)})
    assert too_long.status_code == 400
    assert [issue["path"] for issue in refused(too_long, "HttpApiDecodeError")["issues"]] == [field]


@pytest.mark.contract("decided-documents.patch", "decided-documents.authorId")
def test_everything_that_can_be_changed_is_changed_in_one_go(rest: Rest) -> None:
    member, category, cluster = a_member(rest), a_category(rest), a_cluster(rest)
    changes = {
        **{field: value for field, (_, value) in TEXTS.items()},
        "coverImageUrl": "https://example.org/spelt.png",
        "categoryId": category["id"],
        "clusterId": cluster["id"],
        "assigneeId": member["id"],
        "authorId": member["id"],
        "dueDate": "2028-02-29",
        "status": "planned",
    }
    path = path_of(a_document(rest))

    assert changes.items() <= ok(rest.patch(path, changes)).items()
    assert changes.items() <= ok(rest.get(path)).items()


@pytest.mark.contract("decided-documents.null-clears")
def test_null_clears_a_field(rest: Rest) -> None:
    texts = ("subtitle", "metaTitle", "metaDescription", "excerpt")
    others = ("coverImageUrl", "categoryId", "clusterId", "assigneeId", "authorId", "dueDate")
    member, category, cluster = a_member(rest), a_category(rest), a_cluster(rest)
    path = path_of(a_document(rest))
    ids = {
        "assigneeId": member["id"],
        "authorId": member["id"],
        "categoryId": category["id"],
        "clusterId": cluster["id"],
    }
    full = dict.fromkeys(texts, "x") | ids | {"coverImageUrl": "https://example.org/", "dueDate": "2027-01-31"}
    ok(rest.patch(path, full))

    cleared = ok(rest.patch(path, dict.fromkeys((*texts, *others))))

    assert {name: cleared[name] for name in full} == {**dict.fromkeys(texts, ""), **dict.fromkeys(others)}


@pytest.mark.contract("decided-documents.null-clears")
@pytest.mark.parametrize("field", ["title", "slug", "status"])
def test_null_is_no_title_slug_or_status(rest: Rest, field: str) -> None:
    response = rest.patch(path_of(a_document(rest)), {field: None})

    assert response.status_code == 400
    assert [issue["path"] for issue in refused(response, "HttpApiDecodeError")["issues"]] == [field]


@pytest.mark.contract("decided-documents.types-and-values")
def test_every_wrong_type_is_listed_at_once(rest: Rest) -> None:
    wrong: dict[str, Any] = {"title": 1, "dueDate": 20270131, "coverImageUrl": [], "baseVersion": "1", "status": True}

    issues = refused(rest.patch(path_of(a_document(rest)), wrong), "HttpApiDecodeError")["issues"]

    assert [issue["path"] for issue in issues] == sorted(wrong)


@pytest.mark.contract("decided-documents.types-and-values", "decided-documents.title")
def test_every_wrong_value_is_listed_at_once_and_nothing_changes(rest: Rest) -> None:
    document = a_document(rest)
    wrong = {
        "title": " \t\n",
        "slug": "rye/bread",
        "status": "published",
        "dueDate": "2027-02-29",
        "coverImageUrl": "ftp://example.org/",
        "categoryId": NOBODY,
        "clusterId": "a topic",
        "assigneeId": NOBODY,
        "authorId": "",
        "subtitle": "This one is fine",
    }

    response = rest.patch(path_of(document), wrong)

    assert response.status_code == 422
    errors = refused(response, "BadRequest")["errors"]
    assert [error["field"] for error in errors] == sorted(wrong.keys() - {"subtitle"})
    assert all(error["message"] for error in errors)
    assert ok(rest.get(path_of(document))) == document


@pytest.mark.parametrize(
    ("day", "says"),
    [
        ("2026-11-31", "November has 30 days."),
        ("2027-02-29", "February 2027 has 28 days."),
        ("2026-13-01", "A year has 12 months."),
        ("2026-02-00", "February 2026 has 28 days."),
        ("31.11.2026", "Must be a calendar date, written YYYY-MM-DD."),
    ],
)
def test_a_day_that_no_month_has_is_named(rest: Rest, day: str, says: str) -> None:
    path = path_of(a_document(rest))
    assert refused(rest.patch(path, {"dueDate": day}), "BadRequest")["errors"][0]["message"] == says
    if says.endswith(("days.", "months.")):
        errors = refused(rest.post(f"{path}/schedule", {"publishAt": f"{day}T09:00:00Z"}), "BadRequest")["errors"]
        assert [error["message"] for error in errors] == [says]


@pytest.mark.parametrize("slug", ["", " ", "a b", "a/b", "a?b", "a#b", "..", "a%20b", "a\tb"])
def test_a_slug_is_one_segment_of_a_url(rest: Rest, slug: str) -> None:
    refused(rest.patch(path_of(a_document(rest)), {"slug": slug}), "BadRequest")


@pytest.mark.parametrize(
    "url", ["x", "//example.org/", "javascript:alert(1)", "http://", "https:///x", "http://a b/", ""]
)
def test_a_cover_image_has_an_http_address(rest: Rest, url: str) -> None:
    refused(rest.patch(path_of(a_document(rest)), {"coverImageUrl": url}), "BadRequest")


def test_an_address_of_2000_characters_is_not_too_long_and_one_of_2001_is(rest: Rest) -> None:
    path, url = path_of(a_document(rest)), "https://example.org/".ljust(2_000, "x")

    assert ok(rest.patch(path, {"coverImageUrl": url}))["coverImageUrl"] == url
    refused(rest.patch(path, {"coverImageUrl": url + "x"}), "HttpApiDecodeError")


@pytest.mark.contract("decided-projects.deleted-member")
def test_a_deleted_member_is_unknown_but_records_keep_the_id(rest: Rest) -> None:
    member = a_member(rest)
    document = a_document(rest, assigneeId=member["id"])
    ok(rest.delete(f"/members/{member['id']}"))

    assert (
        ok(rest.patch(path_of(document), {"assigneeId": member["id"], "title": "Spelt"}))["assigneeId"] == member["id"]
    )
    errors = refused(rest.patch(path_of(document), {"authorId": member["id"]}), "BadRequest")["errors"]
    assert [error["field"] for error in errors] == ["authorId"]


# When the version moves


@pytest.mark.contract("decided-documents.version", "decided-documents.updatedAt")
@pytest.mark.parametrize(
    "field", ["title", "slug", "subtitle", "metaTitle", "metaDescription", "excerpt", "coverImageUrl"]
)
def test_changing_what_is_published_makes_a_version_and_leaves_the_content_as_old_as_it_is(
    rest: Rest, field: str
) -> None:
    document = a_document(rest)
    assert document["version"] == 1

    changed = ok(
        rest.patch(path_of(document), {field: "https://example.org/a" if field == "coverImageUrl" else "other"})
    )

    assert changed["version"] == 2
    assert changed["updatedAt"] > document["updatedAt"]
    assert changed["contentUpdatedAt"] == document["contentUpdatedAt"]
    assert [row["version"] for row in ok(rest.get(f"{path_of(document)}/revisions"))] == [2, 1]


@pytest.mark.contract("decided-documents.version")
def test_a_change_of_category_makes_a_version(rest: Rest) -> None:
    document, category = a_document(rest), a_category(rest)

    assert ok(rest.patch(path_of(document), {"categoryId": category["id"]}))["version"] == 2


@pytest.mark.contract("decided-documents.version")
def test_planning_makes_no_version(rest: Rest) -> None:
    document, member, cluster = a_document(rest), a_member(rest), a_cluster(rest)
    planning = {
        "dueDate": "2027-01-31",
        "assigneeId": member["id"],
        "authorId": member["id"],
        "clusterId": cluster["id"],
        "status": "planned",
    }

    changed = ok(rest.patch(path_of(document), planning))

    assert (changed["version"], changed["updatedAt"] > document["updatedAt"]) == (1, True)
    assert [row["version"] for row in ok(rest.get(f"{path_of(document)}/revisions"))] == [1]


@pytest.mark.contract("decided-documents.version")
def test_the_same_values_change_nothing(rest: Rest, store: Store) -> None:
    member, category = a_member(rest), a_category(rest)
    document = a_document(rest, categoryId=category["id"], assigneeId=member["id"], dueDate="2027-01-31")
    etag = rest.get(path_of(document)).headers["ETag"]
    same = {name: document[name] for name in ("title", "slug", "categoryId", "assigneeId", "dueDate", "status")}
    same |= {"categoryId": category["id"].upper(), "subtitle": "", "excerpt": None, "clusterId": None}

    assert ok(rest.patch(path_of(document), same)) == document
    assert rest.get(path_of(document)).headers["ETag"] == etag
    assert types_of(store, document) == ["document.created"]


def test_a_change_says_in_its_event_which_fields_it_changed(rest: Rest, store: Store) -> None:
    document = a_document(rest)
    ok(rest.patch(path_of(document), {"title": "Spelt", "slug": document["slug"], "dueDate": "2027-01-31"}))

    event = events_of(store, document)[-1]
    assert (event["type"], event["data"]["fields"]) == ("document.updated", ["dueDate", "title"])
    assert event["data"]["version"] == 2


# What is refused, and in which order


@pytest.mark.contract("decided-documents.patch-status")
@pytest.mark.parametrize("before", ["idea", "planned", "drafting"])
@pytest.mark.parametrize("after", ["idea", "planned", "drafting"])
def test_status_moves_among_the_first_three(rest: Rest, before: str, after: str) -> None:
    document = a_document(rest, status=before)

    assert ok(rest.patch(path_of(document), {"status": after}))["status"] == after


@pytest.mark.contract("decided-documents.patch-status", "decided-http.InvalidTransition")
@pytest.mark.parametrize("before", ["review", "approved", "scheduled", "published"])
@pytest.mark.parametrize("after", ["idea", "drafting", "review", "published", "nonsense"])
def test_status_of_a_document_past_drafting_is_not_patched(rest: Rest, before: str, after: str) -> None:
    document = a_document_in(rest, before)

    refusal = refused(rest.patch(path_of(document), {"status": after}), "InvalidTransition")

    assert (refusal["status"], "publish" in refusal["allowed"]) == (before, True)


@pytest.mark.contract("decided-documents.patch-status")
def test_a_claimed_document_stays_in_drafting(rest: Rest, project: Project) -> None:
    document = a_document(rest, brief={"keyword": "rye"})
    claimed(rest, document, rest.by(project.token("Night writer", agent="writer-1")))

    refusal = refused(rest.patch(path_of(document), {"status": "idea"}), "InvalidTransition")
    assert refusal["message"].startswith("The document is being drafted under a claim of its brief, which does not")
    assert ok(rest.patch(path_of(document), {"status": "drafting"}))["status"] == "drafting"


@pytest.mark.contract("decided-documents.frozen")
@pytest.mark.parametrize("status", ["approved", "scheduled"])
def test_what_was_approved_is_what_goes_out(rest: Rest, status: str) -> None:
    document, category = a_document_in(rest, status), a_category(rest)
    published = {**{field: value for field, (_, value) in TEXTS.items()}, "coverImageUrl": "https://example.org/"}

    for field, value in {**published, "categoryId": category["id"]}.items():
        assert refused(rest.patch(path_of(document), {field: value}), "InvalidTransition")["status"] == status
    refused(rest.put(f"{path_of(document)}/content", {"markdown": "x", "baseVersion": 1}), "InvalidTransition")
    assert ok(rest.get(path_of(document)))["version"] == 1
    assert ok(rest.patch(path_of(document), {"dueDate": "2027-01-31", "title": document["title"]}))["status"] == status


@pytest.mark.contract("decided-documents.frozen")
@pytest.mark.parametrize("status", ["idea", "planned", "drafting", "review", "published"])
def test_elsewhere_what_is_published_can_be_changed(rest: Rest, status: str) -> None:
    document = a_document_in(rest, status)

    assert ok(rest.patch(path_of(document), {"title": "Spelt"}))["version"] == 2
    assert ok(rest.put(f"{path_of(document)}/content", {"markdown": "x", "baseVersion": 2}))["status"] == status


@pytest.mark.contract("decided-http.SlugTaken")
def test_a_slug_that_is_another_documents_is_taken(rest: Rest) -> None:
    a_document(rest, slug="rye")
    document = a_document(rest, slug="spelt")

    refusal = refused(rest.patch(path_of(document), {"slug": "rye", "title": "Changed"}), "SlugTaken")

    assert "'rye'" in refusal["message"]
    assert ok(rest.get(path_of(document))) == document


@pytest.mark.contract("decided-intents.slug-trash")
def test_a_slug_is_taken_as_long_as_it_is_delivered(rest: Rest) -> None:
    live = a_document_in(rest, "published", slug="rye")
    ok(rest.patch(path_of(live), {"slug": "dark-rye"}))
    other = a_document(rest, slug="spelt")

    refused(rest.patch(path_of(other), {"slug": "rye"}), "SlugTaken")
    ok(rest.post(f"{path_of(live)}/publish"))
    assert ok(rest.patch(path_of(other), {"slug": "rye"}))["slug"] == "rye"


@pytest.mark.contract("decided-documents.patch-base", "decided-http.VersionConflict")
def test_a_base_version_is_optional_and_must_be_the_present_one(rest: Rest) -> None:
    document = a_document(rest)
    ok(rest.patch(path_of(document), {"title": "Spelt", "baseVersion": 1}))

    refusal = refused(rest.patch(path_of(document), {"title": "Oats", "baseVersion": 1}), "VersionConflict")

    assert (refusal["version"], refusal["baseVersion"]) == (2, 1)
    assert ok(rest.patch(path_of(document), {"title": "Oats"}))["version"] == 3


@pytest.mark.contract("decided-http.PreconditionFailed")
def test_if_match_of_a_patch_compares_the_whole_tag(rest: Rest) -> None:
    document = a_document(rest)
    etag = rest.get(path_of(document)).headers["ETag"]
    ok(rest.patch(path_of(document), {"dueDate": "2027-01-31"}, If_Match=etag))

    assert rest.patch(path_of(document), {"dueDate": "2027-02-01"}, If_Match=etag).status_code == 412
    assert ok(rest.patch(path_of(document), {"dueDate": "2027-02-01"}, If_Match="*"))["dueDate"] == "2027-02-01"


@pytest.mark.contract("decided-documents.patch-order")
def test_refusals_of_a_patch_come_in_their_order(rest: Rest) -> None:
    a_document(rest, slug="taken")
    document = a_document_in(rest, "approved")
    everything = {"baseVersion": 7, "status": "idea", "slug": "taken", "dueDate": "soon"}
    stale = '"1-1"'

    assert rest.patch(f"/documents/{NOBODY}", everything, If_Match=stale).status_code == 404
    assert rest.patch(path_of(document), everything, If_Match=stale).status_code == 412
    refused(rest.patch(path_of(document), everything), "VersionConflict")
    refused(rest.patch(path_of(document), {**everything, "baseVersion": 1}), "InvalidTransition")
    drafting = a_document(rest)
    refused(rest.patch(path_of(drafting), {"slug": "taken", "dueDate": "soon"}), "BadRequest")
    refused(rest.patch(path_of(drafting), {"slug": "taken"}), "SlugTaken")


@pytest.mark.contract("decided-documents.types-and-values")
def test_wrong_entries_of_a_list_are_listed_in_their_order(rest: Rest) -> None:
    urls = [number if number in (2, 10, 11) else "https://x.example" for number in range(12)]

    refusal = rest.patch(f"{path_of(a_document(rest))}/brief", {"referenceUrls": urls})

    issues = refused(refusal, "HttpApiDecodeError")["issues"]
    assert [issue["path"] for issue in issues] == [f"referenceUrls[{number}]" for number in (2, 10, 11)]
