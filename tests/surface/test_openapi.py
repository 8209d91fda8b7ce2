"""The OpenAPI document says what the code does: every route, every operation, every error, and an example of each."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask import Flask
from jsonschema_rs import Draft202012Validator

from app.core import errors
from app.core.vocabulary import Kind
from app.features import ALL, OPERATIONS, ServerSettings
from app.intents.schemas import INTENT_FIELDS
from app.rest.api import served
from app.rest.examples import CHANGES
from app.server import create_app
from tests import in_memory
from tests.documented import validators_of

SERVED = served(ALL)

SNAPSHOT = Path(__file__).with_name("openapi.json")
UPDATE = "UPDATE_SNAPSHOTS=1 .venv/bin/python -m pytest tests/surface/test_openapi.py"

NO_MANAGEMENT = (
    *("/openapi.json", "/docs", "/llms.txt", "/graphql", "/delivery", "/mcp", "/metrics", "/console", "/media"),
    *("/calendar.ics", "/notices"),
)
"""Beside the management API: pages, and APIs that describe themselves."""

OF_NO_OPERATION = {"MethodNotAllowed", "NotAcceptable", "ResponseTooLarge"}
"""A path refuses other methods, not an operation; the delivery API alone answers with what is too large."""


@pytest.fixture(scope="module")
def served() -> Flask:
    """The application with every surface; no request reaches the database."""
    return create_app(
        ServerSettings(mongodb_uri="mongodb://none", serve_metrics=True, log_level="CRITICAL"), in_memory.store()
    )


@pytest.fixture(scope="module")
def document(served: Flask) -> dict[str, Any]:
    """The OpenAPI document, as the server gives it."""
    found: dict[str, Any] = served.test_client().get("/openapi.json").json
    return found


def test_the_document_is_the_one_that_was_reviewed(document: dict[str, Any]) -> None:
    written = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(written)

    assert written == SNAPSHOT.read_text(), f"The API changed. If that is meant: {UPDATE}"


def test_the_document_is_short_enough_to_be_read_by_a_model(document: dict[str, Any]) -> None:
    assert len(orjson.dumps(document)) <= 520_000


def test_no_description_is_indented_as_markdown_indents_code(document: dict[str, Any]) -> None:
    assert "\\n    " not in json.dumps(document)


def test_every_route_is_documented_and_every_documented_route_is_served(
    served: Flask, document: dict[str, Any]
) -> None:
    routes = {
        (method, rule.rule.replace("<", "{").replace(">", "}"))
        for rule in served.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.rule.startswith(NO_MANAGEMENT) and rule.rule != "/"
    }

    assert {(method.upper(), path) for path, method, _ in operations(document)} == routes


def test_every_operation_of_the_catalogue_is_served() -> None:
    served = {route.operation.name for route in SERVED}

    assert served == {operation.name for operation in OPERATIONS if operation.route}


def test_every_operation_has_a_summary_a_description_and_an_id_of_its_own(document: dict[str, Any]) -> None:
    found = [operation for _, _, operation in operations(document)]

    assert all(operation["summary"] and operation["description"] and operation["tags"] for operation in found)
    assert len({operation["operationId"] for operation in found}) == len(found)


def test_no_description_names_a_tool_of_mcp(document: dict[str, Any]) -> None:
    tools = {f"`{operation.name}`" for operation in OPERATIONS}
    described = {
        operation["operationId"]: json.dumps(operation)
        for _, _, operation in operations(document)
        if operation["operationId"] != "listDocumentActions"  # whose actions have these names
    }

    assert {name: [one for one in tools if one in text] for name, text in described.items()} == dict.fromkeys(
        described, []
    )


def test_every_parameter_has_a_description(document: dict[str, Any]) -> None:
    parameters = [
        parameter
        for item in document["paths"].values()
        for part in item.values()
        for reference in (part if isinstance(part, list) else part.get("parameters", []))
        for parameter in [_resolved(reference, document)]
    ]

    assert parameters
    assert not [parameter for parameter in parameters if not parameter.get("description")]


def test_every_body_and_every_answer_has_an_example_that_fits(document: dict[str, Any]) -> None:
    validator_of = validators_of(document)
    wrong = [f"{where}: {what}" for where, example in examples(document) for what in misfits(example, validator_of)]

    assert wrong == []


CONSISTENT: dict[str, Callable[[str, dict[str, Any]], bool]] = {
    "kind fields": lambda where, draft: f" /{draft['kind']}-intents" in where,
    "errors": lambda where, refused: (
        "-intents/" not in where
        or any(
            {problem["field"] for problem in refused["errors"]} <= INTENT_FIELDS[kind]().fields.keys()
            for kind in Kind
            if f" /{kind}-intents" in where or where.endswith(" 422")  # which has an example for each kind
        )
    ),
    "valid errors": lambda where, validated: validated["valid"] == (not validated["errors"]),
    "warnings": lambda where, one: " /document-intents" in where or "blocking" in one,
    "state claimedAt claimedBy claimExpiresAt": lambda where, brief: (
        {brief[name] is not None for name in ("claimedAt", "claimedBy", "claimExpiresAt")}
        == {brief["state"] == "claimed"}
    ),
    "status brief": lambda where, one: one["status"] == "drafting" or one["brief"].get("state") != "claimed",
    "status publishAt": lambda where, one: (one["status"] == "scheduled") == (one["publishAt"] is not None),
    "isPublished publishedAt publishedVersion": lambda where, one: (
        {one["publishedAt"] is not None, one["publishedVersion"] is not None} == {one["isPublished"]}
    ),
    "allowed refusal": lambda where, action: action["allowed"] == (action["refusal"] is None),
    "outcome errors": lambda where, piece: (piece["outcome"] == "refused") == bool(piece["errors"]),
    "passed blocking warnings checks": lambda where, one: (
        (one["passed"], one["blocking"], one["warnings"]) == (True, 0, 0)
        and all(each["outcome"] != "failed" for each in one["checks"])
    ),
    "checks actions": lambda where, packet: (
        "submit_document" not in packet["actions"] or "error" not in {check["level"] for check in packet["checks"]}
    ),
    "words sections": lambda where, outline: outline["words"] == sum(one["words"] for one in outline["sections"]),
    "reverted skipped": lambda where, one: {each["reason"] for each in one["skipped"]} == {"published_since"},  # one id
    "briefs oldestReady": lambda where, figures: bool(figures["briefs"]["ready"]) == bool(figures["oldestReady"]),
    "frozen": lambda where, project: (project["frozen"] is not None) == ("/freeze " in where),
    "revokedAt": lambda where, token: (token["revokedAt"] is not None) == where.startswith("delete "),
    "enabled disabledAt": lambda where, webhook: webhook["enabled"] == (webhook["disabledAt"] is None),
    "status nextAttemptAt": lambda where, one: (one["status"] == "pending") == (one["nextAttemptAt"] is not None),
    "type attempts": lambda where, one: (one["type"], one["attempts"]) == ("webhook.test", []) or "/test " not in where,
    "statusCode error": lambda where, one: one["error"] == f"The response had status {one['statusCode']}.",
    "type data": lambda where, event: event["data"]["briefState"] == BRIEF_STATES[event["type"]],
    "type details": lambda where, event: event["details"]["briefState"] == BRIEF_STATES[event["type"]],
}
"""What holds of each object with these keys in the example of an answer; `where` is its method, path and status."""

BRIEF_STATES = {"document.created": "none", "brief.claimed": "claimed", "brief.ready": "ready"}
"""The state of a brief after an event."""


def test_no_example_of_an_answer_contradicts_itself(document: dict[str, Any]) -> None:
    checked = [
        (keys, f"{where}: {keys}", holds(where, part))
        for where, (_, shown) in examples(document)
        if not where.endswith(" body")
        for part in parts(shown)
        for keys, holds in CONSISTENT.items()
        if set(keys.split()) <= part.keys()
    ]

    assert {keys for keys, _, _ in checked} == set(CONSISTENT)
    assert [place for _, place, is_consistent in checked if not is_consistent] == []


@pytest.mark.parametrize(
    ("path", "status", "state"),
    [
        ("brief/ready", "idea", "ready"),
        ("brief/claim", "drafting", "claimed"),
        ("brief/release", "drafting", "ready"),
        ("brief/withdraw", "drafting", "none"),
        ("submit", "review", "drafted"),
        ("approve", "approved", "drafted"),
        ("request-changes", "drafting", "drafted"),
        ("schedule", "scheduled", "drafted"),
        ("unschedule", "approved", "drafted"),
        ("publish", "published", "drafted"),
        ("unpublish", "drafting", "drafted"),
    ],
)
def test_the_example_of_a_moved_document_shows_the_move(
    document: dict[str, Any], path: str, status: str, state: str
) -> None:
    responses = document["paths"][f"/documents/{{id}}/{path}"]["post"]["responses"]
    shown = responses["200"]["content"]["application/json"]["example"]

    assert (shown["status"], shown["brief"]["state"]) == (status, state)
    assert (shown["brief"]["claimedBy"] is not None) == (state == "claimed")
    assert (shown["publishAt"] is not None) == (status == "scheduled")
    assert (shown["publishedAt"] is not None) == shown["isPublished"] == (status == "published")


@pytest.mark.parametrize("operation", CHANGES)
def test_what_an_operation_changes_is_in_its_example(document: dict[str, Any], operation: str) -> None:
    def has(shown: Any, changes: dict[str, Any]) -> bool:
        return all(
            name in shown and (has(shown[name], value) if isinstance(value, dict) else shown[name] == value)
            for name, value in changes.items()
        )

    answers = [
        document["paths"][re.sub(r"<(\w+)>", r"{\1}", route.path)][route.method.lower()]["responses"][str(route.status)]
        for route in SERVED
        if route.operation.name == operation
    ]

    assert any(has(answer["content"]["application/json"]["example"], CHANGES[operation]) for answer in answers)


def test_every_error_there_is_has_a_schema_and_names_itself(document: dict[str, Any]) -> None:
    everywhere = {error.__name__ for error in errors.Refusal.__subclasses__()} - OF_NO_OPERATION
    tags = {
        name: schema["properties"]["_tag"]["const"]
        for name, schema in document["components"]["schemas"].items()
        if "const" in schema.get("properties", {}).get("_tag", {})
    }

    assert tags == {name: name for name in everywhere}


def test_every_response_to_a_dry_run_documents_its_header(document: dict[str, Any]) -> None:
    for _, _, operation in operations(document):
        takes = {"$ref": "#/components/parameters/dryRun"} in operation.get("parameters", [])
        responses = operation["responses"]
        documented = {
            status
            for status, response in responses.items()
            if "Dry-Run" in _resolved(response, document).get("headers", {})
        }

        refusals = {status for status in responses if status >= "400"}
        assert documented == (set(responses) if takes else refusals), operation["operationId"]


def test_names_of_components_are_words_of_the_contract(document: dict[str, Any]) -> None:
    names = document["components"]["schemas"]

    assert not [name for name in names if name.endswith(("Record", "Shape", "Schema")) or name[-1].isdigit()]


@pytest.mark.parametrize("base_path", ["", "/api"])
def test_the_paths_of_the_document_are_below_its_server(base_path: str) -> None:
    settings = ServerSettings(mongodb_uri="mongodb://none", base_path=base_path, log_level="CRITICAL")
    client = create_app(settings, in_memory.store()).test_client()

    for place in {"", base_path}:
        document = client.get(f"{place}/openapi.json").json
        assert document["servers"] == [{"url": base_path or "/"}]
        assert "/briefs" in document["paths"]
        assert client.get(f"{place}/health").json == {"status": "ok"}
        assert client.get(f"{place}/docs").status_code == 200
    assert client.get(f"{base_path}/briefs").status_code == 401


def test_the_document_has_an_etag(served: Flask) -> None:
    client = served.test_client()
    first = client.get("/openapi.json")
    again = client.get("/openapi.json", headers={"If-None-Match": first.headers["ETag"]})

    assert (again.status_code, again.data) == (304, b"")


def test_the_page_works_with_a_trailing_slash_and_cannot_be_framed(served: Flask) -> None:
    client = served.test_client()
    moved, page = client.get("/docs/"), client.get("/docs")

    assert (moved.status_code, moved.headers["Location"]) == (308, "../docs")
    policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
    assert policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"


def test_each_closed_list_is_one_component(document: dict[str, Any]) -> None:
    lists = {name: schema["enum"] for name, schema in document["components"]["schemas"].items() if "enum" in schema}
    inline = [part["enum"] for part in parts(document["paths"]) if "enum" in part] + [
        inner["enum"]
        for schema in document["components"]["schemas"].values()
        for inner in parts(schema)
        if inner is not schema and "enum" in inner
    ]

    assert {"BriefState", "DocumentStatus", "Kind", "Role", "Scope", "SearchIntent", "EventType"} <= set(lists)
    assert len({tuple(sorted(words)) for words in lists.values()}) == len(lists)
    assert inline == []


def parts(part: Any) -> Iterator[dict[str, Any]]:
    """Yields every object in a part of the document."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from parts(inner)


def _resolved(part: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """Returns a parameter or a response, or the component that it refers to."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    found: dict[str, Any] = document["components"][kind][name]
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields path, method and operation."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield path, method, operation


def examples(document: dict[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yields where an example stands, and its schema with the example; None where there is none."""
    for path, method, operation in operations(document):
        bodies = {"body": operation["requestBody"]} if "requestBody" in operation else {}
        for place, answer in (bodies | operation["responses"]).items():
            for content in _resolved(answer, document).get("content", {}).values():
                several = content.get("examples", {}).values()
                for example in [_resolved(each, document)["value"] for each in several] or [content.get("example")]:
                    yield f"{method} {path} {place}", (content["schema"], example)


def misfits(example: tuple[Any, Any], validator_of: Callable[[Any], Draft202012Validator]) -> list[str]:
    """Returns what is wrong with an example: nothing there, or it does not fit its schema."""
    schema, value = example
    if value is None:
        return ["no example"]
    return [error.message for error in validator_of(schema).iter_errors(value)]
