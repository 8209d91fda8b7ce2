"""A dry run answers as the call would, and leaves the database as it is, byte by byte (decisions, section 11)."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest
from bson import ObjectId
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.store.collection import MAX_OUTBOX
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.features import OPERATIONS
from tests.databases import empty, everything, opened
from tests.documents.steps import NOBODY
from tests.make import Project, a_document, a_project, an_app
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest
from tests.valid_calls import CALLS, Call, Scene
from tests.walks import sending

pytestmark = pytest.mark.needs_mongod

WRITING = [operation for operation in OPERATIONS if not operation.reads]
NAMES = [operation.name for operation in WRITING]

MADE_UP = (
    (re.compile(r"^[0-9a-f]{24}$"), "an id"),
    (re.compile(r"^\d{4}-\d\d-\d\dT"), "a time"),
    (re.compile(r"^(\S+/media/)?[a-z2-7]{26}(/\S+)?$"), "an image"),
    (re.compile(r"^(cwm_|whsec_|https?://\S+/console/join#|/console/review#)"), None),
)


own_store = pytest.fixture(scope="module")(opened)
"""A database of this module's own, small enough to be compared whole."""


@pytest.fixture(scope="module")
def client(own_store: Store) -> FlaskClient:
    return an_app(own_store).test_client()


@pytest.fixture
def scene(own_store: Store) -> Iterator[Scene]:
    """A project of the test's own, the only one in the database."""
    project = a_project(own_store)
    yield Scene(project, project.token())
    empty(own_store)


def plain(value: Any) -> Any:
    """Returns a body without what is made up: ids, times and secrets."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return next((shown for pattern, shown in MADE_UP if pattern.match(value)), value)
    return value


def without_texts(body: dict[str, Any]) -> dict[str, Any]:
    """Returns a body of REST as MCP shows it."""
    left_out = {"content", "publishedMarkdown", "markdown", *(["excerpt"] if "verifiedAt" in body else [])}  # a source
    return {
        key: without_texts(value) if isinstance(value, dict) else value
        for key, value in body.items()
        if key not in left_out
    }


def over_rest(
    client: FlaskClient, scene: Scene, name: str, call: Call, query: str = "", **headers: str
) -> TestResponse:
    return sending.over_rest(client, scene.token, sending.routes_of(name)[0], call, query=query, **headers)


def over_mcp(client: FlaskClient, scene: Scene, name: str, call: Call, **more: Any) -> dict[str, Any]:
    return Agent(client, scene.token, name="").ask("tools/call", sending.tool_call(name, call, **more))


def test_every_operation_that_writes_has_a_valid_call() -> None:
    assert set(NAMES) == CALLS.keys(), "say in `valid_calls.py` how it is called"


MISSPELT = (
    "dryrun",
    "dry_run",
    "Dry-Run",
    "DRYRUN",
    "dryRuns",
    "dryRn",
    "isDryRun",
    "dryRun[]",
    "_d_r_y_r_u_n_",
    "dry-rum",
)
ASKED_WRONG = (*(f"{name}=true" for name in MISSPELT), "dryrun=false", "dryrun", "dryRun=1", "dryRun=True", "dryRun=")
ASKED_WRONG += ("dryRun=true&dryRun=false", "dryRun=true&dryrun=true", "dryRun=false&dry_run=true")


BY_AGENTS: dict[str, Any] = {"create_token": {"agent": "MCP client"}}
"""What an operation answers otherwise over MCP, where callers count as agents (decisions, section 13)."""


@pytest.mark.contract(
    "decided-agents.dry-run",
    "decided-agents.dry-run-changes-nothing",
    "decided-agents.dry-run-mcp",
    "decided-agents.dry-run-misspelt",
    "decided-agents.dry-run-refused",
)
@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_answers_as_the_call_and_changes_no_byte(client, own_store, scene, name) -> None:
    call = CALLS[name](scene)
    missing = Call(
        tuple(NOBODY if key.endswith("Id") else "1" for key in sending.OPERATIONS[name].id_names), call.fields
    )
    lacking = Scene(scene.project, scene.project.token(scopes=[]))
    for caller in (scene, lacking):
        Rest(client, caller.token).get("/project")  # the token's last use is written

    before = everything(own_store)
    dry = over_rest(client, scene, name, call, "?dryRun=true")
    over = over_mcp(client, scene, name, call, dryRun=True) if sending.OPERATIONS[name].tool else None
    if call.ids:
        refused_dry_runs_say_so_too(client, scene, name, missing)
    for place in range(NAMES.index(name), NAMES.index(name) + 2):  # of all operations six get each
        a_misspelt_dry_run_is_refused(client, scene, name, call if place % 2 else missing, place)
    assert over_rest(client, lacking, name, call, "?dryrun=true").status_code == 403
    assert everything(own_store) == before
    real = over_rest(client, scene, name, call)
    assert everything(own_store) != before

    assert dry.status_code in (200, 201), dry.get_data(as_text=True)
    assert (dry.status_code, plain(dry.json)) == (real.status_code, plain(real.json))
    assert dry.headers["Dry-Run"] == "true"
    assert not {"Location", "ETag"} & set(dict(dry.headers))
    assert "Dry-Run" not in real.headers
    if over is None:
        return
    assert over["_meta"]["dryRun"] is True
    if name == "invite_member":
        assert over["structuredContent"]["_tag"] == "Forbidden"
        return
    assert not over["isError"], over["structuredContent"]
    assert plain(over["structuredContent"]) == without_texts(plain(real.json)) | BY_AGENTS.get(name, {})


def refused_dry_runs_say_so_too(client: FlaskClient, scene: Scene, name: str, missing: Call) -> None:
    dry = over_rest(client, scene, name, missing, "?dryRun=true")

    assert (dry.status_code, dry.json) == (404, over_rest(client, scene, name, missing).json)
    assert dry.headers["Dry-Run"] == "true"
    if not sending.OPERATIONS[name].tool:
        return
    over = over_mcp(client, scene, name, missing, dryRun=True)
    assert (over["isError"], over["_meta"]["dryRun"]) == (True, True)


def a_misspelt_dry_run_is_refused(client: FlaskClient, scene: Scene, name: str, call: Call, place: int) -> None:
    query = ASKED_WRONG[place % len(ASKED_WRONG)]
    prefer = {} if place % 3 == 0 else {"Prefer": f"handling={('lenient', 'strict')[place % 3 - 1]}"}

    answer = over_rest(client, scene, name, call, f"?{query}", **prefer)

    assert (answer.status_code, answer.json["_tag"]) == (400, "HttpApiDecodeError"), query
    wrong = {*parse_qs(query, keep_blank_values=True)} - ({"dryRun"} if "&dry" in query else set())
    assert {issue["path"] for issue in answer.json["issues"]} & (wrong or {"dryRun"}), query


@pytest.mark.contract("decided-agents.dry-run-secrets")
@pytest.mark.parametrize("name", ["create_token", "rotate_token", "create_webhook", "rotate_webhook_secret"])
def test_a_dry_run_shows_no_secret(client, scene, name) -> None:
    body = over_rest(client, scene, name, CALLS[name](scene), "?dryRun=true").json

    assert body.get("token", body.get("secret", "missing")) is None


@pytest.mark.contract("decided-agents.dry-run-refused")
def test_refusals_before_the_operation_runs_say_so_too(client, scene) -> None:
    rest = Rest(client, scene.token)
    lacking = rest.by(scene.project.token(scopes=[Scope.READ]))

    refused = {
        401: client.post("/briefs/claim?dryRun=true"),
        403: lacking.post("/briefs/claim?dryRun=true"),
        404: rest.post("/documents/x/submit?dryRun=true"),
        400: rest.post("/briefs/claim?dryRun=true", {"leaseSeconds": "x"}),
    }

    for status, answer in refused.items():
        assert (answer.status_code, answer.headers.get("Dry-Run")) == (status, "true")
    assert rest.post("/briefs/claim?dryRun=yes").json["issues"][0]["path"] == "dryRun"


@pytest.mark.contract("decided-agents.dry-run-misspelt")
def test_what_is_further_from_its_name_or_of_an_operation_that_writes_nothing_is_ignored(client, scene) -> None:
    rest = Rest(client, scene.token)

    for answer in (
        rest.post("/cluster-intents?dry=1&run=1&myDryRuns=1&rehearse=true", {}),
        rest.get("/project?dryrun=1"),
    ):
        assert answer.status_code in (200, 201)
        assert "Ignored-Fields" in answer.headers
    wrong = rest.post("/briefs/claim?dryrun=true", {"leaseSeconds": "x", "y": 1}, Prefer="handling=strict").json
    assert [one["path"] for one in wrong["issues"]] == ["dryrun", "leaseSeconds", "y"]


@pytest.mark.contract("decided-agents.dry-run-key")
def test_an_idempotency_key_beside_a_dry_run_is_refused(client, scene) -> None:
    answer = Rest(client, scene.token).post("/document-intents?dryRun=true", {}, Idempotency_Key="one")
    over = over_mcp(client, scene, "create_document_intent", Call(), dryRun=True, idempotencyKey="one")

    assert (answer.status_code, answer.json["issues"][0]["path"]) == (400, "Idempotency-Key")
    assert over["structuredContent"]["issues"][0]["path"] == "idempotencyKey"
    assert Rest(client, scene.token).post("/document-intents", {}, Idempotency_Key="one").status_code == 201


@pytest.mark.contract("decided-agents.dry-run-unknown")
def test_what_writes_nothing_does_not_know_dry_runs(client, scene) -> None:
    rest, draft = Rest(client, scene.token), scene.draft()

    for answer in (rest.get("/documents?dryRun=true"), rest.post(f"/document-intents/{draft}/validate?dryRun=true")):
        assert answer.status_code == 200
        assert "Dry-Run" not in answer.headers
    over = Agent(client, scene.token).refused("validate_intent", intentId=draft, dryRun=True)
    assert over["issues"][0]["path"] == "dryRun"


@pytest.mark.contract("decided-agents.dry-run-changes-nothing")
def test_a_dry_run_relays_no_event_where_the_outbox_of_its_record_is_full(client, own_store, scene) -> None:
    ctx = scene.project.context(scene.token)
    document = a_document(ctx)
    for number in range(MAX_OUTBOX):
        scene.call("update_document", document["id"], title=f"Rye {number}")
    Agent(client, scene.token).call("get_project")

    before = everything(own_store)
    dry = Rest(client, scene.token).patch(f"/documents/{document['id']}?dryRun=true", {"title": "Wheat"})

    assert (dry.status_code, dry.json["title"]) == (200, "Wheat")
    assert everything(own_store) == before


@pytest.mark.contract("decided-agents.dry-run-changes-nothing")
def test_a_dry_run_of_publishing_remembers_nothing_of_what_it_could_not_render(
    client, own_store, scene, monkeypatch
) -> None:
    monkeypatch.setattr("app.documents.rendering.rendered", lambda *arguments: None)
    document = scene.document()
    Agent(client, scene.token).call("get_project")

    before = everything(own_store)
    dry = Rest(client, scene.token).post(f"/documents/{document}/publish?dryRun=true")

    assert (dry.status_code, dry.json["_tag"]) == (422, "BadRequest")
    assert everything(own_store) == before


@pytest.mark.contract("decided-intents.validate")
def test_validating_a_cluster_under_an_idempotency_key_counts_no_cluster(rest: Rest, project: Project) -> None:
    draft = rest.post("/cluster-intents", {"name": "Rye"}).json["id"]

    first = rest.post(f"/cluster-intents/{draft}/validate", Idempotency_Key="one")
    again = rest.post(f"/cluster-intents/{draft}/validate", Idempotency_Key="one")

    assert (first.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")
    assert project.store.database.counters.find_one({"_id": ObjectId(project.id)})["clusters"] == 0
