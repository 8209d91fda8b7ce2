"""Stored documents in every state there is, for walking the tables."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.record import NO_CLAIM

NOW = datetime(2027, 1, 31, 9, tzinfo=UTC)
HOLDER = "6650f0a1b2c3d4e5f6a7b8c9"
CLAIMED_AT = NOW - timedelta(hours=1)

_ACTOR = {"type": "token", "id": HOLDER, "name": "Night writer", "agent": "writer-1"}
_CLAIM = {"state": BriefState.CLAIMED, "claimedBy": _ACTOR, "claimedAt": CLAIMED_AT, "claimExpiresAt": None}

BRIEFS: dict[str, Any] = {
    "unwritten": None,
    "none": {"state": BriefState.NONE, **NO_CLAIM},
    "ready": {"state": BriefState.READY, **NO_CLAIM},
    "claimed": _CLAIM,
    "leased": {**_CLAIM, "claimExpiresAt": NOW + timedelta(milliseconds=1)},
    "expired": {**_CLAIM, "claimExpiresAt": NOW},
    "drafted": {"state": BriefState.DRAFTED, **NO_CLAIM},
}


def a_document_in(
    status: DocumentStatus,
    *,
    live: bool = False,
    changed: bool = False,
    content: bool = True,
    before: DocumentStatus = DocumentStatus.DRAFTING,
    brief: str = "unwritten",
) -> dict[str, Any]:
    """Makes the stored record of a document in a state."""
    return {
        "status": status,
        "statusBefore": before if status == DocumentStatus.SCHEDULED else None,
        "isPublished": live,
        "published": {"version": 2 if changed else 3} if live else None,
        "version": 3,
        "slug": "rye",
        "contentId": HOLDER if content else None,
        "deletedAt": None,
        **({} if BRIEFS[brief] is None else {"brief": BRIEFS[brief]}),
    }


def every_document() -> Iterator[dict[str, Any]]:
    """Makes a document for every status, brief, publication and content, and each status before a schedule."""
    befores = (DocumentStatus.DRAFTING, DocumentStatus.APPROVED, DocumentStatus.PUBLISHED)
    publications = ((False, False), (True, False), (True, True))
    for status, brief, (live, changed), content in product(DocumentStatus, BRIEFS, publications, (True, False)):
        for before in befores if status == DocumentStatus.SCHEDULED else befores[:1]:
            yield a_document_in(status, live=live, changed=changed, content=content, before=before, brief=brief)
