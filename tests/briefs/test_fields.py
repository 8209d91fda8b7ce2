"""Every field of a brief that callers write is stored, exported, shown, edited in the console and told to agents."""

from collections.abc import Mapping
from typing import Any, get_type_hints

import orjson
import pytest
from flask import Flask

from app.documents.record import StoredBrief
from app.documents.responses import Brief
from app.documents.schemas import BriefFields
from app.transfers.operations import export_lines
from tests.console.visitor import Visitor, now
from tests.make import Project, a_document, an_app
from tests.mcp_tools.client import Agent

FIELDS = {name: field.metadata.get("sample") for name, field in BriefFields().fields.items()}
"""The fields with their examples."""
OF_CLAIMS = {"state", "claimedAt", "claimedBy", "claimExpiresAt"}
"""Fields that the moves of a brief write."""
NOT_SHOWN = {"leaseSeconds", "expiredClaim"}
"""Fields that only the rules of claims read."""


@pytest.fixture(scope="module")
def app(store: Any) -> Flask:
    return an_app(store)


@pytest.fixture
def brief(project: Project) -> Mapping[str, Any]:
    """A brief with a value in each field."""
    linked = a_document(project.context(project.token()), title="Flour and its names")
    values = {**FIELDS, "internalLinks": [linked["id"]]}
    assert [name for name, value in values.items() if not value] == [], "Give the field an `example`."
    return values


def test_a_record_and_a_response_have_each_field() -> None:
    assert get_type_hints(StoredBrief).keys() == FIELDS.keys() | OF_CLAIMS | NOT_SHOWN
    assert get_type_hints(Brief).keys() == FIELDS.keys() | OF_CLAIMS


@pytest.mark.needs_mongod
def test_an_export_has_each_field(project: Project, brief: Mapping[str, Any]) -> None:
    document = a_document(project.context(project.token()), brief=brief)

    lines = [orjson.loads(line) for line in export_lines(project.store, project.id)]

    [line] = [line for line in lines if line["type"] == "document" and line["id"] == document["id"]]
    assert {name: line["brief"][name] for name in FIELDS} == brief


def test_the_form_of_the_console_changes_each_field(app: Flask, project: Project, brief: Mapping[str, Any]) -> None:
    document = a_document(project.context(project.token()))
    visitor = Visitor(app)
    visitor.sign_in(project.token())
    page = f"/console/documents/{document['id']}/brief"
    form = visitor.get(page).text
    sent = {name: "\n".join(value) if isinstance(value, list) else value for name, value in brief.items()}

    assert [name for name in FIELDS if f'name="{name}"' not in form] == []
    visitor.post(page, **sent)

    assert {name: now(project, document)["brief"][name] for name in FIELDS} == brief


def test_an_agent_is_told_each_field(app: Flask, project: Project, brief: Mapping[str, Any]) -> None:
    token = project.token()
    document = a_document(project.context(token), brief=brief)
    asked = {"name": "write_document_from_brief", "arguments": {"documentId": document["id"]}}

    [message] = Agent(app.test_client(), token).ask("prompts/get", asked)["messages"]

    told = {**brief, "internalLinks": ["Flour and its names"]}
    texts = [text for value in told.values() for text in (value if isinstance(value, list) else [value])]
    assert [text for text in texts if text not in message["content"]["text"]] == []
