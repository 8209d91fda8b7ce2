"""Webhooks that may reach loopback, a receiver there, and a sender whose clock the test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.outbound.dispatcher import Dispatcher
from app.outbound.message_client import MessageClient
from app.webhooks.sender import LEASE, WebhookSender
from app.webhooks.store import Leases
from tests.make import Project, a_document, an_app
from tests.rest.client import Rest
from tests.webhooks.receiver import Receiver, receiving
from tests.webhooks.steps import a_webhook


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


class Hook:
    """A webhook, its receiver, and the worker's part at the time that the test says."""

    def __init__(self, rest: Rest, project: Project, post: Post, receiver: Receiver, **fields: Any) -> None:
        self.rest, self.project, self.post, self.receiver = rest, project, post, receiver
        self.store = project.store
        self.made = a_webhook(rest, url=receiver.url, **fields)
        self.id, self.secret, self.path = self.made["id"], self.made["secret"], f"/webhooks/{self.made['id']}"

    def create(self, *titles: str, number: int = 1) -> None:
        """Creates documents, each of which makes an event."""
        for title in titles or [f"Document {n}" for n in range(number)]:
            a_document(self.project.context(self.rest.token), title=title)

    def queue(self, *titles: str, number: int = 1) -> None:
        """Creates documents, and relays their events: messages wait."""
        self.create(*titles, number=number)
        self.store[Outboxes].publish_all(self.project.id)

    def deliver(self, **later: float) -> int:
        """Serves what is due, some time later; returns how many messages arrived."""
        return self.post.later(**later).deliver(self.project)

    def deliveries(self, query: str = "") -> list[dict[str, Any]]:
        """Returns the log, the latest first."""
        found: list[dict[str, Any]] = self.rest.get(f"{self.path}/deliveries{query}").json
        return found

    def redeliver(self, delivery: dict[str, Any]) -> Any:
        return self.rest.post(f"{self.path}/deliveries/{delivery['id']}/redeliver")

    def send_test(self) -> Any:
        return self.rest.post(f"{self.path}/test")

    def enable(self, enabled: bool) -> Any:
        return self.rest.patch(self.path, {"enabled": enabled}).json

    @property
    def is_enabled(self) -> bool:
        return bool(self.rest.get(self.path).json["enabled"])

    @property
    def slugs(self) -> list[str]:
        """The documents that the receiver was told of."""
        return [message["data"]["slug"] for message in self.receiver.messages]

    @property
    def types(self) -> list[str]:
        return [message["type"] for message in self.receiver.messages]

    def meanwhile(self, do: Callable[[], object]) -> None:
        """Has something happen while the receiver handles its next request."""

        def once() -> None:
            self.receiver.on_request = lambda: None
            do()

        self.receiver.on_request = once

    def serve_during(self, do: Callable[[], object]) -> int:
        """Serves the webhook, has something happen meanwhile, and returns how many messages arrived."""
        lease = self.post.take()
        self.receiver.may_answer.clear()
        with ThreadPoolExecutor(1) as pool:
            served = pool.submit(self.post.sender.send_due, lease)
            self.receiver.arrived.acquire(timeout=60)
            do()
            self.receiver.may_answer.set()
            return served.result()


def a_dispatcher(store: Store, **options: int) -> Dispatcher:
    """Makes what a worker sends with."""
    return Dispatcher(store, WebhookSender(store, MessageClient(allow_local=True)), "send webhooks", **options)


@pytest.fixture
def hook(rest: Rest, project: Project, post: Post, receiver: Receiver) -> Hook:
    """A webhook for documents that are created."""
    return Hook(rest, project, post, receiver, events=["document.created"])
