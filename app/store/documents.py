"""Documents and their briefs. A document's long texts stand in `bodies`.

Every write of a document first writes down a claim whose lease ran out by then (`settled`), so that no operation
has to think of it, and none depends on a worker having done it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from bson import ObjectId

from app.rules.actors import SYSTEM
from app.rules.briefs import NO_CLAIM, OPEN, Asked, Move
from app.rules.events import Event
from app.rules.text import search_words
from app.store.collection import Record, Recorded, Tags, event_expression, new_id, object_ids
from app.vocabulary import BriefState

SOONEST_DUE = (("dueKey", 1), ("createdAt", 1), ("_id", 1))
NO_DUE_DATE = "~"
"""The `dueKey` of a document without a due date: after every date."""

LIST_ITEM = ("title", "brief.keyword", "brief.intent", "brief.state", "brief.claimExpiresAt", "status", "dueDate")


class Documents(Recorded):
    """The documents of a project, with their briefs."""

    name = "documents"
    event_data = (
        ("documentId", "_id", None),
        ("status", "status", None),
        ("version", "version", None),
        ("slug", "slug", None),
        ("briefState", "brief.state", BriefState.NONE),
    )

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> Record:
        """Adds a document, with the keys that lists sort and search by."""
        keyword = (record.get("brief") or {}).get("keyword")
        keys = search_keys({**record, "brief.keyword": keyword})
        words = sorted({word for name in WORD_KEYS for word in keys[name]})
        return super().add(project_id, {**record, **keys, "words": words, "slugs": [record["slug"]]}, event)

    def create(self, project_id: str, record: Mapping[str, Any], markdown: str, event: Event) -> Record:
        """Adds a document with its first content as its first version; inside a transaction."""
        document_id = new_id()
        body_id = self._store.bodies.add(project_id, document_id, markdown) if markdown else None
        document = self.add(project_id, {**record, "id": document_id, "contentId": body_id}, event)
        self._store.revisions.add(project_id, document, at=event.at, by=event.by)
        return document

    def get(self, project_id: str, record_id: str, *, trash: bool = False) -> Record | None:
        """Returns a document that is not in the trash (or, on demand, one that is), or None."""
        condition: Record = {"_id": ObjectId(record_id), "deletedAt": {"$ne": None} if trash else None}
        return self._find_one(project_id, condition, {"outbox": 0})

    def known(self, project_id: str, document_ids: Iterable[str]) -> set[str]:
        """Returns those of the ids that are documents of the project."""
        return {row["id"] for row in self.links(project_id, document_ids)}

    def links(self, project_id: str, document_ids: Iterable[str]) -> list[Record]:
        """Returns `id`, `slug` and `title` of those of the documents that exist, in the order asked for."""
        wanted = list(dict.fromkeys(object_ids(document_ids)))
        if not wanted:
            return []
        fields = {"slug": 1, "title": 1}
        found = {row["id"]: row for row in self._find(project_id, _live({"_id": {"$in": wanted}}), fields=fields)}
        return [found[str(one)] for one in wanted if str(one) in found]

    def taken_slugs(self, project_id: str, slugs: Sequence[str], but: str | None = None) -> set[str]:
        """Returns those of the slugs that documents outside the trash have, or are delivered under."""
        condition = _live({"slugs": {"$in": list(slugs)}})
        if but is not None:
            condition["_id"] = {"$ne": ObjectId(but)}
        rows = self._find(project_id, condition, fields={"slugs": 1})
        return {slug for row in rows for slug in row["slugs"]} & set(slugs)

    def change(
        self,
        project_id: str,
        document_id: str,
        condition: Mapping[str, Any],
        *,
        event: Event,
        changes: Mapping[str, Any],
        computed: Mapping[str, Any] | None = None,
    ) -> Record | None:
        """Changes a document that meets a condition of the present, in one atomic write; None when it does not."""
        keys = search_keys(changes)
        words = {"words": _united(keys)} if any(name in keys for name in WORD_KEYS) else {}
        return self._change(
            project_id,
            _live({"_id": ObjectId(document_id), **condition}),
            event=event,
            changes={**changes, **keys, "updatedAt": event.at},
            computed={**words, **(computed or {})},
            first=settled(event.at),
        )

    def move_brief(
        self,
        project_id: str,
        document_id: str,
        move: Move,
        asked: Asked,
        *,
        changes: Mapping[str, Any],
        event: Event,
        tags: Tags,
    ) -> Record | None:
        """Makes a move of the table of brief states if the brief stands where the move leaves from."""
        condition = may_move(move, asked) | at_tags(tags, event.at)
        changes = {"brief.state": move.enters, **{f"brief.{name}": value for name, value in changes.items()}}
        status = changes.pop("brief.status", None)
        return self.change(
            project_id, document_id, condition, event=event, changes=changes | ({"status": status} if status else {})
        )

    def claim_next(
        self, project_id: str, within: Mapping[str, str], move: Move, asked: Asked, changes: Mapping[str, Any], event: Event
    ) -> Record | None:
        """Claims the ready brief that is due soonest, in one atomic write; None when there is none."""
        place = {name: ObjectId(value) for name, value in within.items()}
        branches = [
            {"projectId": ObjectId(project_id), **_live(state), "status": {"$in": list(OPEN)}, **place}
            for state in stands_in(move.leaves, asked.now)
        ]
        brief = {f"brief.{name}": value for name, value in changes.items() if name != "status"}
        return self._change(
            project_id,
            {"$or": branches},
            event=event,
            changes={"brief.state": move.enters, **brief, "status": changes["status"], "updatedAt": event.at},
            first=settled(event.at),
            sort=SOONEST_DUE,
        )

    def write_brief(
        self, project_id: str, document_id: str, fields: Mapping[str, Any], event: Event, tags: Tags
    ) -> Record | None:
        """Sets fields of a brief, null for unset, if that changes something; the brief's state stays."""
        differs: list[Record] = [{f"brief.{name}": {"$ne": value}} for name, value in fields.items()]
        condition: Record = {"$or": [*differs, {"brief": None}]} | at_tags(tags, event.at)
        return self.change(
            project_id,
            document_id,
            condition,
            event=event,
            changes={f"brief.{name}": value for name, value in fields.items()},
            computed={"brief.state": {"$ifNull": ["$brief.state", str(BriefState.NONE)]}},
        )

    def list_briefs(
        self, project_id: str, states: Sequence[BriefState], now: datetime, *, limit: int, offset: int
    ) -> list[Record]:
        """Returns one page of documents with a brief in one of the states, due soonest first."""
        branches = []
        for state in states:
            for stands in stands_in((state,), now):
                open_only = {"status": {"$in": list(OPEN)}} if state == BriefState.READY else {}
                branches.append({"projectId": ObjectId(project_id), **_live(stands), **open_only})
        fields = dict.fromkeys((*LIST_ITEM, "categoryName"), 1)
        return self._find(
            project_id, {"$or": branches}, sort=SOONEST_DUE, skip=offset, limit=limit, fields=fields
        )


WORD_KEYS = ("titleWords", "slugWords", "keywordWords")


def search_keys(changes: Mapping[str, Any]) -> Record:
    """Returns the stored keys that follow from what is written: to sort by title and due date, to search words."""
    keys: Record = {}
    if "title" in changes:
        keys |= {"titleKey": changes["title"].casefold(), "titleWords": search_words(changes["title"])}
    if "slug" in changes:
        keys["slugWords"] = search_words(changes["slug"])
    if "brief.keyword" in changes:
        keys["keywordWords"] = search_words(changes["brief.keyword"] or "")
    if "dueDate" in changes:
        keys["dueKey"] = changes["dueDate"] or NO_DUE_DATE
    return keys


def settled(now: datetime) -> list[Record]:
    """Returns the pipeline stage that writes down a claim whose lease ran out: the brief is ready, an event says so."""
    expired = {
        "$and": [
            {"$eq": ["$brief.state", str(BriefState.CLAIMED)]},
            {"$gt": ["$brief.claimExpiresAt", None]},
            {"$lte": ["$brief.claimExpiresAt", now]},
        ]
    }
    ready = {"$mergeObjects": ["$brief", {"$literal": {"state": str(BriefState.READY), **NO_CLAIM}}]}
    data = {"documentId": "$_id", "status": "$status", "version": "$version", "slug": "$slug"}
    event = event_expression(Event("brief.expired", now, SYSTEM, {"briefState": str(BriefState.READY)}), data)
    return [
        {
            "$set": {
                "brief": {"$cond": [expired, ready, "$brief"]},
                "outbox": {"$cond": [expired, {"$concatArrays": ["$outbox", [event]]}, "$outbox"]},
            }
        }
    ]


def stands_in(states: Iterable[BriefState], now: datetime) -> list[Record]:
    """Returns conditions, one of which a document meets when its brief stands in one of the states now."""
    conditions: list[Record] = []
    for state in states:
        if state == BriefState.CLAIMED:
            holds = {"$or": [{"brief.claimExpiresAt": None}, {"brief.claimExpiresAt": {"$gt": now}}]}
            conditions.append({"brief.state": state, **holds})
        else:
            conditions.append({"brief.state": state})
        if state == BriefState.READY:
            conditions.append({"brief.state": BriefState.CLAIMED, "brief.claimExpiresAt": {"$ne": None, "$lte": now}})
    return conditions


def at_tags(tags: Tags, now: datetime) -> Record:
    """Returns the condition that a document is in one of the states that entity tags name: its claim as seen, too."""
    if tags is None:
        return {}
    expired: Record = {"brief.state": BriefState.CLAIMED, "brief.claimExpiresAt": {"$ne": None, "$lte": now}}
    states = [{"rev": tag.rev, **(expired if tag.expired else {"$nor": [expired]})} for tag in tags]
    return {"$and": [{"$or": states or [{"rev": None}]}]}


def may_move(move: Move, asked: Asked) -> Record:
    """Returns a move's row of the table as a condition: the same rule that `rules.briefs.refusal` reads."""
    branches = stands_in(move.leaves, asked.now)
    if BriefState.NONE in move.leaves:
        branches.append({"brief": None})
    if asked.door in move.by_holder:
        for branch in branches:
            if branch.get("brief.state") == BriefState.CLAIMED and "$or" in branch:
                branch["brief.claimedBy.id"] = asked.token_id
    return {"$or": branches} | ({"status": {"$in": list(OPEN)}} if move.while_open else {})


def _live(condition: Mapping[str, Any]) -> Record:
    return {**condition, "deletedAt": None}


def _united(keys: Mapping[str, Sequence[str]]) -> Record:
    return {"$setUnion": [{"$literal": keys[name]} if name in keys else f"${name}" for name in WORD_KEYS]}
