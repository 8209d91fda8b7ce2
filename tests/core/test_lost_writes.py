"""A write that loses to another one says so, and no operation tries for longer than its deadline."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask
from pymongo.client_session import ClientSession
from pymongo.errors import AutoReconnect, ConfigurationError, OperationFailure, ServerSelectionTimeoutError
from pymongo.write_concern import WriteConcern

from app.core.context import Context
from app.core.errors import BriefClaimed, ServiceUnavailable, WriteConflict
from app.core.operation import Effect, Result, operation
from app.core.store.store import Store
from app.core.vocabulary import Channel, Scope
from app.documents.store import Documents
from app.features import connect
from app.projects.store import Members, Projects
from tests.make import OPERATIONS, Project, a_document, a_ready_brief
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def with_options(uri: str, options: str) -> str:
    """Returns a URI of MongoDB with further options."""
    return f"{uri}&{options}" if "?" in uri else f"{uri.rstrip('/')}/?{options}"


def meanwhile(monkeypatch: pytest.MonkeyPatch, store: type, method: str, write: Callable[[], object]) -> None:
    """Has another caller write after the operation read the record and before it writes itself, once."""
    original = getattr(store, method)
    written: list[object] = []

    def second(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if not written:
            written.append(None)
            with ThreadPoolExecutor(1) as another:
                another.submit(write).result()
        return original(self, *arguments, **keywords)

    monkeypatch.setattr(store, method, second)


def test_a_change_of_a_member_under_if_match_that_lost_is_refused(
    app: Flask, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = rest.post("/members", {"name": "Ada"})
    path, other = f"/members/{member.json['id']}", Rest(app.test_client(), rest.token)
    meanwhile(monkeypatch, Members, "update", lambda: other.patch(path, {"name": "Grace"}))

    lost = rest.patch(path, {"name": "Alan"}, If_Match=member.headers["ETag"])

    assert (lost.status_code, lost.json["_tag"]) == (412, "PreconditionFailed")
    assert rest.get(path).json["name"] == "Grace"


def test_a_change_of_a_member_that_was_deleted_meanwhile_is_refused(
    app: Flask, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/members/{rest.post('/members', {'name': 'Ada'}).json['id']}"
    other = Rest(app.test_client(), rest.token)
    meanwhile(monkeypatch, Members, "update", lambda: other.delete(path))

    lost = rest.patch(path, {"name": "Alan"})

    assert (lost.status_code, lost.json["_tag"]) == (404, "NotFound")


def test_a_change_of_the_project_under_if_match_that_lost_is_refused(
    app: Flask, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag, other = rest.get("/project").headers["ETag"], Rest(app.test_client(), rest.token)
    meanwhile(monkeypatch, Projects, "update", lambda: other.patch("/project", {"name": "Theirs"}))

    lost = rest.patch("/project", {"name": "Mine"}, If_Match=etag)

    assert (lost.status_code, lost.json["_tag"]) == (412, "PreconditionFailed")
    assert rest.get("/project").json["name"] == "Theirs"


@pytest.mark.parametrize("path", ["/project", "/members"])
def test_a_change_that_changes_nothing_is_the_record_as_it_is(rest: Rest, path: str) -> None:
    before = rest.get(path) if path == "/project" else rest.post(path, {"name": "Ada"})
    path = path if path == "/project" else f"{path}/{before.json['id']}"

    for body in ({}, {"name": before.json["name"]}):
        same = rest.patch(path, body, If_Match=before.headers["ETag"])
        assert (same.status_code, same.json, same.headers["ETag"]) == (200, before.json, before.headers["ETag"])


def test_all_tries_of_an_operation_share_one_deadline(project: Project, mongodb_uri: str) -> None:
    tries = 0

    @operation(scope=Scope.READ, effect=Effect.CHANGES)
    def always_second(ctx: Context) -> Result:
        nonlocal tries
        tries += 1
        time.sleep(0.6)
        ctx.store[Projects].settings(ctx.project_id)
        raise WriteConflict

    store = connect(mongodb_uri, project.store.database.name, deadline_seconds=3)
    ctx = Context(store, project.token().caller, Channel.REST)
    store.database.command("ping")  # connects
    with pytest.raises(ServiceUnavailable):
        always_second(ctx)

    assert 1 < tries <= 6, "five tries of 0.6 s fill three seconds"
    store.database.client.close()


def test_a_transaction_that_runs_out_of_time_locks_nothing_afterwards(project: Project, mongodb_uri: str) -> None:
    store = connect(mongodb_uri, project.store.database.name, deadline_seconds=1)
    path = {"_id": ObjectId(project.id)}

    def too_slow(within: Store) -> None:
        within.database.projects.update_one(path, {"$set": {"name": "Late"}}, session=within.session)
        time.sleep(1.1)
        within[Projects].settings(project.id)

    with pytest.raises(ServiceUnavailable), store.deadline():
        store.in_transaction(too_slow)

    changed = OPERATIONS["update_project"](project.context(), fields={"name": "In time"})  # waits for any lock
    assert changed.body["name"] == "In time"
    store.database.client.close()


@pytest.mark.parametrize("transaction", [Store.in_transaction, Store.rolled_back])
def test_a_transaction_that_loses_until_its_deadline_says_that_others_write(
    project: Project, mongodb_uri: str, transaction: Callable[[Store, Callable[[Store], None]], None]
) -> None:
    store = connect(mongodb_uri, project.store.database.name, deadline_seconds=2)
    path, client = {"_id": ObjectId(project.id)}, project.store.database.client

    def rename(within: Store) -> None:
        within.database.projects.update_one(path, {"$set": {"name": "Second"}}, session=within.session)

    with client.start_session() as first, first.start_transaction():
        project.store.database.projects.update_one(path, {"$set": {"name": "First"}}, session=first)
        with pytest.raises(ServiceUnavailable, match="others write the same record") as refused, store.deadline():
            transaction(store, rename)
    assert refused.value.reason
    store.database.client.close()


def test_a_transaction_that_lost_once_and_then_finds_no_primary_says_that_the_database_is_away(
    project: Project,
) -> None:
    tries = 0

    def lost(within: Store) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            labels = {"code": 112, "errorLabels": ["TransientTransactionError"]}
            raise OperationFailure("WriteConflict", 112, labels)
        raise ServerSelectionTimeoutError("no primary")

    with pytest.raises(ServiceUnavailable) as refused, project.store.deadline():
        project.store.in_transaction(lost)

    assert refused.value.message == ServiceUnavailable.message
    assert refused.value.reason == "no primary"


def test_a_transaction_that_lost_once_and_then_finds_no_primary_for_its_commit_says_that_the_database_is_away(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = [OperationFailure("WriteConflict", 112, {"code": 112, "errorLabels": ["TransientTransactionError"]})]

    def loses_once(within: Store) -> None:
        within[Projects].settings(project.id)
        if lost:
            raise lost.pop()

    def unreachable(session: ClientSession) -> None:
        raise ServerSelectionTimeoutError("no primary")

    monkeypatch.setattr(ClientSession, "commit_transaction", unreachable)

    with pytest.raises(ServiceUnavailable) as refused, project.store.deadline():
        project.store.in_transaction(loses_once)

    assert refused.value.message == ServiceUnavailable.message


def test_an_edit_of_a_brief_that_was_claimed_meanwhile_is_decided_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder, editor = (project.context(project.token(name, agent=name)) for name in ("holder", "editor"))
    document = a_ready_brief(project.context())
    meanwhile(monkeypatch, Documents, "change", lambda: OPERATIONS["claim_brief"](holder, document["id"], fields={}))

    with pytest.raises(BriefClaimed):
        OPERATIONS["update_brief"](editor, document["id"], fields={"keyword": "rye"})


def test_an_operation_inside_a_transaction_that_lost_is_run_again_with_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, update = project.context(), OPERATIONS["update_project"]
    meanwhile(monkeypatch, Projects, "update", lambda: update(ctx, fields={"siteUrl": "https://theirs.example"}))

    with ctx.store.deadline():
        mine = ctx.store.in_transaction(lambda within: update(replace(ctx, store=within), fields={"name": "Mine"}))

    assert (mine.body["name"], mine.body["siteUrl"]) == ("Mine", "https://theirs.example")


def test_a_content_write_that_lost_locks_the_document_so_that_it_is_not_second_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = a_document(project.context(), markdown="Rye is dark.")
    change, tries = Documents.change, list[Future[Any]]()
    write = partial(
        project.store.database.documents.update_one, {"_id": ObjectId(document["id"])}, {"$inc": {"rev": 1}}
    )

    with ThreadPoolExecutor() as others:

        def contested(*arguments: Any, **keywords: Any) -> Any:
            tries.append(others.submit(write))
            tries[0].result()  # however busy the machine is
            wait(tries, timeout=0.5)  # one that waits for the lock is done after the transaction
            return change(*arguments, **keywords)

        monkeypatch.setattr(Documents, "change", contested)
        fields = {"markdown": "Rye is light.", "baseVersion": document["version"]}
        written = OPERATIONS["write_content"](project.context(), document["id"], fields=fields)

    assert (written.body["version"], len(tries)) == (document["version"] + 1, 2)


def test_an_abort_that_fails_does_not_hide_what_failed_first(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    abort = ClientSession.abort_transaction

    def failing(session: ClientSession) -> None:
        abort(session)
        raise ConfigurationError("as on a connection to a member that was just starting")

    def lost(within: Store) -> None:
        within.database.projects.update_one({}, {"$set": {"name": "Lost"}}, session=within.session)
        raise AutoReconnect("the primary is gone")

    monkeypatch.setattr(ClientSession, "abort_transaction", failing)
    with pytest.raises(ServiceUnavailable), project.store.deadline():
        project.store.in_transaction(lost)


def test_a_write_that_loses_again_and_again_is_tried_with_growing_pauses_until_its_deadline(project: Project) -> None:
    began, tries = time.monotonic(), 0

    @operation(scope=Scope.READ, effect=Effect.CHANGES)
    def second_for_a_while(ctx: Context) -> Result:
        nonlocal tries
        tries += 1
        if time.monotonic() - began < 1.5:
            raise WriteConflict
        return Result({})

    second_for_a_while(project.context())

    assert tries < 60, "the pauses grow to half a second"


def test_writes_wait_for_the_majority_and_its_journals_whatever_the_uri_says(mongodb_uri: str) -> None:
    store = connect(with_options(mongodb_uri, "w=1&journal=false&wtimeoutMS=1"))
    store.database.client.close()

    assert store.database.write_concern == WriteConcern("majority")


def test_no_connection_is_made_before_it_is_needed_whatever_the_uri_says(mongodb_uri: str) -> None:
    """PyMongo would take a member that is still starting for one without sessions, as long as the connection lasts."""
    store = connect(with_options(mongodb_uri, "minPoolSize=9"))
    store.database.client.close()

    assert store.database.client.options.pool_options.min_pool_size == 0


def test_reads_are_of_the_primary_whatever_the_uri_says(project: Project, mongodb_uri: str) -> None:
    uri = with_options(mongodb_uri, "readPreference=secondary&readConcernLevel=local")  # there is no secondary
    store = connect(uri, project.store.database.name, deadline_seconds=2)
    ctx = Context(store, project.token().caller, Channel.REST)
    try:
        assert OPERATIONS["get_project"](ctx).body["id"] == project.id
        member = OPERATIONS["create_member"](ctx, fields={"name": "Ada"}, key="a").body["id"]
        assert OPERATIONS["get_member"](ctx, member).body["name"] == "Ada"
        assert store.database.read_concern.level == "majority"
    finally:
        store.database.client.close()
