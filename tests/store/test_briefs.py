"""The filters find what the rules of briefs allow, and nothing else, in every combination there is."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from bson import ObjectId
from pymongo.collection import Collection

from app.rules.briefs import MOVES, first_refusal, needs_no_move
from app.rules.etags import matches, read_tags
from app.store.conditions import brief_move_filter, brief_state_filter, document_etag_filter, expire_lease_stage
from app.vocabulary import BriefState
from tests.make import OPERATIONS, Project, a_ready_brief
from tests.rules.test_briefs import CALLS, DOCUMENTS, NOW, stands

Found = Callable[[Mapping[str, Any]], set[int]]


@pytest.fixture
def rows(project: Project) -> list[dict[str, Any]]:
    """A document in every state that there is, stored as it is."""
    every = [
        {"_id": ObjectId(), "projectId": ObjectId(project.id), "slugs": [str(place)], "deletedAt": None}
        | {"rev": 1 + place % 3, "version": 1 + place % 2, "outbox": [], **document}
        for place, document in enumerate(DOCUMENTS)
    ]
    project.store.database.documents.insert_many(every)
    return every


@pytest.fixture
def found(project: Project, rows: list[dict[str, Any]]) -> Found:
    """Tells which of the documents a condition finds, by their places."""
    places = {row["_id"]: place for place, row in enumerate(rows)}

    def find(condition: Mapping[str, Any]) -> set[int]:
        where = {"projectId": ObjectId(project.id), **condition}
        return {places[row["_id"]] for row in project.store.database.documents.find(where, {"_id": 1})}

    return find


@pytest.mark.contract("brief-moves.claim", "decided-briefs.expired-is-ready")
@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.event)
def test_the_filter_of_a_move_finds_a_document_if_and_only_if_the_rule_allows_it(found, move) -> None:
    for asked in CALLS:
        allowed = {
            place
            for place, document in enumerate(DOCUMENTS)
            if first_refusal(move.refusals, document, asked) is None and not needs_no_move(move, document, asked)
        }
        assert found(brief_move_filter(move, asked)) == allowed, asked


@pytest.mark.contract("decided-briefs.expired-is-ready")
@pytest.mark.parametrize("state", BriefState)
def test_the_filter_of_a_state_finds_the_briefs_that_stand_in_it_now(found, state) -> None:
    standing = {place for place, document in enumerate(DOCUMENTS) if stands(document)[0] == state}

    assert found(brief_state_filter((state,), NOW, any_expired=True)) == standing


@pytest.mark.parametrize("header", ["*", '"1-1"', '"1-1x"', '"2-2"', '"1-2", "2-3x"', '"3"', '"9-9"', "none of ours"])
def test_the_filter_of_tags_finds_the_documents_that_the_rule_matches(found, rows, header) -> None:
    tags = read_tags(header)

    matching = {place for place, row in enumerate(rows) if matches(tags, row, NOW)}

    assert found({"$and": [{}, document_etag_filter(tags, NOW)]}) == matching


@pytest.mark.contract("decided-briefs.expired-event")
def test_settling_writes_down_exactly_the_claims_that_ran_out(project, rows) -> None:
    for document, row in zip(DOCUMENTS, rows, strict=True):
        changed = project.store.database.documents.find_one_and_update(
            {"_id": row["_id"]}, [expire_lease_stage(NOW)], return_document=True
        )
        lease_expired_filter = document.get("brief", {}).get("state") == "claimed" and stands(document)[0] == "ready"
        assert [event["type"] for event in changed["outbox"]] == (["brief.expired"] if lease_expired_filter else [])
        given_back = {"state": "ready", "claimedBy": None, "claimedAt": None, "claimExpiresAt": None}
        assert changed.get("brief") == (given_back if lease_expired_filter else document.get("brief"))


def test_between_an_operation_and_its_write_are_the_query_method_and_the_change(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, seen = Collection.find_one_and_update, []

    def noted(*arguments: Any, **options: Any) -> Any:
        seen.append([frame.name for frame in traceback.extract_stack() if "/app/store/" in frame.filename])
        return write(*arguments, **options)

    brief = a_ready_brief(project.context())
    monkeypatch.setattr(Collection, "find_one_and_update", noted)
    OPERATIONS["claim_brief"](project.context(), brief["id"], fields={})

    assert [frames[:2] for frames in seen] == [["move", "_change"]]
