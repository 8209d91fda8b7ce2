"""Look-ups that others change while they last, and reads that requests which come together share."""

import threading
from collections.abc import Callable, Hashable
from typing import Any

import pytest
from flask import Flask

from app.categories.store import Categories
from app.core.context import this_instant
from app.core.errors import Unauthorized
from app.core.store.caches import SingleFlight
from app.core.store.collection import Collection
from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from app.projects.access import Access
from app.projects.token_store import Tokens
from tests.documents.steps import a_category, ok
from tests.make import OPERATIONS, Project, a_ready_brief
from tests.races.crowd import at_once
from tests.rest.client import Rest

pytestmark = pytest.mark.race

MANY = 4
"""As many as one caller has places in flight beside others: all of them come during the first read."""


def slow(monkeypatch: pytest.MonkeyPatch, kind: type[Collection[Any]], method: str) -> list[str]:
    """Has reads by a method wait until all requests need one; returns the names of the threads that read."""
    read: Callable[..., Any] = getattr(kind, method)
    share, arrived, readers = SingleFlight.read, threading.Semaphore(0), []

    def noted(*args: Any, **options: Any) -> Any:
        readers.append(threading.current_thread().name)
        if len(readers) == 1:
            assert all(arrived.acquire(timeout=90) for _ in range(MANY))
            threading.Event().wait(0.1)  # from here to where they wait they need no more than microseconds
        return read(*args, **options)

    def shared(self: SingleFlight[Any], key: Hashable, wanted: Callable[[], Any]) -> Any:
        arrived.release()
        return share(self, key, wanted)

    monkeypatch.setattr(kind, method, noted)
    monkeypatch.setattr(SingleFlight, "read", shared)
    return readers


def test_a_session_that_is_closed_while_it_is_looked_up_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch, store: Store, project: Project
) -> None:
    access, look_up = Access(store), Tokens.with_project
    session = Access(store).open_session(project.token().secret, this_instant())

    def closed_meanwhile(tokens: Tokens, secret_hash: str) -> Any:
        access.close_session(session)
        return look_up(tokens, secret_hash)

    monkeypatch.setattr(Tokens, "with_project", closed_meanwhile)
    access.authenticate(session, None, this_instant())

    with pytest.raises(Unauthorized):
        access.authenticate(session, None, this_instant())


def test_the_time_that_a_look_up_takes_counts_towards_that_of_its_use(
    monkeypatch: pytest.MonkeyPatch, store: Store, project: Project
) -> None:
    access, token, look_up = Access(store, cached_seconds=0.2), project.token(), Tokens.with_project

    def slowly(*args: Any) -> Any:
        found = look_up(*args)
        threading.Event().wait(0.3)
        return found

    monkeypatch.setattr(Tokens, "with_project", slowly)
    access.authenticate(token.secret, TokenKind.MANAGEMENT, this_instant())
    OPERATIONS["revoke_token"](project.context(), token.id)  # as another server does

    with pytest.raises(Unauthorized):
        access.authenticate(token.secret, TokenKind.MANAGEMENT, this_instant())


def test_the_names_of_categories_are_read_for_all_who_list_briefs(
    monkeypatch: pytest.MonkeyPatch, app: Flask, rest: Rest, project: Project
) -> None:
    a_ready_brief(project.context(), title="Rye", categoryId=a_category(rest, "Bread")["id"])
    ok(rest.get("/events"))  # the token is known
    readers = slow(monkeypatch, Categories, "_find")

    listed = at_once([lambda: ok(Rest(app.test_client(), rest.token).get("/briefs"))] * MANY)

    assert [one["category"] for [one] in listed] == ["Bread"] * MANY
    assert len(readers) == 2
