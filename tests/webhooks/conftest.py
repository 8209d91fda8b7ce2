"""Webhooks that may reach loopback, a receiver there, and a sender whose clock the test sets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app.core.context import this_instant
from app.core.message_client import MessageClient
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.webhooks.leases import Leases
from app.webhooks.sender import LEASE, WebhookSender
from tests.make import Project, an_app
from tests.rest.client import Rest
from tests.webhooks.receiver import Receiver, receiving


@pytest.fixture(scope="session")
def local_app(store: Store) -> Flask:
    """The application with WEBHOOKS_ALLOW_LOCAL."""
    return an_app(store, webhooks_allow_local=True)


@pytest.fixture
def rest(local_app: Flask, project: Project) -> Rest:
    """The management API of that application."""
    return Rest(local_app.test_client(), project.token())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver on loopback."""
    with receiving() as one:
        yield one


class Post:
    """The worker's part, done when the test says so, at the time the test says."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.now: datetime = this_instant()
        self.sender = WebhookSender(store, MessageClient(allow_local=True), clock=lambda: self.now, chance=lambda: 0.5)

    def later(self, **time: float) -> Post:
        """Moves the clock on."""
        self.now += timedelta(**time)
        return self

    def deliver(self, project: Project) -> int:
        """Relays a project's events and serves every webhook that is due; returns how many messages arrived."""
        self.now = max(self.now, this_instant())
        self.store[Outboxes].publish_all(project.id)
        arrived = 0
        while lease := self.take():
            arrived += self.sender.send_due(lease)
        return arrived

    def take(self) -> dict[str, Any] | None:
        """Leases a webhook that is due."""
        self.now = max(self.now, this_instant())
        return next(
            filter(None, (self.store[Leases].take(self.now, self.now + LEASE, slow=s) for s in (False, True))), None
        )


@pytest.fixture
def post(store: Store) -> Iterator[Post]:
    """The worker's part; what other tests have left due is not sent."""
    store.database.leases.delete_many({})
    yield Post(store)
    store.database.leases.delete_many({})
