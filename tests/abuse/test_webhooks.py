"""Webhooks: receivers that do not respond take nothing from other projects."""

import socket
import time
from collections.abc import Iterator

import pytest

from app.core.context import Context, Server
from app.webhooks.rules import WEBHOOKS_PER_PROJECT
from tests.abuse.service import Service, serve
from tests.make import OPERATIONS, Project, a_document
from tests.webhooks.receiver import receiving

ROUNDS = 5
MAX_SECONDS = 1.0


@pytest.fixture
def service(own_mongod: tuple[str, int]) -> Iterator[Service]:
    """The service, whose webhooks may reach this machine."""
    uri, pid = own_mongod
    with serve(uri, pid, WEBHOOKS_ALLOW_LOCAL="1") as running:
        yield running


def a_context(project: Project) -> Context:
    return project.context(server=Server(webhooks_allow_local=True))


def test_twenty_webhooks_of_a_silent_receiver_do_not_delay_another_projects(service: Service) -> None:
    attacker, other = a_context(service.project), a_context(service.new_project())
    seconds = []
    with socket.create_server(("127.0.0.1", 0), backlog=200) as silent, receiving() as receiver:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        for _ in range(WEBHOOKS_PER_PROJECT):
            OPERATIONS["create_webhook"](attacker, fields={"url": url, "events": ["document.created"]})
        with service.holds():
            for number in range(ROUNDS):
                a_document(attacker, title=f"Attack {number}")
                time.sleep(0.5)  # every webhook of the attacker is being served by now
                if number == 0:  # the first message of a new webhook is not late either
                    fields = {"url": receiver.url, "events": ["document.created"]}
                    OPERATIONS["create_webhook"](other, fields=fields)
                began = time.monotonic()
                a_document(other, title=f"Honest {number}")
                assert receiver.arrived.acquire(timeout=60)
                seconds.append(time.monotonic() - began)

    assert max(seconds) < MAX_SECONDS, seconds
