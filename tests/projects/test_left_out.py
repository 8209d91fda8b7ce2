"""Settings of projects, members and tokens in an application without the feature that they belong to."""

from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import Context
from app.core.vocabulary import TokenKind
from app.features import ALL
from app.projects.access import Access
from tests.make import Project

pytestmark = pytest.mark.needs_mongod

SETTINGS: dict[str, dict[str, Any]] = {
    "checks": {"checks": {"links": "error"}},
    "guards": {"fourEyes": True},
    "notices": {"slack": "https://hooks.slack.com/services/T0/B0/x"},
    "packets": {"guidelines": "Write plainly."},
    "provenance": {"reviewRecord": "required"},
    "review": {"maxRounds": 3},
}
"""A setting of a project for each feature that has one."""


def call(ctx: Context, operation_name: str, /, *ids: str, **sent: Any) -> Any:
    """Runs an operation of an application as an interface does: what no schema names is ignored."""
    operation = ctx.features.by_name[operation_name]
    schema = ctx.features.schema_of(operation.body or operation.query)
    return operation(ctx, *ids, fields=schema().load(sent)).body


def context_without(project: Project, *names: str) -> Context:
    return replace(project.context(), store=replace(project.store, features=ALL.without(*names)))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_a_feature_that_is_left_out_is_unknown(project: Project, name: str) -> None:
    ctx = context_without(project, name)
    every = {key: value for one in SETTINGS.values() for key, value in one.items()}

    changed = call(ctx, "update_project", **every)

    assert changed.keys() & every.keys() == every.keys() - SETTINGS[name].keys()
    stored = project.store.database.projects.find_one({"_id": ObjectId(project.id)}, dict.fromkeys(every, 1)) or {}
    assert stored.keys() - {"_id"} == every.keys() - SETTINGS[name].keys()


def test_members_and_tokens_have_nothing_but_what_the_contract_names(project: Project) -> None:
    ctx = context_without(project, *SETTINGS, "oauth")
    member = call(ctx, "create_member", name="Ada")
    member = call(ctx, "update_member", member["id"], name="Ada Lovelace", notify={"email": True})
    token = call(ctx, "create_token", name="A script", budget={"writesPerHour": 1})
    [*_, listed] = call(ctx, "list_tokens")

    assert member.keys() == {"id", "name", "slug", "email", "role", "bio", "imageUrl", "createdAt"}
    assert token.keys() == listed.keys() | {"token"}
    assert {"budget", "client", "grantedBy"} & listed.keys() == set()
    assert Access(ctx.store).authenticate(token["token"], TokenKind.MANAGEMENT, ctx.now).name == "A script"
