"""A budget is exact over several server processes and many callers at once (decisions, section 13)."""

from __future__ import annotations

from collections import Counter

import pytest
from bson import ObjectId

from app.store.store import Store
from tests.http.servers import servers
from tests.make import Project
from tests.races.crowd import at_once

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SERVERS, CALLERS, CALLS = 4, 50, 3
WRITES = 45
"""Those of two hours, where one begins meanwhile, are fewer than the drafts that a token may have."""


@pytest.mark.contract("decided-guards.budget-exact")
def test_50_callers_of_4_servers_write_as_often_as_the_budget_allows_and_a_restart_resets_nothing(
    store: Store, project: Project, mongodb_uri: str
) -> None:
    token = project.token(budget={"writesPerHour": WRITES, "publishesPerDay": None})
    with servers(mongodb_uri, store.database.name) as start:
        running = [start() for _ in range(SERVERS)]
        for server in running:
            server.wait()

        def write(number: int) -> list[int]:
            server = running[number % SERVERS]
            return [server.call("POST", "/document-intents", token.secret).status for _ in range(CALLS)]

        statuses = Counter(
            status for many in at_once([lambda n=n: write(n) for n in range(CALLERS)]) for status in many
        )
        again = start()
        again.wait()
        after = again.call("POST", "/document-intents", token.secret).status

    rows = list(store.database.budgets.find({"tokenId": ObjectId(token.id)}))
    drafts = store.database.intents.count_documents({"tokenId": ObjectId(token.id)})
    print(f"{dict(statuses)}, then {after}")
    assert set(statuses) == {201, 429}
    assert drafts == sum(row["used"] for row in rows) == statuses[201] + (after == 201)
    assert all(row["used"] <= WRITES for row in rows)
    assert len(rows) > 1 or (statuses[201], after) == (WRITES, 429)  # two rows, where an hour began meanwhile
