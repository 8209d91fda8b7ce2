"""What one server is told holds on every other within 5 seconds, and budgets at once (decisions, sections 2 and 13)."""

import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from bson import ObjectId

from app.core.store.store import Store
from app.core.vocabulary import Scope
from tests.http.servers import ServerProcess, servers
from tests.make import Project
from tests.races.crowd import at_once

pytestmark = pytest.mark.slow

BOUND = 5.0
CALLERS, CALLS = 50, 3
WRITES = 45
"""Those of two hours, where one begins meanwhile, are fewer than the drafts that a token may have."""

Start = Callable[[], ServerProcess]


@pytest.fixture(scope="module")
def start(store: Store, mongodb_uri: str) -> Iterator[Start]:
    """Starts a server on the shared database."""
    with servers(mongodb_uri, store.database.name) as starting:
        yield starting


@pytest.fixture(scope="module")
def pair(start: Start) -> tuple[ServerProcess, ServerProcess]:
    """Two servers."""
    first, second = start(), start()
    return first.wait(), second.wait()


@pytest.mark.contract("decided-guards.freeze-everywhere")
def test_a_freeze_and_its_end_hold_on_another_server_within_5_seconds(
    project: Project, pair: tuple[ServerProcess, ServerProcess]
) -> None:
    (first, second), owner = pair, project.token("Owner")
    writer = project.token("Writer", scopes=[Scope.WRITE])

    def write() -> int:
        return second.call("POST", "/document-intents", writer.secret).status

    assert write() == 201
    for path, before, after in (("/project/freeze", 201, 409), ("/project/unfreeze", 409, 201)):
        assert first.call("POST", path, owner.secret).status == 200
        assert status_after(write, before, pause=0.1) == after  # a token has at most 100 drafts


@pytest.mark.parametrize("move", ["revoked", "rotated"])
def test_a_secret_taken_back_on_one_server_is_refused_there_at_once_and_on_another_within_5_seconds(
    project: Project, pair: tuple[ServerProcess, ServerProcess], move: str
) -> None:
    (first, second), owner, lost = pair, project.token("Owner"), project.token("Lost")
    path = {"revoked": ("DELETE", f"/tokens/{lost.id}"), "rotated": ("POST", f"/tokens/{lost.id}/rotate")}[move]
    for server in pair:
        assert server.call("GET", "/project", lost.secret).status == 200

    assert first.call(*path, token=owner.secret).status == 200

    assert first.call("GET", "/project", lost.secret).status == 401
    assert status_after(lambda: second.call("GET", "/project", lost.secret).status, 200, pause=0.05) == 401


def status_after(ask: Callable[[], int], before: int, pause: float) -> int:
    """Asks until the status is another, which a request that begins after the bound has to have."""
    asked = began = time.monotonic()
    while (status := ask()) == before:
        assert asked - began < BOUND, "it did not hold for a request that began after 5 seconds"
        time.sleep(pause)
        asked = time.monotonic()
    return status


@pytest.mark.contract("decided-guards.budget-exact")
def test_50_callers_of_two_servers_write_as_often_as_the_budget_allows_and_a_restart_resets_nothing(
    store: Store, project: Project, start: Start, pair: tuple[ServerProcess, ServerProcess]
) -> None:
    token = project.token(budget={"writesPerHour": WRITES, "publishesPerDay": None})

    def write(server: ServerProcess) -> int:
        while (status := server.call("POST", "/document-intents", token.secret).status) == 503:
            time.sleep(0.05)  # as many requests of one token are under way as there may be
        return status

    writers = [lambda server=pair[n % 2]: [write(server) for _ in range(CALLS)] for n in range(CALLERS)]
    statuses = Counter(status for many in at_once(writers) for status in many)
    after = write(start().wait())

    rows = list(store.database.budgets.find({"tokenId": ObjectId(token.id)}))
    drafts = store.database.intents.count_documents({"tokenId": ObjectId(token.id)})
    assert set(statuses) == {201, 429}
    assert drafts == sum(row["used"] for row in rows) == statuses[201] + (after == 201)
    assert all(row["used"] <= WRITES for row in rows)
    assert len(rows) > 1 or (statuses[201], after) == (WRITES, 429)  # two rows, where an hour began meanwhile
