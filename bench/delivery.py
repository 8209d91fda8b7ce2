"""`documents(limit: 20)` with categories, kept and not, beside one point read and the same page written by hand."""

from __future__ import annotations

from itertools import count, cycle, repeat
from urllib.parse import quote

import orjson

from app.store.store import Store
from app.vocabulary import TokenKind
from bench.load import Side, in_turns, request
from bench.servers import serving
from tests.make import OPERATIONS, Project, a_document, a_project, made

DOCUMENTS = 60
QUERY = "{ documents(limit: 20) { id title slug excerpt publishedAt category { name slug } } }"


def run(uri: str, store: Store) -> list[tuple[str, float, float]]:
    """Returns (what, requests a second, those of the floor) for each request that is measured."""
    project = a_project(store)
    _publish(project)
    token = project.token(kind=TokenKind.DELIVERY).secret
    environment = {
        "MONGODB_URI": uri,
        "MONGODB_DATABASE": store.database.name,
        "BENCH_PROJECT": project.id,
        "RATE_LIMIT_PER_MINUTE": "0",
        "LOG_LEVEL": "WARNING",
    }
    kept = repeat(request("GET", f"/graphql?query={quote(QUERY)}", token))
    new = (request("POST", "/graphql", token, _with_a_variable(number)) for number in count())
    with serving("bench.delivery_floor:app", environment) as floor, serving("wsgi:app", environment) as service:
        measured = [
            ("documents(limit: 20) with categories, kept", kept, request("GET", "/point")),
            ("documents(limit: 20) with categories, new", new, request("GET", "/page")),
        ]
        return [(what, *in_turns(Side(service, ours), Side(floor, repeat(bare)))) for what, ours, bare in measured]


def _with_a_variable(number: int) -> bytes:
    """Returns the query with a variable that it has no use for: the answer is the same, and none that is kept."""
    return orjson.dumps({"query": QUERY, "variables": {"number": number}})


def _publish(project: Project) -> None:
    ctx = project.context()
    categories = [made(ctx, "category", name=f"Kind {n}", slug=f"kind-{n}")["id"] for n in range(5)]
    for number, category_id in zip(range(DOCUMENTS), cycle(categories)):
        fields = {"title": f"Loaf {number}", "markdown": "Flour, *water*, time. " * 30, "categoryId": category_id}
        OPERATIONS["publish_document"](ctx, a_document(ctx, **fields)["id"], fields={})
