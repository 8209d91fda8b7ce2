"""Inputs that no schema can say: each is answered as documented, none is a bug, and a refusal changes nothing.

Schemathesis makes requests of the OpenAPI document (`tests/surface/test_schemathesis.py`). Here are raw bodies and odd
headers, messages of MCP, queries of the delivery API, forms of the console, and files of the command line.
`make fuzz` tries more of both.
"""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_graphql import queries

from app.cli import calling
from app.core import errors
from app.core.context import Context, system
from app.core.errors import BadRequest
from app.core.store.store import Store
from app.core.vocabulary import Channel, TokenKind
from app.features import ALL
from app.planning.commands import plans
from app.transfers.commands import imports
from app.transfers.operations import check_import, export_lines, import_lines
from graphql_app.errors import INTERNAL
from tests.console.visitor import Visitor
from tests.documented import Documented
from tests.http.bad_input import HEADERS, TEXTS, VALUES, changed, encodable, json_lines, spoiled, tried, without_a_part
from tests.make import OPERATIONS, a_project
from tests.mcp_tools.client import ERAS, Agent, over_stdio
from tests.rest.client import Rest
from tests.transfers.steps import read_and_move
from tests.valid_calls import CALLS, EVERY, Scene
from tests.walks.sending import routes_of

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.timeout(3_600)]

SDL = (Path(__file__).parents[1] / "surface" / "schema.graphql").read_text("utf-8")
TAGS = {one.__name__ for one in errors.Refusal.__subclasses__()} - {"InternalError", "ServiceUnavailable"}
INTERNAL_ERROR = -32603
WRITES = sorted(name for name in CALLS if routes_of(name))
POSTS = (
    b"---\ntitle: Rye\nslug: rye\ndate: 2020-01-31\ntags: [rye]\ncategory: Bread\n---\n# Rye\n\nDark.\n",
    b"---\ntitle: 'Flour'\nstatus: idea\ndraft: true\nbrief:\n  keyword: flour\n  outline: |\n    One\n---\n",
    b'+++\ntitle = "Crumb"\ndate = 2020-01-31T09:00:00Z\n[brief]\nkeyword = "crumb"\n+++\nText\n',
)
PLANS = {
    "plan.csv": b'key,title,brief.keyword,dueDate,ready\na,Rye,rye,2027-02-14,true\nb,"Flo\nur",,,no\n',
    "plan.yaml": b"pieces:\n  - key: d\n    title: Dough\n    brief: {keyword: dough}\n    ready: true\n",
    "plan.json": b'[{"key": "e", "title": "Egg"}, {"key": "f", "markdown": "# Fig"}]',
}
COPIES = 10
"""How many documents of each state an export has, each of which loses one part."""
NUMBERS = st.integers(0, 2**16)
SETTINGS = 1
"""The place of the project's settings among the lines of an export."""
FILES = [*(("post.md", post) for post in POSTS), *PLANS.items()]
NAMES = st.none() | st.none() | TEXTS | st.just("é" * 9_000)
ORIGINS = st.sampled_from(("", "null", "http://[", "//[::1", "http://localhost", "http://localhost:x"))

NOT_SENT = {"console.sign_out", "console.events.changes"}

Scenes = Callable[[], Scene]


@pytest.fixture
def scenes(store: Store) -> Scenes:
    """Makes a project of an example's own; hypothesis prints a function, and not the whole store."""

    def make() -> Scene:
        project = a_project(store)
        return Scene(project, project.token())

    return make


def judged(answer: Any) -> None:
    """Checks that a response is JSON-RPC's, and tells of no bug."""
    assert answer["jsonrpc"] == "2.0"
    assert ("result" in answer) != ("error" in answer), answer
    if error := answer.get("error"):
        assert error["code"] != INTERNAL_ERROR, answer
        assert error["message"]
    elif answer["result"].get("isError"):
        assert answer["result"]["structuredContent"]["_tag"] in TAGS, answer


def hashes(store: Store, operation: str) -> dict[str, str]:
    """Returns a hash of each collection that an operation leaves as it is where it refuses.

    Tokens note when they were last used; a deletion of what others name is announced before its transaction.
    """
    found: dict[str, str] = store.database.command("dbHash")["collections"]
    changed = {"tokens", {"delete_category": "categories", "delete_cluster": "clusters"}.get(operation)}
    return {name: value for name, value in found.items() if name not in changed}


@given(st.data())
@tried
@pytest.mark.contract("decided-http.errors-are-json")
def test_raw_bodies_are_answered_as_documented(
    app: Flask, scenes: Scenes, documented: Documented, data: st.DataObject
) -> None:
    scene = scenes()
    route = routes_of(data.draw(st.sampled_from(WRITES)))[0]
    call = CALLS[route.operation.name](scene)
    ids = iter(call.ids)
    path = re.sub(r"<\w+>", lambda _: next(ids), route.path)
    body, headers = data.draw(json_lines(call.fields)), data.draw(HEADERS)
    sent = {"Authorization": f"Bearer {scene.token.secret}", "Content-Type": "application/json", **headers}
    before = hashes(scene.project.store, route.operation.name)

    response = app.test_client().open(path, method=route.method, data=body, headers=sent, buffered=True)

    assert response.status_code < 500, response.text
    if response.status_code >= 400:
        assert response.json["_tag"] in TAGS
        assert response.json["message"]
        assert hashes(scene.project.store, route.operation.name) == before
    elif response.status_code != 304:
        documented.check(route.method, path, response)
        assert b"\\u0000" not in response.data
        assert Rest(app.test_client(), scene.token).get("/documents?limit=100").status_code == 200


@given(st.data())
@tried
def test_messages_of_mcp_are_answered_as_json_rpc(app: Flask, scenes: Scenes, data: st.DataObject) -> None:
    scene = scenes()
    agent = Agent(app.test_client(), scene.token, data.draw(st.sampled_from(ERAS)))
    method = data.draw(
        st.sampled_from(("tools/call", "tools/call", "resources/read", "prompts/get", "tools/list", "x"))
    )
    name = data.draw(st.sampled_from(sorted(EVERY)))
    call = EVERY[name](scene)
    arguments = {**dict(zip(OPERATIONS[name].id_names, call.ids, strict=True)), **call.fields}
    params = {"name": data.draw(NAMES) or name, "arguments": arguments, "uri": "brief://x", "_meta": agent.meta()}
    line = data.draw(json_lines({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
    headers = {
        "Authorization": f"Bearer {scene.token.secret}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": agent.era,
        **data.draw(HEADERS),
    }

    response = app.test_client().post("/mcp", data=line, headers=headers)

    assert response.status_code < 500, response.text
    if response.status_code != 202 and "_tag" not in response.json:
        judged(response.json)
    answers = over_stdio(app, scene.token.secret, line)
    assert len(answers) <= 1
    for answer in answers:
        assert answer["id"] is None or type(answer["id"]) in (int, str)
        judged(answer)


@given(st.data(), queries(SDL), st.dictionaries(TEXTS, VALUES, max_size=2))
@tried
def test_queries_are_answered_as_graphql(
    app: Flask, scenes: Scenes, data: st.DataObject, query: str, variables: dict[str, Any]
) -> None:
    project = scenes().project
    text = data.draw(spoiled(query.encode("utf-8", "surrogatepass"))).decode("utf-8", "replace")
    body = data.draw(json_lines({"query": text, "variables": variables, "operationName": None}))
    secret = project.token(kind=TokenKind.DELIVERY, drafts=True).secret
    sent = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json", **data.draw(HEADERS)}

    response = app.test_client().post("/graphql", data=body, headers=sent)

    assert response.status_code < 500, response.text
    if response.status_code == 200:
        assert all(
            error["message"] and error["extensions"]["code"] != INTERNAL for error in response.json.get("errors", ())
        )


@given(st.data(), st.dictionaries(st.just("Origin"), ORIGINS))
@tried
def test_forms_of_the_console_are_answered_with_a_page_or_a_refusal(
    app: Flask, scenes: Scenes, data: st.DataObject, headers: dict[str, str]
) -> None:
    scene = scenes()
    visitor = Visitor(app)
    visitor.sign_in(scene.token)
    rules = sorted(
        (rule.rule, method)
        for rule in app.url_map.iter_rules()
        if str(rule.endpoint).startswith("console.") and rule.endpoint not in NOT_SENT
        for method in {"GET", "POST"} & (rule.methods or set())
    )
    rule, method = data.draw(st.sampled_from(rules))
    path = re.sub(r"<(?:[^:>]*:)?(\w+)>", lambda found: scene.document() if found[1] == "id" else "1", rule)
    form = data.draw(st.dictionaries(st.sampled_from(FIELDS), TEXTS.map(encodable), max_size=4))
    notice = data.draw(changed({"ok": False, "message": "Saved.", "restores": "0" * 24}))
    value = urlsafe_b64encode(json.dumps(notice).encode("utf-8", "surrogatepass")).decode()
    visitor.client.set_cookie("cw_notice", value[:3_000], path="/console")

    if method == "GET":
        response = visitor.client.get(path, query_string=form, headers=headers)
    else:
        response = visitor.client.post(path, data={"_csrf": visitor.csrf, **form}, headers=headers)

    assert response.status_code < 500, response.text
    response.close()


FIELDS = (
    *("title", "slug", "markdown", "baseVersion", "brief.keyword", "status", "assigneeId", "categoryId", "dueDate"),
    *("note", "publishAt", "action", "document", "ids", "id", "field", "value", "sort", "columns", "from", "to"),
    *("month", "q", "page", "url", "events", "scopes", "role", "email", "name", "since", "days", "table", "plan"),
)


@given(st.sampled_from(FILES).flatmap(lambda file: st.tuples(st.just(file[0]), spoiled(file[1], most=4))))
@tried
def test_files_are_imported_or_refused_with_why(scenes: Scenes, tmp_path: Path, file: tuple[str, bytes]) -> None:
    project = scenes().project
    path = tmp_path / file[0]
    path.write_bytes(file[1])
    command = imports.command if path.suffix == ".md" else plans.command
    with patch.object(calling, "store", return_value=project.store):
        done = CliRunner().invoke(command, ["--project", project.id, str(path), "--json"], obj=ALL)

    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1), done.output
    assert done.output.strip()


@pytest.fixture(scope="module")
def exported(store: Store) -> list[bytes]:
    """The lines of a project with documents in several states, some of which had another slug."""
    project = a_project(store)
    scene = Scene(project, project.token())
    category = scene.filed("category")
    for number in range(COPIES):
        published = scene.document("publish_document", categoryId=category)
        scene.call("update_document", published, slug=f"dark-rye-{number}")
        scene.call("publish_document", published)
        scene.document("claim_brief", categoryId=None)
        scene.document("schedule_document", categoryId=None)
    return list(export_lines(store, project.id))


@given(st.data())
@tried
def test_lines_of_an_export_are_refused_or_can_be_read_and_moved(
    app: Flask, scenes: Scenes, exported: list[bytes], data: st.DataObject
) -> None:
    lines, project = [*exported], scenes().project
    ctx = Context(project.store, system(project.id, project.team_id), Channel.CLI)
    documents = [place for place, line in enumerate(lines) if b'"type":"document"' in line]
    for place in (SETTINGS, *documents):
        lines[place] = without_a_part(lines[place], data.draw(NUMBERS))
    place = data.draw(st.sampled_from(documents + [*range(1, len(lines) - 1)]))
    lines[place] = data.draw(json_lines(json.loads(lines[place]), ("null", "removed", "replaced")))
    try:
        refused = check_import(ctx, lines).refused
        lines = _without({one.number - 1 for one in refused}, documents, lines)
        again = check_import(ctx, lines).refused
    except BadRequest:
        return
    assert all(one.why for one in refused)
    if not again:
        import_lines(ctx, lines)
        read_and_move(Rest(app.test_client(), project.token()), 3)
        other = scenes().project
        ctx = Context(other.store, system(other.id, other.team_id), Channel.CLI)
        assert check_import(ctx, list(export_lines(project.store, project.id))).refused == []


def _without(refused: set[int], documents: list[int], lines: list[bytes]) -> list[bytes]:
    """Returns the lines of an export without those of the documents that were refused."""
    begin = next(place for place, line in enumerate(lines) if b'"type":"body"' in line)
    kept = lines[:begin]
    for place in documents:
        kept += [] if place in refused else lines[begin : place + 1]
        begin = place + 1
    return [*kept, json.dumps({"type": "end", "lines": len(kept)}).encode()]
