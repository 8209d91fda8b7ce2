"""A project frozen on one server process takes no write on any other within 5 seconds (decisions, section 13)."""

from __future__ import annotations

import time

import pytest

from app.store.store import Store
from app.vocabulary import Scope
from tests.http.servers import servers
from tests.make import Project

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

BOUND = 5.0


@pytest.mark.contract("decided-guards.freeze-everywhere")
def test_a_freeze_and_its_end_hold_on_another_server_within_5_seconds(
    store: Store, project: Project, mongodb_uri: str
) -> None:
    owner, writer = project.token("Owner"), project.token("Writer", scopes=[Scope.WRITE])
    with servers(mongodb_uri, store.database.name) as start:
        first, second = start(), start()
        first.wait()
        second.wait()

        def write() -> int:
            return second.call("POST", "/document-intents", writer.secret).status

        assert write() == 201
        for path, before, after in (("/project/freeze", 201, 409), ("/project/unfreeze", 409, 201)):
            assert first.call("POST", path, owner.secret).status == 200
            asked = began = time.monotonic()
            while (status := write()) == before:
                assert asked - began < BOUND, "it held for no request that began after 5 seconds"
                time.sleep(0.1)  # a token has at most 100 drafts
                asked = time.monotonic()
            assert status == after
