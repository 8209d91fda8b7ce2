"""One token that has as much work done at once as it can."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.abuse.service import PLAIN, Service
from tests.make import a_document

TABLE = "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 130_000


def at_once(requests: list[httpx.Request]) -> Counter[int]:
    """Sends requests at once, each on a connection of its own, and returns how many got which status."""

    def send(request: httpx.Request) -> int:
        with httpx.Client(**PLAIN) as client:
            return client.send(request).status_code

    with ThreadPoolExecutor(len(requests)) as threads:
        return Counter(threads.map(send, requests))


def test_content_writes_of_two_megabytes(service: Service) -> None:
    ctx, headers = service.project.context(), {"Authorization": f"Bearer {service.project.token().secret}"}
    documents = [a_document(ctx) for _ in range(32)]
    body = {"baseVersion": documents[0]["version"], "markdown": "word " * 400_000}
    writes = [
        httpx.Request("PUT", f"{service.url}/documents/{document['id']}/content", json=body, headers=headers)
        for document in documents
    ]
    with service.holds():
        assert set(at_once(writes)) <= {200, 429, 503}


def test_publishing_tables_of_two_megabytes(service: Service) -> None:
    ctx, headers = service.project.context(), {"Authorization": f"Bearer {service.project.token().secret}"}
    documents = [a_document(ctx, markdown=TABLE) for _ in range(8)]
    publishes = [
        httpx.Request("POST", f"{service.url}/documents/{document['id']}/publish", json={}, headers=headers)
        for document in documents * 4
    ]
    with service.holds():
        assert set(at_once(publishes)) <= {200, 409, 422, 503}


def test_a_hundred_requests_of_one_token(service: Service) -> None:
    headers = {"Authorization": f"Bearer {service.project.token().secret}"}
    lists = [httpx.Request("GET", f"{service.url}/documents?offset=90000&sort=title", headers=headers)] * 100
    with service.holds():
        assert set(at_once(lists)) <= {200, 429, 503}


def test_forty_requests_of_one_token_are_all_answered(service: Service) -> None:
    headers = {"Authorization": f"Bearer {service.project.token().secret}"}
    lists = [httpx.Request("GET", f"{service.url}/briefs", headers=headers)] * 40
    assert at_once(lists) == {200: 40}
