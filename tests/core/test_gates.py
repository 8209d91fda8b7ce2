"""Without a feature, nothing of it refuses what the contract allows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import Context
from app.core.errors import Refusal
from app.core.features import folder_of
from app.features import ALL
from tests.make import OPERATIONS, Project, made

Setting = dict[str, Any]


def submit(ctx: Context, document: str) -> None:
    OPERATIONS["submit_document"](ctx, document, fields={})


def approve(ctx: Context, document: str) -> None:
    OPERATIONS["approve_document"](ctx, document, fields={})


def publish(ctx: Context, document: str) -> None:
    OPERATIONS["publish_document"](ctx, document, fields={})


REFUSED: list[tuple[str, Setting, Setting, Callable[[Context, str], None], str]] = [
    ("review", {}, {"mustThreads": {"a" * 24: "open"}}, submit, "ThreadsOpen"),
    ("review", {}, {"mustThreads": {"a" * 24: "answered"}}, publish, "ThreadsOpen"),
    ("checks", {"checks": {"meta_title": "error"}}, {}, submit, "ChecksFailed"),
    ("provenance", {"reviewRecord": "required"}, {}, approve, "HumanReviewRequired"),
    ("provenance", {"reviewRecord": "required"}, {}, publish, "HumanReviewRequired"),
    ("guards", {"fourEyes": True}, {}, approve, "FourEyes"),
]


@pytest.mark.parametrize(("feature", "settings", "fields", "move", "refusal"), REFUSED)
def test_a_feature_that_is_left_out_refuses_nothing(
    project: Project, feature: str, settings: Setting, fields: Setting, move: Callable[..., None], refusal: str
) -> None:
    ctx = project.context()
    document = made(ctx, "document", title="Rye", markdown="Rye.")["id"]
    changes = {"$set": {**settings, "reviewRequired": False}}
    project.store.database.projects.update_one({"_id": ObjectId(project.id)}, changes)
    project.store.database.documents.update_one({"_id": ObjectId(document)}, {"$set": {"version": 1, **fields}})

    with pytest.raises(Refusal) as refused:
        move(ctx, document)
    move(replace(ctx, store=replace(project.store, features=ALL.without(feature))), document)

    assert refused.value.tag == refusal


def test_without_the_guards_no_write_counts_and_a_frozen_project_is_open(project: Project) -> None:
    ctx = project.context(project.token(scopes=["write"]))
    caller = replace(ctx.caller, token={"budget": {"writesPerHour": 1}}, project={"frozen": {"note": "", "by": {}}})
    left_out = replace(ctx, caller=caller, store=replace(project.store, features=ALL.without("guards")))

    for _ in range(2):
        OPERATIONS["create_document_intent"](left_out, fields={})


@pytest.mark.parametrize("feature", ["review", "checks", "provenance", "guards"])
def test_a_feature_that_is_left_out_has_no_gates_and_no_errors(feature: str) -> None:
    features = ALL.without(feature)

    assert not [one for one in (*features.gates, *features.write_gates) if folder_of(one) == feature]
    errors = {error.__module__ for one in features.operations for error in features.errors_of(one)}
    # The rounds of requests for changes are declared at the operation.
    assert f"app.{feature}.errors" not in errors or feature == "review"
