"""How MongoDB serves the lists: by an index, without reading a whole collection or sorting in memory.

(decisions, section 5)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from typing import Any, Protocol

import pymongo
import pytest

from app.categories.store import Categories, Clusters
from app.core.store.indexes import Index
from app.core.store.store import CODEC, Store
from app.core.vocabulary import BriefState, DocumentStatus, Kind
from app.documents import lists as document_lists
from app.documents.indexes import BY_DUE_DATE, KEYS, SLUGS, TRASHED, WORDS
from app.documents.keys import document_keys
from app.documents.schemas import SORTS
from app.documents.store import Documents, Revisions
from app.events.store import Events
from app.features import ALL
from app.intents.store import Intents
from app.projects.store import Members
from app.projects.token_store import Tokens
from app.publications.store import Publications
from app.webhooks.attempt_store import Deliveries
from app.webhooks.store import Webhooks
from tests.documents.steps import NOBODY
from tests.listener import Queries
from tests.make import OPERATIONS, Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod

STATUSES = [str(status) for status in DocumentStatus]


@dataclass(frozen=True)
class Plan:
    """How MongoDB answers a command: its collection, the index that the command names, the winning plan."""

    collection: str
    hint: Any
    limit: Any
    stages: frozenset[str]
    indexes: frozenset[str]


class Explain(Protocol):
    """Runs something on a store and returns the plan of each command that it sent."""

    def __call__(self, run: Callable[[Store], Any], find: Callable[[dict[str, Any]], bool] = ...) -> list[Plan]: ...


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
            "slugKeys": [f"loaf-{number}"],
            "outbox": [],
            "brief": brief,
        }
        day = f"2027-{number % 12 + 1:02}-01"
        one |= {"title": title, "slug": f"loaf-{number}", "key": f"loaf-{number}", "dueDate": day}
        rows.append(one | document_keys(one))
    store.database.documents.insert_many(rows)
    return project


@pytest.fixture
def explain(store: Store, mongodb_uri: str) -> Iterator[Explain]:
    watch = Queries("find", "findAndModify", "aggregate", "update", "delete")
    client: Any = pymongo.MongoClient(mongodb_uri, event_listeners=[watch], w="majority")
    database = client.get_database(store.database.name, codec_options=CODEC)
    watched = Store(database, deadline_seconds=10, features=ALL)

    def explained(run: Callable[[Store], Any], find: Callable[[dict[str, Any]], bool] = bool) -> list[Plan]:
        watch.sent.clear()
        run(watched)
        plans = []
        for command in filter(find, list(watch.sent)):
            plan = store.database.command("explain", command, verbosity="queryPlanner")
            stages = list(_stages(plan))
            names = frozenset(stage["indexName"] for stage in stages if "indexName" in stage)
            kinds = frozenset(stage["stage"] for stage in stages)
            collection = str(command[next(iter(command))])
            plans.append(Plan(collection, command.get("hint"), command.get("limit"), kinds, names))
        return plans

    yield explained
    client.close()


def _stages(plan: Any) -> Iterator[dict[str, Any]]:
    """Yields the stages of the plan that won; those of plans that lost are left out."""
    if isinstance(plan, list):
        for one in plan:
            yield from _stages(one)
    if isinstance(plan, dict):
        if "stage" in plan:
            yield plan
        for key, value in plan.items():
            if key != "rejectedPlans":
                yield from _stages(value)


LISTED: dict[str, tuple[Any, ...]] = {
    "status": (["idea"], ["idea", "review", "published"]),
    "categoryId": ([NOBODY], [None, NOBODY], [None]),
    "clusterId": ([NOBODY], [None]),
    "assigneeId": ([NOBODY],),
    "briefState": (["ready"], ["none", "claimed"]),
    "isPublished": (True, False),
    "deleted": (True,),
}
"""The filters by entries, with values of each."""
RANGES: dict[str, tuple[Any, ...]] = {
    "assigneeId": ([f"{number:024x}" for number in range(250)],),
    "dueAfter": ("2027-03-01",),
    "dueBefore": ("2027-04-30",),
    "updatedSince": (datetime(2020, 1, 1, tzinfo=UTC),),
}
FILTERS = LISTED | RANGES
ONE = [{}, *({name: value} for name, values in LISTED.items() for value in values)]
MORE = [
    {name: values[0] for name, values in some}
    for count in (1, 2, len(FILTERS))
    for some in combinations(FILTERS.items(), count)
]


@pytest.mark.contract("decided-documents.indexes", "decided-documents.list-filters", "decided-documents.list-sorts")
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("offset", [0, 10_000])
def test_a_list_with_one_filter_is_read_in_order_from_the_index_of_its_order(
    library: Project, explain: Explain, sort: str, offset: int
) -> None:
    def lists(store: Store) -> None:
        for filters in ONE:
            store[Documents].list(library.id, filters, sort=sort, limit=50, offset=offset)

    plans = [plan for plan in explain(lists) if plan.limit]

    index = document_lists.ORDERS[sort.removeprefix("-")].name
    assert len(plans) >= len(ONE)
    assert {plan.hint for plan in plans} <= {index, "_id_"}  # by `_id` the records of a page whose keys were read
    assert [plan for plan in plans if plan.stages & {"COLLSCAN", "SORT"}] == []


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", SORTS)
def test_no_document_is_read_that_is_far_before_the_page(library: Project, explain: Explain, sort: str) -> None:
    for filters in ONE:
        plans = explain(
            lambda store, of=filters: store[Documents].list(library.id, of, sort=sort, limit=50, offset=10_000),
            find=lambda command: "skip" in command,
        )
        assert 1 <= len(plans) <= 2, filters  # those without a due date may come last
        assert [plan for plan in plans if "FETCH" in plan.stages] == [], filters


@pytest.mark.contract("decided-documents.indexes", "decided-documents.list-filters", "decided-documents.list-sorts")
@pytest.mark.parametrize("sort", SORTS)
def test_several_filters_are_read_from_one_index(library: Project, explain: Explain, sort: str) -> None:
    def lists(store: Store) -> None:
        for filters in MORE:
            store[Documents].list(library.id, filters, sort=sort, limit=50, offset=0)

    plans = explain(lists)

    assert [plan for plan in plans if plan.hint is None or "COLLSCAN" in plan.stages] == []


@pytest.mark.contract("decided-documents.indexes", "decided-pages.slug")
@pytest.mark.parametrize("filters", [{}, {"status": ["idea"]}, {"briefState": ["claimed"]}])
@pytest.mark.parametrize(("name", "index"), [("slug", SLUGS), ("key", KEYS)])
def test_slugs_and_keys_are_found_by_their_index(
    library: Project, explain: Explain, filters: dict[str, Any], name: str, index: Index
) -> None:
    wanted = filters | {name: ["loaf-1", "loaf-2"]}

    plans = explain(lambda store: store[Documents].list(library.id, wanted, sort="title", limit=50, offset=0))
    plans += explain(lambda store: store[Documents].count(library.id, wanted))

    assert [plan.indexes for plan in plans] == [{index.name}] * 2


@pytest.mark.contract("decided-documents.indexes", "decided-pages.count")
def test_documents_with_one_filter_are_counted_by_the_keys_of_an_index(library: Project, explain: Explain) -> None:
    def counts(store: Store) -> None:
        for filters in ONE:
            store[Documents].count(library.id, filters)

    plans = explain(counts)

    assert len(plans) == len(ONE)
    assert [plan for plan in plans if plan.hint is None or plan.stages & {"COLLSCAN", "SORT", "FETCH"}] == []


@pytest.mark.contract("decided-documents.indexes", "decided-documents.q")
@pytest.mark.parametrize(
    ("q", "index"),
    [
        ("17", WORDS.name),
        ("loaf 17", WORDS.name),
        ("17 lo", WORDS.name),
        ("loaf", "listed_by_update"),
        ("lo", "listed_by_update"),
    ],
)
def test_a_rare_word_is_found_by_the_index_of_words_and_a_common_one_in_the_order_of_the_list(
    library: Project, explain: Explain, monkeypatch: pytest.MonkeyPatch, q: str, index: str
) -> None:
    monkeypatch.setattr(document_lists, "FEW", 20)
    fields = {"limit": 50, "offset": 0, "sort": "-updatedAt", "q": q, "count": True}

    plans = explain(lambda store: _run("list_documents", library.context(), store, fields=fields))

    assert [plan.indexes for plan in plans if plan.limit == 50] == [{index}]
    assert not any("COLLSCAN" in plan.stages for plan in plans)


def test_the_documents_have_at_most_16_indexes_with_that_of_their_ids() -> None:
    assert len([index for index in ALL.indexes if index.collection == "documents"]) + 1 <= 16


@pytest.mark.contract("decided-documents.indexes")
def test_what_is_to_be_purged_of_all_projects_is_found_in_the_trash(library: Project, explain: Explain) -> None:
    def finds(store: Store) -> None:
        store[Documents].find_purgeable(library.context().now, None)
        store[Documents].count_purgeable(library.context().now, None)

    plans = explain(finds)

    trash = {index.name for index in ALL.indexes if index.options.get("partialFilterExpression") == TRASHED}
    assert len(plans) == 2
    assert all(plan.indexes and plan.indexes <= trash for plan in plans)


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("offset", [0, 10_000])
def test_lists_of_briefs_are_read_in_order_from_one_index(
    library: Project, explain: Explain, count: int, offset: int
) -> None:
    states = [*combinations(BriefState, count)]

    def lists(store: Store) -> None:
        for some in states:
            store[Documents].list_briefs(library.id, some, limit=50, offset=offset)

    plans = explain(lists)

    assert len(plans) == len(states)
    assert {plan.hint for plan in plans} == {BY_DUE_DATE.name}
    assert [plan for plan in plans if plan.stages & {"COLLSCAN", "SORT"}] == []
    assert not offset or not any("FETCH" in plan.stages for plan in plans)


@pytest.mark.contract("decided-documents.indexes")
def test_all_other_lists_are_in_the_order_of_an_index(library: Project, explain: Explain) -> None:
    token_id = library.token().id

    def lists(store: Store) -> None:
        store[Intents].list(library.id, token_id, Kind.DOCUMENT)
        store[Categories].list(library.id, limit=100, offset=0)
        store[Clusters].list(library.id, limit=100, offset=0)
        store[Members].list(library.id, limit=100, offset=0)
        store[Tokens].list(library.id, limit=100, offset=0)
        store[Webhooks].all(library.id)
        store[Deliveries].log(library.id, NOBODY, [], limit=100, offset=0)
        store[Revisions].list(library.id, NOBODY, limit=50, offset=0)
        store[Events].page(library.id, 0, 50)
        store[Events].of_document(library.id, NOBODY, limit=50, offset=0)

    plans = [plan for plan in explain(lists) if plan.limit != 1]

    assert len(plans) >= 9
    assert [plan for plan in plans if plan.stages & {"COLLSCAN", "SORT"}] == []


@pytest.mark.contract("decided-documents.indexes", "decided-insights.cost")
def test_figures_are_read_from_rows_by_day_and_from_the_keys_of_indexes(library: Project, explain: Explain) -> None:
    plans = explain(lambda store: _run("get_insights", library.context(), store, fields={"days": 90}))

    by_collection = {
        name: [plan for plan in plans if plan.collection == name] for name in {plan.collection for plan in plans}
    }
    assert set(by_collection) == {"figures", "progress", "documents", "publications"}
    read = [plan for plans in by_collection.values() for plan in plans]
    assert [plan for plan in read if plan.stages & {"COLLSCAN", "SORT"}] == []
    assert [plan for plan in by_collection["documents"] if plan.limit != 1 and "FETCH" in plan.stages] == []


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("within", [{}, {"categoryId": NOBODY}, {"clusterId": NOBODY}])
def test_the_next_brief_is_found_by_an_index(library: Project, explain: Explain, within: dict[str, str]) -> None:
    [plan] = explain(lambda store: store[Documents].next_ready(library.id, within, limit=1))

    assert plan.hint == BY_DUE_DATE.name
    assert not plan.stages & {"COLLSCAN", "SORT"}


@pytest.mark.contract("decided-documents.indexes", "decided-documents.worker")
def test_the_worker_finds_what_is_due_by_an_index(library: Project, explain: Explain) -> None:
    now = library.context().now

    def finds(store: Store) -> None:
        store[Documents].find_projects_due(now)
        store[Documents].find_due(library.id, now, 20)
        store[Documents].find_projects_with_expired(now)
        store[Documents].find_expired(library.id, now)

    of_projects, of_documents, of_projects_with_expired, of_expired = explain(finds)

    assert "DISTINCT_SCAN" in of_projects.stages
    assert not (of_documents.stages | of_expired.stages) & {"COLLSCAN", "SORT"}
    assert of_documents.indexes == {"projectId_publishAt"}
    assert of_projects_with_expired.indexes == of_expired.indexes == {"projectId_brief.claimExpiresAt"}


@pytest.mark.contract("decided-documents.indexes")
def test_the_queries_of_edits_and_deletions_use_an_index(library: Project, explain: Explain) -> None:
    def queries(store: Store) -> None:
        store[Documents].find_taken_slugs(library.id, ["loaf-1"], exclude=NOBODY)
        store[Documents].has_filed_under(library.id, "categoryId", NOBODY)
        store[Documents].has_filed_under(library.id, "clusterId", NOBODY)
        store[Publications].is_in_category(library.id, NOBODY)
        store[Documents].get_links(library.id, [NOBODY])
        store[Categories].has_subcategories(library.id, NOBODY)
        store[Categories].find_same(library.id, {"slug": "bread"})
        store[Categories].list(library.id, limit=100, offset=0)
        store[Clusters].find_same(library.id, {"name": "Bread"})
        store[Clusters].list(library.id, limit=100, offset=0)
        store[Revisions].list(library.id, NOBODY, limit=50, offset=0)
        store[Revisions].get(library.id, NOBODY, 1)

    plans = explain(queries)

    assert len(plans) == 12
    assert [plan for plan in plans if plan.stages & {"COLLSCAN", "SORT"}] == []


def _run(name: str, ctx: Any, store: Store, **arguments: Any) -> Any:
    from dataclasses import replace

    return OPERATIONS[name](replace(ctx, store=store), **arguments)
