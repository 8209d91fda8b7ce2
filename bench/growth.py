"""The same requests in a small deployment and in a large one: none may slow down by more than 1.3 times.

The small one has a project of 1,000 documents. The large one has many such projects, and one with many documents, as
many events, and claims with leases. Each request is called in this process, in turns, and beside it is MongoDB's own
count of the index keys and documents that it examined. `make bench` compares 1,000 documents with 100,000, and
`make bench-growth` with 1,000,000.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from statistics import median
from typing import Any

import pymongo
from bson import ObjectId
from pymongo import monitoring

from app.core.context import Context, this_instant
from app.core.errors import CategoryInUse, ClusterInUse
from app.core.store.indexes import create_indexes
from app.core.store.store import CODEC, Store
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.schemas import SORTS
from app.features import ALL
from bench import seeds
from bench.servers import own_store
from tests.graphql_app.client import GraphQL, delivery_token, published
from tests.make import OPERATIONS, Project, a_project, an_app, made

FEW, MANY, MOST_LEASED, TRASHED, SINCE = 1_000, 100_000, 100_000, 100, 200
CALLS, IN_CATEGORY = 40, 900
CACHE = "cache_size=4G"
"""MongoDB's cache: the indexes of a million documents fit in."""
STATUSES, OPEN = tuple(DocumentStatus), ["idea", "planned", "drafting"]
STATES = (BriefState.READY, BriefState.NONE, BriefState.DRAFTED, BriefState.CLAIMED)
NOT_EXPLAINED = ("lsid", "txnNumber", "writeConcern", "readConcern")
SLUG = "how-to-bake-loaf-{0}-of-loaf{1}"

Call = Callable[[], Any]
Request = Callable[[Context], Call]


@dataclass(frozen=True)
class Growth:
    """One request in the small and in the large deployment: median ms, and keys and documents examined."""

    what: str
    few_ms: float
    many_ms: float
    few_examined: int
    many_examined: int

    @property
    def ratio(self) -> float:
        return self.many_ms / self.few_ms


class _Sent(monitoring.CommandListener):
    """The commands that were sent to MongoDB."""

    def __init__(self) -> None:
        self.commands: list[dict[str, Any]] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name in ("find", "findAndModify"):
            self.commands.append(dict(event.command))

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None: ...

    def failed(self, event: monitoring.CommandFailedEvent) -> None: ...


def run(uri: str, many: int = MANY) -> Iterator[Growth]:
    """Yields each request's growth to a project of `many` documents.

    Of lists in several orders it is the one for which MongoDB examines the most in comparison.
    """
    sent = _Sent()
    client: Any = pymongo.MongoClient(uri, event_listeners=[sent], w="majority")
    client.admin.command({"setParameter": 1, "wiredTigerEngineRuntimeConfig": CACHE})
    with own_store(uri) as small, own_store(uri) as large:
        for _ in range(many // FEW - 1):
            seeds.fill(a_project(large), 20)
        projects = [_filled(a_project(small), FEW), _filled(a_project(large), many)]
        for what, orders in REQUESTS.items():
            examined = {
                order: [_examined(one, client, sent, request) for one in projects] for order, request in orders.items()
            }
            worst = max(examined, key=lambda order: examined[order][1] / (examined[order][0] or 1))
            times = _medians(*(orders[worst](project.context()) for project in projects))
            yield Growth(what + worst, *times, *examined[worst])
    client.close()


def _list(sort: str, **query: Any) -> Request:
    def page(ctx: Context) -> Call:
        fields = {"sort": sort, "limit": 50, "offset": 0, **query}
        if "updatedSince" in fields:
            fields["updatedSince"] = _filed[ctx.project_id, "since"]
        for name, key in (("categoryId", "few"), ("clusterId", "cluster")):
            if name in fields:
                fields[name] = [_filed[ctx.project_id, key]]
        return lambda: OPERATIONS["list_documents"](ctx, fields=fields)

    return page


def _briefs(ctx: Context) -> Call:
    return lambda: OPERATIONS["list_briefs"](ctx, fields={"state": ["ready"], "limit": 50, "offset": 0})


def _claim_next(ctx: Context) -> Call:
    return lambda: OPERATIONS["claim_next_brief"](ctx, fields={})


def _claim(ctx: Context) -> Call:
    ready = {"projectId": ObjectId(ctx.project_id), "deletedAt": None, "brief.state": "ready", "status": {"$in": OPEN}}
    rows = ctx.store.database.documents.find(ready, {"_id": 1}).limit(CALLS + 1)
    return lambda: OPERATIONS["claim_brief"](ctx, str(rows.next()["_id"]), fields={})


def _graphql(query: str) -> Request:
    """Returns a query of the delivery API; a variable that it has no use for makes it another one each time."""

    def post(ctx: Context) -> Call:
        token = delivery_token(Project(ctx.store, ctx.project_id, ctx.caller.team_id))
        site, numbers = GraphQL(an_app(ctx.store).test_client(), token), count()
        return lambda: site.data(query, {"number": next(numbers)})

    return post


def _rename(kind: str, name: str) -> Callable[[Context], Call]:
    def rename(ctx: Context) -> Call:
        names = count()
        update, record_id = OPERATIONS[f"update_{kind}"], _filed[ctx.project_id, name]
        return lambda: update(ctx, record_id, fields={"name": f"{name} {next(names)} {time.monotonic()}"})

    return rename


def _refuse_to_delete(kind: str, name: str) -> Callable[[Context], Call]:
    def delete(ctx: Context) -> Call:
        def refused() -> None:
            with suppress(CategoryInUse, ClusterInUse):
                OPERATIONS[f"delete_{kind}"](ctx, _filed[ctx.project_id, name])

        return refused

    return delete


def _events(ctx: Context) -> Call:
    return lambda: OPERATIONS["list_events"](ctx, fields={"limit": 100})


FILTERS: dict[str, dict[str, Any]] = {
    "all": {},
    "one status": {"status": ["review"]},
    "three statuses": {"status": OPEN},
    "a category of 900": {"categoryId": True},
    "the cluster of all": {"clusterId": True},
    "no assignee": {"assigneeId": [None]},
    "briefs that are ready": {"briefState": ["ready"]},
    "briefs that are claimed": {"briefState": ["claimed"]},
    "published": {"isPublished": True},
    "not published": {"isPublished": False},
    "due in two months": {"dueAfter": "2027-03-01", "dueBefore": "2027-04-30"},
    "the last 200 that changed": {"updatedSince": True},
    "a word that 10 have": {"q": "loaf7 bake"},
    "a word that all have": {"q": "bake"},
    "one slug": {"slug": [SLUG.format(500, 50)]},
    "the trash": {"deleted": True},
}
"""The filters of `GET /documents`, each measured in every order."""

REQUESTS: dict[str, dict[str, Request]] = {
    "GET /briefs": {"": _briefs},
    **{
        f"GET /documents: {name}": {f", by {sort}": _list(sort, **query) for sort in SORTS}
        for name, query in FILTERS.items()
    },
    "GET /events": {"": _events},
    "documents(limit: 20)": {"": _graphql("{ documents(limit: 20) { id title slug html category { name } } }")},
    "documentBySlug": {"": _graphql(f'{{ documentBySlug(slug: "{SLUG.format(500, 50)}") {{ id title html }} }}')},
    "claim by id": {"": _claim},
    "claim next": {"": _claim_next},
    "rename the category of nearly all": {"": _rename("category", "rest")},
    "rename the cluster of all": {"": _rename("cluster", "cluster")},
    "delete the category of nearly all, refused": {"": _refuse_to_delete("category", "rest")},
    "delete the cluster of all, refused": {"": _refuse_to_delete("cluster", "cluster")},
}
"""Each request, in several orders where it is a list that has some."""


def _medians(few: Call, many: Call) -> tuple[float, float]:
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(CALLS):
        for call, times in zip((few, many), took, strict=True):
            began = time.perf_counter()
            call()
            if number >= CALLS // 10:
                times.append(1000 * (time.perf_counter() - began))
    return median(took[0]), median(took[1])


def _examined(project: Project, client: Any, sent: _Sent, request: Request) -> int:
    """Returns how many index keys and documents MongoDB examines for a request."""
    database = project.store.database
    watched = Store(client.get_database(database.name, codec_options=CODEC), deadline_seconds=10, features=ALL)
    call = request(Context(watched, project.token().caller, project.context().channel))
    sent.commands.clear()
    call()
    total = 0
    for command in [one for one in sent.commands if one.get("find") not in ("projects", "tokens")]:
        asked = {k: v for k, v in command.items() if k not in NOT_EXPLAINED and not k.startswith("$")}
        stats = database.command("explain", asked, verbosity="executionStats")["executionStats"]
        total += stats["totalKeysExamined"] + stats["totalDocsExamined"]
    return total


_filed: dict[tuple[str, str], str] = {}
"""By project: the ids of the categories `few` (900 documents) and `rest` and of the cluster of all documents, and since
when 200 documents changed."""


def _filled(project: Project, number: int) -> Project:
    """Fills a project with documents, half of them published, with events, and with claims in the large one.

    Up to half of the large one's documents are claimed with a lease, and due before all others.
    """
    ctx, until = project.context(), this_instant() + timedelta(hours=2)
    unleased = number - (min(number // 2, MOST_LEASED) if number > FEW else 0)
    for name in ("few", "rest"):
        _filed[project.id, name] = made(ctx, "category", name=name, slug=name)["id"]
    _filed[project.id, "cluster"] = made(ctx, "cluster", name="all")["id"]
    few, rest = (ObjectId(_filed[project.id, name]) for name in ("few", "rest"))
    site = published(project, title="Site", markdown=seeds.text(4_700, 1), categoryId=str(few))["id"]
    database = project.store.database
    publication = database.publications.find_one({"_id": ObjectId(site)})
    assert publication is not None
    now, project_id = this_instant(), ObjectId(project.id)

    def is_published(place: int) -> bool:
        return place // 10 % 2 == 0

    def slug(place: int) -> str:
        return SLUG.format(place, place // 10)

    def delivered(place: int) -> dict[str, Any]:
        return {"version": 1, "slug": slug(place), "markdownId": str(publication["markdownId"]), "categoryId": None}

    def brief(place: int) -> dict[str, Any]:
        if place >= unleased:
            return {"keyword": "x", "state": "claimed", **seeds.CLAIM, "claimExpiresAt": until}
        return {"keyword": "x", "state": str(STATES[place % len(STATES)]), **seeds.CLAIM}

    def due(place: int) -> str:
        return (
            "2026-01-01"
            if place >= unleased
            else f"{2027 + place // 336 % 3}-{place // 28 % 12 + 1:02}-{place % 28 + 1:02}"
        )

    _filed[project.id, "since"] = (now - timedelta(seconds=SINCE)).isoformat()
    database.documents.drop_indexes()  # built in one pass afterwards, which takes a third of the time
    seeds.fill(
        project,
        number,
        status=lambda place: str(STATUSES[place // len(STATES) % len(STATUSES)]),
        brief=brief,
        dueDate=due,
        categoryId=lambda place: few if place < IN_CATEGORY else rest,
        clusterId=ObjectId(_filed[project.id, "cluster"]),
        isPublished=is_published,
        publishedAt=lambda place: now - timedelta(seconds=place) if is_published(place) else None,
        published=lambda place: delivered(place) if is_published(place) else None,
    )
    seeds.insert(
        database.publications,
        (
            {**publication, "_id": ObjectId(), "slug": slug(place), "words": ["loaf"]}
            | {"publishedAt": now - timedelta(seconds=place)}
            | {"categoryId": few if place < IN_CATEGORY else rest}
            | {"clusterId": ObjectId(_filed[project.id, "cluster"])}
            for place in range(number)
            if is_published(place)
        ),
    )
    seeds.fill(project, TRASHED, deletedAt=now)
    create_indexes(database, ALL.indexes)
    seeds.insert(
        database.events,
        (
            {"_id": ObjectId(), "projectId": project_id, "sequence": n + 1, "type": "brief.ready", "at": now}
            | {"by": {"type": "system", "id": None, "name": "", "agent": ""}, "data": {}}
            for n in range(number)
        ),
    )
    return project
