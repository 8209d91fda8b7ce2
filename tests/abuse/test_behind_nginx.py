"""Behind `examples/nginx/nginx.conf` slow clients and many connections do not reach the service."""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.abuse.flood import flood
from tests.abuse.service import PLAIN, Service, behind_nginx, serve
from tests.abuse.sockets import head
from tests.graphql_app.client import delivery_token, published
from tests.live import free_port
from tests.make import a_document

PATHS = ("/briefs", "/graphql", "/console/board")
"""A path of each form of refusals."""


def connections_of(service: Service) -> int:
    """Returns how many connections the service has."""
    rows = re.findall(r"^ *\d+: \S+:([0-9A-F]{4}) \S+ 01 ", Path("/proc/net/tcp").read_text(), re.MULTILINE)
    return sum(int(port, 16) == service.own_port for port in rows)


@contextmanager
def clients(port: int, request: bytes, count: int) -> Iterator[list[socket.socket]]:
    """Sends a request on each of so many connections, and reads nothing."""
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.sendall(request)
            opened.append(client)
        yield opened
    finally:
        for client in opened:
            client.close()


def test_slow_senders_do_not_reach_the_service(service: Service) -> None:
    secret = delivery_token(service.project).secret
    upload = head("POST", "/graphql", secret, Content_Type="application/json", Content_Length="1000") + b"{"
    with clients(service.port, upload, 90):
        time.sleep(1)
        assert connections_of(service) == 0
        answer = httpx.post(
            f"{service.url}/graphql",
            json={"query": "{ documents { title } }"},
            headers={"Authorization": f"Bearer {secret}"},
            **PLAIN,
        )
        assert answer.status_code == 200


def test_slow_readers_hold_no_place_in_the_service(service: Service) -> None:
    document = a_document(service.project.context(), markdown="x" * 2_000_000)
    secret = service.project.token().secret
    path = f"/documents/{document['id']}"
    with clients(service.port, head("GET", path, secret), 20):
        time.sleep(2)
        for _ in range(5):
            answer = httpx.get(service.url + path, headers={"Authorization": f"Bearer {secret}"}, **PLAIN)
            assert (answer.status_code, len(answer.json()["content"])) == (200, 2_000_000)


def test_connections_are_limited_by_address_and_silent_ones_stay_with_nginx(service: Service) -> None:
    upload = head("POST", "/graphql", "cwd_x", Content_Type="application/json", Content_Length="1000")
    with clients(service.port, b"", 1_000), service.holds():
        time.sleep(1)
        assert connections_of(service) <= 8
        assert httpx.get(f"{service.url}/health", **PLAIN).status_code == 200
    with clients(service.port, upload, 100):
        time.sleep(0.5)
        assert httpx.get(f"{service.url}/health", **PLAIN).status_code == 429


def test_what_nginx_refuses_has_the_form_of_the_refusals_of_the_service(service: Service) -> None:
    upload = head("POST", "/graphql", "cwd_x", Content_Type="application/json", Content_Length="1000")
    for path, refusal in (
        ("/briefs/claim", b'{"_tag":"PayloadTooLarge"'),
        ("/graphql", b'"REQUEST_TOO_LARGE"'),
        ("/console/plan", b"<h1>Too large</h1>"),
    ):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall(head("POST", path, "cwm_x", Content_Type="application/json", Content_Length="20971521"))
            assert refusal in client.recv(65536)
    with clients(service.port, upload, 100):
        time.sleep(0.5)
        limited = [httpx.get(f"{service.url}{path}", **PLAIN) for path in PATHS]
    with behind_nginx(free_port()) as port:
        down = [httpx.get(f"http://127.0.0.1:{port}{path}", **PLAIN) for path in PATHS]

    answers = [(one.status_code, one.headers["Retry-After"]) for one in limited + down]
    assert answers == [(429, "1")] * 3 + [(503, "1")] * 3
    assert [one[0].json()["_tag"] for one in (limited, down)] == ["RateLimited", "ServiceUnavailable"]
    assert [one[1].headers.get("Access-Control-Allow-Origin") for one in (limited, down)] == ["*", "*"]
    assert [one[0].headers.get("Access-Control-Allow-Origin") for one in (limited, down)] == [None, None]
    codes = [one[1].json()["errors"][0]["extensions"]["code"] for one in (limited, down)]
    assert codes == ["RATE_LIMITED", "SERVICE_UNAVAILABLE"]
    kinds = [[one.headers.get_list("Content-Type") for one in answers] for answers in (limited, down)]
    assert kinds == [[["application/json"], ["application/json"], ["text/html"]]] * 2
    assert [re.findall("<h1>(.*?)</h1>", one[2].text) for one in (limited, down)] == [
        ["Too many requests"],
        ["Not available"],
    ]


def test_what_nginx_can_not_read_or_find_is_refused_in_json(service: Service) -> None:
    long = "x" * 66_000
    for unreadable in (
        head("GET", f"/documents?q={long}", "cwm_x"),
        head("GET", "/documents", "cwm_x", X_Long=long),
        head("GET", "/documents", "cwm_x", Content_Length="ten"),
    ):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            client.sendall(unreadable)
            answer = client.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b"\r\nContent-Type: application/json\r\n" in answer
        assert b'\r\n\r\n{"_tag":"HttpApiDecodeError","message":"' in answer
    metrics = httpx.get(f"{service.url}/metrics", **PLAIN)
    assert (metrics.status_code, metrics.json()["_tag"]) == (404, "NotFound")


def test_a_client_names_its_request_through_nginx_too(service: Service) -> None:
    sent = {"X-Request-Id": "order-7"}
    assert httpx.get(f"{service.url}/health", headers=sent, **PLAIN).headers["X-Request-Id"] == "order-7"
    assert len(httpx.get(f"{service.url}/health", **PLAIN).headers["X-Request-Id"]) == 32


def test_the_longest_addresses_reach_the_service(service: Service) -> None:
    keys = "/documents?key=" + ",".join(f"{number:0200}" for number in range(100))
    query = "/graphql?query=%7Bcategories%7Bid%7D%7D%23" + "%20" * 20_000
    callers = {keys: service.project.token(), query: delivery_token(service.project)}
    for path, caller in callers.items():
        headers = {"Authorization": f"Bearer {caller.secret}"}
        assert httpx.get(f"{service.url}{path}", headers=headers, **PLAIN).status_code == 200


@pytest.mark.parametrize(("clients", "passes"), [(1_000, 1), (16, 300)], ids=["one at a time", "300 pipelined"])
def test_a_flood_of_one_address_stops_at_nginx(service: Service, clients: int, passes: int) -> None:
    requests = [head("GET", "/briefs", service.project.token().secret) * passes]
    with service.holds():
        statuses = flood(service.port, requests, clients=clients, seconds=3, addresses=["127.0.0.10"])
    assert statuses["429"] > statuses["200"] > 0, statuses


def test_what_the_service_needs_passes_through(own_mongod: tuple[str, int]) -> None:
    with serve(*own_mongod, FAILED_AUTH_LIMIT_PER_MINUTE="1") as service:
        headers = {"Authorization": f"Bearer {service.project.token().secret}", "Idempotency-Key": "once"}
        body = b'{"title": "A long body"' + b" " * 18_000_000 + b"}"
        headers["Content-Type"] = "application/json"
        made = httpx.post(f"{service.url}/document-intents", content=body, headers=headers, **PLAIN)
        assert (made.status_code, made.json()["fields"]) == (201, {"title": "A long body"})
        statuses = [
            httpx.get(f"{service.url}/briefs", headers={"X-Forwarded-For": f"203.0.113.{number}"}, **PLAIN).status_code
            for number in range(2)
        ]
        assert statuses == [401, 429], "the address that a client claims for itself is not believed"


def test_what_websites_read_is_compressed_and_the_rest_keeps_its_etag(own_mongod: tuple[str, int]) -> None:
    with serve(*own_mongod) as service:
        project = service.project
        document = published(project, markdown="Flour, water, salt. " * 200)
        site = {"Authorization": f"Bearer {delivery_token(project).secret}"}
        scripts = {"Authorization": f"Bearer {project.token().secret}"}
        with httpx.Client(base_url=service.url, **PLAIN) as client:
            query = {"query": "{ documents { html } }"}
            read = client.get("/graphql", params=query, headers=site)
            assert read.headers["Content-Encoding"] == "gzip"
            assert len(read.json()["data"]["documents"][0]["html"]) > 4_000
            tag = read.headers["ETag"]
            assert client.get("/graphql", params=query, headers={**site, "If-None-Match": tag}).status_code == 304

            path = f"/documents/{document['id']}"
            tag = client.get(path, headers=scripts).headers["ETag"]
            changed = client.patch(path, json={"title": "Bread"}, headers={**scripts, "If-Match": tag})
            assert changed.status_code == 200, changed.text
