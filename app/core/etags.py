"""Entity tags: every change of a record gives it another one (decisions, section 3).

A document's tag is `version-rev`, any other record's is `rev`; `rev` counts the record's writes. Where an answer
depends on more than the record, a suffix follows: a hash of what else is shown.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

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

    A weak tag, or one in another form, names no state and is left out.
    """
    if if_match.strip() == "*":
        return None
    return tuple(re.findall(r'(?<![/\w])"((?:\d{1,9}-)?\d{1,9})(?:\.[0-9a-f]+)?"', if_match))


def matches(tags: Tags, record: Mapping[str, Any]) -> bool:
    """Returns whether one of the tags is the record's present one."""
    return tags is None or tag_of(record) in tags


def versions_in(tags: Iterable[str]) -> set[int]:
    """Returns the versions that tags name: a document's begins with it (`7-12`), a version's is it (`7`)."""
    return {int(tag.partition("-")[0]) for tag in tags}
