"""One project with many tokens: all other callers are served."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.abuse.flood import flood
from tests.abuse.service import PLAIN, Service
from tests.abuse.sockets import head
from tests.make import Project, a_document

ADDRESSES = [f"127.0.0.{number}" for number in range(10, 18)]
LONG = "# Head\n\nword word [link](https://example.com/a) *em*\n\n" * 37_000


def secrets(service: Service, number: int = 8) -> list[str]:
    return [service.project.token().secret for _ in range(number)]


@pytest.mark.parametrize("path", ["checks", "outline"])
def test_work_that_takes_long_holds_up_no_other_tenant(service: Service, path: str) -> None:
    document = a_document(service.project.context(), markdown=LONG)
    requests = [head("GET", f"/documents/{document['id']}/{path}", secret) for secret in secrets(service)]

    with service.holds():
        statuses = flood(service.port, requests, clients=64, seconds=4, addresses=ADDRESSES[:1])
    assert set(statuses) <= {"200", "429", "503"}


def test_long_texts_of_one_tenant_leave_room_for_those_of_another(service: Service) -> None:
    document, other = a_document(service.project.context(), markdown=LONG), service.new_project()
    of_other = a_document(other.context(), markdown=LONG[:150_000])
    headers = {"Authorization": f"Bearer {other.token().secret}"}
    requests = [head("GET", f"/documents/{document['id']}/checks", secret) for secret in secrets(service)]
    answered = 0

    with service.holds(), ThreadPoolExecutor(1) as threads:
        flooding = threads.submit(flood, service.port, requests, clients=64, seconds=4, addresses=ADDRESSES[:1])
        while not flooding.done():
            answer = httpx.get(f"{service.url}/documents/{of_other['id']}/outline", headers=headers, **PLAIN)
            assert answer.status_code == 200
            answered += 1
    assert answered > 1


def test_large_writes_of_one_tenant_leave_room_for_those_of_another(service: Service) -> None:
    def write(project: Project) -> int:
        document = a_document(project.context())
        content = {"baseVersion": document["version"], "markdown": "word " * 400_000}
        headers = {"Authorization": f"Bearer {project.token().secret}", "Content-Type": "application/json"}
        url = f"{service.url}/documents/{document['id']}/content"
        return httpx.put(url, content=json.dumps(content), headers=headers, **PLAIN).status_code

    other = service.new_project()
    with service.holds(), ThreadPoolExecutor(13) as threads:
        of_the_first = [threads.submit(write, service.project) for _ in range(12)]
        assert [write(other) for _ in range(2)] == [200, 200]
        assert {one.result() for one in of_the_first} <= {200, 503}
