"""Clients that ask for long answers and do not read them, on every surface."""

from __future__ import annotations

import json
import time
from urllib.parse import quote

from tests.abuse.service import Service
from tests.abuse.sockets import head, stalled
from tests.graphql_app.client import delivery_token, published, run
from tests.make import a_document

QUERY = "{ documents { markdown html } }"


def read_slowly(service: Service, request: bytes, clients: int = 30) -> None:
    """Has clients ask and not read; everybody else is served meanwhile and afterwards."""
    with service.holds(), stalled(service, [request] * clients):
        time.sleep(4)


def test_delivery(service: Service) -> None:
    for _ in range(5):
        published(service.project, markdown="A line of text, quite long.\n\n" * 40_000)
    path = "/graphql?query=" + quote(QUERY)
    read_slowly(service, head("GET", path, delivery_token(service.project).secret))


def test_rest(service: Service) -> None:
    text = "\u0001\U0001f35e" * 1_000_000
    document = a_document(service.project.context(), markdown=text)
    read_slowly(service, head("GET", f"/documents/{document['id']}", service.project.token().secret))


def test_mcp(service: Service) -> None:
    secret = service.project.token().secret
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    request = head(
        "POST",
        "/mcp",
        secret,
        Content_Type="application/json",
        Accept="application/json, text/event-stream",
        Content_Length=str(len(message)),
    )
    read_slowly(service, request + message, 100)


def test_feeds(service: Service) -> None:
    run(service.project, "update_project", siteUrl="https://site.example")
    for number in range(60):
        published(service.project, title=f"{number} " + "x" * 280, slug=f"{number}", metaDescription="y" * 150)
    read_slowly(service, head("GET", "/delivery/feed.xml?limit=50000", delivery_token(service.project).secret), 100)
