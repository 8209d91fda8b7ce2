"""The whole life of a piece, from brief to trash and back, through the management API (decisions, section 5)."""

from datetime import timedelta

import pytest

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.times import wire_time
from app.core.vocabulary import Scope
from app.documents.publishing import publish_due
from tests.documents.steps import ok
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def test_a_piece_goes_from_brief_to_website_and_back(rest: Rest, project: Project, store: Store) -> None:
    """Brief, claim, two versions, review, changes, approval, schedule, website, edit, and back by the trash."""
    writer = rest.by(project.token("Night writer", agent="writer-1", scopes=(Scope.READ, Scope.WRITE)))

    draft = ok(rest.post("/document-intents", {"title": "Rye", "brief": {"keyword": "rye bread"}}), 201)
    document = ok(rest.post(f"/document-intents/{draft['id']}/confirm"), 201)["document"]
    path = f"/documents/{document['id']}"
    ok(rest.post(f"{path}/brief/ready"))

    version = ok(writer.get(f"{path}/brief"))["version"]
    ok(writer.post(f"{path}/brief/claim"))
    first = ok(writer.put(f"{path}/content", {"markdown": "# Rye\n\nIt is dark.", "baseVersion": version}))
    assert (first["version"], first["wordCount"]) == (2, 4)
    second = ok(writer.put(f"{path}/content", {"markdown": "Rye is dark and sour.", "baseVersion": 2}))
    assert second["version"] == 3
    submitted = ok(writer.post(f"{path}/submit"))
    assert (submitted["status"], submitted["brief"]["state"]) == ("review", "drafted")
    assert submitted["brief"]["claimedBy"] is None

    returned = ok(rest.post(f"{path}/request-changes", {"note": "How dark?"}))
    assert (returned["status"], returned["reviewNote"]) == ("drafting", "How dark?")
    ok(writer.post(f"{path}/submit"))
    assert ok(rest.post(f"{path}/approve", {"baseVersion": 3}))["status"] == "approved"

    soon = this_instant() + timedelta(hours=1)
    scheduled = ok(rest.post(f"{path}/schedule", {"publishAt": wire_time(soon)}))
    assert (scheduled["status"], scheduled["publishAt"]) == ("scheduled", wire_time(soon))
    list(publish_due(store, scheduled["projectId"], soon))
    published = ok(rest.get(path))
    assert (published["status"], published["publishAt"]) == ("published", None)
    assert (published["isPublished"], published["publishedVersion"]) == (True, 3)
    assert published["publishedMarkdown"] == "Rye is dark and sour."

    edited = ok(rest.put(f"{path}/content", {"markdown": "Rye is sour.", "baseVersion": 3}))
    assert (edited["status"], edited["hasUnpublishedChanges"]) == ("published", True)
    assert edited["publishedMarkdown"] == "Rye is dark and sour."
    again = ok(rest.post(f"{path}/publish"))
    assert (again["publishedVersion"], again["hasUnpublishedChanges"]) == (4, False)
    assert again["publishedAt"] == published["publishedAt"]

    gone = ok(rest.post(f"{path}/unpublish"))
    assert (gone["status"], gone["isPublished"], gone["publishedMarkdown"]) == ("drafting", False, None)
    ok(rest.delete(path))
    assert rest.get(path).status_code == 404
    assert [one["id"] for one in ok(rest.get("/documents?deleted=true"))] == [document["id"]]
    restored = ok(rest.post(f"{path}/restore"))
    assert (restored["status"], restored["content"], restored["deletedAt"]) == ("drafting", "Rye is sour.", None)

    assert [row["version"] for row in ok(rest.get(f"{path}/revisions"))] == [4, 3, 2, 1]
    assert ok(rest.get(f"{path}/revisions/2"))["markdown"] == "# Rye\n\nIt is dark."
    assert "-Rye is dark and sour.\n" in ok(rest.get(f"{path}/diff?from=3&to=4"))["diff"]
