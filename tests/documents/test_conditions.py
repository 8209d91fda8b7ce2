"""The tables as conditions: MongoDB finds a document if and only if the rule lets it move."""

from dataclasses import replace
from itertools import product
from operator import attrgetter
from typing import Any

import pytest
from bson import ObjectId

from app.rules import briefs, documents
from app.rules.briefs import MoveRequest
from app.store.conditions import brief_move_filter, status_move_filter
from app.store.store import Store
from app.vocabulary import Channel
from tests.documents.states import CLAIMED_AT, HOLDER, NOW, every_document
from tests.make import Project

ANOTHER = "6650f0a1b2c3d4e5f6a7b8d0"
CALLERS = [
    MoveRequest(token, channel, NOW, agent, claimed_at)
    for token, channel, agent, claimed_at in product(
        (HOLDER, ANOTHER, None), (Channel.REST, Channel.MCP), ("writer-1", ""), (None, CLAIMED_AT, NOW)
    )
]


@pytest.fixture
def everything(store: Store, project: Project) -> dict[ObjectId, dict[str, Any]]:
    """Every document there can be, stored as it is."""
    rows = [
        {**document, "_id": ObjectId(), "projectId": ObjectId(project.id), "slugs": [f"document-{number}"]}
        for number, document in enumerate(every_document())
    ]
    store.database.documents.insert_many(rows)
    return {row["_id"]: row for row in rows}


def found(store: Store, project: Project, condition: dict[str, Any]) -> set[ObjectId]:
    """Returns the documents that meet a condition."""
    where = {"projectId": ObjectId(project.id), **condition}
    return {row["_id"] for row in store.database.documents.find(where, {"_id": 1})}


@pytest.mark.parametrize("move", documents.MOVES, ids=attrgetter("name"))
def test_a_document_may_leave_its_status_iff_no_refusal_says_otherwise(
    store: Store, project: Project, everything: dict[ObjectId, Any], move: documents.StatusMove
) -> None:
    for asked, review_required, base in product(CALLERS, (True, False), (None, 3, 4)):
        request = replace(asked, review_required=review_required)
        condition = status_move_filter(move, request, base_version=base)
        free = {one for one, document in everything.items() if documents.refusal(move, document, request, base) is None}
        assert found(store, project, condition) == free, (asked, review_required, base)


@pytest.mark.parametrize("move", briefs.MOVES, ids=attrgetter("event"))
def test_a_brief_may_move_iff_no_refusal_says_otherwise_and_there_is_something_to_do(
    store: Store, project: Project, everything: dict[ObjectId, Any], move: briefs.BriefMove
) -> None:
    for asked in CALLERS:
        free = {
            one
            for one, document in everything.items()
            if briefs.first_refusal(move.refusals, document, asked) is None
            and not briefs.needs_no_move(move, document, asked)
        }
        assert found(store, project, brief_move_filter(move, asked)) == free, asked
