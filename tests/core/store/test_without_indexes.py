"""A database that is served before `db init` ran has no indexes: everything is slower, and nothing fails."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from app.briefs.jobs import expire_claims
from app.core.context import this_instant
from app.core.store import indexes
from app.core.store.store import Store
from app.core.worker import ProjectByProject, relay_events
from app.documents.publishing import publish_due
from app.events.jobs import trim_feeds
from tests.databases import bare
from tests.make import OPERATIONS, a_document, a_project, a_ready_brief

pytestmark = pytest.mark.needs_mongod


@pytest.fixture
def without_indexes(mongodb_uri: str) -> Iterator[Store]:
    """A database in which `db init` has not run."""
    with bare(mongodb_uri) as store:
        yield store


def test_every_job_and_list_works_before_db_init(without_indexes: Store) -> None:
    store, now = without_indexes, this_instant()
    project = a_project(store)
    ctx = project.context()
    document = a_ready_brief(ctx, title="Rye", markdown="words")
    OPERATIONS["claim_brief"](
        project.context(now=now - timedelta(hours=2)), document["id"], fields={"leaseSeconds": 60}
    )
    scheduled = a_document(ctx, title="Oats", markdown="words")
    at = now + timedelta(seconds=1)
    OPERATIONS["schedule_document"](ctx, scheduled["id"], fields={"publishAt": at.isoformat()})

    assert expire_claims(store, ProjectByProject("expire claims"))
    assert list(publish_due(store, project.id, at)) == [(scheduled["id"], None)]
    relay_events(store, ProjectByProject("relay events"), lambda: None)
    trim_feeds(store, ProjectByProject("trim feeds"), timedelta(days=1))

    figures = OPERATIONS["get_insights"](ctx, fields={"days": 1}).body
    assert (figures["days"][0]["published"], figures["statuses"]["published"]) == (1, 1)
    assert figures["oldestReady"] is not None
    events = OPERATIONS["list_events"](ctx, fields={"limit": 100}).body["events"]
    assert {"brief.expired", "document.published"} <= {event["type"] for event in events}
    assert len(OPERATIONS["get_document_activity"](ctx, document["id"], fields={"limit": 10, "offset": 0}).body) == 4
    page = {"sort": "title", "limit": 10, "offset": 0}
    assert document["id"] in [row["id"] for row in OPERATIONS["list_documents"](ctx, fields=page).body]
    assert OPERATIONS["list_documents"](ctx, fields={**page, "offset": 300, "q": "rye"}).body == []
    briefs = OPERATIONS["list_briefs"](ctx, fields={"state": ["ready"], "limit": 10, "offset": 0}).body
    assert [row["id"] for row in briefs] == [document["id"]]
    claimed = OPERATIONS["claim_next_brief"](project.context(project.token()), fields={}, key="k").body
    assert claimed["id"] == document["id"]
    for name in ("list_members", "list_categories", "list_clusters", "list_tokens"):
        OPERATIONS[name](ctx, fields={"limit": 10, "offset": 0})
    assert indexes.create_indexes(store.database, store.features.indexes) == []
    assert indexes.differences(store.database, store.features.indexes) == []
