"""What MongoDB itself refuses to store: records without a project, or whose kind, state or counters are impossible.

They catch mistakes in a shell and bugs of this service. They do not repeat what the operations check; all
other fields may have any value: so no validator rejects a write that the operations allow.
"""

from collections.abc import Mapping
from enum import StrEnum

from pymongo.database import Database

from app.core.store.types import Bson

ID: Bson = {"bsonType": "objectId"}
TEXT: Bson = {"bsonType": "string"}
COUNT: Bson = {"bsonType": "number", "minimum": 1}
TIME: Bson = {"bsonType": "date"}
ITEMS: Bson = {"bsonType": "array"}


def one_of(words: type[StrEnum]) -> Bson:
    """Returns the schema of a field with one of the words."""
    return {"enum": [str(word) for word in words]}


def validator(optional: Mapping[str, Bson] | None = None, **required: Bson) -> Bson:
    """Returns a collection's validator as MongoDB takes it; records may lack optional fields."""
    properties = {**required, **(optional or {})}
    return {"$jsonSchema": {"bsonType": "object", "required": [*required], "properties": properties}}


def record_validator(optional: Mapping[str, Bson] | None = None, **required: Bson) -> Bson:
    """Returns the validator of records with an outbox."""
    return validator(optional, projectId=ID, rev=COUNT, outbox=ITEMS, **required)


def create_validators(database: Database[Bson], validators: Mapping[str, Bson]) -> None:
    """Gives every collection its validator; records that break it already are left, and may be written to.

    The collections exist, as they have indexes. A validator that is as it should be is not set again: that would wait
    for every write to the collection.
    """
    present = _present(database)
    for collection, wanted in validators.items():
        if present.get(collection) != wanted:
            database.command("collMod", collection, validator=wanted, validationLevel="moderate")


def differences(database: Database[Bson], validators: Mapping[str, Bson]) -> list[str]:
    """Returns a line for each collection whose validator is missing or another."""
    present = _present(database)
    return [
        f"{collection}: the validator is another: `content-workflow db init` replaces it."
        if present.get(collection)
        else f"{collection}: the validator is missing."
        for collection, wanted in sorted(validators.items())
        if present.get(collection) != wanted
    ]


def missing(database: Database[Bson], validators: Mapping[str, Bson]) -> list[str]:
    """Returns the collections without a validator; another version's counts as one."""
    present = _present(database)
    return [collection for collection in validators if not present.get(collection)]


def _present(database: Database[Bson]) -> dict[str, Bson | None]:
    """Returns the collections that there are, each with its validator."""
    return {row["name"]: row.get("options", {}).get("validator") for row in database.list_collections()}
