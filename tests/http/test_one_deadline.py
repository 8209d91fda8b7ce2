"""A request waits for MongoDB no longer than its deadline, however many steps it has (decisions, section 3)."""

import time
from typing import Any

import pymongo
import pytest
from pymongo import monitoring

from app.core.store.store import Store, connect
from app.documents.store import Documents
from tests.http.conftest import Configured
from tests.listener import Listener
from tests.make import OPERATIONS, Project, a_document

pytestmark = pytest.mark.needs_mongod


ROUND_TRIP = 50
"""How many milliseconds the driver takes off for the way, at most."""


class TimesLeft(Listener):
    """How many milliseconds each command had at most."""

    def __init__(self) -> None:
        self.milliseconds: list[int] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        self.milliseconds.append(event.command["maxTimeMS"])


def test_authentication_operation_and_texts_share_one_deadline_and_the_next_request_has_its_own(
    store: Store, project: Project, mongodb_uri: str, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = project.context()
    document = a_document(ctx, markdown="Flour and water.")
    OPERATIONS["publish_document"](ctx, document["id"], fields={})
    listener, client = TimesLeft(), pymongo.MongoClient

    def listened_to(*given: Any, **options: Any) -> Any:
        return client(*given, event_listeners=[listener], **options)

    monkeypatch.setattr("app.core.store.store.MongoClient", listened_to)
    watched = connect(mongodb_uri, store.database.name)
    api = configured(store=watched).test_client()
    for _ in range(2):
        before = len(listener.milliseconds)
        token = project.token().secret  # not known to the server: it has to look it up
        began = time.monotonic()

        assert api.get(f"/documents/{document['id']}", headers={"Authorization": f"Bearer {token}"}).status_code == 200

        left = listener.milliseconds[before:]
        assert len(left) >= 4
        assert left == sorted(left, reverse=True)
        assert left[0] > whole_but(began)
    for _ in range(2):  # this thread serves no request any more
        began = time.monotonic()
        with watched.deadline():
            watched[Documents].get(project.id, document["id"])
            assert listener.milliseconds[-1] > whole_but(began)
            time.sleep(0.3)
    watched.database.client.close()


def whole_but(began: float) -> float:
    """Returns how much of a deadline that began not before an instant is left at least, in milliseconds."""
    return 10_000 - ROUND_TRIP - 1_000 * (time.monotonic() - began)
