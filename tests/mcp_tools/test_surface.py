"""The tools as a promise: one for each operation, the same fields as over REST, a snapshot for each.

`UPDATE_SNAPSHOTS=1 python -m pytest tests/mcp_tools/test_surface.py` writes the snapshots anew.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from jsonschema_rs import Draft202012Validator, meta

from app.core import errors
from app.core.operation import Effect, Operation
from app.core.schemas.json_schema import json_schema
from app.core.schemas.loading import cached_schema
from app.core.vocabulary import TOOLSETS, Scope
from app.features import ALL, OPERATIONS
from app.guards.errors import BudgetExceeded, ProjectFrozen
from app.rest.examples import error_examples
from app.rest.response_schemas import error_components
from mcp_tools.arguments import DRY_RUN, KEY, UNSTATED, instructed
from mcp_tools.server import instructions_of
from mcp_tools.tools import tools_of
from tests.make import Project
from tests.mcp_tools.client import ERAS, Agent

TOOLS = tools_of(ALL)
INSTRUCTIONS = instructions_of(ALL)

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = os.environ.get("UPDATE_SNAPSHOTS") == "1"

MCP_ALONE = {"read_document_content": "REST gives a document's content whole (decisions, section 8)"}
"""The tools that are no route, and why."""

ANYWHERE = (
    errors.HttpApiDecodeError,
    errors.Forbidden,
    ProjectFrozen,
    BudgetExceeded,
    errors.RateLimited,
    errors.ServiceUnavailable,
    errors.InternalError,
    errors.IdempotencyConflict,
    errors.IdempotencyMismatch,
)
"""What any tool can answer."""

OF_PEOPLE = {"verify_source": "only a person says that they compared a source (decisions, section 22)"}
"""The operations that are no tool, and why."""

OFFERED = [one for one in OPERATIONS if one.name not in OF_PEOPLE]
EACH_OPERATION = pytest.mark.parametrize("operation", OFFERED, ids=lambda operation: operation.name)


def _served_by_rest(app: Flask) -> set[str]:
    """Returns the operations that have a route, as the OpenAPI document names them."""
    document = app.test_client().get("/openapi.json").json
    ids = {
        route["operationId"] for path in document["paths"].values() for route in path.values() if "operationId" in route
    }
    return {_snake(one) for one in ids}


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _names_on_rest(operation: Operation) -> set[str]:
    """Returns the names that an operation may have there: those on drafts are served once a kind."""
    if operation.name.removesuffix("s").endswith("_intent"):
        kinds = ("document", "cluster", "category")
        return {operation.name} | {operation.name.replace("_intent", f"_{kind}_intent") for kind in kinds}
    return {operation.name}


@pytest.mark.contract("decided-mcp.tools", "service.mcp")
def test_rest_and_mcp_offer_the_same_operations(app: Flask) -> None:
    routes = _served_by_rest(app)

    tools = tools_of(app.extensions["callers"].store.features)
    without_route = {name for name, tool in tools.items() if not _names_on_rest(tool.operation) & routes}
    named = {name for tool in tools.values() for name in _names_on_rest(tool.operation)}

    assert without_route == set(MCP_ALONE) & tools.keys()
    assert routes - named - {"get_health", "get_readiness", *OF_PEOPLE, "export_project", "import_project"} == set()


@pytest.mark.contract("service.mcp")
def test_every_operation_is_a_tool_but_those_of_people_alone() -> None:
    assert list(TOOLS) == [operation.name for operation in OFFERED]


@pytest.mark.contract("decided-mcp.schemas")
@EACH_OPERATION
def test_a_tool_takes_what_its_route_takes(operation: Operation) -> None:
    properties = TOOLS[operation.name].definition.input_schema["properties"]
    batch = operation.batch or operation
    declared = {operation.query, operation.body, batch.query, batch.body}
    tables = [ALL.schema_of(table) for table in declared if table]
    shapes = [json_schema(table) for table in tables]
    fields = {name: one for shape in shapes for name, one in shape.get("properties", {}).items()}

    assert set(properties) - {*operation.id_names} - {KEY, DRY_RUN} == set(fields)
    for name, field in fields.items():
        here = properties[name]
        documented = {
            key: value
            for key, value in field.items()
            if key not in ("description", "default", "properties", "items") and UNSTATED.get(key) != value
        }
        assert {key: here.get(key) for key in documented} == documented


@EACH_OPERATION
def test_no_argument_has_two_meanings(operation: Operation) -> None:
    tables = [cached_schema(ALL.schema_of(table)).fields for table in (operation.query, operation.body) if table]
    names = [*operation.id_names, *(field.data_key or name for table in tables for name, field in table.items())]

    assert len(names) == len(set(names)), f"{operation.name}: {sorted(names)}"


@EACH_OPERATION
def test_schemas_are_plain_objects_that_every_client_understands(operation: Operation) -> None:
    tool = TOOLS[operation.name].definition

    for schema in (tool.input_schema, tool.output_schema):
        assert schema is not None
        meta.validate(schema)
        assert schema["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(schema)
        assert "$ref" not in json.dumps(schema)


@EACH_OPERATION
def test_every_refusal_fits_the_output_schema_for_clients_that_look(operation: Operation) -> None:
    schema = Draft202012Validator(TOOLS[operation.name].definition.output_schema)

    errors = {*ALL.errors_of(operation), *ANYWHERE}
    known = error_components(errors)
    for error in errors:
        for shown in error_examples(error, known).values():
            schema.validate(shown)


@EACH_OPERATION
def test_a_tool_is_described_for_an_agent(operation: Operation) -> None:
    tool = TOOLS[operation.name].definition

    assert tool.description
    assert tool.title
    assert tool.title.replace(" ", "_").lower() == tool.name
    assert "GET /" not in json.dumps(tool.input_schema)


@EACH_OPERATION
def test_every_argument_is_described_by_its_tool_or_by_a_text_that_it_leads_to(operation: Operation) -> None:
    properties = TOOLS[operation.name].definition.input_schema["properties"]
    other = operation.arguments_as
    elsewhere = dict(_described(TOOLS[other].definition.input_schema)) if other else {}
    undescribed = {name for name, one in properties.items() if not one.get("description")}

    assert (
        undescribed - set(operation.id_names) - {KEY, DRY_RUN} - set(elsewhere) - {name for name, _ in instructed(ALL)}
        == set()
    )
    assert not other or f"Arguments as in `{other}`." in (TOOLS[operation.name].definition.description or "")


def _described(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, one in schema.get("properties", {}).items():
        if one.get("description"):
            yield name, one["description"]
        yield from _described(one)


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_the_instructions_are_not_longer_than_clients_show(toolset: str) -> None:
    assert len(instructions_of(ALL, toolset)) <= 2_048  # Claude Code cuts off the rest


def test_the_instructions_name_only_errors_that_a_tool_can_be_refused_with() -> None:
    known = {error.__name__ for operation in OPERATIONS for error in (*ALL.errors_of(operation), *ANYWHERE)}

    known.add("NotFound")  # whatever takes an id
    assert set(re.findall(r"`([A-Z]\w+)`", INSTRUCTIONS)) - known == set()


def test_what_tools_leave_out_is_in_the_instructions_or_in_a_tool_that_is_listed_with_them() -> None:
    assert all(f"`{name}`" in INSTRUCTIONS for name in (KEY, DRY_RUN, *(name for name, _ in instructed(ALL))))
    for operation in (one for one in OPERATIONS if one.arguments_as):
        other = TOOLS[operation.arguments_as].operation
        assert operation.scope == other.scope
        assert set(operation.toolsets) <= set(other.toolsets)


@pytest.mark.contract("decided-mcp.keys")
@EACH_OPERATION
def test_every_tool_that_writes_takes_an_idempotency_key_and_dry_run_and_none_that_reads(operation: Operation) -> None:
    properties = TOOLS[operation.name].definition.input_schema["properties"]

    assert ({KEY, DRY_RUN} <= set(properties)) == (operation.effect != Effect.READS)
    if operation.effect != Effect.READS:
        assert "a new random UUID for each call" in properties[KEY]["description"]
    for name in {KEY, DRY_RUN, "baseVersion", "claimedAt", "generation"} & properties.keys():
        assert properties[name]["description"]


def test_guidance_speaks_of_tools_that_exist() -> None:
    texts = " ".join([INSTRUCTIONS, *(operation.next for operation in OPERATIONS)])
    named = {word.strip("`") for word in texts.split() if word.startswith("`") and "_" in word}

    assert {name.strip(".,:;()`") for name in named} - set(TOOLS) - {"get_…", "_tag"} == set()


@pytest.mark.parametrize("name", ["approve_document", "schedule_document", "publish_document"])
def test_what_ends_another_callers_claim_without_asking_the_checks_says_so(name: str) -> None:
    assert "ends a claim of the brief, and no check prevents it" in (TOOLS[name].definition.description or "")


HINTS = {
    "list_briefs": (True, False, False),
    "claim_next_brief": (False, False, False),
    "claim_brief": (False, False, True),
    "create_document_intent": (False, False, False),
    "discard_intent": (False, True, True),
    "update_document": (False, False, True),
    "publish_document": (False, True, True),
    "delete_document": (False, True, True),
    "rotate_token": (False, True, False),
}


@pytest.mark.parametrize(("name", "hints"), HINTS.items())
def test_annotations_warn_of_what_is_hard_to_take_back(name: str, hints: tuple[bool, bool, bool]) -> None:
    shown = TOOLS[name].definition.annotations

    assert shown is not None
    assert (bool(shown.read_only_hint), bool(shown.destructive_hint), bool(shown.idempotent_hint)) == hints


@pytest.mark.parametrize("era", ERAS)
def test_the_list_is_what_clients_get(agent: Agent, era: str) -> None:
    listed = agent.by(agent.token, era=era).ask("tools/list")["tools"]

    assert [tool["name"] for tool in listed] == list(TOOLS)
    assert all(tool["outputSchema"]["type"] == "object" for tool in listed)


SIZES = {"agent": (frozenset({Scope.READ, Scope.WRITE}), 56_000), "owner": (frozenset(Scope), 86_000)}
"""The most bytes of `tools/list` for the scopes of a token, as all of it goes into an agent's context."""


@pytest.mark.parametrize(("scopes", "most"), SIZES.values(), ids=SIZES)
def test_the_list_of_tools_stays_small(
    agent_of_era: Agent, project: Project, scopes: frozenset[Scope], most: int
) -> None:
    caller = agent_of_era.by(project.token(scopes=scopes))

    assert len(caller.post("tools/list").get_data()) <= most


@pytest.mark.contract("decided-unknown.mcp")
@EACH_OPERATION
def test_no_argument_is_allowed_that_a_tool_does_not_name(operation: Operation) -> None:
    def objects(schema: Any) -> Iterator[dict[str, Any]]:
        if isinstance(schema, dict):
            if "properties" in schema:
                yield schema
            for part in schema.values():
                yield from objects(part)

    assert all(one["additionalProperties"] is False for one in objects(TOOLS[operation.name].definition.input_schema))


@EACH_OPERATION
def test_a_changed_tool_shows_in_its_snapshot(operation: Operation) -> None:
    shown: dict[str, Any] = TOOLS[operation.name].definition.model_dump(mode="json", by_alias=True, exclude_none=True)
    text = json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    file = SNAPSHOTS / f"{operation.name}.json"
    if UPDATE:
        SNAPSHOTS.mkdir(exist_ok=True)
        file.write_text(text)

    assert file.exists(), f"{file.name} is missing: run this file with UPDATE_SNAPSHOTS=1."
    assert json.loads(file.read_text()) == shown


def test_no_snapshot_is_left_of_a_tool_that_is_gone() -> None:
    gone = {file for file in SNAPSHOTS.glob("*.json") if file.stem not in TOOLS}
    if UPDATE:
        for file in gone:
            file.unlink()
        return

    assert gone == set()


def test_llms_txt_names_every_tool_and_needs_no_token(app: Flask) -> None:
    answer = app.test_client().get("/llms.txt")

    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain")
    assert all(f"`{name}`" in answer.text for name in TOOLS)
