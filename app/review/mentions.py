"""Members who are named in comments of threads, as `@` and their name (decisions, section 19)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from app.core.context import Context
from app.core.slugs import name_key
from app.projects.store import Members
from app.review.rules import StoredMention, StoredThread
from app.review.vocabulary import ThreadState


def note_mentions(ctx: Context, after: StoredThread, before: StoredThread | None = None) -> StoredThread:
    """Returns a changed thread with the members who are named in it and did not answer since; none if it is resolved.

    Who wrote a comment has answered, and is not told of their own.
    """
    known = 0 if before is None else len(before["comments"])
    mentions = list((before or after).get("mentions") or ())
    for comment in after["comments"][known:]:
        named = _named(comment["text"], _members(ctx)) if "@" in comment["text"] else set()
        others = [one for one in mentions if one["memberId"] not in {ctx.caller.member_id, *named}]
        told = [StoredMention(memberId=one, at=comment["at"]) for one in sorted(named) if one != ctx.caller.member_id]
        mentions = others + told
    if after["state"] == ThreadState.RESOLVED:
        mentions = []
    return after if mentions == (after.get("mentions") or []) else cast(StoredThread, {**after, "mentions": mentions})


def _members(ctx: Context) -> Iterable[Mapping[str, Any]]:
    return ctx.store[Members].all_named(ctx.project_id)


def _named(text: str, members: Iterable[Mapping[str, Any]]) -> set[str]:
    """Returns the ids of the members who are named in a text; where several names begin alike, by the longest."""
    ids: dict[str, set[str]] = {}
    for member in members:
        for name in {name_key(member["name"]), name_key((member["email"] or "").partition("@")[0])} - {""}:
            ids.setdefault(name, set()).add(member["id"])
    if not ids:
        return set()
    names = "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True))
    naming = re.compile(rf"(?<![\w.+-])@({names})(?!\w|[.+-]\w)")
    return set().union(*(ids[found] for found in naming.findall(name_key(text))))
