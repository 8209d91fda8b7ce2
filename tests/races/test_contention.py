"""Writes of different documents of a project at once: none makes another one run again."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from bson import ObjectId
from flask import Flask
from pymongo import MongoClient
from pymongo.monitoring import CommandStartedEvent
from werkzeug.test import TestResponse

from app.categories.store import Referable
from app.core.store.store import CODEC, Store
from app.documents.store import Documents
from app.features import ALL
from app.intents.store import Intents
from tests.documents.steps import a_category, a_cluster, a_document, ok, path_of
from tests.graphql_app.client import GraphQL, delivery_token
from tests.listener import Listener
from tests.make import Project, a_project, an_app
from tests.races.crowd import at_once, outcome
from tests.rest.client import Rest

pytestmark = [pytest.mark.race, pytest.mark.needs_mongod]

CALLERS, EACH = 8, 13
MOST_ABORTED = 0.02


class Transactions(Listener):
    """How many transactions were committed and aborted."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()

    def started(self, event: CommandStartedEvent) -> None:
        self.count[event.command_name] += 1

    def share_aborted(self) -> float:
        return self.count["abortTransaction"] / self.count["commitTransaction"]


@pytest.fixture
def transactions() -> Transactions:
    return Transactions()


@pytest.fixture
def watched(mongodb_uri: str, store: Store, transactions: Transactions) -> Iterator[Project]:
    """A project whose transactions are counted."""
    with MongoClient(mongodb_uri, event_listeners=[transactions], w="majority") as client:
        yield a_project(Store(client.get_database(store.database.name, codec_options=CODEC), 10, features=ALL))


def test_publications_and_confirms_of_one_project_at_once_do_not_abort_each_other(
    watched: Project, transactions: Transactions
) -> None:
    app, tokens = an_app(watched.store), [watched.token(f"Writer {number}") for number in range(CALLERS)]
    callers = [Rest(app.test_client(), token) for token in tokens]
    filed = {"categoryId": a_category(callers[0])["id"], "clusterId": a_cluster(callers[0])["id"]}
    transactions.count.clear()

    def work(caller: Rest) -> None:
        for _ in range(EACH):
            document = a_document(caller, title=uuid4().hex, **filed)
            ok(caller.post(f"{path_of(document)}/publish"))

    at_once([partial(work, caller) for caller in callers])

    assert transactions.count["commitTransaction"] >= 2 * CALLERS * EACH
    assert transactions.share_aborted() <= MOST_ABORTED


def test_who_publishes_or_unpublishes_beside_others_sees_it_delivered_at_once(app: Flask, project: Project) -> None:
    token, site = project.token(), delivery_token(project)

    def work(caller: Rest, reader: GraphQL) -> list[tuple[bool, bool]]:
        seen = []
        for _ in range(5):
            document = a_document(caller, title=uuid4().hex)
            ok(caller.post(f"{path_of(document)}/publish"))
            was_there = delivered(reader, document["slug"])
            ok(caller.post(f"{path_of(document)}/unpublish"))
            seen.append((was_there, delivered(reader, document["slug"])))
        return seen

    def delivered(reader: GraphQL, slug: str) -> bool:
        return slug in [one["slug"] for one in reader.data("{ documents(limit: 100) { slug } }")["documents"]]

    callers = [(Rest(app.test_client(), token), GraphQL(app.test_client(), site)) for _ in range(CALLERS)]
    seen = at_once([partial(work, *caller) for caller in callers])

    assert {one for some in seen for one in some} == {(True, False)}


KINDS = {"category": ("categories", "categoryId", a_category), "cluster": ("clusters", "clusterId", a_cluster)}
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.contract("decided-documents.in-use")
@kinds
def test_what_many_confirm_and_take_while_it_is_deleted_is_never_missing(
    rest: Rest, crowd: Callable[..., list[Rest]], kind: str
) -> None:
    path, field, make = KINDS[kind]
    callers = crowd(8)
    for _ in range(10):
        one = make(rest, f"kind-{uuid4().hex}")
        moved = [a_document(rest, title=uuid4().hex) for _ in range(2)]

        def confirm(caller: Rest, fields: dict[str, str]) -> object:
            draft = ok(caller.post("/document-intents", {"title": uuid4().hex, **fields}), 201)
            return caller.post(f"/document-intents/{draft['id']}/confirm")

        tries = [partial(confirm, caller, {field: one["id"]}) for caller in callers[:4]]
        patches = [
            partial(caller.patch, path_of(document), {field: one["id"]})
            for caller, document in zip(callers[4:6], moved, strict=True)
        ]
        deletes = [partial(caller.delete, f"/{path}/{one['id']}") for caller in callers[6:]]
        *taken, first, second = at_once([*tries, *patches, *deletes])

        is_deleted = "200" in {outcome(first), outcome(second)}
        is_taken = any(answer.status_code < 300 for answer in taken)
        assert is_deleted != is_taken
        assert (rest.get(f"/{path}/{one['id']}").status_code == 404) == is_deleted


@pytest.mark.contract("decided-documents.in-use")
@kinds
def test_a_draft_that_is_begun_and_confirmed_while_its_category_is_being_deleted_keeps_it(
    app: Flask, rest: Rest, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The transaction that deletes it began before there was a draft."""
    path, field, make = KINDS[kind]
    one, other = make(rest), Rest(app.test_client(), rest.token)
    delete, confirmed = Referable.delete, []

    def meanwhile(self: object, *arguments: object) -> object:
        if not confirmed:
            confirmed.extend(at_once([partial(a_document, other, **{field: one["id"]})]))
        return delete(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Referable, "delete", meanwhile)

    assert rest.delete(f"/{path}/{one['id']}").status_code == 409
    assert confirmed[0][field] == one["id"]


@pytest.mark.contract("decided-documents.in-use")
@kinds
def test_a_draft_that_is_being_confirmed_as_its_category_is_deleted_keeps_it(
    app: Flask, rest: Rest, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The transaction that confirms it began before the deletion was announced."""
    path, field, make = KINDS[kind]
    one, other = make(rest), Rest(app.test_client(), rest.token)
    create, conflict_on = Documents.create, Intents.conflict_on
    deletions: list[Future[TestResponse]] = []
    tries: list[object] = []
    has_lost_or_ended = threading.Event()

    def count_tries(self: Intents, *arguments: str) -> None:
        tries.append(None)
        if len(tries) > 1:
            has_lost_or_ended.set()
        conflict_on(self, *arguments)

    with ThreadPoolExecutor(1) as pool:

        def meanwhile(self: Documents, *arguments: Any) -> Any:
            if not deletions:
                deletions.append(pool.submit(other.delete, f"/{path}/{one['id']}"))
                deletions[0].add_done_callback(lambda _: has_lost_or_ended.set())
                assert has_lost_or_ended.wait(30)
            return create(self, *arguments)

        monkeypatch.setattr(Intents, "conflict_on", count_tries)
        monkeypatch.setattr(Documents, "create", meanwhile)
        assert a_document(rest, **{field: one["id"]})[field] == one["id"]

    assert deletions[0].result().status_code == 409


@kinds
def test_a_deletion_that_was_refused_leaves_no_trace_when_the_next_draft_is_confirmed(
    rest: Rest, project: Project, kind: str
) -> None:
    path, field, make = KINDS[kind]
    one = make(rest)
    a_document(rest, **{field: one["id"]})
    assert rest.delete(f"/{path}/{one['id']}").status_code == 409

    a_document(rest, **{field: one["id"]})

    assert "deleting" not in project.store.database[path].find_one({"_id": ObjectId(one["id"])})
