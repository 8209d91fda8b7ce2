"""What others meet beside no attack at all: a service at rest, and one whose clients do their work without a pause."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.abuse.service import MIB, PLAIN, Service
from tests.make import Project

WRITERS, WORKING_SECONDS = 4, 5
TEXT = "# Loaf\n\n" + "Flour, water, salt and time. " * 200


def test_a_service_at_rest_holds_every_bound(service: Service) -> None:
    with service.holds() as others, service.watched() as watch:
        time.sleep(1)
    assert len(others.fresh) > 10
    assert watch.server_peak > 30 * MIB
    assert watch.mongod_peak > 30 * MIB


def test_eight_writers_of_two_projects_who_never_pause(service: Service) -> None:
    projects = (service.project, service.new_project())
    writers = [
        (project, 10 * place + number) for place, project in enumerate(projects) for number in range(1, WRITERS + 1)
    ]

    with service.holds(), ThreadPoolExecutor(len(writers)) as threads:
        published = threads.map(lambda writer: _pieces(service.url, *writer), writers)
        assert all(count > 0 for count in published)


def _pieces(url: str, project: Project, number: int) -> int:
    """Takes pieces from draft to published, one after the other, from an address of its own; returns how many."""
    count, ends = 0, time.monotonic() + WORKING_SECONDS
    headers = {"Authorization": f"Bearer {project.token(f'Writer {number}').secret}"}
    transport = httpx.HTTPTransport(verify=False, local_address=f"127.0.1.{number}")
    with httpx.Client(base_url=url, headers=headers, transport=transport, **PLAIN) as client:

        def call(method: str, path: str, **body: Any) -> Any:
            return client.request(method, path, json=body).raise_for_status().json()

        while time.monotonic() < ends:
            draft = call("POST", "/document-intents", title=f"Loaf {number}-{count}")["id"]
            one = "/documents/" + call("POST", f"/document-intents/{draft}/confirm")["document"]["id"]
            call("POST", f"{one}/brief/ready")
            version = call("POST", f"{one}/brief/claim")["version"]
            call("PUT", f"{one}/content", markdown=TEXT, baseVersion=version)
            for move in ("submit", "approve", "publish"):
                call("POST", f"{one}/{move}")
            client.get("/briefs").raise_for_status()
            count += 1
    return count
