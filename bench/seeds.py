"""The data of the benchmarks: documents of real text, written as the service stores them, much faster than it would."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from bson import ObjectId
from pymongo import UpdateOne

from app.core.context import this_instant
from app.core.slugs import slug_of
from app.core.text.html import word_count
from app.documents.keys import document_keys
from app.features import ALL
from app.provenance.rules import digests_of, dump_origins, origins_after
from tests.core.text.prose import PROSE
from tests.make import Project, Token, a_document

BATCH = 2_000
CLAIM = {"claimedBy": None, "claimedAt": None, "claimExpiresAt": None}


@cache
def _pages() -> str:
    return "\n\n".join(page.read_text() for page in sorted((Path(__file__).parent.parent / "docs").glob("*.md")))


def prose(language: str, size: int, number: int) -> str:
    """Returns about so many bytes of prose in a language; another text for each number."""
    paragraph = PROSE[language]
    return f"# {number}\n\n{paragraph * (size // len(paragraph.encode()))}"


def text(length: int, number: int) -> str:
    """Returns so many characters of the pages in `docs`; another part of them for each number."""
    pages = _pages()
    start = number * 997 % (len(pages) - length - 20)
    return f"{number}. {pages[start : start + length]}"[:length]


def insert(collection: Any, rows: Iterable[dict[str, Any]]) -> None:
    """Inserts rows a batch at a time."""
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH)):
        collection.insert_many(batch, ordered=False)


def fill(project: Project, count: int, *, length: int = 0, **fields: Any) -> list[str]:
    """Adds documents with ready briefs, each with a text of a length, and returns their ids.

    `fields` are those of the stored record; a function is given the document's place.
    """
    database = project.store.database
    first = a_document(project.context(), title=f"Loaf {ObjectId()}", brief={"keyword": "x"})
    like = database.documents.find_one({"_id": ObjectId(first["id"])})
    ids: list[str] = []
    waiting = _rows(like, count, fields)
    while rows := list(islice(waiting, BATCH)):
        if length:
            bodies = [
                {
                    **{"_id": row["contentId"], "projectId": row["projectId"], "documentId": row["_id"]},
                    "text": text(length, number),
                    "origins": dump_origins(origins_after([], [], digests_of(text(length, number)), 1)),
                }
                for number, row in enumerate(rows, len(ids))
            ]
            database.bodies.insert_many(bodies, ordered=False)
        database.documents.insert_many(rows, ordered=False)
        ids += [str(row["_id"]) for row in rows]
    return ids


def _rows(like: Any, count: int, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    now = this_instant()
    for place in range(count):
        title = f"How to bake loaf {place} of loaf{place // 10}"
        slug, day = slug_of(title), f"{2027 + place % 9}-{place % 12 + 1:02}-{place % 28 + 1:02}"
        row = {
            **like,
            "_id": ObjectId(),
            "contentId": ObjectId(),
            "title": title,
            "slug": slug,
            "slugs": [slug],
            "brief": {"keyword": f"loaf {place}", "state": "ready", **CLAIM},
            "dueDate": day,
            "updatedAt": now - timedelta(seconds=place),
            "createdAt": now - timedelta(seconds=place),
            "outbox": [],
            **{name: value(place) if callable(value) else value for name, value in fields.items()},
        }
        yield row | document_keys(row, features=ALL)


def offer_again(project: Project) -> None:
    """Makes every claimed brief ready again, as before the last turn."""
    documents = project.store.database.documents
    claimed = {"projectId": ObjectId(project.id), "brief.state": "claimed", "brief.claimExpiresAt": None}
    updates = []
    for row in documents.find(claimed):
        ready = {**row, "status": "idea", "brief": {**row["brief"], "state": "ready", **CLAIM}}
        changes = {"status": "idea", "brief": ready["brief"], "listed": document_keys(ready)["listed"]}
        updates.append(UpdateOne({"_id": row["_id"]}, {"$set": changes}))
    if updates:
        documents.bulk_write(updates, ordered=False)


def drafts(project: Project, tokens: list[Token], each: int, length: int, turn: int) -> list[tuple[Token, str]]:
    """Replaces the drafts of tokens by new ones; returns each with the token that owns it."""
    intents, now = project.store.database.intents, this_instant()
    intents.delete_many({"projectId": ObjectId(project.id)})
    rows: list[dict[str, Any]] = []
    owned: list[tuple[Token, str]] = []
    for token in tokens:
        for slot in range(each):
            markdown = text(length, len(rows))
            rows.append(
                {
                    **{"_id": ObjectId(), "projectId": ObjectId(project.id), "tokenId": ObjectId(token.id), "rev": 1},
                    **{"kind": "document", "slot": slot, "createdAt": now, "updatedAt": now},
                    "createdBy": token.caller.actor,
                    "fields": {"title": f"Loaf {len(rows)} of turn {turn}", "markdown": markdown},
                    "words": word_count(markdown) if len(rows) < 5 else 1_500,
                }
            )
            owned.append((token, str(rows[-1]["_id"])))
    insert(intents, rows)
    return owned
