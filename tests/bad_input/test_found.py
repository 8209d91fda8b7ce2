"""Bad inputs that a campaign found, each with the response that it has to get."""

import base64
import copy
import io
import json
from typing import Any

import httpx2
import pytest
from flask import Flask

from app.core.context import Context, system
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.transfers.operations import check_import, export_project, import_project
from mcp_tools.over_stdio import StdioServer
from tests.console.visitor import Visitor
from tests.make import Project, a_document, a_project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
NEWEST: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
NOT_JSON_RPC: dict[str, tuple[Any, Any]] = {
    "a method that is no text": ({"jsonrpc": "2.0", "id": 7, "method": ["ping"]}, 7),
    "parameters that are no object": ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}, "a"),
    "another version": ({"jsonrpc": "20", "id": 7, "method": "ping"}, 7),
    "no method": ({"jsonrpc": "2.0", "id": 7}, 7),
    "an id that is an object": ({"jsonrpc": "2.0", "id": {"a": [1]}, "method": "ping"}, None),
    "an id that is a fraction": ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
    "an id that is true": ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
    "a name that is too long for the header that repeats it": ({**NEWEST, "params": {**META, "name": "é" * 9_000}}, 7),
}


ACTOR = {"type": "token", "id": None, "name": "Ada", "agent": ""}
TIME = "2027-01-31T09:00:00.000Z"
MOVES = [
    *(
        ("GET", part)
        for part in ("", "/brief", "/packet", "/actions", "/activity", "/revisions", "/revisions/1", "/outline")
    ),
    *(("POST", f"/brief/{move}") for move in ("claim", "renew", "release", "withdraw", "ready", "claim")),
    *(("POST", f"/{move}") for move in ("unschedule", "submit", "request-changes", "approve", "publish", "unpublish")),
    *(("GET", part) for part in ("", "/brief", "/packet", "/actions", "/activity")),
]


@pytest.mark.parametrize("what", NOT_JSON_RPC)
def test_over_stdio_what_is_not_json_rpc_is_an_invalid_request_and_no_bug(
    app: Flask, project: Project, what: str
) -> None:
    message, id = NOT_JSON_RPC[what]

    answer = _over_stdio(app, project, message)

    assert (answer["id"], answer["error"]["code"]) == (id, -32600)


def test_over_stdio_a_message_that_is_too_long_is_an_invalid_request_and_no_bug(app: Flask, project: Project) -> None:
    answer = _over_stdio(app, project, {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "x" * 20_971_520}})

    assert (answer["id"], answer["error"]["code"]) == (7, -32600)
    assert "20 MB" in answer["error"]["message"]


def _over_stdio(app: Flask, project: Project, message: Any) -> Any:
    headers = {"Authorization": f"Bearer {project.token().secret}", "Accept": "application/json"}
    with httpx2.Client(
        headers=headers | {"Content-Type": "application/json"}, transport=httpx2.WSGITransport(app=app)
    ) as http:
        written = io.BytesIO()
        StdioServer(http, "http://localhost/mcp", written).serve([json.dumps(message).encode()])
    return json.loads(written.getvalue())


@pytest.mark.parametrize(
    "origin", ["http://[", "http://]", "//[::1", "http://[v1.x]:80", "null", "", "http://localhost:x"]
)
def test_an_origin_that_is_no_address_is_another_site_to_the_console(app: Flask, project: Project, origin: str) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token())

    response = visitor.client.post("/console/plan", data={"_csrf": visitor.csrf}, headers={"Origin": origin})

    assert response.status_code == 403


@pytest.mark.parametrize("notice", ["[]", '["ok"]', '"Saved."', "5", "null", "true", '[["ok", 1]]', "{}", "{"])
def test_a_cookie_that_holds_no_notice_is_ignored(app: Flask, project: Project, notice: str) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token())
    visitor.client.set_cookie("cw_notice", base64.urlsafe_b64encode(notice.encode()).decode(), path="/console")

    assert visitor.get("/console/board").status_code == 200


ODD_DOCUMENTS: dict[str, dict[str, Any]] = {
    "a past slug that is null": {"pastSlugs": [None]},
    "past slugs that are null": {"pastSlugs": None},
    "nobody who created it": {"createdBy": None},
    "nobody who wrote it": {"contentUpdatedBy": None},
    "a claim of nobody": {"brief": {"state": "claimed"}},
    "a claim without a time": {"brief": {"state": "claimed", "claimedBy": ACTOR}},
    "a claim of a brief that is not claimed": {"brief": {"state": "ready", "claimedBy": ACTOR}},
    "a lease without an end": {
        "brief": {"state": "claimed", "claimedBy": ACTOR, "claimedAt": TIME, "leaseSeconds": 60}
    },
    "an end without a lease": {
        "brief": {"state": "claimed", "claimedBy": ACTOR, "claimedAt": TIME, "claimExpiresAt": TIME}
    },
    "a link that is null": {"brief": {"state": "ready", "internalLinks": [None]}},
    "no time to publish at": {"status": "scheduled"},
    "no status before": {"status": "scheduled", "publishAt": TIME},
    "published, and not delivered": {"status": "published"},
    "a review of nobody": {"review": {"note": "", "at": TIME, "by": None}},
    "a body that is none of its own": {"contentId": "0" * 24},
    "delivered without a snapshot": {"isPublished": True},
    "delivered or not": {"isPublished": None},
}


@pytest.mark.parametrize("what", ODD_DOCUMENTS)
def test_an_odd_document_of_an_export_is_refused_or_can_be_read_and_moved(
    app: Flask, store: Store, project: Project, what: str
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Dark.", brief={"keyword": "rye"})
    *lines, end = [json.loads(line) for line in export_project(store, project.id)]
    odd = {**copy.deepcopy(lines[-1]), **ODD_DOCUMENTS[what]}
    other = a_project(store)
    ctx = Context(store, system(other.id, other.team_id), Channel.CLI)
    sent = [json.dumps(line).encode() for line in (*lines[:-1], odd, end)]
    refused = check_import(ctx, sent).refused
    if not refused:
        import_project(ctx, sent)

    assert document["id"] == lines[-1]["id"]
    rest = Rest(app.test_client(), other.token())
    for row in rest.get("/documents").json:
        for method, path in MOVES:
            answer = rest.call(method, f"/documents/{row['id']}{path}", {} if method != "GET" else None)
            assert answer.status_code < 500, (path, answer.text)
    assert [json.loads(line)["type"] for line in export_project(store, other.id)][0] == "export"
    assert len(refused) + len(rest.get("/documents").json) == 1


def test_a_line_of_an_export_without_a_setting_that_is_never_null_leaves_it_as_it_is(
    store: Store, project: Project
) -> None:
    before = [json.loads(line) for line in export_project(store, project.id)]
    ctx = Context(store, system(project.id, project.team_id), Channel.CLI)
    settings = b'{"type": "project", "siteUrl": "https://crust.example"}'
    lines = [b'{"type": "export", "version": 1}', settings, b'{"type": "end", "lines": 2}']

    assert check_import(ctx, lines).settings == {"siteUrl": "https://crust.example"}
    import_project(ctx, lines)

    after = [json.loads(line) for line in export_project(store, project.id)]
    assert after == [before[0], {**before[1], "siteUrl": "https://crust.example"}, before[2]]
