"""The same requests in a project of 1,000 documents and in one of 100,000: none may slow down by more than 1.3 times.

Each is called in this process, in turns, and MongoDB's own count of index keys and documents examined is beside it.
"""

from __future__ import annotations

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

from app.errors import CategoryInUse, ClusterInUse
from app.fields.documents import SORTS
from app.operations.context import Context, this_instant
from app.store.store import CODEC, Store
from app.vocabulary import BriefState, DocumentStatus
from bench import seeds
from tests.make import OPERATIONS, Project, a_project, made

FEW, MANY, PER_CATEGORY = 1_000, 100_000, 500
CALLS = 40
LIMIT = 1.3
STATUSES, STATES = tuple(DocumentStatus), (BriefState.READY, BriefState.NONE, BriefState.DRAFTED, BriefState.READY)
NOT_EXPLAINED = ("lsid", "txnNumber", "writeConcern", "readConcern")

Call = Callable[[], Any]


@dataclass(frozen=True)
class Growth:
    """One request in the small and in the large project: median ms, and keys and documents examined."""

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


def run(uri: str, store: Store, many: int = MANY) -> Iterator[Growth]:
    """Yields each request's growth from a project of 1,000 documents to one of `many`."""
    sent = _Sent()
    client: Any = pymongo.MongoClient(uri, event_listeners=[sent], w="majority")
    watched = Store(
        client.get_database(store.database.name, codec_options=CODEC),
        transact=lambda run: run(None),
        deadline_seconds=10,
    )
    projects = [_filled(a_project(store), number) for number in (FEW, many)]
    for what, request in REQUESTS.items():
        times = _medians(*(request(project.context()) for project in projects))
        examined = [_examined(store, sent, watched, project, request) for project in projects]
        yield Growth(what, *times, *examined)
    client.close()


def _list(**query: Any) -> Callable[[Context], Call]:
    def page(ctx: Context) -> Call:
        fields = {"sort": "-updatedAt", "limit": 50, "offset": 0, **query}
        for name, key in (("categoryId", "few"), ("clusterId", "cluster")):
            if name in fields:
                fields[name] = [_filed[ctx.project_id, key]]
        return lambda: OPERATIONS["list_documents"](ctx, fields=fields)

    return page


def _briefs(ctx: Context) -> Call:
    return lambda: OPERATIONS["list_briefs"](ctx, fields={"state": ["ready"], "limit": 50, "offset": 0})


def _claim_next(ctx: Context) -> Call:
    return lambda: OPERATIONS["claim_next_brief"](ctx, fields={})


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


REQUESTS: dict[str, Callable[[Context], Call]] = {
    "GET /briefs": _briefs,
    **{f"GET /documents?sort={sort}": _list(sort=sort) for sort in SORTS},
    "… of one status": _list(status=["review"]),
    "… of three statuses, by due date": _list(status=["idea", "planned", "drafting"], sort="dueDate"),
    "… in a category of 500": _list(categoryId=True),
    "… with briefs that are ready": _list(briefState=["ready"]),
    "… in the cluster of all": _list(clusterId=True),
    "… of no assignee": _list(assigneeId=[None]),
    "… that are published or not": _list(isPublished=False),
    "… due in a month": _list(dueAfter="2027-03-01", dueBefore="2027-03-31"),
    "… with a word that 10 have": _list(q="loaf7"),
    "GET /events": _events,
    "claim next, with as many leased": _claim_next,
    "rename the category of nearly all": _rename("category", "rest"),
    "rename the cluster of all": _rename("cluster", "cluster"),
    "delete the category, refused": _refuse_to_delete("category", "rest"),
    "delete the cluster, refused": _refuse_to_delete("cluster", "cluster"),
}


def _medians(few: Call, many: Call) -> tuple[float, float]:
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(CALLS):
        for call, times in zip((few, many), took, strict=True):
            began = time.perf_counter()
            call()
            if number >= CALLS // 10:
                times.append(1000 * (time.perf_counter() - began))
    return median(took[0]), median(took[1])


def _examined(store: Store, sent: _Sent, watched: Store, project: Project, request: Callable[[Context], Call]) -> int:
    """Returns how many index keys and documents MongoDB examines for a request."""
    sent.commands.clear()
    request(Context(watched, project.token().caller, project.context().channel))()
    total = 0
    for command in [one for one in sent.commands if one.get("find") != "projects"]:
        asked = {k: v for k, v in command.items() if k not in NOT_EXPLAINED and not k.startswith("$")}
        stats = store.database.command("explain", asked, verbosity="executionStats")["executionStats"]
        total += stats["totalKeysExamined"] + stats["totalDocsExamined"]
    return total


_filed: dict[tuple[str, str], str] = {}
"""The ids of the categories `few` (500 documents) and `rest`, and of the cluster of all documents, by project."""


def _filled(project: Project, number: int) -> Project:
    """Fills a project with documents, events, and in the large one claims with leases that are due before all."""
    ctx, until, leased = project.context(), this_instant() + timedelta(hours=2), number // 2 if number > FEW else 0
    for name in ("few", "rest"):
        _filed[project.id, name] = made(ctx, "category", name=name, slug=name)["id"]
    _filed[project.id, "cluster"] = made(ctx, "cluster", name="all")["id"]
    few, rest = (ObjectId(_filed[project.id, name]) for name in ("few", "rest"))

    def brief(place: int) -> dict[str, Any]:
        if place >= number - leased:
            return {"keyword": "x", "state": "claimed", **seeds.CLAIM, "claimExpiresAt": until}
        return {"keyword": "x", "state": str(STATES[place % len(STATES)]), **seeds.CLAIM}

    seeds.fill(
        project,
        number,
        status=lambda place: str(STATUSES[place % len(STATUSES)]),
        brief=brief,
        categoryId=lambda place: few if place < PER_CATEGORY else rest,
        clusterId=ObjectId(_filed[project.id, "cluster"]),
    )
    events = project.store.database.events
    now, project_id = this_instant(), ObjectId(project.id)
    seeds.insert(
        events,
        (
            {"_id": ObjectId(), "projectId": project_id, "sequence": n + 1, "type": "brief.ready", "at": now}
            | {"by": {"type": "system", "id": None, "name": "", "agent": ""}, "data": {}}
            for n in range(number)
        ),
    )
    return project
