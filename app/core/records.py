"""Responses that show a stored record: the keys that they declare, with instants as JSON has them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import Id, Timestamp, doc
from app.core.times import Instant, wire_time

R = TypeVar("R")


def record_of(response: type[R], stored: Mapping[str, Any], **changes: Any) -> R:
    """Returns the keys of a response from a stored record, with `changes`.

    What is unset is an empty text, an empty list, 0 or false, and null where the response declares that it may be null
    (decisions, section 4).
    """
    kinds = _kinds_of(response)  # type: ignore[arg-type]  # mypy: a TypedDict's class has no hash
    values = {**stored, **changes} if changes else stored
    shown = {}
    for name, kind in kinds:
        value = values.get(name)
        if value is None:
            value = kind and kind()
        elif type(value) is datetime:
            value = wire_time(value)
        shown[name] = value
    return cast(R, shown)


@cache
def _kinds_of(response: type) -> Sequence[tuple[str, Any]]:
    """Returns the keys of a response, each with its type; None where it may be null."""
    return [(name, _kind(hint)) for name, hint in get_type_hints(response, include_extras=True).items()]


def _kind(hint: Any) -> Any:
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    kind = get_origin(kind) or kind
    return kind if kind in (str, int, bool, list, dict) else None


class Stored(TypedDict):
    """The fields of stored records."""

    id: Id
    projectId: str
    createdAt: Instant
    rev: int


class Identified(TypedDict):
    """A record's id."""

    id: Annotated[Id, doc("its id")]


class Created(TypedDict):
    """Where a document, cluster or category belongs, and who created it."""

    projectId: Annotated[Id, doc("its project")]
    teamId: Annotated[Id, doc("the project's team")]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    createdBy: Annotated[Actor, doc("who created it")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]
