"""An application without a feature has no trace of it, and does everything that the contract asks.

The names that belong to a feature are derived from its own folder.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from inspect import getsource
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, get_type_hints

import pytest
from click.testing import CliRunner
from flask import Flask

import app as application
from app.cli import main
from app.core.features import Features, folder_of
from app.core.store.collection import Collection
from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from app.features import ALL, ServerSettings
from app.rest.route import routes_of
from app.settings import Settings, settings_of
from graphql_app.schema import sdl
from mcp_tools.server import instructions_of
from tests.console.visitor import Visitor
from tests.databases import CONTRACT
from tests.graphql_app.client import GraphQL
from tests.make import Project, a_project, an_app
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

CONTRACT_FOLDERS = {"core", "projects", "categories", "publications", "documents", "intents", "briefs", "delivery"}
FEATURES = sorted(ALL.folders - CONTRACT_FOLDERS)
READERS = {"events", "insights", "notices", "transfers"}
"""Folders that name the types of events of others."""

each_feature = pytest.mark.parametrize("name", FEATURES, scope="module")
"""All tests of a feature run together, and share its application."""


@cache
def without(name: str) -> Features:
    """Returns the lists without a feature; the same object each time, as interfaces cache by it."""
    return ALL.without(name)


@pytest.fixture(scope="module")
def bare(store: Store, name: str) -> Flask:
    """The application without the feature."""
    return an_app(replace(store, features=without(name)))


@pytest.fixture(scope="module")
def openapi(bare: Flask) -> Any:
    """Its document."""
    return bare.test_client().get("/openapi.json").json


@pytest.fixture
def bare_project(store: Store, name: str) -> Project:
    """A project of that application."""
    return a_project(replace(store, features=without(name)))


@cache
def modules_of(name: str) -> tuple[Any, ...]:
    """Returns the modules of a feature's folder."""
    package = import_module(f"{application.__name__}.{name}")
    return package, *(import_module(one.name) for one in walk_packages(package.__path__, f"{package.__name__}."))


@cache
def classes_of(name: str) -> dict[str, type]:
    """Returns the classes that a feature declares, by their names."""
    return {
        key: one
        for module in modules_of(name)
        for key, one in vars(module).items()
        if isinstance(one, type) and one.__module__ == module.__name__
    }


@cache
def source_of(name: str) -> str:
    """Returns the source of a folder."""
    return "".join(map(getsource, modules_of(name)))


@cache
def operations_of(name: str) -> frozenset[str]:
    return frozenset(one.name for one in ALL.operations if folder_of(one) == name)


def named_in(text: str, names: frozenset[str]) -> set[str]:
    """Returns those of some names of operations that a text has as whole words."""
    return names & set(re.findall(r"\w+", text))


@each_feature
def test_it_has_no_route_and_no_page(bare: Flask, openapi: Any, name: str) -> None:
    ids = {route.name for one in ALL.operations if folder_of(one) == name for route in routes_of(one, ALL)}
    documented = {one["operationId"] for path in openapi["paths"].values() for one in path.values() if "tags" in one}
    views = {endpoint: view.__module__ for endpoint, view in bare.view_functions.items()}

    assert ids & documented == set()
    assert ids & {endpoint.rpartition(".")[2] for endpoint in views} == set()
    assert [view for view, module in views.items() if module.startswith(f"app.{name}.")] == []


@each_feature
def test_its_scripts_are_not_served(bare: Flask, name: str) -> None:
    client = bare.test_client()
    own = [file.name for file in (Path(application.__path__[0]) / name / "assets").glob("*")]
    assert {client.get(f"/console/assets/0/{one}").status_code for one in own} <= {404}
    assert client.get("/console/assets/0/console.js", buffered=True).status_code == 200


@each_feature
def test_openapi_has_all_that_it_refers_to(openapi: Any, name: str) -> None:
    referred = set(re.findall(r'"#/components/(\w+)/([^"]+)"', json.dumps(openapi)))

    assert referred <= {(kind, one) for kind, components in openapi["components"].items() for one in components}


def test_openapi_of_the_contract_alone_is_valid(store: Store) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator  # takes two seconds, which few tests need

    alone = an_app(replace(store, features=ALL.without(*FEATURES)))

    OpenAPIV31SpecValidator(alone.test_client().get("/openapi.json").json).validate()


@each_feature
def test_openapi_has_no_schema_of_it(openapi: Any, name: str) -> None:
    lists = {key for one in ALL.features if one.name == name for key in one.closed_lists}

    assert openapi["components"]["schemas"].keys() & (classes_of(name).keys() | lists) == set()


@each_feature
def test_no_text_of_an_interface_names_its_operations(bare: Flask, bare_project: Project, name: str) -> None:
    client, names = bare.test_client(), operations_of(name)
    tools = Agent(client, bare_project.token()).ask("tools/list")["tools"]

    assert {tool["name"] for tool in tools} == {one.name for one in without(name).operations if one.tool}
    assert named_in(json.dumps(tools), names) == set()
    assert named_in(client.get("/llms.txt").text, names) == set()
    assert named_in(instructions_of(without(name)), names) == set()


@each_feature
def test_no_record_and_no_request_has_a_field_of_it(openapi: Any, name: str) -> None:
    added = [one for one in ALL.features if one.name == name]
    responses = [pair for one in added for pair in one.responses.items()]
    keys = {key for extended, own in responses for key in own.__annotations__.keys() - get_type_hints(extended).keys()}
    keys |= {key for one in added for schema in one.schemas.values() for key in schema().fields}
    schemas = openapi["components"]["schemas"]
    records = {one.__name__ for feature in added for one in (*feature.responses, *feature.schemas)}

    assert {(one, key) for one in records for key in schemas.get(one, {}).get("properties", {}) if key in keys} == set()


@each_feature
def test_the_delivery_api_has_no_field_of_it(name: str) -> None:
    fields = [one.field for one in ALL.delivery_fields() if one.folder == name]
    text = sdl(without(name))

    types = re.findall(r"^type (\w+) {$(.*?)^}", text, re.MULTILINE | re.DOTALL)
    own = {one.__name__ for field in fields if (one := field.type) and hasattr(one, "__name__")}
    shown = {(kind, name) for kind, inner in types for name in re.findall(r"^  (\w+)", inner, re.MULTILINE)}

    assert own & {kind for kind, _ in types} == set()
    assert shown & {(one.type, one.field.graphql_name) for one in ALL.delivery_fields() if one.folder == name} == set()


@each_feature
def test_no_type_of_event_is_its_own(openapi: Any, name: str) -> None:
    own = {one for one in ALL.event_types if f'"{one}"' in source_of(name)} if name not in READERS else set()
    own = {one for one in own if not any(f'"{one}"' in source_of(folder) for folder in CONTRACT)}
    document = json.dumps(openapi)

    assert [one for one in own if f'"{one}"' in document] == []


@each_feature
def test_the_server_has_no_setting_of_it(name: str) -> None:
    declared = {key for one in ALL.features if one.name == name and one.settings for key in own_settings(one.settings)}

    assert declared <= ServerSettings.model_fields.keys()
    assert declared & settings_of(without(name)).model_fields.keys() == set()


def own_settings(settings: type[Settings]) -> set[str]:
    """Returns the names of the settings that a feature declares."""
    return settings.model_fields.keys() - Settings.model_fields.keys()


@each_feature
def test_its_collections_have_no_index_and_no_validator(name: str) -> None:
    collections = {
        feature: {
            one.name for one in classes_of(feature).values() if issubclass(one, Collection) and "name" in vars(one)
        }
        for feature in (name, "publications", "documents")
    }
    own = collections.pop(name).difference(*collections.values())  # a feature may query those of others
    bare = without(name)

    assert own & {*bare.outboxes, *bare.validators, *(one.collection for one in bare.indexes)} == set()


@each_feature
def test_it_has_no_command(name: str) -> None:
    shown = CliRunner().invoke(main, ["--help"], obj=without(name)).output
    own = {one.name for one in ALL.commands if one.folder == name}

    assert own & set(re.findall(r"^  ([a-z-]+) ", shown, re.MULTILINE)) == set()
    assert all(CliRunner().invoke(main, [command], obj=without(name)).exit_code == 2 for command in own)


@each_feature
def test_the_pages_of_the_contract_are_shown(bare: Flask, bare_project: Project, name: str) -> None:
    token = bare_project.token()
    published = publish_by_rest(Rest(bare.test_client(), token))
    visitor = Visitor(bare)
    visitor.sign_in(token)

    for path in _console_pages(published["id"]):
        response = visitor.get(path)
        assert response.status_code == 200, (path, response.text[:500])
        assert [one for one in _links(response.text) if not _is_served(bare, one)] == [], path


def _console_pages(document_id: str) -> Iterator[str]:
    yield from ("/console/board", "/console/calendar", "/console/table", "/console/plan", "/console/plan/categories")
    yield from (f"/console/documents/{document_id}{page}" for page in ("", "/edit", "/fields", "/brief", "/revisions"))
    yield from (f"/console/administration{page}" for page in ("", "/members", "/tokens"))


def _links(html: str) -> set[str]:
    return set(re.findall(r'(?:href|action|hx-get|data-count|data-changes)="(/console[^"?#]*)', html))


def _is_served(app: Flask, path: str) -> bool:
    rules = app.url_map.bind("localhost")
    return any(rules.test(path, method) and _endpoint(rules, path, method) for method in ("GET", "POST"))


def _endpoint(rules: Any, path: str, method: str) -> bool:
    return bool(rules.match(path, method)[0] != "console.unknown")


@each_feature
def test_the_story_of_the_contract_passes(bare: Flask, bare_project: Project, name: str) -> None:
    client = bare.test_client()
    document = publish_by_rest(Rest(client, bare_project.token()))
    delivery = GraphQL(client, bare_project.token("The site", kind=TokenKind.DELIVERY))

    shown = delivery.data(f'{{ document(id: "{document["id"]}") {{ title slug markdown isPublished }} }}')["document"]

    assert shown == {"title": "Rye", "slug": "rye", "markdown": "Flour and water.", "isPublished": True}
    assert client.get("/docs").status_code == client.get("/health").status_code == 200


def publish_by_rest(rest: Rest) -> dict[str, Any]:
    """Takes a document from its draft to the site as one who reads only the contract, and returns its record."""
    draft = done(rest.post("/document-intents", {"title": "Rye", "slug": "rye", "brief": {"keyword": "rye"}}))
    document = done(rest.post(f"/document-intents/{draft['id']}/confirm"))["document"]
    path = f"/documents/{document['id']}"
    done(rest.post(f"{path}/brief/ready"))
    assert [one["id"] for one in done(rest.get("/briefs"))] == [document["id"]]
    version = done(rest.post(f"{path}/brief/claim"))["version"]
    done(rest.put(f"{path}/content", {"markdown": "Flour and water.", "baseVersion": version}))
    for move in ("submit", "approve", "publish"):
        document = done(rest.post(f"{path}/{move}"))
    assert (document["status"], document["brief"]["state"]) == ("published", "drafted")
    return document


def done(response: Any) -> Any:
    """Returns the body of a success."""
    assert response.status_code in (200, 201), response.text
    return response.json
