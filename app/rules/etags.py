"""Entity tags: every change of a record gives it another one (decisions, section 3).

A document's tag is `version-rev`, any other record's is `rev`; `rev` counts the record's writes. Where an answer
depends on more than the record, a suffix follows: `x` once a claim's lease expired, and a hash of what else is shown.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from app.rules.briefs import claim_expired
from app.rules.documents import NO_BRIEF, StoredDocument, brief_of


@dataclass(frozen=True)
class EntityTag:
    """What an entity tag says of the record: its `rev`, its `version` (documents), and whether its claim expired."""

    rev: int
    version: int | None = None
    expired: bool = False


def record_tag(record: Mapping[str, Any]) -> str:
    """Returns the tag of a record that is no document."""
    return str(record["rev"])


def document_tag(document: StoredDocument, now: datetime) -> str:
    """Returns the tag of a document at an instant."""
    expired = "x" if claim_expired(brief_of(document), now) else ""
    return f"{document['version']}-{document['rev']}{expired}"


def tag_of(record: Mapping[str, Any], now: datetime) -> str:
    """Returns the tag of any record at an instant."""
    return document_tag(cast(StoredDocument, record), now) if "version" in record else record_tag(record)


def read_tags(if_match: str) -> tuple[EntityTag, ...] | None:
    """Returns the tags that an `If-Match` header names; None for `*`, which any state matches.

    A weak tag, or one in another form, names no state and is left out.
    """
    if if_match.strip() == "*":
        return None
    found = re.findall(r'(?<![/\w])"(?:(\d{1,9})-)?(\d{1,9})(x?)(?:\.[0-9a-f]+)?"', if_match)
    return tuple(EntityTag(int(rev), int(version) if version else None, bool(x)) for version, rev, x in found)


def matches(tags: tuple[EntityTag, ...] | None, record: Mapping[str, Any], now: datetime) -> bool:
    """Returns whether one of the tags is the record's present one."""
    present = EntityTag(record["rev"], record.get("version"), claim_expired(record.get("brief") or NO_BRIEF, now))
    return tags is None or present in tags
