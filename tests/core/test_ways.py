"""How many files of the project a request enters, so that somebody who follows it keeps the way in mind.

`pytest tests/core/test_ways.py -s` prints the figures of `docs/architecture.md`.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from app.core.store.store import Store
from tests.graphql_app.client import GraphQL, delivery_token
from tests.make import Project, a_document, a_ready_brief, an_app
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

CHECKOUT = Path(__file__).parents[2]
OURS = tuple(f"{CHECKOUT / name}/" for name in ("app", "graphql_app", "mcp_tools"))


@dataclass
class Way:
    """The files of the project that were entered, the calls, and the returns to a file that was left before."""

    files: list[str] = field(default_factory=list)
    calls: int = 0
    returns: int = 0

    def enter(self, frame: FrameType, event: str, _: Any) -> None:
        """Notes a call of a function of the project; for `sys.setprofile`."""
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(OURS):
            return
        self.calls += 1
        if self.files and file == self.files[-1]:
            return
        self.returns += file in self.files
        self.files.append(file)

    def __str__(self) -> str:
        return f"{len(set(self.files))} files, {self.calls} calls, {self.returns} returns"


class Tracer:
    """Follows calls in this thread, and in those that begin while it is there: the loop of MCP."""

    def __init__(self) -> None:
        self.way: Way | None = None
        self.ended = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if self.ended:
            sys.setprofile(None)
        elif self.way:
            self.way.enter(frame, event, argument)

    def follow(self, call: Callable[[], object]) -> Way:
        """Returns the way of a call."""
        way = self.way = Way()
        call()
        self.way = None
        return way


@pytest.fixture
def tracer() -> Iterator[Tracer]:
    tracer = Tracer()
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    yield tracer
    tracer.ended = True
    threading.setprofile(None)
    sys.setprofile(None)


@pytest.fixture
def steps(tracer: Tracer, store: Store, project: Project) -> dict[str, Callable[[], object]]:
    """Requests that do the same thing each time, to another record."""
    client, ctx = an_app(store).test_client(), project.context()
    rest, agent = Rest(client, project.token()), Agent(client, project.token())
    site = GraphQL(client, delivery_token(project))
    a_document(ctx, markdown="# Rye\n\nRye is dark.\n")

    def draft() -> str:
        return str(rest.post("/document-intents", {"title": "Rye", "markdown": "Rye is dark."}).json["id"])

    drafts = iter([draft() for _ in range(TIMES)])
    published = iter([a_document(ctx, markdown="Rye is dark.")["id"] for _ in range(TIMES)])
    claims = iter([a_ready_brief(ctx)["id"] for _ in range(2 * TIMES)])
    return {
        "claim": lambda: rest.post(f"/documents/{next(claims)}/brief/claim"),
        "confirm": lambda: rest.post(f"/document-intents/{next(drafts)}/confirm"),
        "publish": lambda: rest.post(f"/documents/{next(published)}/publish", {}),
        "cached delivery": lambda: site.data("{ documents { id title } }"),
        "claim over MCP": lambda: agent.call("claim_brief", documentId=next(claims)),
    }


MOST = {"claim": 30, "confirm": 39, "publish": 57, "cached delivery": 17, "claim over MCP": 36}
"""Maximum number of files that each request enters."""
TIMES = 4
"""How often each request is sent: first what is made once by a process; the shortest of the others is its way, as on a
slow machine a cache of 3 s runs out between two."""


def test_a_request_enters_few_files(tracer: Tracer, steps: dict[str, Callable[[], object]]) -> None:
    ways = {}
    for name, step in steps.items():
        ways[name] = min((tracer.follow(step) for _ in range(TIMES)), key=lambda way: way.calls)
        print(f"{name}: {ways[name]}")

    assert {name: len(set(way.files)) for name, way in ways.items() if len(set(way.files)) > MOST[name]} == {}
