"""Drafts through the management API: begun, completed, discarded (contract: Intents; decisions, section 4)."""

import re
from datetime import timedelta

import orjson
import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.documents.schemas import MAX_MARKDOWN
from tests.make import OPERATIONS, a_project

KINDS = ("document", "cluster", "category")
CONFIRMABLE = {"document": {"title": "Rye"}, "cluster": {"name": "Rye"}, "category": {"name": "Rye", "slug": "rye"}}
NO_ID = "0123456789abcdef01234567"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

AS_SENT = {
    "document": {
        "title": " ",
        "status": "published",
        "slug": "not a slug",
        "markdown": "# Rye\n",
        "brief": {"intent": "curious", "keyword": None, "referenceUrls": ["ftp://a.example"], "internalLinks": []},
        "assigneeId": "nobody",
        "categoryId": "ABCDEFABCDEFABCDEFABCDEF",
        "clusterId": "",
        "dueDate": "soon",
    },
    "cluster": {"name": "", "description": "\N{MUSICAL SYMBOL G CLEF}", "keywords": ["rye", "rye", ""]},
    "category": {"name": "", "slug": "No Slug", "description": "", "categoryId": "x"},
}


@pytest.mark.contract(
    "endpoints-intents.create",
    "intent-lifecycle.create",
    "intent.id",
    "intent.kind",
    "intent.createdAt",
    "intent.createdBy",
    "intent.fields",
    "conventions.json",
    "conventions.ids",
    "conventions.times",
    "decided-projects.actors",
    "endpoints.all",
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_begins_with_any_of_the_fields_and_names_the_token_that_began_it(api, project, kind) -> None:
    by_agent = api.by(project.token("Night writer", agent="writer-1"))

    begun = by_agent.post(f"/{kind}-intents", {**CONFIRMABLE[kind], "unknown": 5})

    assert begun.status_code == 201
    assert re.fullmatch("[0-9a-f]{24}", begun.json["id"])
    assert begun.json["kind"] == kind
    assert TIME.fullmatch(begun.json["createdAt"])
    assert begun.json["updatedAt"] == begun.json["createdAt"]
    by = {"type": "token", "id": by_agent.token.id, "name": "Night writer", "agent": "writer-1"}
    assert begun.json["createdBy"] == by
    assert begun.json["fields"] == CONFIRMABLE[kind]


@pytest.mark.contract("decided-intents.no-body")
@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_may_begin_with_nothing(api, kind) -> None:
    assert api.post(f"/{kind}-intents").json["fields"] == {}
    assert api.post(f"/{kind}-intents", {}).json["fields"] == {}
    assert api.post(f"/{kind}-intents", dict.fromkeys(CONFIRMABLE[kind])).json["fields"] == {}


@pytest.mark.contract("decided-intents.as-sent", "decided-intents.kept-until-confirm", "endpoints-intents.get")
@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_keeps_its_fields_exactly_as_they_were_sent(api, kind) -> None:
    draft = api.post(f"/{kind}-intents", AS_SENT[kind])

    assert draft.json["fields"] == AS_SENT[kind]
    assert api.get(f"/{kind}-intents/{draft.json['id']}").json == draft.json


@pytest.mark.contract("intent-document.markdown", "limits.document-markdown")
@pytest.mark.slow
def test_the_longest_markdown_is_stored_to_the_last_character(api) -> None:
    longest = "\N{MUSICAL SYMBOL G CLEF}" * MAX_MARKDOWN

    draft = send_utf8(api, {"title": "Rye", "markdown": longest})

    assert draft.status_code == 201
    confirmed = api.post(f"/document-intents/{draft.json['id']}/confirm")
    assert confirmed.json["document"]["content"] == longest
    assert send_utf8(api, {"markdown": longest + "a"}).status_code == 400


def send_utf8(api, body):
    headers = {"Authorization": f"Bearer {api.token.secret}", "Content-Type": "application/json"}
    return api.client.post("/document-intents", data=orjson.dumps(body), headers=headers)


@pytest.mark.contract("endpoints-intents.list", "limits.drafts-listed")
@pytest.mark.parametrize("kind", KINDS)
def test_the_list_has_the_tokens_drafts_of_the_kind_the_most_recently_updated_first(api, project, kind) -> None:
    for other in KINDS:
        api.post(f"/{other}-intents", {})
    first, second, third = (api.post(f"/{kind}-intents", CONFIRMABLE[kind]).json["id"] for _ in range(3))
    api.by(project.token()).post(f"/{kind}-intents", {})
    api.patch(f"/{kind}-intents/{first}", {})

    listed = api.get(f"/{kind}-intents").json

    assert [draft["id"] for draft in listed[:3]] == [first, third, second]
    assert len(listed) == 4
    assert {draft["kind"] for draft in listed} == {kind}


@pytest.mark.contract("endpoints-intents.list")
def test_the_list_of_document_drafts_leaves_out_their_markdown_alone(api) -> None:
    api.post("/document-intents", {"title": "Rye", "markdown": "# Rye", "brief": {"notes": "x"}})

    [draft] = api.get("/document-intents").json

    assert draft["fields"] == {"title": "Rye", "brief": {"notes": "x"}}


@pytest.mark.contract("endpoints-intents.update", "intent-lifecycle.update", "intent.updatedAt")
@pytest.mark.parametrize("kind", KINDS)
def test_an_update_changes_the_fields_sent_and_clears_those_sent_as_null(api, kind) -> None:
    draft = api.post(f"/{kind}-intents", AS_SENT[kind]).json
    (kept, changed, cleared, *_) = AS_SENT[kind] if kind != "cluster" else ("keywords", "name", "description")

    updated = api.patch(f"/{kind}-intents/{draft['id']}", {changed: "new", cleared: None})

    assert updated.status_code == 200
    expected = {**draft["fields"], changed: "new"}
    del expected[cleared]
    assert updated.json["fields"] == expected
    assert updated.json["fields"][kept] == draft["fields"][kept]
    assert updated.json["updatedAt"] >= draft["updatedAt"]
    assert updated.json["createdAt"] == draft["createdAt"]
    assert api.get(f"/{kind}-intents/{draft['id']}").json == updated.json


@pytest.mark.contract("intent.updatedAt")
def test_an_update_moves_the_time_of_the_update(api, project) -> None:
    past = project.context(api.token, now=this_instant() - timedelta(days=400))
    draft = OPERATIONS["create_cluster_intent"](past, fields={"name": "Rye"}).body

    updated = api.patch(f"/cluster-intents/{draft['id']}", {"name": "Rye"}).json

    assert updated["updatedAt"] > draft["updatedAt"] == updated["createdAt"]


@pytest.mark.contract("decided-intents.brief-whole")
def test_the_brief_of_a_draft_is_replaced_whole_and_cleared_whole(api) -> None:
    draft = api.post("/document-intents", {"brief": {"keyword": "rye", "notes": "x"}}).json

    assert api.patch(f"/document-intents/{draft['id']}", {"brief": {"audience": "all"}}).json["fields"] == {
        "brief": {"audience": "all"}
    }
    assert api.patch(f"/document-intents/{draft['id']}", {"brief": None}).json["fields"] == {}


@pytest.mark.contract("endpoints-intents.discard", "intent-lifecycle.discard", "intent-lifecycle.forever")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ["discard", "confirm"])
def test_a_draft_that_ended_is_gone_for_every_operation(api, kind, ending) -> None:
    draft = api.post(f"/{kind}-intents", CONFIRMABLE[kind]).json
    path = f"/{kind}-intents/{draft['id']}"

    if ending == "discard":
        discarded = api.delete(path)
        assert (discarded.status_code, discarded.json) == (200, draft)
    else:
        assert api.post(f"{path}/confirm").status_code == 201

    assert api.get(f"/{kind}-intents").json == []
    for answer in every_operation(api, path):
        assert (answer.status_code, answer.json["_tag"]) == (404, "NotFound")


def every_operation(caller, path: str) -> list:
    return [
        caller.get(path),
        caller.patch(path, {}),
        caller.post(f"{path}/validate"),
        caller.post(f"{path}/confirm"),
        caller.delete(path),
    ]


@pytest.mark.contract("authentication.3", "errors.NotFound", "decided-projects.invisible")
@pytest.mark.parametrize("kind", KINDS)
def test_another_tokens_draft_answers_exactly_as_one_that_never_existed(api, project, store, kind) -> None:
    draft = api.post(f"/{kind}-intents", CONFIRMABLE[kind]).json

    for stranger in (api.by(project.token()), api.by(a_project(store).token())):
        never = every_operation(stranger, f"/{kind}-intents/{NO_ID}")
        theirs = every_operation(stranger, f"/{kind}-intents/{draft['id']}")
        assert [answer.status_code for answer in never] == [404] * 5
        assert [answer.json for answer in theirs] == [answer.json for answer in never]
        assert stranger.get(f"/{kind}-intents").json == []
    assert api.get(f"/{kind}-intents").json == [draft]


@pytest.mark.contract("endpoints-intents.get")
@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_is_found_under_its_own_kind_alone(api, kind) -> None:
    draft = api.post(f"/{kind}-intents", CONFIRMABLE[kind]).json

    for other in set(KINDS) - {kind}:
        assert [answer.status_code for answer in every_operation(api, f"/{other}-intents/{draft['id']}")] == [404] * 5
    assert api.get(f"/{kind}-intents/{draft['id'].upper()}").json == draft


@pytest.mark.contract("limits.drafts", "errors.BadRequest", "intent-lifecycle.create", "endpoints-intents.create")
def test_the_hundred_and_first_draft_of_a_token_is_refused_whatever_its_kind(api, project) -> None:
    drafts = [api.post(f"/{KINDS[number % 3]}-intents", {}).json for number in range(100)]

    for kind in KINDS:
        refused = api.post(f"/{kind}-intents", CONFIRMABLE[kind])
        assert (refused.status_code, refused.json["_tag"]) == (422, "BadRequest")
        assert "100" in refused.json["message"]
    assert api.by(project.token()).post("/document-intents", {}).status_code == 201
    assert sum(len(api.get(f"/{kind}-intents").json) for kind in KINDS) == 100

    assert api.delete(f"/document-intents/{drafts[0]['id']}").status_code == 200
    assert api.post("/cluster-intents", {}).status_code == 201
    assert api.post("/cluster-intents", {}).status_code == 422


def test_a_hundred_drafts_of_one_kind_are_all_listed(api) -> None:
    ids = [api.post("/cluster-intents", {"name": str(number)}).json["id"] for number in range(100)]

    assert {draft["id"] for draft in api.get("/cluster-intents").json} == set(ids)


def test_drafts_make_no_events_until_they_are_confirmed(api, project) -> None:
    draft = api.post("/document-intents", {"title": "Rye"}).json
    [kept] = project.store.database.intents.find({"projectId": ObjectId(project.id)})

    document = api.post(f"/document-intents/{draft['id']}/confirm").json["document"]

    assert "outbox" not in kept
    [made] = project.store.database.documents.find({"projectId": ObjectId(project.id)})
    [event] = made["outbox"]
    assert (event["type"], event["data"]["intentId"]) == ("document.created", draft["id"])
    assert str(event["data"]["documentId"]) == document["id"]


@pytest.mark.needs_mongod
@pytest.mark.parametrize("kind", KINDS)
def test_the_documented_example_of_a_draft_confirms_as_it_is(api, app, kind) -> None:
    create = app.test_client().get("/openapi.json").json["paths"][f"/{kind}-intents"]["post"]
    example = create["requestBody"]["content"]["application/json"]["example"]
    assert len(example) > 1

    draft = api.post(f"/{kind}-intents", example)
    confirmed = api.post(f"/{kind}-intents/{draft.json['id']}/confirm")

    assert (draft.status_code, confirmed.status_code) == (201, 201), confirmed.json
