"""`GET /briefs` and claim, beside the bare floor that answers the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from app.store.store import Store
from bench.load import Side, in_turns, request
from bench.servers import serving
from tests.make import Project, Token, a_project, a_ready_brief

CLAIMS, ROUNDS = 700, 7


def run(uri: str, store: Store) -> list[tuple[str, float, float]]:
    """Returns (what, requests a second, those of the floor) for each request that is measured."""
    project = a_project(store)
    token = project.token()
    half = [_ready(project, CLAIMS) for _ in range(2)]
    environment = {
        "MONGODB_URI": uri,
        "MONGODB_DATABASE": store.database.name,
        "BENCH_PROJECT": project.id,
        "RATE_LIMIT_PER_MINUTE": "0",
        "LOG_LEVEL": "WARNING",
    }
    page = request("GET", "/briefs", token.secret)
    with serving("bench.floor:app", environment) as floor, serving("wsgi:app", environment) as service:
        ports = (service, floor)
        pages = in_turns(*(Side(port, repeat(page)) for port in ports))
        claims = in_turns(
            *(Side(port, _claims(ids, token), CLAIMS // ROUNDS) for port, ids in zip(ports, half, strict=True)),
            rounds=ROUNDS,
            warm=False,
        )
    return [("GET /briefs, 50 of them", *pages), ("POST /documents/:id/brief/claim", *claims)]


def _claims(document_ids: list[str], token: Token) -> Iterator[bytes]:
    return (request("POST", f"/documents/{one}/brief/claim", token.secret) for one in document_ids)


def _ready(project: Project, many: int) -> list[str]:
    ctx = project.context()
    made: list[dict[str, Any]] = [
        a_ready_brief(ctx, title=f"Loaf {number}", brief={"keyword": f"loaf {number}"}) for number in range(many)
    ]
    return [document["id"] for document in made]
