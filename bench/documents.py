"""A page of documents in a project of 100,000, beside the same in one of 1,000: a list must not slow down."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from statistics import median
from typing import Any

from bson import ObjectId

from app.operations.context import Context, this_instant
from app.rules.slugs import slug_of
from app.rules.text import search_words
from app.store.store import Store
from app.vocabulary import BriefState, DocumentStatus
from tests.make import OPERATIONS, Project, a_document, a_project

FEW, MANY = 1_000, 100_000
BATCH = 5_000
CALLS = 200
PER_CATEGORY = 500
STATUSES, STATES = tuple(DocumentStatus), tuple(BriefState)


def run(uri: str, store: Store) -> list[tuple[str, float, float]]:
    """Returns (what, pages a second among 100,000 documents, those among 1,000) for each page that is measured."""
    many, few = (_filled(a_project(store), number) for number in (MANY, FEW))
    return [(what, *_pages_a_second(page(many), page(few))) for what, page in PAGES.items()]


Page = Callable[[], Any]


def _list(**query: Any) -> Callable[[Project], Page]:
    def page(project: Project) -> Page:
        ctx: Context = project.context()
        fields = {"sort": "-updatedAt", "limit": 50, "offset": 0, **query}
        if fields.get("categoryId"):
            fields["categoryId"] = [str(_category(project))]
        return lambda: OPERATIONS["list_documents"](ctx, fields=fields)

    return page


def _briefs(project: Project) -> Page:
    ctx = project.context()
    return lambda: OPERATIONS["list_briefs"](ctx, fields={"state": ["ready"], "limit": 50, "offset": 0})


PAGES: dict[str, Callable[[Project], Page]] = {
    f"GET /documents, {MANY:,} beside {FEW:,}": _list(),
    "… by due date": _list(sort="dueDate"),
    "… by title": _list(sort="title"),
    "… in one status": _list(status=["review"]),
    "… in three statuses, by due date": _list(status=["idea", "planned", "drafting"], sort="dueDate"),
    "… in one category": _list(categoryId=True),
    "… with a word that 10 have": _list(q="loaf7"),
    "GET /briefs, among so many": _briefs,
}


def _pages_a_second(many: Page, few: Page) -> tuple[float, float]:
    """Returns how often a second each page can be read; taking turns, so that both have the same conditions."""
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(CALLS):
        for page, times in zip((many, few), took, strict=True):
            began = time.perf_counter()
            if len(page().body) == 0:
                raise RuntimeError("The page is empty, so nothing was measured.")
            if number >= CALLS // 10:
                times.append(time.perf_counter() - began)
    return 1 / median(took[0]), 1 / median(took[1])


def _category(project: Project) -> ObjectId:
    """Returns the id of a category that a fixed number of the project's documents is in."""
    return ObjectId(project.id[:-4] + "cafe")


def _filled(project: Project, number: int) -> Project:
    """Fills a project with documents as the service keeps them, much faster than it would make them."""
    collection = project.store.database.documents
    made = a_document(project.context(), brief={"keyword": "x"})
    like = collection.find_one({"_id": ObjectId(made["id"])})
    rows: list[dict[str, Any]] = []
    for row in _rows(like, project, number):
        rows.append(row)
        if len(rows) == BATCH:
            collection.insert_many(rows, ordered=False)
            rows.clear()
    if rows:
        collection.insert_many(rows, ordered=False)
    return project


def _rows(like: Any, project: Project, number: int) -> Iterator[dict[str, Any]]:
    now = this_instant()
    for place in range(number):
        title = f"Loaf {place} of loaf{place // 10}"
        slug, day = slug_of(title), f"{2027 + place % 9}-{place % 12 + 1:02}-{place % 28 + 1:02}"
        yield {
            **like,
            "_id": ObjectId(),
            "title": title,
            "titleKey": title.casefold(),
            "titleWords": search_words(title),
            "slug": slug,
            "slugs": [slug],
            "slugWords": search_words(slug),
            "words": sorted({*search_words(title), *search_words(slug)}),
            "status": STATUSES[place % len(STATUSES)],
            "brief": {**like["brief"], "state": STATES[place % len(STATES)]},
            "categoryId": _category(project) if place < PER_CATEGORY else None,
            "dueDate": day,
            "dueKey": day,
            "updatedAt": now - timedelta(seconds=place),
            "createdAt": now - timedelta(seconds=place),
            "outbox": [],
        }
