"""`GET /briefs` and claim, beside the bare floor that answers the same."""

from __future__ import annotations

from typing import Any

from app.store.store import Store
from bench.load import Result, request
from bench.load import run as load
from bench.servers import serving
from tests.make import Project, a_project, a_ready_brief

BRIEFS = 1_200
SECONDS = 4


def run(uri: str, store: Store) -> list[tuple[str, float, float]]:
    """Returns (what, requests a second, those of the floor) for each request that is measured."""
    project = a_project(store)
    token = project.token()
    half = [_ready(project, BRIEFS // 2) for _ in range(2)]
    environment = {
        "MONGODB_URI": uri,
        "MONGODB_DATABASE": store.database.name,
        "BENCH_PROJECT": project.id,
        "RATE_LIMIT_PER_MINUTE": "0",
        "LOG_LEVEL": "WARNING",
    }
    page = request("GET", "/briefs", token.secret)
    with serving("bench.floor:app", environment) as floor, serving("wsgi:app", environment) as service:
        for port in (floor, service):
            load(port, [page], seconds=1)
        pages = [_all_good(load(port, [page], seconds=SECONDS)) for port in (service, floor)]
        claims = [
            _all_good(load(port, [request("POST", f"/documents/{one}/brief/claim", token.secret) for one in ids]))
            for port, ids in zip((service, floor), half, strict=True)
        ]
    return [
        ("GET /briefs, 50 of them", pages[0].per_second, pages[1].per_second),
        ("POST /documents/:id/brief/claim", claims[0].per_second, claims[1].per_second),
    ]


def _ready(project: Project, many: int) -> list[str]:
    ctx = project.context()
    made: list[dict[str, Any]] = [
        a_ready_brief(ctx, title=f"Loaf {number}", brief={"keyword": f"loaf {number}"}) for number in range(many)
    ]
    return [document["id"] for document in made]


def _all_good(result: Result) -> Result:
    if set(result.statuses) != {200}:
        raise RuntimeError(f"The load was not answered well: {result.statuses}")
    return result
