"""Rows of a sheet without a key: which document each of them means, if any.

A row means the document that has its title as the key, as the same sheet made it before. One that would change what is
published makes a new document, since titles like "Weekly letter" come again; one that would change a document of
another title has to be chosen.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from app.console.sessions import context
from app.core.slugs import numbered
from app.documents.record import StoredDocument
from app.documents.store import Documents
from app.planning.pages.sheets import Sheet

NEW = "new"
MOST_TRIED = 20
"""Maximum number of documents of one title that are told apart."""


@dataclass(frozen=True)
class Meaning:
    """The documents that a row can mean, by their keys, and the key that is chosen, or `NEW`; empty for none yet."""

    documents: Mapping[str, StoredDocument]
    choice: str
    new_key: str
    is_asked: bool
    """True if the page shows the choice."""
    twin: str = ""
    """The id of a document without a key that has the row's title, which no row can change."""

    @property
    def key(self) -> str:
        """The key that the row gets."""
        return self.choice if self.choice in self.documents else self.new_key


def meanings(sheet: Sheet, pieces: Sequence[Mapping[str, Any]], unchanged: Iterable[int] = ()) -> dict[int, Meaning]:
    """Returns what rows mean whose title or key a document has; `unchanged` are those that would change nothing."""
    keys, taken = sheet.cells("key"), {piece["key"] for piece in pieces}
    rows = {place: piece for place, piece in enumerate(pieces) if not (keys and keys[place]) and piece.get("title")}
    store, project_id = context().store[Documents], context().project_id
    tried = {numbered(piece["key"], n) for piece in rows.values() for n in range(1, MOST_TRIED + 1)}
    by_key = store.find_with_keys(project_id, tried)
    titles = {title for piece in rows.values() for title in (piece["title"], " ".join(piece["title"].split()))}
    titled = defaultdict[str, list[StoredDocument]](list)
    for document in store.find_titled(project_id, titles):
        titled[folded(document["title"])].append(document)
    found: dict[int, Meaning] = {}
    used = {piece["key"] for place, piece in rows.items() if _is_own(by_key.get(piece["key"]), piece)}
    for place, piece in rows.items():
        key, chosen = piece["key"], sheet.meant[place] if sheet.meant else ""
        own = by_key.get(key)
        alike = titled[folded(piece["title"])]
        same = [one for one in alike if one.get("key")]
        others = [one for one in same if one is not own and one["key"] not in used and not one["isPublished"]]
        twin = next((one["id"] for one in alike if not one.get("key")), "")
        if own is None and not others:
            if twin:
                found[place] = Meaning({}, NEW, key, is_asked=False, twin=twin)
            continue
        free = next(one for one in (numbered(key, n) for n in count(1)) if one not in by_key and one not in taken)
        live = [one for one in (own, *same) if one and one["deletedAt"] is None]
        documents = {str(one.get("key")): one for one in live}
        if _is_own(own, piece) or (own in live and place in unchanged):
            usual, asked = key, False
        elif own is not None and own in live and folded(own["title"]) != folded(piece["title"]):
            usual, asked = "", True
        else:
            others.sort(key=lambda one: one["dueDate"] != piece.get("dueDate"))
            usual = str(others[0].get("key")) if others else NEW
            asked = own is not None or len(documents) > 1
        choice = chosen if chosen == NEW or chosen in documents else usual
        found[place] = Meaning(documents, choice, free, asked or bool(chosen))
        taken.add(found[place].key)
        used.add(found[place].key)
    return found


def folded(title: str) -> str:
    """Returns a title as it is compared: without case, and with single spaces."""
    return " ".join(title.casefold().split())


def with_meanings(pieces: Sequence[Mapping[str, Any]], found: Mapping[int, Meaning]) -> Iterator[dict[str, Any]]:
    """Yields the pieces with the keys of what they mean."""
    for place, piece in enumerate(pieces):
        yield {**piece, "key": found[place].key} if place in found else dict(piece)


def _is_own(document: StoredDocument | None, piece: Mapping[str, Any]) -> bool:
    """Returns whether a document can be changed by a row without asking."""
    return (
        document is not None
        and document["deletedAt"] is None
        and not document["isPublished"]
        and folded(document["title"]) == folded(piece["title"])
    )
