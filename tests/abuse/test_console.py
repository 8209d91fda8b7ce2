"""Pages of the console that are made to be long: two versions of a million lines, compared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.abuse.service import PLAIN, Service
from tests.make import OPERATIONS, a_document

AT_ONCE = 4


def test_versions_of_a_million_lines_are_compared_in_bounded_memory(service: Service) -> None:
    ctx = service.project.context()
    document = a_document(ctx, markdown="x")
    OPERATIONS["write_content"](ctx, document["id"], fields={"markdown": "a\n" * 1_000_000, "baseVersion": 1})

    def compare(client: httpx.Client) -> int:
        return client.get(
            f"/console/documents/{document['id']}/revisions", headers={"Accept-Encoding": "gzip"}
        ).status_code

    with httpx.Client(base_url=service.url, **PLAIN) as client:
        signed_in = client.post("/console/sign-in", data={"token": service.project.token().secret})
        assert signed_in.status_code == 303
        with service.holds(), ThreadPoolExecutor(AT_ONCE) as threads:
            statuses = set(threads.map(compare, [client] * AT_ONCE))
    assert statuses <= {200, 503}
    assert 200 in statuses
