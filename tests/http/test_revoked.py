"""A token revoked on one server stops working there at once, on others within 5 seconds (decisions, section 2)."""

from __future__ import annotations

import time

import pytest

from app.store.store import Store
from tests.http.servers import servers
from tests.make import Project

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

BOUND = 5.0


@pytest.mark.parametrize("move", ["revoked", "rotated"])
def test_a_secret_taken_back_on_one_server_is_refused_there_at_once_and_on_another_within_5_seconds(
    store: Store, project: Project, mongodb_uri: str, move: str
) -> None:
    owner, lost = project.token("Owner"), project.token("Lost")
    path = {"revoked": ("DELETE", f"/tokens/{lost.id}"), "rotated": ("POST", f"/tokens/{lost.id}/rotate")}[move]
    with servers(mongodb_uri, store.database.name) as start:
        first, second = start(), start()
        first.wait()
        second.wait()
        for server in (first, second):
            assert server.call("GET", "/project", lost.secret).status == 200

        assert first.call(*path, token=owner.secret).status == 200
        assert first.call("GET", "/project", lost.secret).status == 401
        asked = began = time.monotonic()
        while (status := second.call("GET", "/project", lost.secret).status) == 200:
            assert asked - began < BOUND, "it was let in by a request that began after 5 seconds"
            time.sleep(0.05)
            asked = time.monotonic()

        assert status == 401
        print(f"{move} here, refused there after {asked - began:.1f} s")
