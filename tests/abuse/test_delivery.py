"""Queries of a delivery token that ask for as much as they can (docs/delivery.md: limits of a query)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from bson import ObjectId

from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.vocabulary import TokenKind
from tests.abuse.service import Service
from tests.make import OPERATIONS, a_document, fill_with_categories

CLIENTS = 2
Ask = Callable[[str], httpx.Response]


@pytest.fixture
def ask(service: Service) -> Ask:
    """Sends a query with a token that sees drafts."""
    secret = service.project.token(kind=TokenKind.DELIVERY, drafts=True).secret
    headers = {"Authorization": f"Bearer {secret}"}
    return lambda query: httpx.post(f"{service.url}/graphql", json={"query": query}, headers=headers, timeout=60)


def codes(answer: httpx.Response) -> set[str]:
    return {error["extensions"]["code"] for error in answer.json().get("errors", ())}


def at_once(ask: Ask, query: str) -> list[httpx.Response]:
    """Has some clients send a query at the same time."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(lambda number: ask(f"{query} # {number}"), range(CLIENTS)))


def aliased(field: str, many: int = 15) -> str:
    """Returns a selection set that has a field under several names."""
    return "{ " + " ".join(f"a{number}: {field}" for number in range(many)) + " }"


def test_texts_that_are_long_only_as_json_are_refused(service: Service, ask: Ask) -> None:
    """14 MB of control characters, each of which takes six bytes in JSON: an answer of 84 MB."""
    ctx = service.project.context()
    document = a_document(ctx, markdown="Rye. " + "\x01" * 1_000_000)
    OPERATIONS["publish_document"](ctx, document["id"], fields={})

    with service.holds():
        answers = at_once(ask, f"{{ documents {aliased('markdown', 14)} }}")

    assert {frozenset(codes(answer)) for answer in answers} <= {
        frozenset(["RESPONSE_TOO_LARGE"]),
        frozenset(["SERVICE_UNAVAILABLE"]),
    }
    assert codes(ask("{ documents { markdown html } }")) == set()


@pytest.mark.parametrize(
    ("number", "query", "code"),
    [
        (2_000, aliased("categories { id name slug description }"), "QUERY_TOO_COSTLY"),
        (2_000, "{ categories { category { category { id } } } }", "QUERY_TOO_COSTLY"),
        (2_000, f"{{ categories {aliased('description')} }}", "RESPONSE_TOO_LARGE"),
    ],
)
def test_categories_cost_as_many_as_there_are_and_as_long_as_they_are(
    service: Service, ask: Ask, number: int, query: str, code: str
) -> None:
    fill_with_categories(service.project, number, description="x" * 2_000)

    with service.holds():
        answers = at_once(ask, query)

    assert {frozenset(codes(answer)) for answer in answers} == {frozenset([code])}


def test_small_texts_of_many_records_are_refused_where_they_are_long_together(service: Service, ask: Ask) -> None:
    """100 documents with six categories above each and 14 descriptions of each: 16 MB and more of short texts."""
    parent = None
    for number in range(7):
        category_id = ObjectId()
        fill_with_categories(
            service.project,
            1,
            description="\x01" * 2_000,
            slug=f"level-{number}",
            categoryId=ObjectId(parent) if parent else None,
            _id=category_id,
        )
        parent = str(category_id)
    _publish_many(service, 100, categoryId=parent)
    chain = "category { ...C " * 6 + "} " * 6
    fragment = f"fragment C on Category {aliased('description')}"

    with service.holds():
        answers = at_once(ask, f"{{ documents(limit: 100) {{ {chain} }} }} {fragment}")

    assert {frozenset(codes(answer)) for answer in answers} == {frozenset(["RESPONSE_TOO_LARGE"])}


def _publish_many(service: Service, number: int, **fields: Any) -> None:
    """Adds publications by writing them to the database, all alike but for the slug."""
    ctx = service.project.context()
    document = a_document(ctx, markdown="Flour.", **fields)
    OPERATIONS["publish_document"](ctx, document["id"], fields={})
    publications = service.store.database.publications
    row = publications.find_one({"_id": ObjectId(document["id"])})
    assert row
    ids = [ObjectId() for _ in range(number)]
    publications.insert_many([{**row, "_id": one, "slug": str(one)} for one in ids])
    service.store[DeliveryRevisions].count(service.project.id, [])
