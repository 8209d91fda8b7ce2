"""A request waits for MongoDB no longer than its deadline, however many steps it has (decisions, section 3)."""

import io
import time
from functools import partial
from typing import Any

import pytest
from pymongo import MongoClient, monitoring

from app.core.store.request_time import standing_still
from app.core.store.store import Store
from app.documents.store import Documents
from app.features import connect
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
    listener = TimesLeft()
    monkeypatch.setattr("app.core.store.store.MongoClient", partial(MongoClient, event_listeners=[listener]))
    watched = connect(mongodb_uri, store.database.name)
    api = configured(store=watched).test_client()
    for _ in range(2):
        watched.check_form()  # read once in a while, within a second of its own
        before = len(listener.milliseconds)
        token = project.token().secret  # not known to the server: it has to look it up
        began = time.monotonic()

        assert api.get(f"/documents/{document['id']}", headers={"Authorization": f"Bearer {token}"}).status_code == 200

        left = listener.milliseconds[before:]
        assert len(left) >= 2
        assert left == sorted(left, reverse=True)
        assert left[0] > whole_but(began)
    for _ in range(2):  # this thread serves no request any more
        began = time.monotonic()
        with watched.deadline():
            watched[Documents].get(project.id, document["id"])
            assert listener.milliseconds[-1] > whole_but(began)
            time.sleep(0.3)
    with watched.deadline() as whole, watched.deadline() as left:  # nested ones are the first one
        watched[Documents].get(project.id, document["id"])
        assert whole >= left >= listener.milliseconds[-1] / 1_000
    began = time.monotonic()
    with watched.deadline():
        with standing_still():  # what waits for something else takes nothing of it
            time.sleep(0.3)
        watched[Documents].get(project.id, document["id"])
        assert listener.milliseconds[-1] > whole_but(began + 0.3)
    watched.database.client.close()


def whole_but(began: float) -> float:
    """Returns how much of a deadline that began not before an instant is left at least, in milliseconds."""
    return 10_000 - ROUND_TRIP - 1_000 * (time.monotonic() - began)


class SlowBody(io.BytesIO):
    """A body that takes longer to arrive than the deadline lasts."""

    def readinto(self, buffer: Any) -> int:
        time.sleep(1.2 if not self.tell() else 0)
        return super().readinto(buffer)

    def read(self, size: int | None = -1) -> bytes:
        time.sleep(1.2 if not self.tell() else 0)
        return super().read(size)


def test_a_body_that_arrives_slowly_takes_nothing_of_the_deadline(
    project: Project, mongodb_uri: str, configured: Configured
) -> None:
    hurried = connect(mongodb_uri, project.store.database.name, deadline_seconds=1)
    client, token = configured(store=hurried).test_client(), project.token()
    requests = {
        "/document-intents": (b'{"title": "Rye"}', "application/json"),
        "/console/sign-in": (f"token={token.secret}".encode(), "application/x-www-form-urlencoded"),
    }

    def accepted(path: str) -> bool:
        body, media_type = requests[path]
        length, headers = {"CONTENT_LENGTH": str(len(body))}, {"Authorization": f"Bearer {token.secret}"}
        began = time.monotonic()
        response = client.post(
            path, input_stream=SlowBody(body), content_type=media_type, headers=headers, environ_overrides=length
        )
        assert time.monotonic() - began > 1
        return response.status_code < 400

    for path in requests:
        assert any(accepted(path) for _ in range(3)), "others may take the second of one"
    hurried.database.client.close()
