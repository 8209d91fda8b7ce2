"""The moves of a document's status through the management API, with their refusals and events.

(decisions, section 5)
"""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.times import wire_time
from app.documents.publishing import publish_due
from tests.documents.steps import (
    NOBODY,
    a_document,
    a_document_in,
    claimed,
    events_of,
    expire_claim,
    in_hours,
    make_due,
    ok,
    path_of,
    refused,
    types_of,
)
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

FIRST = ("idea", "planned", "drafting")
NEW_STATUS = {
    "submit": "review",
    "approve": "approved",
    "request-changes": "drafting",
    "schedule": "scheduled",
    "unschedule": "drafting",
    "publish": "published",
    "unpublish": "drafting",
}
EVENTS = {
    "submit": "document.submitted",
    "approve": "document.approved",
    "request-changes": "document.changes_requested",
    "schedule": "document.scheduled",
    "unschedule": "document.unscheduled",
    "publish": "document.published",
    "unpublish": "document.unpublished",
}


def do(rest: Rest, document: dict[str, Any], step: str, **fields: Any) -> Any:
    body = {"publishAt": in_hours(), **fields} if step == "schedule" else fields
    return rest.post(f"{path_of(document)}/{step}", body or None)


@pytest.mark.contract("decided-documents.submit", "decided-documents.approve", "decided-documents.publish-order")
@pytest.mark.parametrize("step", ["submit", "approve", "schedule", "publish"])
def test_a_document_without_content_goes_nowhere(rest: Rest, step: str) -> None:
    document = a_document(rest, markdown=None)

    response = do(rest, document, step)

    assert response.status_code == 422
    assert refused(response, "BadRequest")["errors"]
    assert ok(rest.get(path_of(document))) == document


@pytest.mark.contract("decided-documents.submit")
def test_a_published_document_is_submitted_when_it_has_unpublished_changes(rest: Rest) -> None:
    document = a_document_in(rest, "published")
    assert "submit" not in refused(do(rest, document, "submit"), "InvalidTransition")["allowed"]

    ok(rest.patch(path_of(document), {"subtitle": "Dark"}))
    submitted = ok(do(rest, document, "submit"))

    assert (submitted["status"], submitted["isPublished"], submitted["publishedVersion"]) == ("review", True, 1)


@pytest.mark.contract("decided-documents.request-changes")
def test_the_note_of_a_request_for_changes_stays_until_the_next(rest: Rest) -> None:
    document = a_document_in(rest, "review")

    assert ok(do(rest, document, "request-changes", note="How dark?"))["reviewNote"] == "How dark?"
    assert ok(do(rest, document, "submit"))["reviewNote"] == "How dark?"
    refused(do(rest, document, "request-changes", note="x" * 5_001), "HttpApiDecodeError")
    assert ok(do(rest, document, "request-changes", note="x" * 5_000))["reviewNote"] == "x" * 5_000


# Brief of a claimed document


@pytest.mark.contract("brief-moves.finish", "brief-states.drafted", "decided-documents.finishes-brief")
@pytest.mark.parametrize("step", ["submit", "approve", "schedule", "publish"])
def test_moving_on_finishes_a_claimed_brief_in_the_same_write(
    rest: Rest, project: Project, store: Store, step: str
) -> None:
    document = a_document(rest, brief={"keyword": "rye"})
    claimed(rest, document, rest.by(project.token("Night writer", agent="writer-1")))
    before = len(events_of(store, document))

    brief = ok(do(rest, document, step))["brief"]

    assert (brief["state"], brief["claimedBy"], brief["claimedAt"], brief["claimExpiresAt"]) == ("drafted", *[None] * 3)
    [event] = events_of(store, document)[before:]
    assert (event["type"], event["data"]["briefState"]) == (EVENTS[step], "drafted")
    assert [item["state"] for item in ok(rest.get("/briefs?state=drafted"))] == ["drafted"]


@pytest.mark.contract("decided-documents.finishes-brief", "decided-briefs.ended-by-worker")
@pytest.mark.parametrize("step", ["submit", "approve", "schedule", "publish"])
def test_moving_on_leaves_a_brief_whose_claim_expired_ready(
    rest: Rest, project: Project, store: Store, step: str
) -> None:
    document = a_document(rest, brief={"keyword": "rye"})
    claimed(rest, document, rest.by(project.token("Night writer", agent="writer-1")), leaseSeconds=60)
    expire_claim(store, document)

    assert ok(do(rest, document, step))["brief"]["state"] == "ready"
    assert types_of(store, document)[-2:] == ["brief.expired", EVENTS[step]]


# Approval


@pytest.fixture
def strict(rest: Rest) -> Rest:
    """The API of a project that demands approval."""
    ok(rest.patch("/project", {"reviewRequired": True}))
    return rest


@pytest.mark.contract("decided-documents.review-required", "decided-http.ReviewRequired")
@pytest.mark.parametrize(("status", "step"), list(product((*FIRST, "review"), ("schedule", "publish"))))
def test_a_project_that_demands_approval_lets_nothing_else_through(strict: Rest, status: str, step: str) -> None:
    document = a_document_in(strict, status)

    response = do(strict, document, step)

    assert response.status_code == 409
    refused(response, "ReviewRequired")
    assert ok(strict.get(path_of(document))) == document


@pytest.mark.contract("decided-documents.review-required")
def test_what_was_approved_is_published_also_early_from_its_schedule(strict: Rest) -> None:
    direct, scheduled = a_document_in(strict, "approved"), a_document_in(strict, "approved")

    assert ok(do(strict, direct, "publish"))["status"] == "published"
    ok(do(strict, scheduled, "schedule"))
    assert ok(do(strict, scheduled, "publish"))["status"] == "published"


@pytest.mark.contract("decided-documents.review-required")
def test_an_approval_is_used_up_by_publishing_and_by_a_request_for_changes(strict: Rest) -> None:
    document = a_document_in(strict, "approved")
    ok(do(strict, document, "publish"))
    ok(strict.patch(path_of(document), {"subtitle": "Dark"}))
    refused(do(strict, document, "publish"), "ReviewRequired")

    other = a_document_in(strict, "approved")
    ok(do(strict, other, "request-changes"))
    refused(do(strict, other, "publish"), "ReviewRequired")


@pytest.mark.contract("decided-documents.approve")
@pytest.mark.parametrize("step", ["approve", "schedule", "publish"])
def test_what_was_read_is_what_goes_out(rest: Rest, step: str) -> None:
    document = a_document(rest)
    ok(rest.patch(path_of(document), {"title": "Spelt"}))

    refusal = refused(do(rest, document, step, baseVersion=1), "VersionConflict")
    assert (refusal["version"], refusal["baseVersion"]) == (2, 1)
    assert ok(do(rest, document, step, baseVersion=2))["status"] == NEW_STATUS[step]


@pytest.mark.contract("decided-documents.publish-order")
@pytest.mark.parametrize("step", ["schedule", "publish"])
def test_refusals_of_going_out_come_in_their_order(strict: Rest, step: str) -> None:
    empty = a_document(strict, markdown=None)
    wrong = {"publishAt": "soon"} if step == "schedule" else {}

    assert do(strict, {"id": NOBODY}, step, baseVersion=7, **wrong).status_code == 404
    refused(do(strict, empty, step, baseVersion=7, **wrong), "VersionConflict")
    refused(do(strict, empty, step, baseVersion=1, **wrong), "ReviewRequired")
    if step == "schedule":
        scheduled = a_document_in(strict, "approved")
        ok(do(strict, scheduled, "schedule"))
        refused(do(strict, scheduled, step, baseVersion=7, **wrong), "VersionConflict")
        refused(do(strict, scheduled, step, baseVersion=1, **wrong), "InvalidTransition")
    ok(strict.patch("/project", {"reviewRequired": False}))
    refused(do(strict, empty, step, baseVersion=1, **wrong), "BadRequest")


# Scheduling


@pytest.mark.contract("decided-documents.schedule")
def test_a_schedule_takes_a_time_in_the_future_with_its_offset(rest: Rest) -> None:
    document = a_document(rest)
    at = (this_instant() + timedelta(days=400)).replace(hour=9, minute=30, second=0, microsecond=0)
    local = at.replace(tzinfo=None).isoformat() + "+00:00"

    assert ok(do(rest, document, "schedule", publishAt=local))["publishAt"] == wire_time(at)
    assert ok(do(rest, document, "unschedule"))["publishAt"] is None


@pytest.mark.contract("decided-documents.schedule")
@pytest.mark.parametrize(
    "at", ["", "soon", "2099-01-31", "2099-01-31T09:00:00", "2020-01-31T09:00:00Z", "2099-02-30T09:00:00Z"]
)
def test_no_other_time_is_taken(rest: Rest, at: str) -> None:
    document = a_document(rest)

    response = do(rest, document, "schedule", publishAt=at)

    assert response.status_code == 422
    assert [error["field"] for error in refused(response, "BadRequest")["errors"]] == ["publishAt"]
    assert ok(rest.get(path_of(document))) == document


def test_a_schedule_without_content_at_no_time_is_refused_for_both(rest: Rest) -> None:
    response = do(rest, a_document(rest, markdown=""), "schedule", publishAt="soon")

    assert [error["field"] for error in refused(response, "BadRequest")["errors"]] == ["markdown", "publishAt"]


@pytest.mark.contract("decided-documents.schedule")
@pytest.mark.parametrize("body", [{}, {"publishAt": None}, {"publishAt": 1}])
def test_a_time_has_to_be_there_and_a_string(rest: Rest, body: dict[str, Any]) -> None:
    response = rest.post(f"{path_of(a_document(rest))}/schedule", body)

    assert response.status_code == 400
    assert [issue["path"] for issue in refused(response, "HttpApiDecodeError")["issues"]] == ["publishAt"]


@pytest.mark.contract("decided-documents.unschedule")
@pytest.mark.parametrize("status", [*FIRST, "review", "approved", "published"])
def test_unscheduling_goes_back_to_the_status_before(rest: Rest, status: str) -> None:
    document = a_document_in(rest, status)
    ok(do(rest, document, "schedule"))

    assert ok(do(rest, document, "unschedule"))["status"] == status


@pytest.mark.contract("decided-documents.unschedule")
def test_unscheduling_what_was_published_and_is_no_more_goes_back_to_drafting(rest: Rest) -> None:
    document = a_document_in(rest, "published")
    ok(do(rest, document, "schedule"))
    assert ok(do(rest, document, "unpublish"))["status"] == "scheduled"

    assert ok(do(rest, document, "unschedule"))["status"] == "drafting"


@pytest.mark.contract("decided-documents.worker")
def test_the_worker_publishes_what_is_due_and_nothing_else(rest: Rest, store: Store) -> None:
    due, later = (a_document_in(rest, "scheduled") for _ in range(2))
    make_due(store, due)

    assert list(publish_due(store, due["projectId"], this_instant())) == [(due["id"], None)]

    published = ok(rest.get(path_of(due)))
    assert (published["status"], published["publishAt"], published["publishedVersion"]) == ("published", None, 1)
    assert published["publishedAt"] == published["updatedAt"]
    assert events_of(store, due)[-1]["by"]["type"] == "system"
    assert ok(rest.get(path_of(later))) == later


@pytest.mark.contract("decided-documents.worker")
def test_a_scheduled_document_that_may_not_go_out_goes_back_to_drafting_with_the_reason(
    rest: Rest, store: Store
) -> None:
    document = a_document_in(rest, "scheduled")
    ok(rest.patch("/project", {"reviewRequired": True}))
    make_due(store, document)

    [(_, reason)] = list(publish_due(store, document["projectId"], this_instant()))

    back = ok(rest.get(path_of(document)))
    assert (back["status"], back["publishAt"], back["isPublished"]) == ("drafting", None, False)
    event = events_of(store, document)[-1]
    assert (event["type"], event["data"]["reason"]) == ("document.publish_failed", reason)
    activity = ok(rest.get(f"{path_of(document)}/activity"))
    assert activity[0]["type"] == "document.publish_failed"
    assert reason in str(activity[0])


# What is live


@pytest.mark.contract("decided-documents.snapshot", "record.publishedMarkdown", "record.versions", "record.flags")
def test_what_is_published_stays_as_it_was_while_the_document_is_edited(rest: Rest) -> None:
    document = a_document_in(rest, "published")
    assert (document["publishedMarkdown"], document["publishedVersion"]) == ("Rye is dark.", 1)
    assert (document["isPublished"], document["hasUnpublishedChanges"]) == (True, False)

    edited = ok(rest.put(f"{path_of(document)}/content", {"markdown": "Rye is sour.", "baseVersion": 1}))

    assert (edited["status"], edited["isPublished"], edited["hasUnpublishedChanges"]) == ("published", True, True)
    assert (edited["content"], edited["publishedMarkdown"], edited["publishedVersion"]) == (
        "Rye is sour.",
        "Rye is dark.",
        1,
    )
    again = ok(do(rest, document, "publish"))
    assert (again["publishedMarkdown"], again["publishedVersion"]) == ("Rye is sour.", 2)
    unchanged = refused(do(rest, document, "submit"), "InvalidTransition")
    assert unchanged["message"].startswith(
        "The document has no changes since it was published: there is nothing to submit."
    )
    assert (again["hasUnpublishedChanges"], again["publishedAt"]) == (False, document["publishedAt"])


@pytest.mark.contract("decided-documents.stays-live")
def test_a_live_document_stays_live_through_every_status_until_it_is_unpublished(rest: Rest) -> None:
    document = a_document_in(rest, "published")
    ok(rest.patch(path_of(document), {"subtitle": "Dark"}))
    steps = ["submit", "request-changes", "submit", "approve", "schedule", "unschedule"]

    for step in steps:
        moved = ok(do(rest, document, step))
        assert (moved["isPublished"], moved["publishedVersion"], moved["publishedMarkdown"]) == (
            True,
            1,
            "Rye is dark.",
        )
    gone = ok(do(rest, document, "unpublish"))
    assert (gone["status"], gone["isPublished"]) == ("approved", False)


@pytest.mark.contract("decided-documents.unpublished-nulls", "decided-documents.unpublish")
@pytest.mark.parametrize("status", [*FIRST, "review", "approved", "scheduled"])
def test_what_is_not_published_has_nothing_of_a_published_one(rest: Rest, status: str) -> None:
    never = a_document_in(rest, status)
    once = a_document_in(rest, "published")
    ok(rest.patch(path_of(once), {"title": "Changed"}))
    once = ok(do(rest, once, "unpublish"))

    for document in (never, once):
        names = ("publishedMarkdown", "publishedVersion", "publishedAt")
        assert [document[name] for name in names] == [None] * 3
        assert (document["isPublished"], document["hasUnpublishedChanges"]) == (False, False)
    refused(do(rest, once, "unpublish"), "InvalidTransition")


@pytest.mark.contract("decided-guards.readable")
@pytest.mark.parametrize("step", ["submit", "approve", "schedule", "publish"])
def test_content_without_a_letter_is_none(rest: Rest, step: str) -> None:
    nothing = (
        "***",
        "&nbsp;",
        "[](https://a.example/b)",
        "![alt](javascript:x)",
        "<!-- a -->",
        "\u3164\uffa0 \u115f\u1160",
        "\u17b4 \u061c",
    )
    something = ("7", "![](https://a.example/b.png)", "<https://a.example>", "`é`", "語")
    for markdown in nothing:
        document = a_document(rest, markdown=markdown)
        errors = refused(do(rest, document, step), "BadRequest")["errors"]
        assert [one["field"] for one in errors] == ["markdown"], markdown
        actions = ok(rest.get(f"{path_of(document)}/actions"))
        assert not next(one for one in actions if one["action"] == f"{step}_document")["allowed"]
    for markdown in something:
        ok(do(rest, a_document(rest, markdown=markdown), step))


@pytest.mark.contract("decided-documents.updatedAt")
def test_every_write_of_the_record_moves_updated_at_and_a_move_leaves_content_updated_at(rest: Rest) -> None:
    document = a_document(rest)
    for step in ("submit", "request-changes", "approve", "schedule", "unschedule", "publish", "unpublish"):
        moved = ok(do(rest, document, step))
        assert moved["updatedAt"] >= document["updatedAt"]
        assert moved["contentUpdatedAt"] == document["contentUpdatedAt"]
        document = moved


@pytest.mark.contract("decided-site.published_at")
def test_a_text_that_was_published_elsewhere_keeps_its_day(rest) -> None:
    path = path_of(a_document(rest))
    published = ok(rest.post(f"{path}/publish", {"publishedAt": "2019-05-01T08:00:00+02:00"}))
    assert published["publishedAt"] == "2019-05-01T06:00:00.000Z"
    assert ok(rest.post(f"{path}/publish"))["publishedAt"] == published["publishedAt"]
    assert ok(rest.post(f"{path}/publish", {"publishedAt": "2018-05-01T06:00:00Z"}))["publishedAt"][:4] == "2018"
    for wrong in ("2999-05-01T06:00:00Z", "yesterday"):
        body = refused(rest.post(f"{path}/publish", {"publishedAt": wrong}), "BadRequest")
        assert [one["field"] for one in body["errors"]] == ["publishedAt"]


@pytest.mark.contract("decided-site.published_at")
def test_what_is_published_again_after_it_was_taken_off_keeps_its_day_if_asked_to(rest) -> None:
    path = path_of(a_document(rest))
    first = ok(rest.post(f"{path}/publish", {"publishedAt": "2019-05-01T06:00:00Z"}))["publishedAt"]
    for _ in range(2):
        ok(rest.post(f"{path}/unpublish"))
        assert ok(rest.post(f"{path}/publish", {"keepPublishedAt": True}))["publishedAt"] == first
    ok(rest.post(f"{path}/unpublish"))
    assert ok(rest.post(f"{path}/publish", {"keepPublishedAt": False}))["publishedAt"] > first
