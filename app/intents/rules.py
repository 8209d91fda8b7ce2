"""Problems that a confirm finds, and the record that a draft becomes (contract: Intent; decisions, section 4)."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NotRequired

from app.categories.references import ExistingRecords, link_problems, reference_problems
from app.categories.rules import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.categories.rules import TAKEN as OF_FILING
from app.core.actors import Actor
from app.core.errors import Problem
from app.core.features import Features
from app.core.records import Stored
from app.core.schemas.loading import Fields, in_order, problems
from app.core.vocabulary import Kind
from app.intents.schemas import INTENT_FIELDS


class StoredIntent(Stored):
    """A draft as the store returns it; lists leave out the markdown among its fields."""

    tokenId: str
    kind: str
    slot: int
    fields: dict[str, Any]
    """The fields set so far, as they were sent."""
    words: NotRequired[int | None]
    """The number of words in its markdown; none without."""
    createdBy: Actor
    updatedAt: datetime


@dataclass
class Facts:
    """Facts of the project that confirming needs besides the draft."""

    found: ExistingRecords = field(default_factory=ExistingRecords)
    taken: bool = False
    """True if the slug, or the name of a cluster, is another record's."""
    full: bool = False
    """True if the project has as many records of the kind as it may have."""


TAKEN = {
    **OF_FILING,
    Kind.DOCUMENT: Problem(
        field="slug", message="Another document has this slug: choose another, or clear it for a free one."
    ),
}


FULL = {
    Kind.CLUSTER: f"The project has {CLUSTERS_PER_PROJECT} clusters, the most there may be.",
    Kind.CATEGORY: f"The project has {CATEGORIES_PER_PROJECT:,} categories, the most there may be: delete one first.",
}


def confirm_problems(features: Features, kind: Kind, fields: Fields, facts: Facts) -> list[Problem]:
    """Returns every reason why the draft can't be confirmed, sorted by field; none when it can."""
    links = (fields.get("brief") or {}).get("internalLinks")
    wrong = [*problems(features.schema_of(INTENT_FIELDS[kind]), fields), *reference_problems(fields, facts.found)]
    wrong += link_problems(links, facts.found, prefix="brief.")
    wrong += [TAKEN[kind]] if facts.taken else []
    wrong += [Problem(field="name", message=FULL[kind])] if facts.full else []
    return in_order(wrong)


DRAFTS_PER_TOKEN = 100
