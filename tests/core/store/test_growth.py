"""What MongoDB looks at for a page or a claim does not grow with the project, nor with the claims that are held."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pymongo
import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.store import CODEC, Store
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents import lists as document_lists
from app.documents.keys import document_keys
from app.documents.schemas import SORTS
from app.documents.store import Documents
from app.features import ALL
from tests.listener import Queries
from tests.make import Project, a_document, a_project

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.long]

FEW, MANY = 400, 4_000
MOST = 1.3
CATEGORY, CLUSTER, MEMBER = (ObjectId(digit * 24) for digit in "cdf")
RARE = 60
"""How many documents in the middle of a project are in review, drafted, and in a cluster and a member's hands."""


Examined = Callable[[Callable[[Store], Any]], int]


@pytest.fixture(scope="module")
def examined(store: Store, mongodb_uri: str) -> Iterator[Examined]:
    """Runs something on a store and returns how many index keys and documents MongoDB examined for it."""
    queries = Queries("find", "findAndModify")
    client: Any = pymongo.MongoClient(mongodb_uri, event_listeners=[queries], w="majority")
    database = client.get_database(store.database.name, codec_options=CODEC)
    watched = Store(database, deadline_seconds=10, features=ALL)

    def count(run: Callable[[Store], Any]) -> int:
        queries.sent.clear()
        run(watched)
        total = 0
        for query in queries.sent:
            stats = store.database.command("explain", query, verbosity="executionStats")["executionStats"]
            total += stats["totalKeysExamined"] + stats["totalDocsExamined"]
        return total

    yield count
    client.close()


def filled(store: Store, count: int, leased: int) -> Project:
    """Makes a project of documents with ready briefs in a tenth, and claims with a lease that are due before all."""
    project, now = a_project(store), this_instant()
    like = store.database.documents.find_one({"_id": ObjectId(a_document(project.context())["id"])})
    assert like is not None
    statuses = [status for status in DocumentStatus if status != DocumentStatus.REVIEW]
    rows = []
    for number in range(count + leased):
        claimed = number >= count
        state = BriefState.CLAIMED if claimed else BriefState.READY if number % 10 == 0 else BriefState.NONE
        rare = 0 <= number - count // 2 < RARE
        state = BriefState.DRAFTED if rare else state
        day = "2026-01-01" if claimed else f"2027-{number % 12 + 1:02}-{number % 28 + 1:02}"
        status = "drafting" if claimed or number % 10 == 0 else str(statuses[number % len(statuses)])
        row = like | {
            "_id": ObjectId(),
            "slugs": [f"loaf-{number}"],
            "slugKeys": [f"loaf-{number}"],
            "slug": f"loaf-{number}",
            "status": "review" if rare else status,
            "title": f"Loaf {number * 7919 % count}",
            "brief": {"state": str(state), "claimExpiresAt": now + timedelta(hours=1) if claimed else None},
            "categoryId": CATEGORY if number % 100 == 7 else None,
            "clusterId": CLUSTER if rare else None,
            "assigneeId": MEMBER if rare else None,
            "updatedAt": now - timedelta(seconds=number),
            "createdAt": now - timedelta(seconds=number),
            "dueDate": day,
            "outbox": [],
        }
        rows.append(row | document_keys(row))
    store.database.documents.insert_many(rows)
    return project


@pytest.fixture(scope="module")
def small(store: Store) -> Project:
    return filled(store, FEW, leased=0)


@pytest.fixture(scope="module")
def large(store: Store) -> Project:
    return filled(store, MANY, leased=HELD)


def page(project: Project, **filters: Any) -> Callable[[Store], Any]:
    sort = filters.pop("sort", "-updatedAt")
    return lambda store: store[Documents].list(project.id, filters, sort=sort, limit=20, offset=0)


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("filters", [{}, {"status": ["drafting"]}, {"isPublished": False}], ids=str)
def test_a_page_of_documents_costs_the_same_in_a_large_project(
    small: Project, large: Project, examined: Examined, filters: Any, sort: str
) -> None:
    costs = [examined(page(project, **filters, sort=sort)) for project in (small, large)]

    assert costs[1] <= costs[0] * MOST


HELD = 1_000
"""How many claims with a lease the large project has, due before all other briefs."""


@pytest.mark.contract("decided-documents.indexes")
def test_a_page_of_ready_documents_costs_the_same_however_many_claims_are_held(
    small: Project, large: Project, examined: Examined
) -> None:
    costs = [examined(page(project, briefState=["ready"])) for project in (small, large)]

    assert costs[1] <= costs[0] * MOST


RARELY = {
    "status": ["review"],
    "briefState": ["drafted"],
    "categoryId": [str(CATEGORY)],
    "clusterId": [str(CLUSTER)],
    "assigneeId": [str(MEMBER)],
}


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("name", RARELY)
def test_a_page_of_what_is_rare_costs_what_it_shows_wherever_that_is_in_the_order(
    large: Project, examined: Examined, name: str, sort: str
) -> None:
    assert examined(page(large, **{name: RARELY[name]}, sort=sort)) <= 2 * 20 + 1 + len(BriefState)


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", SORTS)
def test_what_is_due_in_a_month_costs_at_most_what_is_sorted_wherever_that_is_in_the_order(
    large: Project, examined: Examined, sort: str
) -> None:
    most = 2 * 20 + 1 if sort.endswith("dueDate") else 3 * document_lists.FEW

    assert examined(page(large, dueAfter="2027-03-01", dueBefore="2027-03-31", sort=sort)) <= most


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", ["updatedAt"])
def test_more_documents_are_sorted_when_they_are_those_due_within_some_days(
    large: Project, examined: Examined, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    monkeypatch.setattr(document_lists, "FEW", 100)
    in_march = -(-MANY // 12)
    cost = examined(page(large, dueAfter="2027-03-01", dueBefore="2027-03-31", sort=sort))

    assert document_lists.FEW < in_march < cost <= 3 * in_march


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
def test_of_what_is_due_in_months_only_the_page_is_read_in_the_order_of_creation(
    large: Project, examined: Examined, sort: str
) -> None:
    half_a_year = MANY // 2
    cost = examined(page(large, dueAfter="2027-01-01", dueBefore="2027-06-30", sort=sort))

    assert document_lists.FEW < half_a_year < cost <= half_a_year + 2 * 20


@pytest.mark.contract("decided-documents.indexes")
@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize(
    "filters",
    [
        {"categoryId": [str(CATEGORY)]},
        {"words": ["loaf", "7"]},
        {"words": ["loaf"], "beginning": "777"},
        {"words": ["7"], "beginning": "lo"},
    ],
    ids=str,
)
def test_a_filter_that_finds_few_costs_what_it_finds(
    large: Project, examined: Examined, filters: Any, sort: str
) -> None:
    assert examined(page(large, **filters, sort=sort)) <= 4 * 40 + 2 * 20 + 2 * (document_lists.FEW + 1)


@pytest.mark.contract("decided-documents.indexes", "decided-briefs.list")
def test_the_list_of_ready_briefs_costs_the_same_however_many_claims_are_held(
    small: Project, large: Project, examined: Examined
) -> None:
    costs = [
        examined(lambda store, one=project: store[Documents].list_briefs(one.id, ["ready"], limit=20, offset=0))
        for project in (small, large)
    ]

    assert costs[1] <= costs[0] * MOST


@pytest.mark.contract("decided-briefs.claim-next")
def test_finding_the_next_brief_costs_the_same_however_many_claims_are_held(
    small: Project, large: Project, examined: Examined
) -> None:
    def claims(project: Project) -> Callable[[Store], Any]:
        return lambda store: store[Documents].next_ready(project.id, {}, limit=1)

    costs = [examined(claims(project)) for project in (small, large)]

    assert costs[1] <= costs[0] * MOST
    assert costs[1] < 10


@pytest.mark.contract("decided-documents.filing-lists", "endpoints-briefs.list")
@pytest.mark.parametrize("field", ["categoryId", "clusterId"])
def test_whether_a_category_or_cluster_is_used_costs_one_key(large: Project, examined: Examined, field: str) -> None:
    used = str(CATEGORY if field == "categoryId" else CLUSTER)

    assert examined(lambda store: store[Documents].has_filed_under(large.id, field, used)) <= 2
    # MongoDB counts the key at which a search of an index ends, if another project has one there.
    assert examined(lambda store: store[Documents].has_filed_under(large.id, field, "e" * 24)) <= 1
