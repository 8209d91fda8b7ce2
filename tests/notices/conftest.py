"""A mail server and a Slack on loopback, and the worker's part of notices with a clock that the test sets."""

from __future__ import annotations

import email
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from email import policy
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from bson import ObjectId
from flask import Flask

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.worker import ProjectByProject
from app.features import ServerSettings
from app.notices.jobs import tell_by_the_hour
from app.notices.mailer import Mailer
from app.notices.sender import LEASES, NoticeSender
from app.notices.store import NoticeLeases
from app.outbound.message_client import MessageClient
from app.server import create_app
from tests.databases import opened
from tests.documented import Documented
from tests.documents.steps import ok
from tests.live import free_port
from tests.make import Project, Token, an_app
from tests.rest.client import Rest
from tests.webhooks.receiver import Receiver, receiving

PUBLIC_URL = "https://cms.example.org"
SENDER = "Content <notices@example.org>"


class Inboxes:
    """What arrived at a mail server, and what it answers: an SMTP status, or None for accepting."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.refusal: str | None = None
        self.arrived = threading.Semaphore(0)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  # aiosmtpd's name
        if self.refusal:
            return self.refusal
        message = email.message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.messages.append(message)
        self.recipients += envelope.rcpt_tos
        self.arrived.release()
        return "250 OK"


@pytest.fixture
def mails() -> Inboxes:
    return Inboxes()


@pytest.fixture
def smtp(mails: Inboxes) -> Iterator[str]:
    """The `SMTP_URL` of a mail server."""
    server = Controller(mails, hostname="127.0.0.1", port=free_port())
    server.start()
    yield f"smtp://127.0.0.1:{server.port}"
    server.stop()


@pytest.fixture
def slack() -> Iterator[Receiver]:
    """A Slack-like receiver."""
    with receiving() as one:
        yield one


def settings(**options: Any) -> Any:
    fixed: dict[str, Any] = {"rate_limit": 0, "failed_auth_limit": 0, "log_level": "CRITICAL", "public_url": PUBLIC_URL}
    mail = {"smtp_url": "smtp://mail.example.org:587", "smtp_from": SENDER}
    return ServerSettings(mongodb_uri="mongodb://given", webhooks_allow_local=True, **{**fixed, **mail, **options})


@pytest.fixture(scope="package")
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A database of these tests' own: the worker tells members of all projects, also those of other tests."""
    yield from opened(request)


@pytest.fixture(scope="package")
def app(store: Store) -> Flask:
    """An application on that database."""
    return an_app(store)


@pytest.fixture(scope="package")
def documented(app: Flask) -> Documented:
    """What the OpenAPI document says of every answer."""
    return Documented(app.test_client().get("/openapi.json").json)


@pytest.fixture(scope="package")
def mailing_app(store: Store) -> Flask:
    """The application of a server that sends e-mail, and whose Slack may be on loopback."""
    return create_app(settings(), store)


@pytest.fixture
def rest(mailing_app: Flask, project: Project) -> Rest:
    return Rest(mailing_app.test_client(), project.token())


class Post:
    """The worker's part, done when the test says so, at the time the test says."""

    def __init__(self, store: Store, project: Project, url: str) -> None:
        self.store, self.project = store, project
        self.now = this_instant()
        clients = {slow: MessageClient(allow_local=True) for slow in (False, True)}
        clock, chance = (lambda: self.now), (lambda: 0.5)
        self.sender = NoticeSender(store, clients, Mailer(url, SENDER), PUBLIC_URL, clock, chance)

    def later(self, **time: float) -> Post:
        """Moves the clock on."""
        self.now += timedelta(**time)
        return self

    def relay(self) -> None:
        """Relays the project's events."""
        self.store[Outboxes].publish_all(self.project.id)

    def deliver(self) -> int:
        """Relays the project's events and serves every mailbox that is due; returns how many notices arrived."""
        self.relay()
        arrived = 0
        while lease := next(filter(None, map(self._take, (False, True))), None):
            if lease["projectId"] == self.project.id:  # those of other tests stay leased
                arrived += self.sender.send_due(lease)
        return arrived

    def tell(self, at: datetime) -> int:
        """Does what is done by the hour, at an instant; returns how many notices arrived."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("app.core.store.store.Store.now", lambda _: at)
            tell_by_the_hour(self.store, ProjectByProject("tell by the hour"), set())
        self.now = max(self.now, at)
        return self.deliver()

    def _take(self, slow: bool) -> Any:
        self.now = max(self.now, this_instant())
        return self.store[NoticeLeases].take(self.now, self.now + LEASES[slow], slow=slow)


@pytest.fixture
def post(store: Store, project: Project, smtp: str) -> Iterator[Post]:
    """The worker's part; what other tests have left due is not sent."""
    store.database.noticeLeases.delete_many({})
    yield Post(store, project, smtp)
    store.database.noticeLeases.delete_many({})


def a_member(rest: Rest, name: str = "Ada", **notify: Any) -> dict[str, Any]:
    """Makes a member who is told at once by e-mail, unless that is said otherwise."""
    member = ok(rest.post("/members", {"name": name, "email": f"{name.lower()}@example.org"}), 201)
    sent = {"digest": "instant", "email": True, **notify}
    told: dict[str, Any] = ok(rest.patch(f"/members/{member['id']}", {"notify": sent}))
    return told


def token_of(project: Project, member: dict[str, Any], **fields: Any) -> Token:
    """Makes a token that is a member's."""
    return project.token(member["name"], memberId=ObjectId(member["id"]), **fields)
