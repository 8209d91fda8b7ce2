"""The trash: gone everywhere, and back as it was (decisions, section 5)."""

from typing import Any

import pytest

from app.core.context import this_instant
from app.core.store.store import Store
from app.documents.publishing import publish_due
from app.publications.store import Publications
from tests.documents.steps import (
    NOBODY,
    a_category,
    a_cluster,
    a_document,
    a_document_in,
    a_member,
    claimed,
    events_of,
    make_due,
    ok,
    path_of,
    refused,
)
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

STATUSES = ("idea", "planned", "drafting", "review", "approved", "scheduled", "published")
AS_THEY_WERE = (
    "status",
    "content",
    "version",
    "isPublished",
    "publishedVersion",
    "publishedMarkdown",
    "publishedAt",
    "slug",
)
CALLS: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("PATCH", "", {"title": "x"}),
    ("DELETE", "", None),
    ("PUT", "/content", {"markdown": "x", "baseVersion": 1}),
    *(
        ("POST", f"/{step}", None)
        for step in ("submit", "approve", "request-changes", "unschedule", "publish", "unpublish")
    ),
    ("POST", "/schedule", {"publishAt": "2099-01-01T00:00:00Z"}),
    ("GET", "/revisions", None),
    ("GET", "/revisions/1", None),
    ("POST", "/revisions/1/restore", {"baseVersion": 1}),
    ("GET", "/diff?from=1&to=1", None),
    ("GET", "/activity", None),
    ("GET", "/brief", None),
    ("PUT", "/brief", {}),
    ("PATCH", "/brief", {}),
    *(("POST", f"/brief/{step}", None) for step in ("ready", "claim", "renew", "withdraw")),
]


@pytest.mark.contract("decided-documents.delete", "errors.NotFound", "endpoints-briefs.gone")
def test_a_document_in_the_trash_is_not_found_by_anything_but_restore(rest: Rest) -> None:
    document = a_document(rest, brief={})
    ok(rest.post(f"{path_of(document)}/brief/ready"))
    ok(rest.delete(path_of(document)))

    found = [call for call in CALLS if rest.call(call[0], path_of(document) + call[1], call[2]).status_code != 404]

    assert found == []
    assert ok(rest.get("/documents")) == ok(rest.get("/briefs")) == []
    assert rest.get(f"/documents/{NOBODY}").json.keys() == rest.get(path_of(document)).json.keys()


@pytest.mark.contract("decided-documents.delete")
@pytest.mark.parametrize("status", STATUSES)
def test_deleting_answers_the_record_as_it_was_and_restoring_brings_it_back_so(rest: Rest, status: str) -> None:
    document = a_document_in(rest, status)

    assert ok(rest.delete(path_of(document))) == document
    [kept] = ok(rest.get("/documents?deleted=true"))
    assert kept["deletedAt"] == kept["updatedAt"] > document["updatedAt"]
    restored = ok(rest.post(f"{path_of(document)}/restore"))

    as_it_was = {name: document[name] for name in AS_THEY_WERE}
    if status == "scheduled":
        as_it_was["status"] = "drafting"
    assert {name: restored[name] for name in AS_THEY_WERE} == as_it_was
    assert (restored["deletedAt"], restored["publishAt"]) == (None, None)
    assert ok(rest.get("/documents?deleted=true")) == []


def test_deleting_has_the_etag_of_the_record_in_the_trash(rest: Rest) -> None:
    document = a_document(rest)

    deleted = rest.delete(path_of(document))

    assert (deleted.json, deleted.headers["ETag"]) == (document, '"1-2"')
    assert rest.post(f"{path_of(document)}/restore", If_Match='"1-1"').status_code == 412
    ok(rest.post(f"{path_of(document)}/restore", If_Match=deleted.headers["ETag"]))


@pytest.mark.contract("decided-documents.delete")
def test_a_scheduled_document_in_the_trash_is_never_published(rest: Rest, store: Store) -> None:
    document = a_document_in(rest, "scheduled")
    make_due(store, document)
    ok(rest.delete(path_of(document)))

    assert list(publish_due(store, document["projectId"], this_instant())) == []
    assert ok(rest.post(f"{path_of(document)}/restore"))["status"] == "drafting"


@pytest.mark.contract("decided-documents.delete")
def test_what_was_approved_before_it_was_scheduled_comes_back_approved(rest: Rest) -> None:
    document = a_document_in(rest, "approved")
    ok(rest.post(f"{path_of(document)}/schedule", {"publishAt": "2099-01-01T00:00:00Z"}))
    ok(rest.delete(path_of(document)))

    assert ok(rest.post(f"{path_of(document)}/restore"))["status"] == "approved"


@pytest.mark.contract("decided-documents.restore")
def test_a_claim_outlasts_the_trash(rest: Rest, project: Project) -> None:
    document = a_document(rest, brief={"keyword": "rye"})
    holder = rest.by(project.token("Night writer", agent="writer-1"))
    brief = claimed(rest, document, holder)["brief"]
    ok(rest.delete(path_of(document)))

    assert ok(rest.post(f"{path_of(document)}/restore"))["brief"] == brief


@pytest.mark.contract("decided-documents.restore", "decided-http.SlugTaken", "decided-intents.slug-trash")
def test_a_slug_is_not_held_in_the_trash_and_a_document_stays_there_while_another_has_it(
    rest: Rest, store: Store
) -> None:
    document = a_document(rest, slug="rye")
    ok(rest.delete(path_of(document)))
    other = a_document(rest, slug="rye")
    before = len(events_of(store, document))

    refused(rest.post(f"{path_of(document)}/restore"), "SlugTaken")

    assert rest.get(path_of(document)).status_code == 404
    assert len(events_of(store, document)) == before
    ok(rest.patch(path_of(other), {"slug": "other-rye"}))
    assert ok(rest.post(f"{path_of(document)}/restore"))["slug"] == "rye"


@pytest.mark.contract("decided-documents.restore")
def test_a_delivered_slug_that_was_taken_meanwhile_keeps_a_document_in_the_trash_too(rest: Rest) -> None:
    document = a_document_in(rest, "published", slug="rye")
    ok(rest.patch(path_of(document), {"slug": "dark-rye"}))
    ok(rest.delete(path_of(document)))
    a_document(rest, slug="rye")

    refused(rest.post(f"{path_of(document)}/restore"), "SlugTaken")


@pytest.mark.contract("decided-documents.restore")
def test_what_is_gone_meanwhile_is_null_in_the_record_and_in_what_is_delivered(rest: Rest, store: Store) -> None:
    category, cluster, member = a_category(rest), a_cluster(rest), a_member(rest)
    filed = {"categoryId": category["id"], "clusterId": cluster["id"], "assigneeId": member["id"]}
    document = a_document_in(rest, "published", **filed)
    ok(rest.delete(path_of(document)))
    ok(rest.delete(f"/categories/{category['id']}"))
    ok(rest.delete(f"/clusters/{cluster['id']}"))
    ok(rest.delete(f"/members/{member['id']}"))

    restored = ok(rest.post(f"{path_of(document)}/restore"))

    assert (restored["categoryId"], restored["clusterId"], restored["assigneeId"]) == (None, None, member["id"])
    assert (restored["isPublished"], restored["status"]) == (True, "published")
    publication = store[Publications].get(document["projectId"], document["id"])
    assert publication is not None
    assert (publication["categoryId"], publication["clusterId"]) == (None, None)


@pytest.mark.contract("decided-documents.restore")
def test_a_category_that_was_renamed_meanwhile_has_its_new_name(rest: Rest) -> None:
    category = a_category(rest)
    document = a_document(rest, brief={}, categoryId=category["id"])
    ok(rest.post(f"{path_of(document)}/brief/ready"))
    ok(rest.delete(path_of(document)))
    ok(rest.patch(f"/categories/{category['id']}", {"name": "Loaves"}))

    ok(rest.post(f"{path_of(document)}/restore"))

    assert [item["category"] for item in ok(rest.get("/briefs"))] == ["Loaves"]


@pytest.mark.contract("decided-documents.restore", "decided-http.InvalidTransition")
def test_what_is_not_in_the_trash_can_not_be_restored(rest: Rest) -> None:
    document = a_document_in(rest, "review")

    refusal = refused(rest.post(f"{path_of(document)}/restore"), "InvalidTransition")

    assert (refusal["status"], refusal["allowed"]) == ("review", ["approve", "request-changes", "schedule", "publish"])
    assert rest.post(f"/documents/{NOBODY}/restore").status_code == 404
