"""The relay publishes every event once, in order, without a gap, also where several relays run and die."""

import multiprocessing
import os
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from bson import ObjectId

from app.core.actors import SYSTEM
from app.core.context import Context, system, this_instant
from app.core.errors import WriteConflict
from app.core.events import Event
from app.core.store import outbox as outboxes
from app.core.store.collection import MAX_OUTBOX, OutboxFull
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.documents.store import Documents
from app.events.store import Events
from app.features import ALL, connect
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief, made

pytestmark = pytest.mark.needs_mongod

KILLS = int(os.environ.get("CONTENT_WORKFLOW_TEST_KILLS", "8"))
"""How many relays are killed; the full number is 200."""


def feed(project: Project) -> list[dict[str, Any]]:
    """Returns a project's whole feed, read by its cursor."""
    events, cursor = [], {}
    while page := (body := read(project, **cursor))["events"]:
        events += page
        cursor = {"after": body["cursor"]}
    return events


def read(project: Project, **query: Any) -> dict[str, Any]:
    """Reads one page of the feed."""
    ctx = Context(project.store, system(project.id, project.team_id), Channel.CLI)
    body: dict[str, Any] = OPERATIONS["list_events"](ctx, fields={"limit": 100, **query}).body
    return body


def waiting(store: Store, project: Project) -> int:
    """Returns how many events of a project wait in its records' outboxes."""
    return sum(
        len(record["outbox"])
        for name in ALL.outboxes
        for record in store.database[name].find({"projectId": ObjectId(project.id)}, {"outbox": 1})
    )


def rename(project: Project, document_id: str, title: str) -> None:
    """Writes a document, which makes one event."""
    event = Event("document.updated", this_instant(), SYSTEM, {"title": title})
    while True:
        document = project.store[Documents].get(project.id, document_id)
        try:
            project.store[Documents].update(project.id, document, {"title": title}, event)
            return
        except WriteConflict as conflict:  # another thread was first
            if isinstance(conflict, OutboxFull):
                project.store[Outboxes].publish_all(project.id)


@pytest.mark.contract("decided-events.sequence")
def test_events_are_numbered_from_one_without_a_gap_and_leave_the_outboxes(store: Store, project: Project) -> None:
    document = a_ready_brief(project.context())

    store[Outboxes].publish_all(project.id)

    events = feed(project)
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert [event["type"] for event in events if event["data"].get("documentId") == document["id"]] == [
        "document.created",
        "brief.ready",
    ]
    assert waiting(store, project) == 0


def test_a_records_events_keep_their_order_though_a_servers_clock_was_behind(store: Store, project: Project) -> None:
    early, late = this_instant().replace(year=2020), this_instant()
    document = a_document(project.context())
    for at, title in ((late, "first"), (early, "second")):
        event = Event("document.updated", at, SYSTEM, {"title": title})
        stored = store[Documents].get(project.id, document["id"])
        store[Documents].update(project.id, stored, {"title": title}, event)

    store[Outboxes].publish_all(project.id)

    assert [event["data"]["title"] for event in feed(project) if "title" in event["data"]] == ["first", "second"]


@pytest.mark.contract("decided-events.never-lost")
def test_several_relays_at_once_move_each_event_once(store: Store, project: Project) -> None:
    documents = [a_document(project.context(), title=f"Document {number}")["id"] for number in range(30)]
    for document_id in documents:
        for title in ("one", "two", "three"):
            rename(project, document_id, title)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: store[Outboxes].publish_all(project.id), range(6)))
    store[Outboxes].publish_all(project.id)

    events = feed(project)
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert len({event["id"] for event in events}) == len(events)
    for document_id in documents:
        own = [event["data"] for event in events if event["data"].get("documentId") == document_id]
        assert [data["title"] for data in own if "title" in data] == ["one", "two", "three"]


@pytest.mark.contract("decided-events.follow")
@pytest.mark.race
def test_a_follower_misses_no_event_and_sees_none_twice_while_eight_write(store: Store, project: Project) -> None:
    documents = [a_document(project.context(), title=f"Document {number}")["id"] for number in range(8)]
    over = threading.Event()

    def write(document_id: str) -> None:
        for number in range(40):
            rename(project, document_id, str(number))

    def relay() -> None:
        while not over.is_set():
            store[Outboxes].publish_batch(project.id)

    seen: list[dict[str, Any]] = []

    def follow() -> None:
        cursor: dict[str, str] = {}
        while True:
            last = over.is_set()
            body = read(project, limit=7, **cursor)
            seen.extend(body["events"])
            cursor = {"after": body["cursor"]}
            if last and not body["events"]:
                return

    with ThreadPoolExecutor(12) as pool:
        relays = [pool.submit(relay) for _ in range(2)]
        follower = pool.submit(follow)
        list(pool.map(write, documents))
        while waiting(store, project):
            pass
        over.set()
        for one in (*relays, follower):
            one.result()

    assert [event["sequence"] for event in seen] == list(range(1, len(seen) + 1))
    assert len({event["id"] for event in seen}) == len(seen)
    for document_id in documents:
        titles = [event["data"].get("title") for event in seen if event["data"].get("documentId") == document_id]
        assert titles == [None, *map(str, range(40))]


def _relay_for_ever(uri: str, database: str, project_id: str) -> None:
    store = connect(uri, database)
    while True:
        store[Outboxes].publish_batch(project_id)


@pytest.fixture
def killable() -> Iterator[Any]:
    """Starts processes quickly, each with a connection of its own."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["app.core.store.store", __name__])
    yield context
    for child in multiprocessing.active_children():
        child.kill()
        child.join()


@pytest.mark.contract("decided-events.never-lost")
@pytest.mark.slow
@pytest.mark.race
@pytest.mark.timeout(120 + 15 * KILLS)
def test_relays_killed_at_any_instant_lose_and_repeat_nothing(store: Store, mongodb_uri: str, killable: Any) -> None:
    project = a_project(store)
    documents = [a_document(project.context(), title=f"Document {number}")["id"] for number in range(4)]
    over = threading.Event()
    written = dict.fromkeys(documents, 0)

    def write(document_id: str) -> None:
        while not over.is_set():
            try:
                with store.deadline():  # a write that takes longer may have been made or not
                    rename(project, document_id, str(written[document_id]))
            except WriteConflict:
                continue
            written[document_id] += 1

    def start() -> Any:
        child = killable.Process(target=_relay_for_ever, args=(mongodb_uri, store.database.name, project.id))
        child.start()
        return child

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, document_id) for document_id in documents]
        relays = [start() for _ in range(3)]
        try:
            for _ in range(KILLS):
                before = store[Events].last(project.id)
                moved = before + random.randint(1, 30)
                while store[Events].last(project.id) < moved and any(relay.is_alive() for relay in relays):
                    pass
                victim = relays.pop(0)
                victim.kill()
                victim.join()
                relays.append(start())
        finally:
            over.set()
        for writer in writers:
            writer.result()
    for relay in relays:
        relay.kill()
        relay.join()
    while waiting(store, project):
        store[Outboxes].publish_batch(project.id)

    events = feed(project)
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert len({event["id"] for event in events}) == len(events)
    for document_id in documents:
        titles = [event["data"].get("title") for event in events if event["data"].get("documentId") == document_id]
        assert titles == [None, *map(str, range(written[document_id]))]


def _publish_and_die(uri: str, database: str, project_id: str, team_id: str, document_id: str) -> None:
    """Publishes a document, and dies between the commit and what comes after it."""
    DeliveryRevisions.count = lambda *_: os._exit(9)  # type: ignore[method-assign]
    ctx = Project(connect(uri, database), project_id, team_id).context()
    OPERATIONS["publish_document"](ctx, document_id, fields={})


@pytest.mark.race
def test_a_publication_whose_process_died_after_the_commit_counts_when_it_is_relayed(
    store: Store, project: Project, mongodb_uri: str, killable: Any
) -> None:
    document = a_document(project.context(), markdown="Rye is dark.")
    before = store[DeliveryRevisions].read(project.id).number
    call = (mongodb_uri, store.database.name, project.id, project.team_id, document["id"])
    child = killable.Process(target=_publish_and_die, args=call)
    child.start()
    child.join()

    assert child.exitcode == 9
    assert store[Documents].get(project.id, document["id"])["isPublished"]
    assert store[DeliveryRevisions].read(project.id).number == before
    store[Outboxes].publish_all(project.id)
    assert store[DeliveryRevisions].read(project.id).number == before + 1


@pytest.mark.contract("decided-events.never-lost")
def test_a_relay_that_died_at_any_step_is_finished_by_the_next(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Died(BaseException):
        pass

    steps: list[tuple[type[Any], str]] = [(Outboxes, "_plan"), (Events, "add"), (Outboxes, "_empty")]
    for kind, step in steps:
        for after in (False, True):
            project = a_project(store)
            for number in range(3):
                a_document(project.context(), title=f"Document {number}")
            whole = getattr(kind, step)

            def dies(self: Any, *arguments: Any, _whole: Any = whole, _after: bool = after) -> Any:
                if _after:
                    _whole(self, *arguments)
                raise Died

            with monkeypatch.context() as patch:
                patch.setattr(kind, step, dies)
                with pytest.raises(Died):
                    store[Outboxes].publish_batch(project.id)
            store[Outboxes].publish_all(project.id)

            events = feed(project)
            assert [event["sequence"] for event in events] == list(range(1, len(events) + 1)), (step, after)
            assert len({event["id"] for event in events}) == len(events)
            assert waiting(store, project) == 0


def test_a_full_outbox_is_relayed_by_the_writer_itself(store: Store, project: Project) -> None:
    ctx = project.context()
    document = a_document(ctx)
    for number in range(MAX_OUTBOX + 5):
        OPERATIONS["update_brief"](ctx, document["id"], fields={"keyword": f"keyword {number}"})

    store[Outboxes].publish_all(project.id)

    assert [event["type"] for event in feed(project)].count("brief.updated") == MAX_OUTBOX + 5


def test_a_writer_whose_own_relay_loses_to_others_tries_again(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = project.context()
    document = a_document(ctx)
    for number in range(MAX_OUTBOX - 1):  # beside the event of its creation
        OPERATIONS["update_brief"](ctx, document["id"], fields={"keyword": f"keyword {number}"})
    conflicts, publish_all = [WriteConflict()], outboxes.Outboxes.publish_all

    def loses_first(self: outboxes.Outboxes, project_id: str) -> int:
        if conflicts:
            raise conflicts.pop()
        return publish_all(self, project_id)

    monkeypatch.setattr(outboxes.Outboxes, "publish_all", loses_first)

    written = OPERATIONS["update_brief"](ctx, document["id"], fields={"keyword": "the last"})

    assert written.body["brief"]["keyword"] == "the last"
    assert conflicts == []


def test_a_deleted_category_is_gone_when_its_last_event_is_relayed(store: Store, project: Project) -> None:
    category = made(project.context(), "category", name="Baking", slug="baking")
    store.database.categories.update_one({"_id": ObjectId(category["id"])}, {"$set": {"deletedAt": this_instant()}})

    store[Outboxes].publish_all(project.id)

    assert store.database.categories.find_one({"_id": ObjectId(category["id"])}) is None
    assert "category.created" in [event["type"] for event in feed(project)]


@pytest.mark.parametrize("name", ALL.outboxes)
def test_finding_what_waits_scans_no_collection(store: Store, project: Project, name: str) -> None:
    waits = store.database[name].find({"projectId": ObjectId(project.id), **outboxes.WAITING})
    in_order = waits.sort("outbox.at", 1).limit(outboxes.BATCH)
    anywhere = {"aggregate": name, "pipeline": [{"$match": outboxes.ANYWHERE}, {"$group": {"_id": "$projectId"}}]}

    one = str(in_order.explain()["queryPlanner"]["winningPlan"])
    found = str(store.database.command("explain", {**anywhere, "cursor": {}}, verbosity="queryPlanner"))

    assert "COLLSCAN" not in one + found
    assert "'SORT'" not in one
    assert "DISTINCT_SCAN" in found
