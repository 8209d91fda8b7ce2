"""The requests of issue and contract that agents and sites send most, each beside the floor that answers the same."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import count, cycle
from typing import Any
from urllib.parse import quote

import orjson
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from bench import seeds
from bench.load import Rate, Side, in_turns, request
from bench.mcp import MODERN, tool_call
from bench.servers import floor, floor_store, service
from tests.make import OPERATIONS, Project, Token, a_document, a_project, made

DOCUMENTS, LEASED, WRITTEN, PUBLISHED = 5_000, 1_000, 1_000, 20
AUTHORS, DRAFTS_EACH = 50, 90
"""So many drafts that neither side makes all of them in a turn."""
QUERY = "{ documents(limit: 20) { id title slug excerpt html publishedAt category { name slug } } }"


@dataclass(frozen=True)
class Figure:
    """One request: what it reaches, what its floor does, and the share of it that it should reach."""

    what: str
    beside: str
    target: float
    ours: Rate
    floor: Rate

    @property
    def ratio(self) -> float:
        return self.ours.per_second / self.floor.per_second


@dataclass(frozen=True)
class Measured:
    """A row of the table: its name and target, and the two sides. `beside` says what the second side is."""

    what: str
    target: float
    ours: Side
    floor: Side
    beside: str = "bare floor"


def run(uri: str, store: Store, only: str = "") -> Iterator[Figure]:
    """Yields what each request reaches; those whose name contains `only`."""
    bare_store = floor_store(uri, store)
    project, other = library(store), library(bare_store)
    environment = {"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name, "MCP_ALLOWED_HOSTS": "bench"}
    floor_environment = {**environment, "MONGODB_DATABASE": bare_store.database.name, "BENCH_PROJECT": other.project.id}
    with service(environment) as ours, floor(floor_environment) as bare:
        for row in table(project, other, ours.port, bare.port):
            if only in row.what:
                beside = ours if row.floor.port == ours.port else bare
                sides = replace(row.ours, cpu=ours.cpu_seconds), replace(row.floor, cpu=beside.cpu_seconds)
                yield Figure(row.what, row.beside, row.target, *in_turns(*sides))


@dataclass(frozen=True)
class Library:
    """A project as both sides have one: its tokens, documents with ready briefs, and documents to write."""

    project: Project
    token: str
    authors: list[Token]
    ready: list[str]
    written: list[str]

    def claims(self) -> list[bytes]:
        seeds.offer_again(self.project)
        return [request("POST", f"/documents/{one}/brief/claim", self.token) for one in self.ready]

    def creations(self) -> list[bytes]:
        self.project.store.database.intents.delete_many({"projectId": ObjectId(self.project.id)})
        bodies = (orjson.dumps({"title": f"Loaf {n}", "markdown": seeds.text(10_000, n)}) for n in count())
        tokens = (token for _ in range(DRAFTS_EACH) for token in self.authors)
        return [request("POST", "/document-intents", token.secret, next(bodies)) for token in tokens]

    def confirms(self, turns: Iterator[int]) -> list[bytes]:
        owned = seeds.drafts(self.project, self.authors, DRAFTS_EACH, 10_000, next(turns))
        return [request("POST", f"/document-intents/{one}/confirm", token.secret) for token, one in owned]

    def writes(self, turns: Iterator[int], text: Callable[[int, int], str] = seeds.text) -> list[bytes]:
        turn = next(turns)
        bodies = (
            orjson.dumps({"markdown": text(20_000, turn * WRITTEN + place)}) for place in range(len(self.written))
        )
        return [
            request("PUT", f"/documents/{one}/content", self.token, body, If_Match="*")
            for one, body in zip(self.written, bodies, strict=True)
        ]


def table(here: Library, there: Library, port: int, bare: int) -> Iterator[Measured]:
    """Yields the rows, each with what it needs made just before."""

    def both(
        what: str, target: float, requests: Callable[[Library], Callable[[], Sequence[bytes]]], *, once: bool = False
    ) -> Any:
        return Measured(what, target, Side(port, requests(here), once), Side(bare, requests(there), once))

    def reads(path: str) -> Callable[[Library], Callable[[], Sequence[bytes]]]:
        return lambda library: lambda: [request("GET", path, library.token)]

    yield both("GET /briefs?limit=50", 0.55, reads("/briefs?limit=50"))
    yield both(
        "GET /documents/:id, 10 KB",
        0.75,
        lambda library: lambda: [request("GET", f"/documents/{one}", library.token) for one in library.ready],
    )
    yield both("claim by id", 0.55, lambda library: library.claims, once=True)
    yield Measured(
        "claim next, 5,000 ready and 1,000 leased",
        0.50,
        Side(port, lambda: [request("POST", "/briefs/claim", _leased(here).token)], once=False),
        Side(port, here.claims, once=True),
        "claim by id",
    )
    yield both("create a draft, 10 KB", 0.45, lambda library: library.creations, once=True)
    yield both("confirm, 10 KB", 0.55, lambda library: _each_turn(library.confirms), once=True)
    yield both("write content, 20 KB", 0.45, lambda library: _each_turn(library.writes), once=True)
    for language in ("German", "Japanese"):
        yield both(f"write content, 20 KB of {language}", 0.45, _writes_in(language), once=True)
    site = here.project.token(kind=TokenKind.DELIVERY).secret
    cached, asked = f"/graphql?query={quote(QUERY)}", count()
    yield Measured(
        "delivery, unchanged, 20 documents with 5 KB of html",
        0.70,
        Side(port, lambda: [request("GET", cached, site)]),
        Side(bare, lambda: [request("GET", "/point")]),
        "one point read",
    )
    yield Measured(
        "delivery, uncached, 20 documents with 5 KB of html",
        0.25,
        Side(port, lambda: [_with_a_variable(site, next(asked)) for _ in range(2_000)]),
        Side(bare, lambda: [request("GET", "/page")]),
    )
    yield Measured(
        "MCP list_briefs",
        0.65,
        Side(port, lambda: [tool_call("list_briefs", {"limit": 50}, here.token, MODERN)]),
        Side(port, reads("/briefs?limit=50")(here)),
        "GET /briefs",
    )


def _writes_in(language: str) -> Callable[[Library], Callable[[], Sequence[bytes]]]:
    text = partial(seeds.prose, language)
    return lambda library: _each_turn(partial(library.writes, text=text))


def _each_turn(requests: Callable[[Iterator[int]], list[bytes]]) -> Callable[[], list[bytes]]:
    turns = count(1)
    return lambda: requests(turns)


def _with_a_variable(token: str, number: int) -> bytes:
    """Returns the query with a variable that it has no use for: the answer is the same, and none that is cached."""
    return request("POST", "/graphql", token, orjson.dumps({"query": QUERY, "variables": {"number": number}}))


def _leased(library: Library) -> Library:
    """Makes the claims of the last turn ready again, and 1,000 others claimed with a lease that runs long."""
    documents, here = library.project.store.database.documents, {"projectId": ObjectId(library.project.id)}
    seeds.offer_again(library.project)
    if documents.count_documents({**here, "brief.claimExpiresAt": {"$gt": this_instant()}}) == 0:
        until = this_instant() + timedelta(hours=2)
        seeds.fill(
            library.project,
            LEASED,
            slugs=lambda place: [f"leased-{place}"],
            status="drafting",
            dueDate="2026-01-01",
            brief=lambda place: {"state": "claimed", "keyword": "x", **seeds.CLAIM, "claimExpiresAt": until},
        )
    return library


def library(store: Store) -> Library:
    """Fills a project with what the requests read and change."""
    project = a_project(store)
    categories = [made(project.context(), "category", name=f"Kind {n}", slug=f"kind-{n}")["id"] for n in range(5)]
    filed = {"categoryId": lambda place: ObjectId(categories[place % 5])}
    ready = seeds.fill(project, DOCUMENTS, length=10_000, **filed)
    written = seeds.fill(
        project,
        WRITTEN,
        length=20_000,
        slugs=lambda place: [f"written-{place}"],
        brief=lambda place: {"state": "none", **seeds.CLAIM},
        **filed,
    )
    _publish(project, categories)
    authors = [project.token(f"Author {n}") for n in range(AUTHORS)]
    return Library(project, project.token().secret, authors, ready, written)


def _publish(project: Project, categories: list[str]) -> None:
    ctx = project.context()
    for number, category_id in zip(range(PUBLISHED), cycle(categories)):
        fields = {"title": f"Site {number}", "markdown": seeds.text(4_700, number), "categoryId": category_id}
        OPERATIONS["publish_document"](ctx, a_document(ctx, **fields)["id"], fields={})
