"""What confirming a draft finds wrong, and the record that a draft becomes (contract: Intent; decisions, section 4)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from app.errors import Problem
from app.rules.actors import Actor
from app.rules.briefs import written_brief
from app.rules.caps import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.rules.documents import NO_CLAIM
from app.rules.references import ExistingRecords, link_problems, reference_problems
from app.schemas.intents import INTENT_FIELDS
from app.schemas.loading import Fields, in_order, problems
from app.vocabulary import BriefState, DocumentStatus, Kind


class StoredIntent(TypedDict):
    """A draft as the store returns it; lists leave out the markdown among its fields."""

    id: str
    projectId: str
    tokenId: str
    kind: str
    slot: int
    fields: dict[str, Any]
    """The fields set so far, as they were sent."""
    words: NotRequired[int | None]
    """The number of words in its markdown; none without."""
    byAgent: NotRequired[bool]
    """Whether an agent wrote its markdown, or it came over MCP."""
    createdAt: datetime
    createdBy: Actor
    updatedAt: datetime
    rev: int


@dataclass
class Facts:
    """What confirming has to know of the project besides the draft."""

    found: ExistingRecords = field(default_factory=ExistingRecords)
    taken: bool = False
    """Whether the slug, or the name of a cluster, is another record's."""
    full: bool = False
    """Whether the project has as many records of the kind as it may have."""


TAKEN = {
    Kind.DOCUMENT: Problem(
        field="slug", message="Another document has this slug: choose another, or clear it for a free one."
    ),
    Kind.CLUSTER: Problem(field="name", message="Another cluster has this name (upper and lower case count as equal)."),
    Kind.CATEGORY: Problem(field="slug", message="Another category has this slug: choose another."),
}
FULL = {
    Kind.CLUSTER: f"The project has {CLUSTERS_PER_PROJECT} clusters, the most there may be.",
    Kind.CATEGORY: f"The project has {CATEGORIES_PER_PROJECT:,} categories, the most there may be: delete one first.",
}


def confirm_problems(kind: Kind, fields: Fields, facts: Facts) -> list[Problem]:
    """Returns every reason why the draft can't be confirmed, sorted by field; none when it can."""
    links = (fields.get("brief") or {}).get("internalLinks")
    wrong = [*problems(INTENT_FIELDS[kind], fields), *reference_problems(fields, facts.found)]
    wrong += link_problems(links, facts.found, prefix="brief.")
    wrong += [TAKEN[kind]] if facts.taken else []
    wrong += [Problem(field="name", message=FULL[kind])] if facts.full else []
    return in_order(wrong)


def new_document(fields: Fields, *, slug: str, words: int, by: Actor, now: datetime) -> dict[str, Any]:
    """Returns the record of a document that begins with the fields of a draft that has no problem.

    `words` is the number of words in its markdown.
    """
    brief = fields.get("brief")
    status = fields.get("status") or (DocumentStatus.DRAFTING if brief is None else DocumentStatus.IDEA)
    category_id = _lower(fields.get("categoryId"))
    record = {
        "title": fields["title"],
        "slug": slug,
        "status": status,
        "assigneeId": _lower(fields.get("assigneeId")),
        "authorId": None,
        "categoryId": category_id,
        "clusterId": _lower(fields.get("clusterId")),
        "dueDate": fields.get("dueDate"),
        "version": 1,
        "wordCount": words,
        "isPublished": False,
        "publishedAt": None,
        "published": None,
        "deletedAt": None,
        "createdAt": now,
        "createdBy": by,
        "updatedAt": now,
        "contentUpdatedAt": now,
        "contentUpdatedBy": by,
    }
    return record if brief is None else record | {"brief": new_brief(brief)}


def new_brief(fields: Fields) -> dict[str, Any]:
    """Returns the brief that a document begins with."""
    written = {name: value for name, value in written_brief(fields).items() if value is not None}
    return written | {"state": BriefState.NONE, **NO_CLAIM}


def new_cluster(fields: Fields, *, by: Actor, now: datetime) -> dict[str, Any]:
    """Returns the record of a cluster."""
    named = {name: fields.get(name) for name in ("name", "description", "keywords")}
    return named | {"createdAt": now, "createdBy": by, "updatedAt": now}


def new_category(fields: Fields, *, by: Actor, now: datetime) -> dict[str, Any]:
    """Returns the record of a category."""
    named = {name: fields.get(name) for name in ("name", "slug", "description")}
    filed = {"categoryId": _lower(fields.get("categoryId"))}
    return named | filed | {"createdAt": now, "createdBy": by, "updatedAt": now}


def _lower(record_id: str | None) -> str | None:
    return record_id.lower() if record_id else None
