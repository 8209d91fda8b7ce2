"""A page is the part of the whole list at its place, whichever way the store reads it (decisions, section 5)."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId

from app.core.store import collection
from app.core.store.store import Store
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents import lists as document_lists
from app.documents.keys import document_keys
from app.documents.record import OPEN, brief_of
from app.documents.schemas import SORTS
from app.documents.store import Documents
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief, made

pytestmark = pytest.mark.needs_mongod

NOW = datetime(2027, 6, 1, tzinfo=UTC)
IDS = [f"{number:024x}" for number in range(1, 4)]
DAYS = [
    *("0001-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "2027-01-01", "2027-02-01", "2027-03-31", "2027-04-10"),
    *("2027-04-11", "2027-05-05", "2028-12-31", "9999-12-30", "9999-12-31"),
]
RANGES = [
    *((first, first) for first in ("0001-01-01", "2024-02-29", "9999-12-31")),
    *(("2024-02-28", "2024-03-01"), ("9999-12-30", "9999-12-31"), ("0001-01-01", "9999-12-31")),
    *(("2027-01-01", last) for last in ("2026-01-01", "2026-12-31", "2027-04-09", "2027-04-10", "2027-04-11")),
]
"""Of 1 day and as many as there are, reversed, over a leap day, and of 99, 100 and 101 days."""


@pytest.fixture(scope="module")
def library(store: Store) -> Project:
    """120 documents with fields drawn at random, a sixth of them in the trash."""
    draw, project = random.Random(7), a_project(store)
    like = store.database.documents.find_one({"_id": ObjectId(a_document(project.context())["id"])})
    store.database.documents.delete_many({"projectId": ObjectId(project.id)})
    rows = []
    for number in range(120):
        state = draw.choice([None, *BriefState])
        ends = draw.choice([None, NOW - timedelta(hours=1), NOW + timedelta(hours=1)])
        claim_expires = ends if state == BriefState.CLAIMED else None
        day = draw.choice([None, None, *DAYS])
        row = like | {
            "_id": ObjectId(),
            "slug": f"loaf-{number}",
            "slugs": [f"loaf-{number}"],
            "slugKeys": [f"loaf-{number}"],
            "status": str(draw.choice(list(DocumentStatus))),
            "title": f"{draw.choice('ABC')} loaf {draw.choice(['rye', 'oats'])}",
            "updatedAt": NOW - timedelta(hours=draw.randrange(9)),
            "createdAt": NOW - timedelta(hours=draw.randrange(9)),
            "dueDate": day,
            "isPublished": draw.random() < 0.3,
            "deletedAt": NOW if number % 6 == 0 else None,
            **{name: ObjectId(draw.choice(IDS)) if draw.random() < 0.7 else None for name in FILED},
        }
        brief = {"state": str(state), "keyword": "x", "claimExpiresAt": claim_expires}
        row |= {"brief": brief} if state else {}
        row |= {"status": "drafting"} if claim_expires else {}  # as every move out of the open statuses ends a claim
        rows.append(row | document_keys(row))
    store.database.documents.insert_many(rows)
    return project


FILED = ("categoryId", "clusterId", "assigneeId")
DRAWN: dict[str, list[Any]] = {
    "status": [["idea"], ["review", "published", "drafting"]],
    **{name: [[IDS[0]], [None], [None, IDS[1], IDS[2]]] for name in FILED},
    "briefState": [[str(state)] for state in BriefState] + [["ready", "none"], ["claimed", "drafted"]],
    "isPublished": [True, False],
    "dueAfter": ["2027-02-01"],
    "dueBefore": ["2027-03-31", "2027-06-01"],
    "updatedSince": [NOW - timedelta(hours=4)],
    "words": [["loaf"], ["loaf", "rye"]],
    "slug": [["loaf-1", "loaf-2", "loaf-6", "loaf-12"], [f"loaf-{number}" for number in range(100)], ["none"]],
    "deleted": [True],
}


def meets(row: dict[str, Any], filters: dict[str, Any]) -> bool:
    """Returns whether a document meets filters, by the words of the contract."""
    in_trash, day = row["deletedAt"] is not None, row["dueDate"]
    return (
        in_trash == bool(filters.get("deleted"))
        and all((row.get(name) and str(row[name])) in filters[name] for name in (*FILED, "status") if name in filters)
        and state_of(row) in filters.get("briefState", list(BriefState))
        and row["isPublished"] == filters.get("isPublished", row["isPublished"])
        and ("dueAfter" not in filters or (day is not None and day >= filters["dueAfter"]))
        and ("dueBefore" not in filters or (day is not None and day <= filters["dueBefore"]))
        and ("updatedSince" not in filters or row["updatedAt"] >= filters["updatedSince"])
        and set(filters.get("words", [])) <= set(row["words"])
        and ("slug" not in filters or row["slug"] in filters["slug"])
    )


def state_of(row: dict[str, Any]) -> str:
    return brief_of(row)["state"]


def in_order(rows: list[dict[str, Any]], sort: str) -> list[str]:
    key = {"title": "titleKey"}.get(sort.removeprefix("-"), sort.removeprefix("-"))
    age = ("createdAt", "_id") if key == "dueDate" else ("_id",)
    ordered = sorted(rows, key=lambda row: [row[name] for name in age])
    dated = sorted((row for row in ordered if row[key] is not None), key=lambda row: row[key])
    undated = [row for row in ordered if row[key] is None]
    way = -1 if sort.startswith("-") else 1
    return [str(row["_id"]) for row in (*dated[::way], *undated[::way])]


def cases() -> Iterator[dict[str, Any]]:
    draw = random.Random(3)
    yield {}
    yield from ({name: value} for name, values in DRAWN.items() for value in values)
    for name, values in DRAWN.items():
        yield from ({name: value, "dueAfter": "2027-02-01", "dueBefore": "2027-03-31"} for value in values)
    yield from ({"dueAfter": first, "dueBefore": last} for first, last in RANGES * 3)  # each in three orders
    for _ in range(60):
        yield {name: draw.choice(DRAWN[name]) for name in draw.sample(list(DRAWN), draw.choice([2, 2, 3]))}


@pytest.mark.contract("decided-documents.list-filters", "decided-documents.list-sorts", "decided-pages.slug")
@pytest.mark.parametrize("few", [0, 10, 1_000])
@pytest.mark.parametrize("deep", [1, 1_000])
def test_every_page_is_the_lists_part_at_its_place(
    library: Project, monkeypatch: pytest.MonkeyPatch, few: int, deep: int
) -> None:
    monkeypatch.setattr(document_lists, "FEW", few)
    monkeypatch.setattr(collection, "DEEP_OFFSET", deep)
    rows = list(library.store.database.documents.find({"projectId": ObjectId(library.id)}))

    for number, filters in enumerate(cases()):
        sort, offset = SORTS[number % len(SORTS)], number % 7
        found = library.store[Documents].list(library.id, filters, sort=sort, limit=5, offset=offset)

        wanted = in_order([row for row in rows if meets(row, filters)], sort)
        assert [row["id"] for row in found] == wanted[offset : offset + 5], (filters, sort, offset)


@pytest.mark.contract("decided-pages.count")
def test_the_count_is_of_all_pages(library: Project) -> None:
    rows = list(library.store.database.documents.find({"projectId": ObjectId(library.id)}))

    for filters in cases():
        counted = library.store[Documents].count(library.id, filters)

        assert counted == sum(meets(row, filters) for row in rows), filters


@pytest.mark.contract("decided-briefs.list", "decided-briefs.until-ended")
@pytest.mark.parametrize("deep", [1, 1_000])
def test_every_page_of_briefs_is_the_lists_part_at_its_place(
    library: Project, monkeypatch: pytest.MonkeyPatch, deep: int
) -> None:
    monkeypatch.setattr(collection, "DEEP_OFFSET", deep)
    rows = [
        row
        for row in library.store.database.documents.find({"projectId": ObjectId(library.id)})
        if "brief" in row and row["deletedAt"] is None
    ]
    rows.sort(key=lambda row: (row["dueKey"], row["createdAt"], row["_id"]))

    for states in (*([state] for state in BriefState), ["ready", "claimed"], list(BriefState)):
        listed = [
            str(row["_id"])
            for row in rows
            if state_of(row) in states and (state_of(row) != BriefState.READY or row["status"] in OPEN)
        ]
        for offset in (0, 3):
            found = library.store[Documents].list_briefs(library.id, states, limit=5, offset=offset)
            assert [row["id"] for row in found] == listed[offset : offset + 5], (states, offset)


def test_a_page_is_read_again_when_a_document_leaves_the_list_meanwhile(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "DEEP_OFFSET", 1)
    ctx = project.context()
    first, second, third = (a_ready_brief(ctx, title=title) for title in ("Rye", "Oats", "Spelt"))
    find, calls = collection.Collection._find, []

    def withdrawn_meanwhile(self: Any, project_id: str, condition: Any, **options: Any) -> Any:
        if "_id" in condition:
            calls.append(condition)
            if len(calls) == 1:
                OPERATIONS["withdraw_brief"](ctx, second["id"])
        return find(self, project_id, condition, **options)

    monkeypatch.setattr(collection.Collection, "_find", withdrawn_meanwhile)

    page = OPERATIONS["list_briefs"](ctx, fields={"state": ["ready"], "limit": 50, "offset": 1}).body

    assert [brief["id"] for brief in page] == [third["id"]]
    assert first["id"] != third["id"]
    assert len(calls) == 2


def test_a_page_is_read_again_when_a_document_gets_a_due_date_before_it_meanwhile(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = project.context()
    oats, rye, spelt = (a_document(ctx, title=title) for title in ("Oats", "Rye", "Spelt"))
    count, calls = collection.Collection._count, []

    def dated_meanwhile(self: Any, *arguments: Any) -> int:
        calls.append(arguments)
        if len(calls) == 1:
            for one in (rye, spelt):
                OPERATIONS["update_document"](ctx, one["id"], fields={"dueDate": "2027-01-31"})
        return count(self, *arguments)

    monkeypatch.setattr(collection.Collection, "_count", dated_meanwhile)

    page = OPERATIONS["list_documents"](ctx, fields={"sort": "-dueDate", "limit": 50, "offset": 1}).body

    assert [one["id"] for one in page] == [rye["id"], oats["id"]]


def test_a_page_shows_no_document_twice_that_loses_its_due_date_meanwhile(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = project.context()
    oats, rye = (a_document(ctx, title=title, dueDate="2027-01-31") for title in ("Oats", "Rye"))
    find, calls = collection.Collection._find, []

    def undated_meanwhile(self: Any, *arguments: Any, **options: Any) -> Any:
        found = find(self, *arguments, **options)
        if options.get("sort") and not calls:
            calls.append(arguments)
            OPERATIONS["update_document"](ctx, rye["id"], fields={"dueDate": None})
        return found

    monkeypatch.setattr(collection.Collection, "_find", undated_meanwhile)

    page = OPERATIONS["list_documents"](ctx, fields={"sort": "-dueDate", "limit": 50, "offset": 0}).body

    assert [one["id"] for one in page] == [oats["id"], rye["id"]]


@pytest.mark.contract("decided-documents.filing-lists")
def test_lists_of_briefs_show_a_categorys_new_name_at_once(project: Project) -> None:
    ctx = project.context()
    category = made(ctx, "category", name="Bread", slug="bread")
    a_ready_brief(ctx, categoryId=category["id"])
    a_ready_brief(ctx)

    OPERATIONS["update_category"](ctx, category["id"], fields={"name": "Baking"})

    briefs = OPERATIONS["list_briefs"](ctx, fields={"state": ["ready"], "limit": 50, "offset": 0}).body
    assert sorted(brief["category"] for brief in briefs) == ["", "Baking"]
