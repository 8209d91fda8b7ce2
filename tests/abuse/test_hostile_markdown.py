"""Two megabytes of markdown that is all markup, read in every way that looks at its sections and links."""

from __future__ import annotations

import httpx
import pytest

from app.schemas.intents import MAX_MARKDOWN
from tests.abuse.service import Service
from tests.abuse.test_in_flight import at_once
from tests.make import a_document

TEXTS = {
    "a million headings": "#\n" * (MAX_MARKDOWN // 2),
    "headings of different words": "".join(f"# ab{number:x}\n" for number in range(200_000)),
}
OUTLINE = "\n".join(f"ab{number:x}cd" for number in range(1_000))[:5_000]
PARTS = ("outline", "sections/1", "checks", "packet")


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", TEXTS)
def test_markdown_that_is_all_markup_is_read_in_bounded_time_and_memory(service: Service, name: str) -> None:
    ctx, headers = service.project.context(), {"Authorization": f"Bearer {service.project.token().secret}"}
    document = a_document(ctx, markdown=TEXTS[name], brief={"keyword": "rye bread", "outline": OUTLINE})
    reads = [
        httpx.Request("GET", f"{service.url}/documents/{document['id']}/{part}", headers=headers) for part in PARTS
    ]
    with service.holds():
        assert set(at_once(reads)) <= {200, 404, 503}
