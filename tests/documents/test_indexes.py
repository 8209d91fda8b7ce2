"""How MongoDB serves the lists: by an index, without reading a whole collection or sorting in memory (section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pymongo
import pytest
from pymongo import monitoring

from app.fields.documents import SORTS
from app.store.store import CODEC, Store
from app.vocabulary import DocumentStatus
from tests.documents.steps import NOBODY
from tests.make import OPERATIONS, Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod

COMMANDS = ("find", "findAndModify", "aggregate", "update", "delete")


STATUSES = [str(status) for status in DocumentStatus]


class Watch(monitoring.CommandListener):
    """Keeps the commands that were sent to MongoDB."""

    def __init__(self) -> None:
        self.commands: list[dict[str, Any]] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in COMMANDS:
            self.commands.append(dict(event.command))

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


Explain = Callable[[Callable[[Store], Any]], list[tuple[str, set[str], list[str]]]]


@pytest.fixture(scope="module")
def library(store: Store) -> Project:
    """A project with 300 documents, among others, so that a plan that reads or sorts all of them costs more."""
    project = a_project(store)
    ctx = project.context()
    row = store.database.documents.find_one({"_id": pymongo.collection.ObjectId(a_document(ctx)["id"])})
    assert row is not None
    rows = []
    for number in range(300):
        title = f"Loaf {number}"
        brief = {"state": ("none", "ready", "claimed", "drafted")[number % 4], "keyword": "x", "claimExpiresAt": None}
        status = STATUSES[number % 7]
        one = {
            **row,
            "status": status,
            "_id": pymongo.collection.ObjectId(),
            "slugs": [f"loaf-{number}"],
            "outbox": [],
            "brief": brief,
        }
        day = f"2027-{number % 12 + 1:02}-01"
        rows.append({**one, "titleKey": title.lower(), "words": ["loaf", str(number)], "dueKey": day, "dueDate": day})
    store.database.documents.insert_many(rows)
    return project


@pytest.fixture
def explain(store: Store, mongodb_uri: str) -> Iterator[Explain]:
    """Runs something on a store and tells of each command: the collection, the stages of its plan, the indexes."""
    watch = Watch()
    client: Any = pymongo.MongoClient(mongodb_uri, event_listeners=[watch], w="majority")
    database = client.get_database(store.database.name, codec_options=CODEC)
    watched = Store(database, transact=lambda run: run(None), deadline_seconds=10)

    def explained(run: Callable[[Store], Any]) -> list[tuple[str, set[str], list[str]]]:
        watch.commands.clear()
        run(watched)
        told = []
        for command in list(watch.commands):
            command = {
                key: value for key, value in command.items() if key not in ("lsid", "$db", "$clusterTime", "txnNumber")
            }
            command = {
                key: value for key, value in command.items() if not key.startswith("$") and key != "writeConcern"
            }
            name = next(iter(command))
            plan = store.database.command("explain", command, verbosity="queryPlanner")
            stages, indexes = set(), []
            for stage in _stages(plan):
                stages.add(stage["stage"])
                indexes += [stage["indexName"]] if "indexName" in stage else []
            told.append((str(command[name]), stages, indexes))
        return told

    yield explained
    client.close()


def _stages(plan: Any) -> Iterator[dict[str, Any]]:
    """Yields the stages of the plan that won; those of plans that lost are passed over."""
    if isinstance(plan, list):
        for one in plan:
            yield from _stages(one)
    if isinstance(plan, dict):
        if "stage" in plan:
            yield plan
        for key, value in plan.items():
            if key != "rejectedPlans":
                yield from _stages(value)


SERVED: list[dict[str, Any]] = [
    *({"sort": sort} for sort in SORTS),
    *(
        {**filters, "sort": sort}
        for filters, sort in product(
            (
                {"status": ["idea"]},
                {"status": ["idea", "review", "published"]},
                *({field: [NOBODY]} for field in ("categoryId", "clusterId", "assigneeId")),
                *({field: [None, NOBODY]} for field in ("categoryId", "clusterId", "assigneeId")),
                *({field: [None]} for field in ("categoryId", "clusterId", "assigneeId")),
            ),
            ("-updatedAt", "dueDate"),
        )
    ),
]


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("query", SERVED, ids=str)
def test_a_list_is_read_from_an_index_in_its_order(library: Project, explain: Explain, query: dict[str, Any]) -> None:
    ctx = library.context()
    fields = {"limit": 50, "offset": 0, **query}

    [(collection, stages, _)] = explain(lambda store: _run("list_documents", ctx, store, fields=fields))

    assert collection == "documents"
    assert not stages & {"COLLSCAN", "SORT"}, stages


@pytest.mark.contract("decided-documents.indexes", "decided-documents.q")
@pytest.mark.parametrize("q", ["loaf", "loaf 17"])
def test_words_are_found_by_their_index(library: Project, explain: Explain, q: str) -> None:
    fields = {"limit": 50, "offset": 0, "sort": "-updatedAt", "q": q}

    [(_, stages, indexes)] = explain(lambda store: _run("list_documents", library.context(), store, fields=fields))

    assert "COLLSCAN" not in stages
    assert set(indexes) <= {"projectId_words_live", "projectId_updatedAt__id_live"}


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize(
    "query", [{"deleted": True}, {"isPublished": True}, {"briefState": ["ready"]}, {"dueAfter": "2027-01-01"}]
)
@pytest.mark.parametrize("sort", SORTS)
def test_no_list_reads_the_whole_collection(library: Project, explain: Explain, query: Any, sort: str) -> None:
    fields = {"limit": 50, "offset": 0, "sort": sort, **query}

    [(_, stages, _)] = explain(lambda store: _run("list_documents", library.context(), store, fields=fields))

    assert "COLLSCAN" not in stages


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("states", [["ready"], ["none", "ready", "claimed", "drafted"], ["claimed", "drafted"]])
def test_briefs_are_read_from_an_index_in_their_order(library: Project, explain: Explain, states: list[str]) -> None:
    fields = {"limit": 50, "offset": 0, "state": states}

    [(_, stages, _)] = explain(lambda store: _run("list_briefs", library.context(), store, fields=fields))

    assert not stages & {"COLLSCAN", "SORT"}, stages


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("within", [{}, {"categoryId": NOBODY}, {"clusterId": NOBODY}])
def test_the_next_brief_is_found_by_an_index(library: Project, explain: Explain, within: dict[str, str]) -> None:
    ctx = library.context()

    def claims_next(store: Store) -> None:
        from app.rules.briefs import CLAIM
        from app.rules.events import Event

        event = Event(CLAIM.event, ctx.now, ctx.caller.actor)
        store.briefs.claim_next(library.id, within, CLAIM, ctx.move_request, {"claimedBy": None}, event)

    told = [row for row in explain(claims_next) if row[0] == "documents"]

    assert told
    assert all(not stages & {"COLLSCAN", "SORT"} for _, stages, _ in told), told


@pytest.mark.contract("decided-documents.indexes", "decided-documents.worker")
def test_the_worker_finds_what_is_due_by_an_index(library: Project, explain: Explain) -> None:
    now = library.context().now

    def finds(store: Store) -> None:
        store.documents.projects_due(now)
        store.documents.due(library.id, now, 20)

    of_projects, of_documents = explain(finds)

    assert "DISTINCT_SCAN" in of_projects[1]
    assert (of_documents[1] & {"COLLSCAN", "SORT"}, of_documents[2]) == (set(), ["projectId_publishAt"])


@pytest.mark.contract("decided-documents.indexes")
def test_what_edits_and_deletions_ask_for_is_found_by_an_index(library: Project, explain: Explain) -> None:
    def asks(store: Store) -> None:
        store.documents.taken_slugs(library.id, ["loaf-1"], but=NOBODY)
        store.documents.any_in(library.id, "categoryId", NOBODY)
        store.documents.any_in(library.id, "clusterId", NOBODY)
        store.documents.rename_category(library.id, NOBODY, "New")
        store.documents.links(library.id, [NOBODY])
        store.categories.has_subcategories(library.id, NOBODY)
        store.categories.slug_taken(library.id, "bread")
        store.categories.list(library.id, limit=100, offset=0)
        store.clusters.name_taken(library.id, "Bread")
        store.clusters.list(library.id, limit=100, offset=0)
        store.revisions.list(library.id, NOBODY, limit=50, offset=0)
        store.revisions.get(library.id, NOBODY, 1)

    told = explain(asks)

    assert len(told) == 12
    assert [row for row in told if row[1] & {"COLLSCAN", "SORT"}] == []


def _run(name: str, ctx: Any, store: Store, **arguments: Any) -> Any:
    from dataclasses import replace

    return OPERATIONS[name](replace(ctx, store=store), **arguments)
