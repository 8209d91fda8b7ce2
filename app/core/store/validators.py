"""What MongoDB itself refuses to store: records without a project, or whose kind, state or counters are impossible.

They catch mistakes in a shell and bugs of this service. They do not repeat what the operations check; all
other fields may have any value: so no validator rejects a write that the operations allow.
"""

from collections.abc import Mapping
from enum import StrEnum

from pymongo.database import Database

from app.core.store.types import Bson
from app.core.vocabulary import BriefState, DocumentStatus, Kind, Role, TokenKind
from app.review.vocabulary import ThreadLevel, ThreadState

ID = {"bsonType": "objectId"}
TEXT = {"bsonType": "string"}
COUNT = {"bsonType": "number", "minimum": 1}
TIME = {"bsonType": "date"}
ITEMS = {"bsonType": "array"}


def _word(words: type[StrEnum]) -> Bson:
    return {"enum": [str(word) for word in words]}


def _record(**fields: Bson) -> Bson:
    return {"projectId": ID, "rev": COUNT, "outbox": ITEMS, **fields}


_BRIEF = {"bsonType": ["object", "null"], "properties": {"state": _word(BriefState)}}

REQUIRED: Mapping[str, Bson] = {
    "projects": _record(teamId=ID, name=TEXT),
    "members": _record(name=TEXT, role=_word(Role)),
    "tokens": _record(kind=_word(TokenKind), name=TEXT, hash=TEXT, scopes=ITEMS),
    "categories": _record(name=TEXT, slug=TEXT),
    "clusters": _record(name=TEXT),
    "documents": _record(title=TEXT, slug=TEXT, slugs=ITEMS, status=_word(DocumentStatus), version=COUNT),
    "intents": {"projectId": ID, "tokenId": ID, "kind": _word(Kind), "slot": {"bsonType": "number", "minimum": 0}},
    "bodies": {"projectId": ID, "documentId": ID, "text": TEXT},
    "revisions": {"projectId": ID, "documentId": ID, "version": COUNT, "at": TIME},
    "threads": {
        **{"projectId": ID, "documentId": ID, "rev": COUNT, "version": COUNT, "comments": ITEMS},
        **{"level": _word(ThreadLevel), "state": _word(ThreadState)},
    },
    "events": {"projectId": ID, "sequence": COUNT, "type": TEXT, "at": TIME},
}
"""The schemas of the fields that every record of a collection has."""

OPTIONAL: Mapping[str, Bson] = {"documents": {"brief": _BRIEF, "isPublished": {"bsonType": "bool"}}}
"""The schemas of the fields that a record may have."""


def validator(collection: str) -> Bson:
    """Returns a collection's validator as MongoDB takes it."""
    required = REQUIRED[collection]
    properties = {**required, **OPTIONAL.get(collection, {})}
    return {"$jsonSchema": {"bsonType": "object", "required": [*required], "properties": properties}}


def create_validators(database: Database[Bson]) -> None:
    """Gives every collection its validator; records that break it already are left, and may be written to.

    The collections exist, as they have indexes. A validator that is as it should be is not set again: that would wait
    for every write to the collection.
    """
    present = _present(database)
    for collection in REQUIRED:
        if present.get(collection) != validator(collection):
            database.command("collMod", collection, validator=validator(collection), validationLevel="moderate")


def differences(database: Database[Bson]) -> list[str]:
    """Returns a line for each collection whose validator is missing or another."""
    present = _present(database)
    return [
        f"{collection}: the validator is another: `content-workflow db init` replaces it."
        if present.get(collection)
        else f"{collection}: the validator is missing."
        for collection in sorted(REQUIRED)
        if present.get(collection) != validator(collection)
    ]


def missing(database: Database[Bson]) -> list[str]:
    """Returns the collections without a validator; another version's counts as one."""
    present = _present(database)
    return [collection for collection in REQUIRED if not present.get(collection)]


def _present(database: Database[Bson]) -> dict[str, Bson | None]:
    """Returns the collections that there are, each with its validator."""
    return {row["name"]: row.get("options", {}).get("validator") for row in database.list_collections()}
