"""From form 1 to 2: keys that slugs, keywords and words are compared by, and the project in every record."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from pymongo import UpdateOne

from app.core.slugs import slug_key
from app.core.store.collection import from_bson
from app.core.store.form import Step
from app.core.store.migration import BATCH, COMMENT, Work
from app.core.store.types import Bson
from app.core.text.words import search_words
from app.documents.keys import document_keys

MOST_PROBLEMS = 50
UNSHARDED = f"{COMMENT}: form 1 was never sharded"

REPLACED = (
    ("documents", "projectId_slugs_live"),
    ("documents", "projectId_brief.keyword_live"),
    ("documents", "listed_by_due_date"),
    ("tokens", "hash"),
)
"""Indexes that have other keys or options now, or none."""

DELIVERED = ("title", "subtitle", "excerpt")
"""The fields of a publication that searches look into."""


def _run(work: Work) -> None:
    work.each("documents", lambda row: _document(work, row), {"outbox": 0})
    work.each("publications", lambda row: {"words": _words(row)}, {"words": 1, **dict.fromkeys(DELIVERED, 1)})
    for name in ("counters", "feeds"):
        _add_project(work, name)
    _count_deliveries(work)
    for collection, index in REPLACED:
        work.drop_index(collection, index)


def _document(work: Work, row: Bson) -> Bson:
    """Returns the keys of a document as this release derives them, without those of paragraphs, which it computes."""
    trashed: Any = row.get("trashedPublication")
    delivered = {"trashedPublication": {**trashed, "words": _words(trashed)}} if trashed else {}
    return {**document_keys(from_bson(row), features=work.store.features), "written": None, **delivered}


def _words(delivered: Bson) -> list[str]:
    return search_words(*(delivered.get(name) or "" for name in DELIVERED))


def _add_project(work: Work, name: str) -> None:
    """Gives records under a project's id the project, by which they can be sharded."""
    collection = work.store.database[name]
    collection.update_many({"projectId": None}, [{"$set": {"projectId": "$_id"}}], comment=UNSHARDED)


def _count_deliveries(work: Work) -> None:
    """Moves the delivery revision of each project into a collection of its own: it never goes back."""
    counters, revisions = work.store.database.counters, work.store.database.deliveryRevisions
    while rows := list(counters.find({"delivery": {"$exists": True}}, {"delivery": 1}, limit=BATCH, comment=COMMENT)):
        ones = [{"_id": row["_id"], "projectId": row["_id"]} for row in rows]
        new: Bson = {"$setOnInsert": {"counted": []}}
        revisions.bulk_write(
            [
                UpdateOne(one, {"$max": {"number": row["delivery"]}, **new}, upsert=True)
                for one, row in zip(ones, rows, strict=True)
            ]
        )
        counters.bulk_write([UpdateOne(one, {"$unset": {"delivery": ""}}) for one in ones])


def _problems(work: Work) -> Sequence[str]:
    """Returns the documents whose slugs are the same to this release, as they differ by case alone."""
    lines = [
        line
        for project in work.store.database.projects.find({}, {"_id": 1}, comment=COMMENT)
        for line in _alike(work, project)
    ]
    more = len(lines) - MOST_PROBLEMS
    return [*lines[:MOST_PROBLEMS], *([f"And {more} more."] if more > 0 else [])]


def _alike(work: Work, project: Bson) -> Iterator[str]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    live = {"projectId": project["_id"], "deletedAt": None}
    for row in work.store.database.documents.find(live, {"slugs": 1}, sort=[("_id", 1)]):
        for slug in row["slugs"]:
            found[slug_key(slug)][str(row["_id"])] = slug
    for same in found.values():
        if len(same) > 1:
            named = ", ".join(f"{slug!r} of {document}" for document, slug in same.items())
            remedy = "Change all but one, by the release before."
            yield f"Project {project['_id']}: the slugs {named} are the same now. {remedy}"


STEP = Step(
    "names",
    "slugs and keywords are compared without case and accents, and every record names its project",
    _run,
    _problems,
)
