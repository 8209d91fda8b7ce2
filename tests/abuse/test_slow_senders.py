"""Clients that announce a body and send it slowly, or never."""

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.abuse.service import PLAIN, Service
from tests.abuse.sockets import connect, head, stalled, status_of


def test_sixty_agents_with_one_token_write_at_once(service: Service) -> None:
    secret = service.project.token().secret

    headers = {"Authorization": f"Bearer {secret}"}

    def work(number: int) -> set[int]:
        transport = httpx.HTTPTransport(verify=False, local_address=f"127.0.1.{number + 1}")
        with httpx.Client(base_url=service.url, headers=headers, transport=transport, **PLAIN) as client:
            posts = [client.post("/plan", json={"pieces": [], "note": "x" * 20_000}) for _ in range(8)]
            return {answer.status_code for answer in posts}

    with ThreadPoolExecutor(60) as threads:
        assert set.union(*threads.map(work, range(60))) == {400}


def test_long_bodies_that_stop_before_their_end_take_no_memory(service: Service) -> None:
    secret = service.project.token().secret
    length = 19 * 1024 * 1024
    upload = head("POST", "/document-intents", secret, Content_Type="application/json", Content_Length=str(length + 1))

    with service.holds(), stalled(service, [upload] * 8) as clients, ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda client: client.sendall(b" " * length), clients))
        time.sleep(1)


@pytest.mark.contract("decided-http.PayloadTooLarge", "limits.body")
def test_a_body_that_is_too_long_is_answered_before_it_comes(service: Service) -> None:
    announced = head("POST", "/document-intents", Content_Type="application/json", Content_Length=str(50 * 10**9))

    with stalled(service, [announced] * 30) as clients, service.holds():
        for client in clients:
            client.settimeout(2)
            assert status_of(client) == 413


def test_a_client_that_is_still_sending_gets_to_read_that_its_body_is_too_long(service: Service) -> None:
    length = 30 * 1024 * 1024
    with connect(service) as client:
        client.sendall(head("POST", "/document-intents", Content_Type="application/json", Content_Length=str(length)))
        client.sendall(b" " * length)
        assert status_of(client) == 413


def test_a_large_upload_at_an_ordinary_speed_is_received(service: Service) -> None:
    secret = service.project.token().secret
    body = b'{"title": "Slow"' + b" " * 400_000 + b"}"
    with connect(service) as client:
        client.sendall(
            head("POST", "/document-intents", secret, Content_Type="application/json", Content_Length=str(len(body)))
        )
        for start in range(0, len(body), 20_000):
            client.sendall(body[start : start + 20_000])
            time.sleep(0.05)
        assert status_of(client) == 201
