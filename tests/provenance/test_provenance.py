"""Who wrote what, the record of a review, and what is disclosed, over HTTP (decisions, section 18)."""

import csv
import hashlib
import time
from io import StringIO
from typing import Any

import pytest
from bson import ObjectId

from app.core.store.outbox import Outboxes
from app.core.vocabulary import Scope
from app.documents.store import Documents
from app.provenance import feature
from app.provenance.operations import compute_origins, provenance_of
from app.provenance.rules import dump_origins
from tests.documents.steps import a_document, in_hours, ok, path_of, refused
from tests.live import quickest
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

TEXT = "Flour and water.\n\nPatience."
REVIEW = {"facts": True, "sources": True, "examined": "Every step.", "responsible": "Ada Miller <ada@example.org>"}
MODEL = {"model": "example-4", "provider": "Example AI", "inputTokens": 900, "outputTokens": 10**12}
SCOPES = (Scope.READ, Scope.WRITE, Scope.PUBLISH)


@pytest.fixture
def agent(api, project):
    return api.by(project.token("Night writer", agent="writer-1", scopes=SCOPES))


@pytest.fixture
def written(api, agent) -> dict[str, Any]:
    """A document by an agent with a paragraph by a person."""
    document = a_document(agent, markdown=TEXT)
    return write(api, document, f"{TEXT}\n\nBy hand, at last.")


def write(api, document, markdown: str, **fields) -> dict[str, Any]:
    return ok(api.put(f"{path_of(document)}/content", {"markdown": markdown, **fields}, If_Match="*"))


def provenance(api, document, query: str = "") -> dict[str, Any]:
    return ok(api.get(f"{path_of(document)}/provenance{query}"))


def named(api, document, query: str = "") -> list[list[tuple[int, str, str]]]:
    """Returns who wrote each paragraph: version, token's name, kind."""
    found = provenance(api, document, query)["paragraphs"]
    return [[(one["version"], one["by"]["name"], one["kind"]) for one in paragraph["by"]] for paragraph in found]


def approve(api, document, **review) -> Any:
    return api.post(f"{path_of(document)}/approve", {"review": review} if review else None)


def record_of(api, document, query: str = "") -> dict[str, Any]:
    return ok(api.get(f"{path_of(document)}/review-record{query}"))


# Who wrote what


@pytest.mark.contract("decided-provenance.answer")
def test_each_paragraph_names_who_wrote_it(api, agent, written) -> None:
    found = provenance(api, written)

    first, _, last = found["paragraphs"]
    assert {**found, "paragraphs": []} == {"version": 2, "words": 8, "people": 4, "agents": 4, "paragraphs": []}
    assert first == {
        "line": 1,
        "words": 3,
        "by": [{"version": 1, "by": ok(agent.get(path_of(written)))["createdBy"], "model": None, "kind": "agent"}],
    }
    assert (last["line"], last["words"]) == (5, 4)
    assert named(api, written) == [
        [(1, "Night writer", "agent")],
        [(1, "Night writer", "agent")],
        [(2, "A script", "person")],
    ]
    assert named(api, written, "?version=1") == [[(1, "Night writer", "agent")]] * 2
    refused(api.get(f"{path_of(written)}/provenance?version=3"), "NotFound")
    refused(api.get(f"{path_of(written)}/provenance?version=0"), "HttpApiDecodeError")


@pytest.mark.contract("decided-provenance.both")
def test_a_correction_of_an_agents_paragraph_names_both(api, written) -> None:
    write(api, written, "Rye flour and water.\n\nPatience.\n\nBy hand, at last.")

    assert named(api, written)[0] == [(3, "A script", "person"), (1, "Night writer", "agent")]
    found = provenance(api, written)
    assert (found["words"], found["people"], found["agents"]) == (9, 8, 5)


@pytest.mark.contract("decided-provenance.kept")
def test_what_is_moved_repeated_and_restored_keeps_its_origins(api, agent, written) -> None:
    write(api, written, "By hand, at last.\r\n\r\nPatience. \r\n\r\nFlour and water.\n\nPatience.")
    agents, person = [(1, "Night writer", "agent")], [(2, "A script", "person")]
    assert named(api, written) == [person, agents, agents, [(3, "A script", "person")]]

    ok(agent.post(f"{path_of(written)}/revisions/2/restore", {"baseVersion": 3}))
    assert named(api, written) == [agents, agents, person]


def test_a_new_title_is_no_new_text(api, written) -> None:
    before = named(api, written)
    ok(api.patch(path_of(written), {"title": "Wheat"}))

    assert provenance(api, written)["version"] == 3
    assert named(api, written) == before


def test_a_document_without_content_has_nobodys_words(api) -> None:
    document = a_document(api, markdown=None)

    found = {"version": 1, "words": 0, "people": 0, "agents": 0, "paragraphs": []}
    assert provenance(api, document) == found


def test_a_restore_that_brings_no_text_back_leaves_who_wrote_what_stands_there(api, agent) -> None:
    document = a_document(api, markdown="Patience.")
    write(api, document, "")
    write(agent, document, "Patience.")
    before = named(api, document)
    ok(api.patch(path_of(document), {"title": "Another title"}))

    ok(api.post(f"{path_of(document)}/revisions/1/restore", {"baseVersion": 4}))

    assert ok(api.get(path_of(document)))["version"] == 5
    assert before == named(api, document) == [[(3, "Night writer", "agent")]]


# When it is computed


def origins_stored(store, document) -> list[str | None]:
    """Returns the stored origins of a document's texts, in the order in which they were written."""
    rows = store.database.bodies.find({"documentId": ObjectId(document["id"])}, sort=[("_id", 1)])
    return [row.get("origins") for row in rows]


def test_a_content_write_leaves_it_to_who_asks_first_and_to_nobody_after(api, store, written) -> None:
    write(api, written, f"New.\n\n{TEXT}")
    ok(api.post(f"{path_of(written)}/revisions/1/restore", {"baseVersion": 3}))
    write(api, written, "Patience.\n\nNew.")
    assert origins_stored(store, written) == [None] * 4

    found = provenance(api, written)

    first, second, third, last = origins_stored(store, written)
    assert None not in (first, last)
    assert (second, third) == (None, None)  # what was restored does not go back to them
    store.database.revisions.update_many({"documentId": ObjectId(written["id"])}, {"$set": {"bodyId": None}})
    store.database.revisions.update_one(
        {"documentId": ObjectId(written["id"]), "version": 5}, {"$set": {"bodyId": ObjectId()}}
    )
    assert provenance(api, written) == found


def test_it_is_computed_from_the_nearest_text_whose_origins_are_stored(api, store, written) -> None:
    provenance(api, written)
    store.database.bodies.update_one({"documentId": ObjectId(written["id"])}, {"$set": {"text": "Another."}})
    write(api, written, "New.\n\nPatience.")

    assert named(api, written) == [
        [(3, "A script", "person"), (1, "Night writer", "agent")],
        [(1, "Night writer", "agent")],
    ]


def test_a_computation_that_was_interrupted_goes_on_there_and_two_at_once_store_the_same(
    api, project, store, written
) -> None:
    for number in range(5):
        write(api, written, f"{TEXT}\n\nStep {number}.")
    content_id = store[Documents].get(project.id, written["id"])["contentId"]
    first, second = (compute_origins(project.context(), written["id"], content_id) for _ in range(2))
    begun = [next(first), next(first)]
    assert origins_stored(store, written) == begun + [None] * 5

    by_second = [*second]

    assert origins_stored(store, written) == begun + by_second
    assert [*first] == by_second
    assert origins_stored(store, written) == begun + by_second


def test_a_review_is_of_the_text_that_is_approved_though_another_was_read_before(
    api, written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written_meanwhile(*arguments):
        monkeypatch.setattr(feature, "provenance_of", provenance_of)
        found = provenance_of(*arguments)
        write(api, written, f"By hand.\n\n{TEXT}")
        return found

    monkeypatch.setattr(feature, "provenance_of", written_meanwhile)

    ok(approve(api, written, **REVIEW))

    record = record_of(api, written)
    assert (record["version"], record["people"], record["agents"]) == (3, 2, 4)


@pytest.mark.contract("decided-provenance.answer")
def test_fenced_code_ends_with_the_quote_that_it_stands_in(api, agent) -> None:
    document = a_document(api, markdown="> ```\n> ls\n\nPatience.")

    write(agent, document, "> ```\n> pwd\n\nPatience.")

    assert named(api, document)[1:] == [[(1, "A script", "person")]]


# Generation


def by_put(api, document, generation):
    return api.put(f"{path_of(document)}/content", {"markdown": "Dark.", "generation": generation}, If_Match="*")


def by_patch(api, document, generation):
    [part] = ok(api.get(f"{path_of(document)}/outline"))["sections"]
    edits = [{"hash": part["hash"], "markdown": "Dark."}]
    return api.patch(f"{path_of(document)}/content", {"edits": edits, "generation": generation}, If_Match="*")


def by_suggestion(api, document, generation):
    fields = {"text": "So.", "quote": {"exact": "Rye is dark."}, "suggestion": "Dark."}
    thread = ok(api.post(f"{path_of(document)}/threads", fields), 201)
    return api.post(f"{path_of(document)}/threads/{thread['id']}/accept", {"generation": generation})


@pytest.mark.contract("decided-provenance.generation")
@pytest.mark.parametrize("way", [by_put, by_patch, by_suggestion])
def test_every_write_of_a_text_takes_what_was_used(api, way) -> None:
    document = a_document(api)
    [missing] = refused(way(api, document, {"provider": "x"}), "HttpApiDecodeError")["issues"]
    assert missing["path"] == "generation.model"
    [blank] = refused(way(api, document, {"model": " "}), "HttpApiDecodeError")["issues"]
    assert blank["path"] == "generation.model"
    refused(way(api, document, {"model": "x", "inputTokens": 10**12 + 1}), "HttpApiDecodeError")

    assert ok(way(api, document, MODEL))["version"] == 2

    newest, first = ok(api.get(f"{path_of(document)}/revisions"))
    assert newest["generation"] == {**MODEL, "promptUrl": None}
    assert first["generation"] is None
    [paragraph] = provenance(api, document)["paragraphs"]
    assert [(one["version"], one["model"], one["kind"]) for one in paragraph["by"]] == [
        (2, "example-4", "agent"),
        (1, None, "person"),
    ]


def test_a_write_that_changes_nothing_leaves_what_was_used(api) -> None:
    document = a_document(api)
    write(api, document, "Rye is dark.", generation=MODEL)

    [only] = ok(api.get(f"{path_of(document)}/revisions"))
    assert only["generation"] is None


@pytest.mark.contract("decided-provenance.drafts")
def test_a_draft_keeps_what_was_used_and_is_judged_at_confirm(api) -> None:
    draft = ok(api.post("/document-intents", {"title": "Rye", "markdown": "Dark.", "generation": {}}), 201)
    assert draft["fields"]["generation"] == {}
    errors = refused(api.post(f"/document-intents/{draft['id']}/confirm"), "IntentInvalid")["errors"]
    assert [one["field"] for one in errors] == ["generation.model"]

    ok(api.patch(f"/document-intents/{draft['id']}", {"generation": {"model": "example-4"}}))
    document = ok(api.post(f"/document-intents/{draft['id']}/confirm"), 201)["document"]
    [paragraph] = provenance(api, document)["paragraphs"]
    assert [(one["model"], one["kind"]) for one in paragraph["by"]] == [("example-4", "agent")]


def test_a_plan_takes_what_was_used_of_a_new_piece(api) -> None:
    piece = {"key": "rye", "title": "Rye", "markdown": "Dark.", "generation": {"provider": "x"}}
    [refused_piece] = ok(api.post("/plan", {"pieces": [piece]}))["pieces"]
    assert [one["field"] for one in refused_piece["errors"]] == ["generation.model"]

    [made] = ok(api.post("/plan", {"pieces": [{**piece, "generation": MODEL}]}))["pieces"]
    assert named(api, made) == [[(1, "A script", "agent")]]
    assert ok(api.get(f"{path_of(made)}/revisions/1"))["generation"]["model"] == "example-4"


@pytest.mark.contract("decided-provenance.kinds")
def test_words_over_mcp_are_an_agents_and_those_of_a_token_without_a_name_a_persons(api, app, project) -> None:
    document = a_document(api)
    token = project.token("Nameless")
    Agent(app.test_client(), token, name="").call(
        "write_content", documentId=document["id"], markdown="By MCP.", baseVersion=1
    )
    assert named(api, document) == [[(2, "Nameless", "agent"), (1, "A script", "person")]]

    write(api.by(token), document, "By MCP.\n\nBy REST.")
    assert named(api, document)[1] == [(3, "Nameless", "person")]


@pytest.mark.contract("decided-provenance.kinds", "decided-provenance.drafts")
@pytest.mark.parametrize("by_update", [False, True])
def test_a_draft_that_was_written_over_mcp_is_an_agents_whoever_confirms_it(api, app, project, by_update) -> None:
    token = project.token("Nameless")
    rest, agent = api.by(token), Agent(app.test_client(), token, name="")
    if by_update:
        draft = ok(rest.post("/document-intents", {"title": "Rye", "markdown": "By REST."}), 201)
        agent.call("update_document_intent", intentId=draft["id"], markdown="By MCP.")
    else:
        draft = agent.call("create_document_intent", title="Rye", markdown="By MCP.")
    ok(rest.patch(f"/document-intents/{draft['id']}", {"status": "planned"}))

    document = ok(rest.post(f"/document-intents/{draft['id']}/confirm"), 201)["document"]

    assert named(api, document) == [[(1, "Nameless", "agent")]]


@pytest.mark.contract("decided-provenance.suggestions")
def test_an_accepted_suggestion_of_an_agent_is_by_both(api, agent) -> None:
    document = a_document(api, markdown=TEXT)
    thread = {"text": "Say which.", "quote": {"exact": "Flour"}, "suggestion": "Wheat flour"}
    opened = ok(agent.post(f"{path_of(document)}/threads", thread), 201)
    ok(api.post(f"{path_of(document)}/threads/{opened['id']}/accept", {}))

    first, second = named(api, document)
    assert first == [(2, "A script", "person"), (2, "Night writer", "agent"), (1, "A script", "person")]
    assert second == [(1, "A script", "person")]


# The record of a review


def require(api) -> None:
    ok(api.patch("/project", {"reviewRecord": "required"}))


@pytest.mark.contract("decided-reviews.record")
def test_an_approval_with_a_review_is_recorded_with_the_hash_of_the_text(api, written) -> None:
    thread = ok(api.post(f"{path_of(written)}/threads", {"text": "Good."}), 201)
    ok(api.post(f"{path_of(written)}/threads/{thread['id']}/resolve", {}))
    ok(approve(api, written, **REVIEW))

    record = record_of(api, written)

    assert record.pop("at").endswith("Z")
    assert record.pop("by")["name"] == "A script"
    assert sum(record.pop("checks").values()) > 5
    assert record == {
        **REVIEW,
        "documentId": written["id"],
        "version": 2,
        "sha256": hashlib.sha256(f"{TEXT}\n\nBy hand, at last.".encode()).hexdigest(),
        "people": 4,
        "agents": 4,
        "models": [],
        "threads": {"resolved": 1, "accepted": 0, "rejected": 0},
        "disclosure": "ai-assisted",
        "current": True,
        "sourceList": [],
    }


@pytest.mark.contract("decided-reviews.immutable")
def test_a_record_stays_with_its_version_whatever_comes_later(api, written) -> None:
    ok(approve(api, written, **REVIEW))
    first = record_of(api, written)
    ok(api.post(f"{path_of(written)}/request-changes", {"note": "Once more."}))
    ok(approve(api, written, facts=True, examined="Again.", responsible="Ben"))
    assert record_of(api, written) == first

    ok(api.post(f"{path_of(written)}/request-changes", {"note": "Once more."}))
    write(api, written, "All new.")
    assert record_of(api, written) == {**first, "current": False}
    assert record_of(api, written, "?version=2") == {**first, "current": False}
    refused(api.get(f"{path_of(written)}/review-record?version=3"), "NotFound")
    refused(api.get(f"{path_of(a_document(api, title='Other'))}/review-record"), "NotFound")


def test_each_part_of_a_review_is_optional_where_nothing_is_required(api, written) -> None:
    ok(api.post(f"{path_of(written)}/approve", {"review": {}}))

    record = record_of(api, written)
    assert [record[name] for name in ("facts", "sources", "examined", "responsible")] == [False, False, "", ""]
    assert record["disclosure"] == "ai-autonomous"


@pytest.mark.contract("decided-reviews.required", "decided-http.HumanReviewRequired")
def test_a_project_that_requires_records_says_what_is_missing(api, agent, written) -> None:
    require(api)

    def missing(who, review) -> list[str]:
        body = None if review is None else {"review": review}
        return refused(who.post(f"{path_of(written)}/approve", body), "HumanReviewRequired")["missing"]

    assert missing(api, None) == ["review"]
    assert missing(api, {}) == ["facts", "examined"]
    assert missing(api, {"facts": True}) == ["examined"]
    assert missing(api, {"facts": False, "examined": "All."}) == ["facts"]
    assert missing(agent, None) == ["review", "person"]
    assert missing(agent, {}) == ["facts", "examined", "person"]
    assert missing(agent, REVIEW) == ["person"]
    refused(approve(api, written, facts=True, examined=""), "HttpApiDecodeError")
    assert missing(api, {"facts": True, "examined": "\u00a0\u200b\u3164"}) == ["examined"]
    refused(api.post(f"{path_of(written)}/publish"), "HumanReviewRequired")
    refused(api.post(f"{path_of(written)}/schedule", {"publishAt": in_hours()}), "HumanReviewRequired")

    ok(approve(api, written, facts=True, examined="All."))
    assert ok(api.post(f"{path_of(written)}/publish"))["isPublished"]


@pytest.mark.contract("decided-reviews.required")
@pytest.mark.parametrize("recorded", [True, False])
def test_what_was_live_comes_out_of_the_trash_live_only_with_a_record(api, written, recorded) -> None:
    ok(approve(api, written, **(REVIEW if recorded else {})))
    ok(api.post(f"{path_of(written)}/publish"))
    write(api, written, "By hand alone, and not live yet.")
    require(api)
    ok(api.delete(path_of(written)))

    assert ok(api.post(f"{path_of(written)}/restore"))["isPublished"] is recorded


def test_an_agent_attests_no_review_in_any_project(api, agent, written) -> None:
    assert refused(approve(agent, written, **REVIEW), "HumanReviewRequired")["missing"] == ["person"]

    ok(approve(agent, written))
    refused(api.get(f"{path_of(written)}/review-record"), "NotFound")


@pytest.mark.contract("decided-reviews.order")
def test_it_is_refused_after_open_threads_and_before_four_eyes(api, written) -> None:
    ok(api.patch("/project", {"reviewRecord": "required", "fourEyes": True}))
    refused(approve(api, written), "HumanReviewRequired")
    refused(approve(api, written, **REVIEW), "FourEyes")
    ok(api.post(f"{path_of(written)}/threads", {"text": "Which?", "level": "must"}), 201)
    refused(approve(api, written), "ThreadsOpen")


def test_actions_tell_an_agent_and_not_a_person_that_a_person_is_needed(api, agent, written) -> None:
    require(api)

    def refusal(who):
        actions = ok(Rest.call(who, "GET", f"{path_of(written)}/actions"))
        return next(one["refusal"] for one in actions if one["action"] == "approve_document")

    assert refusal(api) is None
    assert (refusal(agent)["_tag"], refusal(agent)["missing"]) == ("HumanReviewRequired", ["person"])


def test_a_dry_run_of_an_approval_records_nothing(api, written) -> None:
    ok(api.post(f"{path_of(written)}/approve?dryRun=true", {"review": REVIEW}))

    refused(api.get(f"{path_of(written)}/review-record"), "NotFound")


# Disclosures


def published(api, **fields) -> dict[str, Any]:
    document = a_document(api, **fields)
    return ok(api.post(f"{path_of(document)}/publish"))


@pytest.mark.contract("decided-disclosures.values", "decided-disclosures.list")
def test_what_is_live_is_listed_with_what_is_disclosed(api, agent, written) -> None:
    human = published(api, title="Human")
    machine = published(agent, title="Machine", generation={"model": "example-4"})
    ok(approve(api, written, **REVIEW))
    ok(api.post(f"{path_of(written)}/publish"))

    found = ok(api.get("/disclosures"))

    assert [one["disclosure"] for one in found] == ["ai-assisted", "ai-autonomous", "human-only"]
    assert [one["documentId"] for one in found] == [written["id"], machine["id"], human["id"]]
    reviewed, autonomous, _ = found
    assert reviewed["reviewedBy"]["name"] == "A script"
    assert (reviewed["responsible"], reviewed["version"]) == (REVIEW["responsible"], 2)
    assert autonomous["models"] == ["example-4"]
    assert [autonomous[name] for name in ("reviewedBy", "reviewedAt", "responsible")] == [None] * 3
    assert ok(api.get("/disclosures?limit=1&offset=1")) == [autonomous]
    today = reviewed["publishedAt"][:10]
    assert ok(api.get(f"/disclosures?from={today}&to={today}")) == found
    assert ok(api.get("/disclosures?to=2020-01-01")) == []
    assert ok(api.get("/disclosures?from=2999-01-01&to=9999-12-31")) == []
    refused(api.get("/disclosures?from=soon"), "HttpApiDecodeError")


@pytest.mark.contract("decided-disclosures.csv")
def test_the_list_is_a_table_too_in_which_nothing_is_a_formula(api, written) -> None:
    ok(api.patch(path_of(written), {"title": '=1+1, "x"'}))
    ok(approve(api, written, **{**REVIEW, "responsible": "@ada"}))
    ok(api.post(f"{path_of(written)}/publish"))

    response = api.client.get(
        "/disclosures", headers={"Authorization": f"Bearer {api.token.secret}", "Accept": "text/csv"}
    )

    assert response.content_type == "text/csv; charset=utf-8"
    assert response.text.count("\r\n") == 2
    [row] = csv.DictReader(StringIO(response.text, newline=""))
    assert row | {"publishedAt": "", "reviewedAt": ""} == {
        "documentId": written["id"],
        "title": '\'=1+1, "x"',
        "slug": "rye",
        "version": "3",
        "publishedAt": "",
        "disclosure": "ai-assisted",
        "models": "",
        "reviewedBy": "A script",
        "reviewedAt": "",
        "responsible": "'@ada",
    }


@pytest.mark.contract("decided-disclosures.insights")
def test_insights_have_the_live_words_and_the_declared_tokens_of_agents(api, project, agent, written) -> None:
    write(agent, written, f"{TEXT}\n\nMore.", generation={"model": "example-4", "inputTokens": 900, "outputTokens": 50})
    write(agent, written, f"{TEXT}\n\nMore, more.", generation={"model": "example-4", "inputTokens": 100})
    ok(api.post(f"{path_of(written)}/publish"))
    project.store[Outboxes].publish_all(project.id)

    [found] = ok(api.get("/insights"))["agents"]

    assert (found["name"], found["agent"], found["claimed"]) == ("Night writer", "writer-1", 0)
    assert (found["words"], found["inputTokens"], found["outputTokens"]) == (6, 1_000, 50)

    ok(api.post(f"{path_of(written)}/unpublish"))
    [found] = ok(api.get("/insights"))["agents"]
    assert found["words"] == 0


@pytest.mark.contract("decided-provenance.fast")
def test_two_megabytes_with_500_versions_answer_within_a_second(api, store) -> None:
    text = "\n\n".join(f"Paragraph {n} " + "of a long text and more " * 16 for n in range(5_000))
    document = a_document(api, markdown=text)
    rows = store.database.revisions
    row = rows.find_one({"documentId": ObjectId(document["id"])})
    rows.insert_many([{**row, "_id": ObjectId(), "version": version} for version in range(2, 501)])
    origins = [1 << 1 | 1 << 2 + place % 499 for place in range(5_000)]
    store.database.bodies.update_one({"_id": row["bodyId"]}, {"$set": {"origins": dump_origins(origins)}})
    path = f"{path_of(document)}/provenance"

    found = ok(Rest.call(api, "GET", path))

    assert len(found["paragraphs"]) == 5_000
    assert [one["version"] for one in found["paragraphs"][498]["by"]] == [500, 1]
    assert quickest(lambda: Rest.call(api, "GET", path), 1, time.perf_counter) < 1
