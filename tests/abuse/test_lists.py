"""Pages of lists far from their beginning, of documents with the largest briefs: MongoDB must not sort or hold them."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from bson import ObjectId

from tests.abuse.service import Service
from tests.make import Project, a_document

DOCUMENTS, AT_ONCE = 2_000, 6
LONG = "x" * 5_000
LARGEST_BRIEF = {
    **dict.fromkeys(("notes", "outline"), LONG),
    "referenceUrls": [f"https://example.org/{number}/".ljust(500, "x") for number in range(50)],
    "internalLinks": [],
    "state": "none",
    "keyword": "bread",
}


@pytest.fixture
def library(service: Service) -> Project:
    """The attacker's project: 2,000 documents, each with a brief of 36 KB."""
    project, documents = service.project, service.store.database.documents
    made = documents.find_one({"_id": ObjectId(a_document(project.context())["id"])})
    for first in range(0, DOCUMENTS, 250):
        numbers = range(first, first + 250)
        documents.insert_many(
            {
                **made,
                "_id": ObjectId(),
                "slugs": [f"loaf-{number}"],
                "slugKeys": [f"loaf-{number}"],
                "brief": LARGEST_BRIEF,
                "outbox": [],
            }
            | {"titleKey": f"loaf {number * 7919 % DOCUMENTS}", "words": ["loaf", str(number)]}
            for number in numbers
        )
    return project


ATTACKS = (
    "/documents?limit=100&offset=100000&sort={sort}",
    "/documents?limit=100&offset=100000&sort={sort}&status=idea,planned,drafting&categoryId=none&isPublished=false",
    "/documents?limit=100&offset=100000&sort={sort}&briefState=none,claimed&updatedSince=2020-01-01T00:00:00Z",
    "/documents?limit=100&offset=100000&sort={sort}&q=loaf",
    "/documents?limit=1&sort={sort}&count=true",
    "/documents?limit=1&sort={sort}&count=true&briefState=none,claimed&status=idea,planned,drafting&isPublished=false",
    "/documents?limit=1&sort={sort}&count=true&q=loaf",
    "/documents?limit=100&offset=100000&sort={sort}&deleted=true&count=true&slug=" + ",".join(map(str, range(100))),
    "/briefs?state=none&limit=100&offset=100000",
    "/briefs?state=none,ready,claimed,drafted&limit=100&offset=100000",
)
SORTS = ("-updatedAt", "title", "dueDate", "-dueDate", "createdAt", "-title")


def test_pages_far_from_the_beginning_cost_neither_memory_nor_time(service: Service, library: Project) -> None:
    headers = {"Authorization": f"Bearer {library.token().secret}"}

    def attack(sort: str) -> list[int]:
        with httpx.Client(base_url=service.url, headers=headers, timeout=30) as client:
            return [client.get(path.format(sort=sort)).status_code for path in ATTACKS for _ in range(2)]

    with service.holds(), ThreadPoolExecutor(AT_ONCE) as attackers:
        statuses = [status for many in attackers.map(attack, SORTS) for status in many]

    assert set(statuses) <= {200, 503}
    assert 200 in statuses
