"""Scheduled publishing takes turns by project: one project's heavy documents do not make another's late."""

import time
from datetime import timedelta
from typing import Any

from bson import ObjectId

from app.core.context import this_instant
from app.core.times import wire_time
from tests.abuse.service import Service
from tests.make import OPERATIONS, Project, a_document

HEAVY = "| a | b |\n|---|---|\n" + "| *x* | `y` |\n" * 40_000
"""A table of half a megabyte, which takes a second or so to render."""
HEAVY_DOCUMENTS = 10
MAX_LATE_SECONDS = 5.0


def scheduled(project: Project, **fields: Any) -> str:
    """Schedules a new document and returns its id."""
    ctx = project.context()
    document = a_document(ctx, **fields)
    at = wire_time(this_instant() + timedelta(hours=1))
    OPERATIONS["schedule_document"](ctx, document["id"], fields={"publishAt": at})
    return str(document["id"])


def make_due(service: Service, document_ids: list[str], at: Any) -> None:
    """Moves the time of publishing of scheduled documents."""
    these = {"_id": {"$in": [ObjectId(one) for one in document_ids]}}
    service.store.database.documents.update_many(these, {"$set": {"publishAt": at}})


def published_at(service: Service, document_id: str) -> Any:
    """Returns when a document was published, None where it is not."""
    record = service.store.database.documents.find_one({"_id": ObjectId(document_id)}, {"publishedAt": 1})
    return record and record["publishedAt"]


def test_ten_heavy_documents_of_one_project_do_not_make_anothers_late(service: Service) -> None:
    heavy = [
        scheduled(service.project, title=f"Heavy {number}", markdown=f"# {number}\n\n{HEAVY}")
        for number in range(HEAVY_DOCUMENTS)
    ]
    other = scheduled(service.new_project(), title="Light", markdown="# Rye")

    with service.holds():
        began, now = time.monotonic(), this_instant()
        make_due(service, heavy, now - timedelta(seconds=1))
        make_due(service, [other], now)
        while published_at(service, other) is None:
            assert time.monotonic() - began < 60, "the other project's document is not published"
            time.sleep(0.05)
        late = time.monotonic() - began
        waiting = [one for one in heavy if published_at(service, one) is None]

    assert waiting != [], "the documents are too light to keep a worker busy"
    assert late < MAX_LATE_SECONDS
