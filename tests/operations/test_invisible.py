"""Nothing of one project is ever visible from another: for every operation there is (decisions, section 2)."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import Refusal
from app.operations.catalogue import CATALOGUE
from app.operations.operation import Operation
from app.rest.examples import request_example
from app.store.collection import new_id
from tests.make import OPERATIONS, Project, a_project, a_ready_brief, made

pytestmark = pytest.mark.needs_mongod

NO_ID = "0123456789abcdef01234567"


def records_of(project: Project) -> dict[str, str]:
    """Makes one of everything that has an id and returns the ids by the names that operations have for them."""
    token = project.token()
    ctx = project.context(token)
    webhook = (
        OPERATIONS["create_webhook"](ctx, fields={"url": "https://a.example"}).body["id"]
        if "create_webhook" in OPERATIONS
        else new_id()
    )
    return {
        "documentId": a_ready_brief(ctx, markdown="# Rye")["id"],
        "intentId": OPERATIONS["create_document_intent"](ctx, fields={"title": "Rye"}).body["id"],
        "categoryId": made(ctx, "category", name="Bread", slug="bread")["id"],
        "clusterId": made(ctx, "cluster", name="Rye")["id"],
        "memberId": OPERATIONS["create_member"](ctx, fields={"name": "Ada"}).body["id"],
        "tokenId": token.id,
        "webhookId": webhook,
        "deliveryId": new_id(),
        "version": "1",
        "number": "1",
    }


def fields_of(operation: Operation) -> dict[str, Any]:
    """Returns what the operation may be called with: the example of its body, the defaults of its query."""
    fields: dict[str, Any] = {"from": 1, "to": 1, "from_": 1, "limit": 10, "offset": 0}
    if operation.body is not None:
        fields |= request_example(operation.body)
    return {name: value for name, value in fields.items() if not name.endswith("Id")}


def refused(operation: Operation, ctx: Any, ids: list[str]) -> tuple[int, dict[str, Any]]:
    with pytest.raises(Refusal) as refusal:
        operation(ctx, *ids, fields=fields_of(operation))
    return refusal.value.status, refusal.value.body()


@pytest.mark.contract("decided-projects.invisible", "authentication.2", "service.one-project")
@pytest.mark.parametrize("operation", [one for one in CATALOGUE if one.path], ids=lambda one: one.name)
def test_an_id_of_another_project_answers_exactly_as_one_that_never_existed(operation, store, project) -> None:
    theirs, ctx = records_of(a_project(store)), project.context()
    named = [f"{operation.name.rpartition('_')[2]}Id" if name == "id" else name for name in operation.path]
    assert set(named) <= theirs.keys(), "say in `records_of` how to make one"

    never = refused(operation, ctx, ["1" if name in ("version", "number") else NO_ID for name in named])
    there = refused(operation, ctx, [theirs[name] for name in named])

    assert never[0] == 404
    assert there == never


LISTS = [one for one in CATALOGUE if one.many and not one.path]


@pytest.mark.contract("decided-projects.invisible")
@pytest.mark.parametrize("operation", LISTS, ids=lambda one: one.name)
def test_a_list_holds_nothing_of_another_project(operation, store, project) -> None:
    theirs = set(records_of(a_project(store)).values())
    fields = {**fields_of(operation), "state": ["none", "ready"], "sort": "-updatedAt"}

    listed = operation(project.context(), fields=fields).body

    assert not theirs & {record["id"] for record in listed}
