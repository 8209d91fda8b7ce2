"""The lines of an export: one JSON object each, whose `type` says which stored record it is.

A line refers only to earlier lines: settings, members, categories (parents first), clusters, pictures, then for each
document its texts, its versions, its threads, its sources and last the document itself. The first line names the
format, and the last one says how many there are, so that an export that was cut short is noticed.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from graphlib import TopologicalSorter
from typing import Annotated, Any, NotRequired, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from app.categories.rules import StoredCategory, StoredCluster
from app.categories.schemas import DraftCategoryFields, DraftClusterFields
from app.core.documented import Id, Version
from app.core.features import Features
from app.core.schemas.fields import Schema
from app.core.schemas.loading import problems
from app.core.schemas.validation import word_of
from app.core.times import Instant
from app.documents.record import StoredBrief
from app.images.rules import StoredImage
from app.images.vocabulary import ImageType
from app.projects.responses import Project
from app.projects.rules import StoredMember
from app.projects.schemas import MemberFields
from app.provenance.reviews import AttributedRevision, Generation, HumanReview
from app.publications.record import PublishedFields
from app.review.rules import ReviewedDocument, StoredThread
from app.sources.responses import WithSourceList
from app.sources.rules import DeliveredSource, SourcedDocument, StoredSource
from app.transfers.schemas import (
    BodyRules,
    DocumentRules,
    ImageRules,
    ProjectRules,
    RevisionRules,
    SourceRules,
    ThreadRules,
)

FORMAT = 1
"""The version of the format; an import refuses any other."""

COLLECTIONS = {
    "project": "projects",
    "member": "members",
    "category": "categories",
    "cluster": "clusters",
    "image": "images",
    "body": "bodies",
    "revision": "revisions",
    "thread": "threads",
    "source": "sources",
    "document": "documents",
}
"""The collection of each type of line."""

REFERENCES = {
    "assigneeId": "members",
    "authorId": "members",
    "categoryId": "categories",
    "clusterId": "clusters",
    "documentId": "documents",
    "internalLinks": "documents",
    "bodyId": "bodies",
    "contentId": "bodies",
    "markdownId": "bodies",
}
"""The collection of the record that each of these fields of a line names, wherever it is."""


class HeadLine(TypedDict):
    """The first line."""

    version: Annotated[int, Field(ge=FORMAT, le=FORMAT)]


class EndLine(TypedDict):
    """The last line: how many there are before it."""

    lines: int


class BodyLine(TypedDict):
    """A text of a document."""

    id: Id
    documentId: Id
    text: str


class SnapshotLine(PublishedFields):
    """Delivered snapshot of a document; the import renders its html."""

    version: Version
    markdownId: Id
    publishedAt: Instant
    updatedAt: Instant
    sources: NotRequired[list[DeliveredSource] | None]


class ReviewLine(HumanReview, WithSourceList):
    """The record of a review, with the sources that it attests."""


class ExportedDocument(ReviewedDocument, SourcedDocument):
    """A document with what features store in it."""


def _line(stored: type, *left_out: str, total: bool = True, **others: Any) -> type:
    """Returns the type of the lines that a stored record becomes, without some fields, with others in their place.

    Where it is not `total`, any field may be missing.
    """
    fields = get_type_hints(stored, include_extras=True) | others
    kept = {name: kind for name, kind in fields.items() if name not in left_out}
    return TypedDict(f"Exported{stored.__name__}", kept, total=total)  # type: ignore[operator, no-any-return]


BriefLine = _line(StoredBrief, "expiredClaim")
GenerationLine = _line(Generation, total=False)

NOT_SETTINGS = ("id", "teamId", "slack", "frozen", "createdAt", "updatedAt")
"""The keys of a project that no other project gets: where notices go is nobody else's, and a copy is not frozen."""

LINES: Mapping[str, type] = {
    "export": HeadLine,
    "project": Project,
    "member": _line(StoredMember, "projectId", "rev", slug=NotRequired[str | None]),
    "category": _line(StoredCategory, "projectId", "deletedAt", "rev"),
    "cluster": _line(StoredCluster, "projectId", "deletedAt", "rev"),
    "image": _line(
        StoredImage,
        *("projectId", "rev", "deletedAt", "type", "made", "fileId", "usedAt"),
        mediaType=Annotated[str, word_of(ImageType)],
        data=str,
    ),
    "body": BodyLine,
    "revision": _line(
        AttributedRevision,
        *("id", "projectId", "scripted", "reverts", "revertsTo", "undone"),
        generation=NotRequired[GenerationLine | None],
        review=NotRequired[ReviewLine | None],
    ),
    "thread": _line(StoredThread, "stateSince", "mentions"),
    "source": _line(StoredSource, "projectId"),
    "document": _line(
        ExportedDocument,
        *("projectId", "slugs", "statusSince", "statusBy", "published", "scheduledBy", "publishedAt", "rev"),
        *("trashedPublication", "roundsAt", "publishFailedAt", "unresolvedThreads", "mustThreads", "openSince"),
        *("assignedAt", "assignedBy"),
        brief=NotRequired[BriefLine | None],
        snapshot=NotRequired[SnapshotLine | None],
    ),
    "end": EndLine,
}
"""The type of each line: the stored record without what an import derives, and without what stays in a project.

That of the settings is made by `_type_of`, since features add to them."""

PARTS = {"brief": BriefLine, "generation": GenerationLine, "snapshot": SnapshotLine}
"""Those fields of lines whose own fields may be missing."""

_PUBLISHED = "title slug subtitle metaTitle metaDescription excerpt coverImageUrl categoryId"
FIRST: Mapping[str, str] = {
    "project": "name reviewRequired siteUrl previewUrl categoryUrl claimLeaseSeconds guidelines fourEyes checks "
    "reviewRecord maxRounds views",
    "member": "id name createdAt deletedAt email role",
    "category": "id name createdAt description createdBy updatedAt slug categoryId",
    "cluster": "id name createdAt description createdBy updatedAt keywords",
    "revision": f"{_PUBLISHED} kind generation suggestedBy documentId version bodyId wordCount at by review",
    "document": f"{_PUBLISHED} id key pastSlugs status statusBefore assigneeId authorId clusterId dueDate version "
    "wordCount contentId contentUpdatedAt contentUpdatedBy isPublished createdAt createdBy updatedAt publishAt "
    "deletedAt reviewNote review submittedBy brief rounds snapshot",
    "snapshot": f"{_PUBLISHED} version markdownId publishedAt updatedAt",
}
"""The fields of lines and of their parts as the first release wrote them, in its order.

Later fields follow unless they are null, so that each release exports a project that lacks them to the same bytes. Any
other line or part has its fields as its type has them."""

RULES: Mapping[str, type[Schema]] = {
    "project": ProjectRules,
    "member": MemberFields,
    "category": DraftCategoryFields,
    "cluster": DraftClusterFields,
    "image": ImageRules,
    "body": BodyRules,
    "revision": RevisionRules,
    "thread": ThreadRules,
    "source": SourceRules,
    "document": DocumentRules,
}
"""Schemas of the values of a line's fields, besides their types."""


MESSAGES = {
    "missing": "Is required.",
    "string_type": "Must be a string.",
    "string_pattern_mismatch": "Must be an id of 24 hexadecimal digits.",
    "int_type": "Must be an integer.",
    "bool_type": "Must be true or false.",
    "list_type": "Must be an array.",
    "dict_type": "Must be an object.",
    "greater_than_equal": "Must be at least {ge}.",
    "less_than_equal": "Must be at most {le}.",
}
"""The messages of pydantic's types of errors, in the words of requests."""


class InvalidLine(Exception):
    """A line that no record can be made of; the message lists everything that is wrong with it."""

    def __init__(self, line: Mapping[str, Any], why: str) -> None:
        super().__init__(why)
        self.line = line


def line_of(features: Features, kind: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a stored record as a line; `snapshot` of a document is its publication."""
    line = _adapter(features, kind).dump_python(dict(record), mode="json", warnings=False)
    whole = _whole(features, kind, line)
    parts = {name: _in_order(name, whole[name]) for name in PARTS if whole.get(name)}
    return {"type": kind, **_in_order(kind, whole | parts)}


def _in_order(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Returns a line or a part with its fields in the order of `FIRST`."""
    if name not in FIRST:
        return values
    first = [field for field in FIRST[name].split() if field in values]
    later = sorted(field for field in values.keys() - first if values[field] is not None)
    return {field: values[field] for field in (*first, *later)}


def record_of(features: Features, line: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a line as the record to store, with all of its fields, None if missing. Raises `InvalidLine`."""
    kind = line["type"]
    known = _type_of(features, kind).__annotations__
    given = {name: _composed(name, value) for name, value in line.items() if value is not None and name in known}
    wrong: list[str] = []
    record: dict[str, Any] = {}
    try:
        record = _validated(features, kind, given)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            reason = "missing" if one["input"] is None else one["type"]  # `_validated` makes what is missing null
            known = MESSAGES.get(reason, "").format(**one.get("ctx", {}))
            message = known or one["msg"].removeprefix("Value error, ")
            wrong.append(f"{_path(one['loc'])}: {message}")
    if kind in RULES:
        wrong += [f"{one['field']}: {one['message']}" for one in problems(features.schema_of(RULES[kind]), given)]
    if wrong:
        raise InvalidLine(line, " ".join(dict.fromkeys(wrong)))
    return _whole(features, kind, record)


def _path(keys: Iterable[str | int]) -> str:
    """Returns where a value is, like `comments[0].body`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


def _composed(name: str, value: Any) -> Any:
    """Returns a value of a line with its slugs and keys in composed form (NFC), in which they are looked up."""
    if isinstance(value, dict):
        return {inner: _composed(inner, one) for inner, one in value.items()}
    if isinstance(value, list):
        return [_composed("", one) if isinstance(one, dict) else one for one in value]
    return unicodedata.normalize("NFC", value) if name in ("slug", "key") and isinstance(value, str) else value


def renamed(kind: str, record: Mapping[str, Any], new_id: Callable[[str, str], str]) -> dict[str, Any]:
    """Returns a record with each id replaced by `new_id(collection, id)`."""

    def mapped(value: Any, collection: str | None) -> Any:
        if isinstance(value, Mapping):
            return {name: mapped(inner, REFERENCES.get(name)) for name, inner in value.items()}
        if isinstance(value, list):
            return [mapped(inner, collection) for inner in value]
        return new_id(collection, value) if collection and value else value

    own = {"id": new_id(COLLECTIONS[kind], record["id"])} if "id" in record else {}
    return {**mapped(record, None), **own}


def parents_first(categories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns categories, which are sorted by id, with each parent before its subcategories."""
    by_id = {category["id"]: category for category in categories}
    parents = {one: {category["categoryId"]} & by_id.keys() for one, category in by_id.items()}
    return [by_id[one] for one in TopologicalSorter(parents).static_order()]


@cache
def _type_of(features: Features, kind: str) -> Any:
    """Returns the type of a line; that of the settings is the project as it is shown, of which any may be missing."""
    return _line(features.response_of(Project), *NOT_SETTINGS, total=False) if kind == "project" else LINES[kind]


@cache
def _adapter(features: Features, kind: str) -> TypeAdapter[dict[str, Any]]:
    return TypeAdapter(_type_of(features, kind))


def _validated(features: Features, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a line, loaded; raises pydantic's error. A missing one is null, and null may be missing."""
    required = dict.fromkeys(_type_of(features, kind).__required_keys__)
    return _adapter(features, kind).validate_python(required | dict(given), strict=True)


def _whole(features: Features, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all fields of a line, also of its parts, None if missing."""
    whole = {name: values.get(name) for name in _type_of(features, kind).__annotations__}
    parts = {name: part for name, part in PARTS.items() if whole.get(name)}
    return whole | {name: {one: values[name].get(one) for one in part.__annotations__} for name, part in parts.items()}
