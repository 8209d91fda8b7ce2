"""Stored records: how responses show them, with instants as JSON has them, and their entity tags.

Every change of a record gives it another tag. A document's is `version-rev`, any other record's is `rev`; `rev` counts
the record's writes. Where an answer depends on more than the record, a suffix follows: a hash of what else is shown.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
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


Tags = tuple[str, ...] | None
"""The states of a record that a caller accepts, as `If-Match` names them; None for any."""


def record_tag(record: Mapping[str, Any]) -> str:
    """Returns the tag of a record that is no document."""
    return str(record["rev"])


def tag_of(record: Mapping[str, Any]) -> str:
    """Returns the tag of a record; a document is known by its version."""
    return f"{record['version']}-{record['rev']}" if "version" in record else record_tag(record)


def read_tags(if_match: str) -> Tags:
    """Returns the tags that an `If-Match` header names, without their hashes; None for `*`, which any state matches.

    A weak tag counts as the strong one: proxies that compress make ours weak, and it names the record whatever its
    coding. A tag in another form names no state and is left out.
    """
    if if_match.strip() == "*":
        return None
    return tuple(re.findall(r'(?<![/\w])(?:W/)?"((?:\d{1,9}-)?\d{1,9})(?:\.[0-9a-f]+)?"', if_match))


def matches(tags: Tags, record: Mapping[str, Any]) -> bool:
    """Returns whether one of the tags is the record's present one."""
    return tags is None or tag_of(record) in tags


def versions_in(tags: Iterable[str]) -> set[int]:
    """Returns the versions that tags name: a document's begins with it (`7-12`), a version's is it (`7`)."""
    return {int(tag.partition("-")[0]) for tag in tags}
