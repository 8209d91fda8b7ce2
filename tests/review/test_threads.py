"""Review threads and review links over HTTP: what is written, refused and told (decisions, section 17)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.errors import BadRequest, Unauthorized
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.documents.publishing import publish_due
from app.review.errors import ThreadNotYours
from app.review.links import visit
from app.review.operations import open_thread, reply_to_thread, resolve_thread
from tests.documents.steps import (
    NOBODY,
    a_document,
    claimed,
    events_of,
    in_hours,
    make_due,
    ok,
    path_of,
    refused,
    types_of,
)

pytestmark = pytest.mark.needs_mongod

TEXT = "Read this first.\n\n# Dough\n\nFlour, water and patience.\n\n# Oven\n\nHot flour.\n"
FLOUR = {"exact": "Flour", "suffix": ", water"}
AGENT = (Scope.READ, Scope.WRITE, Scope.PUBLISH)


@pytest.fixture
def document(api) -> dict[str, Any]:
    return a_document(api, markdown=TEXT)


@pytest.fixture
def agent(api, project):
    return api.by(project.token("Night writer", agent="writer-1", scopes=AGENT))


def opened(api, document, **fields) -> dict[str, Any]:
    return ok(api.post(f"{path_of(document)}/threads", {"text": "Which?", **fields}), 201)


def listed(api, document, query: str = "") -> list[dict[str, Any]]:
    return ok(api.get(f"{path_of(document)}/threads{query}"))


def of(document, thread) -> str:
    return f"{path_of(document)}/threads/{thread['id']}"


def write(api, document, markdown: str) -> dict[str, Any]:
    return ok(api.put(f"{path_of(document)}/content", {"markdown": markdown}, If_Match="*"))


@pytest.mark.contract("decided-threads.thread")
def test_a_thread_has_the_keys_of_the_contract(api, document) -> None:
    thread = opened(api, document, level="must", quote=FLOUR, suggestion="Rye")

    prefix, _, rest = TEXT.partition("Flour")
    quote = {"exact": "Flour", "prefix": prefix[-32:], "suffix": rest[:32]}
    [comment] = thread["comments"]
    assert thread | {"id": "", "openedBy": "", "createdAt": "", "updatedAt": "", "comments": []} == {
        "id": "",
        "documentId": document["id"],
        "version": 1,
        "level": "must",
        "state": "open",
        "quote": quote,
        "line": 5,
        "section": 1,
        "suggestion": "Rye",
        "outcome": None,
        "comments": [],
        "openedBy": "",
        "resolvedAt": None,
        "resolvedBy": None,
        "createdAt": "",
        "updatedAt": "",
    }
    assert set(comment) == {"id", "at", "by", "text"}
    assert comment["by"] == thread["openedBy"]
    whole = opened(api, document)
    assert [whole[name] for name in ("level", "quote", "line", "section")] == ["should", None, None, None]


@pytest.mark.contract("decided-threads.list")
def test_threads_are_listed_in_the_order_of_the_text_and_then_by_age(api, document) -> None:
    whole = opened(api, document, text="Whole.")
    oven = opened(api, document, text="Oven.", quote={"exact": "Oven"})
    dough = opened(api, document, text="Dough.", quote={"exact": "Dough"})
    again = opened(api, document, text="Dough again.", quote={"exact": "Dough"})
    ok(api.post(f"{of(document, oven)}/resolve"))

    ids = [one["id"] for one in listed(api, document)]

    assert ids == [dough["id"], again["id"], whole["id"]]
    assert [one["id"] for one in listed(api, document, "?state=resolved")] == [oven["id"]]
    assert len(listed(api, document, "?state=open,answered,resolved")) == 4
    refused(api.get(f"{path_of(document)}/threads?state=closed"), "HttpApiDecodeError")


@pytest.mark.contract("decided-threads.open", "decided-threads.settled-forms")
@pytest.mark.parametrize(
    ("fields", "status", "path"),
    [
        ({"text": ""}, 400, "text"),
        ({"text": "x" * 5_001}, 400, "text"),
        ({"quote": {"exact": ""}}, 400, "quote.exact"),
        ({"quote": {"exact": "x" * 2_001}}, 400, "quote.exact"),
        ({"quote": {"exact": "Flour", "prefix": "x" * 201}}, 400, "quote.prefix"),
        ({"level": "urgent"}, 400, "level"),
        ({"suggestion": "x" * 20_001}, 400, "suggestion"),
        ({"suggestion": "Rye"}, 422, "suggestion"),
        ({"quote": {"exact": "Spelt"}}, 422, "quote.exact"),
        ({"quote": {"exact": "e"}}, 422, "quote.exact"),
        ({"quote": {"exact": "Flour", "prefix": "Less "}}, 422, "quote.exact"),
        ({"quote": {"exact": "Spelt"}, "suggestion": "Rye"}, 422, "quote.exact"),
    ],
)
def test_a_wrong_thread_is_refused_and_nothing_is_written(api, document, fields, status, path) -> None:
    answer = api.post(f"{path_of(document)}/threads", {"text": "Which?", **fields})

    assert answer.status_code == status
    assert [one.get("path") or one.get("field") for one in answer.json.get("issues") or answer.json["errors"]] == [path]
    assert listed(api, document) == []
    assert types_of(api_store(api), document) == ["document.created"]


def api_store(api):
    return api.client.application.extensions["callers"].store


@pytest.mark.contract("decided-threads.anchors", "decided-threads.settled-anchors")
def test_a_thread_follows_its_words_alone(api, document) -> None:
    thread = opened(api, document, quote=FLOUR)

    write(api, document, f"New.\n\n{TEXT}")
    assert [(one["line"], one["section"]) for one in listed(api, document)] == [(7, 1)]
    write(api, document, TEXT.replace("Flour, water", "Spelt, water"))
    [gone] = listed(api, document)
    assert (gone["line"], gone["section"]) == (None, None)
    assert gone["quote"] == thread["quote"]


@pytest.mark.contract("decided-threads.settled-anchors")
def test_in_its_own_version_a_threads_line_is_known_though_its_neighbours_stand_twice(api) -> None:
    passage = f"{'a ' * 40}bread{' b' * 40}\n"
    document = a_document(api, markdown=f"one {passage}two {passage}")

    opened(api, document, quote={"exact": "bread", "prefix": f"two {'a ' * 40}"})

    assert [one["line"] for one in listed(api, document)] == [2]
    write(api, document, f"one {passage}two {passage}three")
    assert [one["line"] for one in listed(api, document)] == [None]


@pytest.mark.contract("decided-threads.replies", "decided-threads.events")
def test_answers_move_a_thread_and_each_has_its_event(api, agent, document) -> None:
    thread = opened(api, document, level="must")

    answered = ok(agent.post(f"{of(document, thread)}/replies", {"text": "Rye."}), 201)
    again = ok(api.post(f"{of(document, thread)}/replies", {"text": "No."}), 201)
    resolved = ok(api.post(f"{of(document, thread)}/resolve", {"text": "Good."}))
    told = refused(agent.post(f"{of(document, thread)}/replies", {"text": "?"}), "ThreadResolved")
    reopened = ok(api.post(f"{of(document, thread)}/reopen"))

    assert [one["state"] for one in (answered, again, resolved, reopened)] == ["answered", "open", "resolved", "open"]
    assert [comment["text"] for comment in reopened["comments"]] == ["Which?", "Rye.", "No.", "Good."]
    assert (resolved["resolvedBy"]["name"], reopened["resolvedBy"]) == ("A script", None)
    assert told["message"]
    events = [one for one in events_of(api_store(api), document) if one["type"].startswith("thread.")]
    kinds = ["thread.opened", "thread.replied", "thread.replied", "thread.resolved", "thread.reopened"]
    assert [one["type"] for one in events] == kinds
    assert {one["data"]["threadId"] for one in events} == {thread["id"]}
    assert {(one["data"]["level"], one["data"]["outcome"]) for one in events} == {("must", None)}


@pytest.mark.contract("decided-threads.agents", "decided-http.ThreadNotYours")
def test_an_agent_answers_a_must_thread_of_another_and_a_person_resolves_it(api, agent, document) -> None:
    thread = opened(api, document, level="must", quote=FLOUR, suggestion="Rye")

    for call in ("resolve", "reject"):
        told = refused(agent.post(f"{of(document, thread)}/{call}"), "ThreadNotYours")
        assert told["openedBy"] == thread["openedBy"]
    own = opened(agent, document, level="must")
    assert ok(agent.post(f"{of(document, own)}/resolve"))["state"] == "resolved"
    assert ok(api.post(f"{of(document, thread)}/resolve"))["state"] == "resolved"
    before = types_of(api_store(api), document)
    assert ok(api.post(f"{of(document, thread)}/resolve", {"text": "Again."}))["comments"] == thread["comments"]
    assert types_of(api_store(api), document) == before


@pytest.mark.contract("decided-threads.agents")
def test_an_agent_answers_others_threads_only_where_no_other_agent_holds_the_brief(api, agent, project) -> None:
    document = claimed(api, a_document(api, markdown=TEXT), api.by(project.token("Holder", agent="writer-9")))
    theirs, own = opened(api, document), opened(agent, document)
    answer = {"text": "Rye."}

    told = refused(agent.post(f"{of(document, theirs)}/replies", answer), "BriefClaimed")
    assert told["claimedBy"]["name"] == "Holder"
    ok(agent.post(f"{of(document, own)}/replies", answer), 201)
    ok(api.post(f"{of(document, theirs)}/replies", answer), 201)
    ok(api.post(f"{path_of(document)}/brief/withdraw"))
    ok(agent.post(f"{of(document, theirs)}/replies", answer), 201)


@pytest.mark.contract("decided-threads.accept", "decided-threads.events")
def test_an_accepted_suggestion_is_a_content_write_that_resolves_the_thread(api, agent, document) -> None:
    thread = opened(api, document, quote=FLOUR, suggestion="Dark rye")

    written = ok(agent.post(f"{of(document, thread)}/accept"))

    assert (written["content"], written["version"]) == (TEXT.replace("Flour,", "Dark rye,"), 2)
    assert written["contentUpdatedBy"]["name"] == "Night writer"
    [resolved] = listed(api, document, "?state=resolved")
    assert (resolved["outcome"], resolved["line"]) == ("accepted", None)
    assert types_of(api_store(api), document)[-2:] == ["document.content_updated", "thread.resolved"]
    refused(agent.post(f"{of(document, thread)}/accept"), "ThreadResolved")
    refused(agent.post(f"{of(document, thread)}/reject"), "ThreadResolved")


@pytest.mark.contract("decided-threads.accept", "decided-threads.events")
def test_an_agent_that_accepts_anothers_must_thread_answers_it_and_the_opener_resolves_it(api, agent, document) -> None:
    thread = opened(api, document, level="must", quote=FLOUR, suggestion="Flour, sieved")

    written = ok(agent.post(f"{of(document, thread)}/accept"))

    assert (written["content"], written["version"]) == (TEXT.replace("Flour,", "Flour, sieved,"), 2)
    [answered] = listed(api, document)
    assert [answered[name] for name in ("state", "outcome", "resolvedAt")] == ["answered", "accepted", None]
    assert types_of(api_store(api), document)[-2:] == ["document.content_updated", "thread.replied"]
    for call in ("accept", "reject"):
        assert "accepted already" in refused(api.post(f"{of(document, thread)}/{call}"), "BadRequest")["message"]
    ok(api.post(f"{path_of(document)}/submit"))
    assert refused(api.post(f"{path_of(document)}/publish"), "ThreadsOpen")["threads"] == [thread["id"]]
    resolved = ok(api.post(f"{of(document, thread)}/resolve"))
    assert (resolved["state"], resolved["outcome"]) == ("resolved", "accepted")


@pytest.mark.contract("decided-threads.accept")
def test_an_empty_suggestion_removes_the_passage_and_an_equal_one_makes_no_version(api, document) -> None:
    empty = opened(api, document, quote={"exact": "# Oven\n\nHot flour.\n"}, suggestion="")
    equal = opened(api, document, quote=FLOUR, suggestion="Flour")

    assert ok(api.post(f"{of(document, equal)}/accept"))["version"] == 1
    assert ok(api.post(f"{of(document, empty)}/accept"))["content"] == TEXT.partition("# Oven")[0]


@pytest.mark.contract("decided-threads.accept-order", "decided-http.QuoteGone", "decided-http.ThreadResolved")
def test_accepting_refuses_in_the_order_of_the_contract(api, agent, project, document) -> None:
    thread = opened(api, document, level="must", quote=FLOUR, suggestion="Rye")
    path = f"{of(document, thread)}/accept"
    write(api, document, "Gone.")

    refused(api.post(f"{path_of(document)}/threads/{NOBODY}/accept"), "NotFound")
    refused(api.post(path, If_Match='"1-1"'), "VersionConflict")
    refused(api.post(path), "QuoteGone")
    refused(agent.post(path), "QuoteGone")
    ok(api.post(f"{of(document, thread)}/reject", {"text": "No."}))
    refused(api.post(path), "ThreadResolved")
    ok(api.post(f"{of(document, thread)}/resolve"))
    ok(api.post(f"{path_of(document)}/brief/ready"))
    ok(api.by(project.token(agent="writer-2", scopes=AGENT)).post(f"{path_of(document)}/brief/claim"))
    refused(agent.post(path, If_Match='"1-1"'), "BriefClaimed")
    ok(api.post(f"{path_of(document)}/approve"))
    refused(api.post(path), "InvalidTransition")
    refused(api.post(path, If_Match='"1-1"'), "VersionConflict")


@pytest.mark.contract("decided-threads.accept", "decided-briefs.claim-protects")
def test_of_agents_that_share_a_token_only_the_one_of_this_claim_accepts(api, agent, document) -> None:
    path = f"{of(document, opened(api, document, quote=FLOUR, suggestion='Rye'))}/accept"
    ok(api.post(f"{path_of(document)}/brief/ready"))
    named = {"claimedAt": ok(agent.post(f"{path_of(document)}/brief/claim"))["brief"]["claimedAt"]}

    refused(agent.post(path, {"claimedAt": "2026-01-01T00:00:00.000Z"}), "BriefClaimed")

    assert ok(agent.post(path, named))["version"] == 2


@pytest.mark.contract("decided-threads.accept", "decided-threads.reject")
def test_without_a_suggestion_there_is_nothing_to_accept_or_reject(api, document) -> None:
    thread = opened(api, document, quote=FLOUR)

    for call in ("accept", "reject"):
        refused(api.post(f"{of(document, thread)}/{call}"), "BadRequest")


@pytest.mark.contract("decided-threads.request-changes", "decided-threads.rounds", "decided-threads.events")
def test_changes_are_requested_with_threads_and_the_brief_offered_in_one_write(api, document) -> None:
    ok(api.post(f"{path_of(document)}/submit"))
    remarks = [{"text": "Which?", "level": "must", "quote": FLOUR}, {"text": "Shorter."}]

    sent = ok(api.post(f"{path_of(document)}/request-changes", {"note": "See.", "threads": remarks, "offer": True}))

    assert (sent["status"], sent["brief"]["state"], sent["brief"]["rounds"]) == ("drafting", "ready", 1)
    assert [one["text"] for thread in listed(api, document) for one in thread["comments"]] == ["Which?", "Shorter."]
    kinds = ["document.changes_requested", "brief.ready", "thread.opened", "thread.opened"]
    assert types_of(api_store(api), document)[-4:] == kinds
    ok(api.post(f"{path_of(document)}/approve"), 409)
    for thread in listed(api, document):
        ok(api.post(f"{of(document, thread)}/resolve"))
    ok(api.post(f"{path_of(document)}/publish"))
    assert ok(api.get(path_of(document)))["brief"]["rounds"] == 0


@pytest.mark.contract("decided-threads.request-changes")
def test_one_wrong_thread_of_a_request_for_changes_opens_none(api, document) -> None:
    ok(api.post(f"{path_of(document)}/submit"))
    remarks = [{"text": "Good."}, {"text": "Good."}, {"text": "Which?", "quote": {"exact": "lour"}}]

    told = refused(api.post(f"{path_of(document)}/request-changes", {"threads": remarks}), "BadRequest")

    assert [one["field"] for one in told["errors"]] == ["threads[2].quote.exact"]
    assert ok(api.get(path_of(document)))["status"] == "review"
    assert listed(api, document) == []
    too_many = api.post(f"{path_of(document)}/request-changes", {"threads": [{"text": "Good."}] * 51})
    refused(too_many, "HttpApiDecodeError")


@pytest.mark.contract("decided-threads.rounds", "decided-http.RoundsExhausted")
def test_with_two_rounds_the_third_goes_to_people(api, document) -> None:
    assert ok(api.patch("/project", {"maxRounds": 2}))["maxRounds"] == 2
    for _ in range(2):
        ok(api.post(f"{path_of(document)}/submit"))
        ok(api.post(f"{path_of(document)}/request-changes", {"offer": True}))
    ok(api.post(f"{path_of(document)}/submit"))

    told = refused(api.post(f"{path_of(document)}/request-changes", {"offer": True}), "RoundsExhausted")

    assert (told["rounds"], told["maxRounds"]) == (2, 2)
    assert ok(api.post(f"{path_of(document)}/request-changes"))["brief"]["rounds"] == 3
    assert ok(api.patch("/project", {"maxRounds": None}))["maxRounds"] is None
    for wrong in (0, 21):
        refused(api.patch("/project", {"maxRounds": wrong}), "HttpApiDecodeError")


@pytest.mark.contract("decided-threads.refusals", "decided-http.ThreadsOpen")
def test_what_matters_is_answered_before_submitting_and_resolved_before_publishing(api, rest, agent, document) -> None:
    thread = opened(api, document, level="must")
    opened(api, document)
    moves = [("submit", None), ("approve", None), ("publish", None), ("schedule", {"publishAt": in_hours()})]

    for move, body in moves:
        assert refused(api.post(f"{path_of(document)}/{move}", body), "ThreadsOpen")["threads"] == [thread["id"]]
    ok(agent.post(f"{of(document, thread)}/replies", {"text": "Rye."}), 201)
    ok(agent.post(f"{path_of(document)}/submit"))
    for move, body in moves[1:]:
        refused(api.post(f"{path_of(document)}/{move}", body), "ThreadsOpen")
    actions = {one["action"]: one for one in ok(rest.get(f"{path_of(document)}/actions"))}
    assert actions["approve_document"]["refusal"]["_tag"] == "ThreadsOpen"
    assert {"open_thread", "request_changes"} <= set(actions)
    assert not {"reply_to_thread", "resolve_thread", "accept_suggestion"} & set(actions)
    ok(api.post(f"{of(document, thread)}/resolve"))
    ok(api.post(f"{path_of(document)}/approve"))


@pytest.mark.contract("decided-threads.scheduled")
def test_a_scheduled_document_with_such_a_thread_goes_back_to_drafting(api, store, document) -> None:
    ok(api.post(f"{path_of(document)}/schedule", {"publishAt": in_hours()}))
    opened(api, document, level="must")
    make_due(store, document)

    [(_, reason)] = list(publish_due(store, document["projectId"], this_instant()))

    assert "level `must`" in reason
    assert "POST" not in reason  # agents read it in the activity over MCP
    assert ok(api.get(path_of(document)))["status"] == "drafting"
    assert types_of(store, document)[-1] == "document.publish_failed"


@pytest.mark.contract("decided-threads.packet")
def test_the_packet_has_the_threads_that_are_not_resolved(api, document) -> None:
    oven, whole = opened(api, document, quote={"exact": "Oven"}), opened(api, document)
    ok(api.post(f"{of(document, opened(api, document))}/resolve"))

    packet = ok(api.get(f"{path_of(document)}/packet"))

    shown = [{name: value for name, value in one.items() if value is not None} for one in listed(api, document)]
    assert [{"documentId": document["id"], **one} for one in packet["threads"]] == shown
    assert [one["id"] for one in packet["threads"]] == [oven["id"], whole["id"]]
    assert packet["passages"] == [
        {"number": 2, "hash": packet["outline"]["sections"][2]["hash"], "markdown": "# Oven\n\nHot flour.\n"}
    ]
    assert packet["truncated"] == []
    for _ in range(50):
        opened(api, document)
    packet = ok(api.get(f"{path_of(document)}/packet"))
    assert len(packet["threads"]) == 50
    assert packet["truncated"] == ["threads"]


@pytest.mark.contract("decided-threads.life")
def test_threads_go_with_the_document_into_the_trash_and_back(api, document) -> None:
    thread = opened(api, document, quote=FLOUR)
    ok(api.delete(path_of(document)))
    assert api.get(f"{path_of(document)}/threads").status_code == 404
    assert api.post(f"{of(document, thread)}/replies", {"text": "?"}).status_code == 404

    ok(api.post(f"{path_of(document)}/restore"))

    assert listed(api, document) == [thread]


@pytest.mark.contract("decided-threads.life")
def test_the_delivery_api_has_no_threads() -> None:
    sdl = (Path(__file__).parents[1] / "surface" / "schema.graphql").read_text()

    assert "thread" not in sdl.lower()


def test_a_key_opens_one_thread(api, document) -> None:
    sent = {"text": "Which?", "quote": FLOUR}
    first = api.post(f"{path_of(document)}/threads", sent, Idempotency_Key="one")
    again = api.post(f"{path_of(document)}/threads", sent, Idempotency_Key="one")

    assert (first.json, again.headers["Idempotency-Replayed"]) == (again.json, "true")
    assert len(listed(api, document)) == 1


@pytest.mark.contract("decided-threads.settled")
def test_a_change_of_a_thread_may_name_the_state_that_was_read(api, document) -> None:
    answer = api.post(f"{path_of(document)}/threads", {"text": "Which?"})
    path, tag = of(document, answer.json), answer.headers["ETag"]

    ok(api.post(f"{path}/replies", {"text": "Rye."}, If_Match=tag), 201)
    refused(api.post(f"{path}/resolve", If_Match=tag), "PreconditionFailed")


@pytest.mark.contract("decided-threads.links", "decided-threads.link-shown-once")
def test_a_review_link_is_made_listed_and_ended(api, store, document) -> None:
    made = api.post(f"{path_of(document)}/review-links", {"name": "Lee", "days": 3})
    link = ok(made, 201)

    assert link["link"].startswith("/console/review#cwl_")
    secret = link.pop("link").partition("#")[2]
    assert ok(api.get(f"{path_of(document)}/review-links")) == [link]
    assert secret not in str(list(store.database.reviewLinks.find()))
    visit(store, secret, this_instant())
    ok(api.delete(f"{path_of(document)}/review-links/{link['id']}"))
    with pytest.raises(Unauthorized):
        visit(store, secret, this_instant())
    assert api.delete(f"{path_of(document)}/review-links/{link['id']}").status_code == 404
    assert types_of(store, document)[-2:] == ["review_link.created", "review_link.deleted"]


@pytest.mark.contract("decided-threads.caps")
@pytest.mark.parametrize(
    "fields", [{"name": ""}, {"name": "\u200b\u3164"}, {"name": "x" * 101}, {"name": None}, {"days": 0}, {"days": 15}]
)
def test_a_wrong_review_link_is_refused(api, document, fields) -> None:
    refused(api.post(f"{path_of(document)}/review-links", {"name": "Lee", **fields}), "HttpApiDecodeError")


@pytest.mark.contract("decided-threads.caps")
def test_a_document_has_at_most_20_review_links(api, document) -> None:
    for _ in range(20):
        ok(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)

    told = refused(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), "BadRequest")

    assert [one["field"] for one in told["errors"]] == ["name"]


@pytest.mark.contract("decided-threads.links")
def test_a_visitor_sees_one_document_and_remarks_under_the_name_of_the_link(api, store, document) -> None:
    theirs = opened(api, document, quote=FLOUR)
    link = ok(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)
    secret = link["link"].partition("#")[2]
    ctx, document_id = visit(store, secret, this_instant())

    own = open_thread(ctx, document_id, fields={"text": "Is that so?", "quote": {"exact": "Oven"}}).body
    answered = reply_to_thread(ctx, document_id, theirs["id"], fields={"text": "Rye."}).body

    assert document_id == document["id"]
    assert own["openedBy"] == {"type": "link", "id": link["id"], "name": "Lee", "agent": ""}
    assert answered["state"] == "answered"
    assert resolve_thread(ctx, document_id, own["id"], fields={}).body["state"] == "resolved"
    with pytest.raises(ThreadNotYours):
        resolve_thread(ctx, document_id, theirs["id"], fields={})
    with pytest.raises(BadRequest):
        open_thread(ctx, document_id, fields={"text": "!", "level": "must"})
    answer = api.client.get("/project", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 401


@pytest.mark.contract("decided-threads.links")
def test_a_review_link_ends_with_its_days_and_while_the_document_is_in_the_trash(api, store, document) -> None:
    secret = ok(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)["link"].partition("#")[2]
    now = this_instant()

    visit(store, secret, now + timedelta(days=6.9))
    with pytest.raises(Unauthorized):
        visit(store, secret, now + timedelta(days=7.1))
    ok(api.delete(path_of(document)))
    with pytest.raises(Unauthorized):
        visit(store, secret, now)
    ok(api.post(f"{path_of(document)}/restore"))
    visit(store, secret, now)
    for wrong in ("", "cwl_", f"cwl_{document['projectId']}.nothing", secret + "x", secret.removeprefix("cwl_")):
        with pytest.raises(Unauthorized):
            visit(store, wrong, now)


# How many there may be


def fields_of(body: dict[str, Any]) -> list[str]:
    return [one["field"] for one in body["errors"]]


def fill(store: Store, thread: dict[str, Any], number: int, **fields: Any) -> None:
    """Adds copies of a thread to its document, resolved, as if they had been opened and resolved."""
    row = store.database.threads.find_one({"_id": ObjectId(thread["id"])})
    assert row
    copies = [{**row, "state": "resolved", "_id": ObjectId(), **fields} for _ in range(number)]
    store.database.threads.insert_many(copies)


@pytest.mark.contract("decided-threads.caps", "decided-threads.list")
def test_a_document_has_at_most_1000_threads_and_they_are_listed_in_pages(api, app, store, document) -> None:
    thread, threads = opened(api, document), f"{path_of(document)}/threads"
    link = ok(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)["link"]
    fill(store, thread, 998, suggestion="x" * 20_000)
    opened(api, document)

    for more in ({"text": "One more."}, {"text": "x", "quote": FLOUR}):
        assert fields_of(refused(api.post(threads, more), "BadRequest")) == ["text"]
    ok(api.post(f"{path_of(document)}/submit"))
    changes = {"threads": [{"text": "One more."}]}
    told = refused(api.post(f"{path_of(document)}/request-changes", changes), "BadRequest")
    assert fields_of(told) == ["threads[0].text"]
    states = "state=open,answered,resolved"
    assert len(listed(api, document, f"?{states}")) == 200
    pages = [listed(api, document, f"?{states}&limit=200&offset={number}") for number in range(0, 1_200, 200)]
    assert [len(page) for page in pages] == [200] * 5 + [0]
    assert len({one["id"] for page in pages for one in page}) == 1_000
    refused(api.get(f"{threads}?limit=201"), "HttpApiDecodeError")
    visitor = app.test_client()
    visitor.post("/console/review", data={"link": link})
    assert len(visitor.get("/console/review").data) < 3_000_000


@pytest.mark.contract("decided-threads.caps")
def test_the_comments_of_a_thread_have_at_most_100_000_characters(api, document) -> None:
    thread = f"{path_of(document)}/threads/{opened(api, document, text='x' * 5_000)['id']}"
    for _ in range(19):
        ok(api.post(f"{thread}/replies", {"text": "x" * 5_000}), 201)
    for path, body in ((f"{thread}/replies", {"text": "x"}), (f"{thread}/resolve", {"text": "x"})):
        assert [one["field"] for one in refused(api.post(path, body), "BadRequest")["errors"]] == ["text"]
    ok(api.post(f"{thread}/resolve"))


@pytest.mark.contract("decided-threads.caps")
def test_visitors_open_at_most_100_threads_of_a_document(api, store, document) -> None:
    made = ok(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)
    ctx, document_id = visit(store, made["link"].partition("#")[2], this_instant())
    first = open_thread(ctx, document_id, fields={"text": "Is that so?"}).body
    fill(store, first, 98)
    open_thread(ctx, document_id, fields={"text": "And that?"})

    with pytest.raises(BadRequest) as told:
        open_thread(ctx, document_id, fields={"text": "And that?"})

    assert fields_of(told.value.body()) == ["text"]
    opened(api, document)


@pytest.mark.contract("decided-threads.etag")
def test_remarks_leave_the_documents_etag_and_time_alone(api, agent, document) -> None:
    before = api.get(path_of(document))
    thread = opened(api, document, level="must", quote=FLOUR)
    ok(agent.post(f"{of(document, thread)}/replies", {"text": "Rye."}), 201)
    ok(api.post(f"{of(document, thread)}/resolve"))
    ok(api.post(f"{of(document, thread)}/reopen"))
    link = ok(api.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)
    ok(api.delete(f"{path_of(document)}/review-links/{link['id']}"))

    after = api.get(path_of(document))
    assert (after.headers["ETag"], after.json) == (before.headers["ETag"], before.json)
    assert api.patch(path_of(document), {"title": "Dough"}, If_Match=before.headers["ETag"]).status_code == 200
    refused(api.post(f"{path_of(document)}/submit"), "ThreadsOpen")
