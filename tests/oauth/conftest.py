"""An application that clients can connect to, and the addresses of documents of clients."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask

from app.core.store.store import Store
from tests.live import Handler, answering, free_port, serving
from tests.make import Project, Token, an_app
from tests.oauth.flow import ISSUER, Flow


def connectable(store: Store, **settings: Any) -> Flask:
    """Makes an application that clients can connect to."""
    return an_app(store, **{"public_url": ISSUER, **settings})


@pytest.fixture(scope="session")
def oauth_app(store: Store) -> Flask:
    """The application, with documents of clients on loopback."""
    return connectable(store, webhooks_allow_local=True)


@pytest.fixture(autouse=True)
def _no_registrations(request: pytest.FixtureRequest, store: Store) -> None:
    """Lets each test register 20 clients: all of them come from one address."""
    store.database.registrations.delete_many({})


@pytest.fixture
def editor(project: Project) -> Token:
    """Somebody who may do all but administer."""
    return project.token("Ingrid Solberg", scopes=("read", "write", "publish"))  # type: ignore[arg-type]


@pytest.fixture
def flow(oauth_app: Flask) -> Flow:
    """A client that has registered."""
    return Flow(oauth_app)


@dataclass
class Site:
    """A site with documents of clients."""

    address: str = ""
    documents: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str = "/client.json", *, status: int = 200, headers: Any = (), **changes: Any) -> str:
        """Puts a document there and returns its address."""
        url = self.address + path
        document = {
            "client_id": url,
            "client_name": "Known assistant",
            "redirect_uris": ["https://client.example.com/callback"],
            **changes,
        }
        self.documents[path] = (status, dict(headers), json.dumps(document).encode())
        return url


@pytest.fixture
def site() -> Iterator[Site]:
    """A site on loopback."""
    there = Site()

    class Documents(Handler):
        def do_GET(self) -> None:
            there.asked.append(self.path)
            status, headers, body = there.documents.get(self.path, (404, {}, b""))
            self.answer(body, status, headers)

    with answering(Documents) as there.address:
        yield there


Later = Callable[[float], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Moves the clock of requests ahead by some seconds."""
    from datetime import timedelta

    from app.core.context import this_instant
    from app.http import callers
    from app.oauth import server as oauth

    def move(seconds: float) -> None:
        for module in (callers, oauth):
            monkeypatch.setattr(module, "this_instant", lambda: this_instant() + timedelta(seconds=seconds))

    return move


@contextmanager
def serving_connectable(store: Store, **settings: Any) -> Iterator[str]:
    """Yields the address at which an application is served that clients can connect to."""
    port = free_port()
    public_url = f"http://127.0.0.1:{port}"
    with serving(connectable(store, public_url=public_url, webhooks_allow_local=True, **settings), port) as address:
        yield address


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    """Where such an application is served."""
    with serving_connectable(store) as address:
        yield address
