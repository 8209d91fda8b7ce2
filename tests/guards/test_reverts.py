"""What a token wrote is undone, and nobody else's work with it (decisions, section 13)."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.context import this_instant
from app.core.times import wire_time
from app.core.vocabulary import Scope
from app.documents.store import Documents
from app.guards import reverts
from tests.documents.steps import NOBODY, a_category, a_document, events_of, in_hours, ok, path_of, refused
from tests.make import OPERATIONS, Project, Token
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

SINCE = in_hours(-1)


def revert(rest: Rest, token: Token, since: str = SINCE, query: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = ok(rest.post(f"/tokens/{token.id}/revert{query}", {"since": since}))
    return answer


def write(rest: Rest, document: dict[str, Any], markdown: str) -> dict[str, Any]:
    version = ok(rest.get(path_of(document)))["version"]
    written: dict[str, Any] = ok(
        rest.put(f"{path_of(document)}/content", {"markdown": markdown, "baseVersion": version})
    )
    return written


@pytest.fixture
def agent(rest: Rest, project: Project) -> Rest:
    return rest.by(project.token("Agent", agent="wild", scopes=[Scope.READ, Scope.WRITE, Scope.PUBLISH]))


@pytest.mark.contract("decided-guards.revert")
def test_a_document_gets_the_text_and_the_published_fields_from_before_the_token(rest, agent, project) -> None:
    bread, gone = a_category(rest, "Bread"), a_category(rest, "Gone")
    document = a_document(rest, title="Rye", markdown="Dark.", categoryId=gone["id"])
    write(agent, document, "Wild.")
    ok(agent.patch(path_of(document), {"title": "Wild", "categoryId": bread["id"], "dueDate": "2027-01-31"}))
    ok(rest.delete(f"/categories/{gone['id']}"))

    dry = revert(rest, agent.token, query="?dryRun=true")
    answer = revert(rest, agent.token)

    assert answer == dry == {"reverted": [{"id": document["id"], "version": 4, "to": 1}], "skipped": [], "more": False}
    now = ok(rest.get(path_of(document)))
    assert (now["title"], now["content"], now["wordCount"], now["version"]) == ("Rye", "Dark.", 1, 4)
    assert (now["categoryId"], now["dueDate"]) == (None, "2027-01-31")
    last = events_of(project.store, document)[-1]
    assert (last["type"], last["data"]["reverted"], last["by"]["name"]) == (
        "document.content_updated",
        True,
        "A script",
    )
    assert revert(rest, agent.token) == {"reverted": [], "skipped": [], "more": False}


@pytest.mark.contract("decided-guards.revert-skipped")
def test_what_can_not_be_reverted_is_named_with_the_reason(rest, agent) -> None:
    changed, frozen, slug, live, untouched, trashed = (
        a_document(rest, title=title, slug=title.lower(), markdown="Dark.")
        for title in ("Changed", "Frozen", "Slug", "Live", "Untouched", "Trashed")
    )
    created = a_document(agent, title="Created")
    for document in (changed, frozen, live, trashed):
        write(agent, document, "Wild.")
    ok(rest.patch(path_of(changed), {"title": "Changed again"}))
    ok(rest.post(f"{path_of(frozen)}/schedule", {"publishAt": in_hours()}))
    ok(agent.patch(path_of(slug), {"slug": "wild"}))
    ok(rest.patch(path_of(untouched), {"slug": "slug"}))
    ok(rest.post(f"{path_of(live)}/publish"))
    ok(rest.delete(path_of(trashed)))

    answer = revert(rest, agent.token)

    assert answer["reverted"] == [{"id": live["id"], "version": 3, "to": 1}]
    assert {(one["id"], one["reason"]) for one in answer["skipped"]} == {
        (changed["id"], "changed_since"),
        (created["id"], "created_since"),
        (frozen["id"], "frozen_status"),
        (slug["id"], "slug_taken"),
        (live["id"], "published_since"),
    }
    assert ok(rest.get(path_of(live)))["publishedMarkdown"] == "Wild."
    assert ok(rest.get(path_of(changed)))["content"] == "Wild."
    again = revert(rest, agent.token)
    assert (again["reverted"], again["more"]) == ([], False)
    assert live["id"] not in {one["id"] for one in again["skipped"]}


@pytest.mark.contract("decided-guards.revert", "decided-guards.revert-skipped")
def test_no_more_documents_are_read_that_the_token_created_than_are_listed(
    rest, agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reverts, "SKIPPED", 2)
    read, get_many = [], Documents.get_many
    monkeypatch.setattr(
        Documents, "get_many", lambda self, project_id, ids: read.extend(ids) or get_many(self, project_id, ids)
    )
    created = {a_document(agent, title=f"Created {number}")["id"] for number in range(5)}
    document = a_document(rest, markdown="Dark.")
    write(agent, document, "Wild.")

    answer = revert(rest, agent.token)

    assert [one["id"] for one in answer["reverted"]] == [document["id"]]
    assert {one["reason"] for one in answer["skipped"]} == {"created_since"}
    assert len(created & set(read)) == len(answer["skipped"]) == 2


@pytest.mark.contract("decided-guards.revert")
def test_a_slug_that_another_document_gives_back_in_the_same_call_is_free(rest, agent) -> None:
    first, second = (a_document(rest, title=title, slug=title.lower()) for title in ("First", "Second"))
    ok(agent.patch(path_of(first), {"slug": "wild"}))
    ok(agent.patch(path_of(second), {"slug": "first"}))

    answer = revert(rest, agent.token)

    assert (answer["skipped"], answer["more"]) == ([], False)
    assert [ok(rest.get(path_of(document)))["slug"] for document in (first, second)] == ["first", "second"]


@pytest.mark.contract("decided-guards.revert")
def test_work_of_others_before_the_token_stays_and_an_earlier_time_goes_further_back(rest, agent, project) -> None:
    document = a_document(rest, title="Rye", markdown="One.")
    write(agent, document, "Two, of the agent.")
    between = wire_time(this_instant() + timedelta(milliseconds=1))
    write(agent, document, "Three, of the agent.")

    assert revert(rest, agent.token, since=between)["reverted"] == [{"id": document["id"], "version": 4, "to": 2}]
    assert revert(rest, agent.token)["reverted"] == [{"id": document["id"], "version": 5, "to": 1}]
    write(rest, document, "Six, of a person.")
    write(agent, document, "Seven, of the agent.")
    assert revert(rest, agent.token)["reverted"] == [{"id": document["id"], "version": 8, "to": 6}]
    assert ok(rest.get(path_of(document)))["content"] == "Six, of a person."


@pytest.mark.contract("decided-guards.revert-since")
def test_the_time_is_checked_and_revoked_tokens_are_reverted_too(rest, agent) -> None:
    path = f"/tokens/{agent.token.id}/revert"
    document = a_document(rest, markdown="Dark.")
    write(agent, document, "Wild.")

    refused(rest.post(path, {}), "HttpApiDecodeError")
    for wrong in ("soon", "2027-01-31", in_hours(-24 * 30 - 1)):
        assert refused(rest.post(path, {"since": wrong}), "BadRequest")["errors"][0]["field"] == "since"
    refused(rest.post(f"/tokens/{NOBODY}/revert", {"since": SINCE}), "NotFound")
    refused(agent.post(path, {"since": SINCE}), "Forbidden")
    ok(rest.delete(f"/tokens/{agent.token.id}"))

    assert len(revert(rest, agent.token, since=in_hours(-24 * 30 + 1))["reverted"]) == 1


@pytest.mark.contract("decided-guards.revert-pages")
def test_1000_documents_are_reverted_in_pages_with_other_peoples_changes_between(rest, project) -> None:
    person, wild = project.token("Person"), project.token("Wild")

    def plan(token: Token, title: str, numbers: range) -> None:
        for start in range(0, len(numbers), 500):
            pieces = [{"key": f"{number}", "title": f"{title} {number}"} for number in numbers[start : start + 500]]
            OPERATIONS["plan_documents"](project.context(token), fields={"pieces": pieces})

    plan(person, "Bread", range(1000))
    plan(wild, "Wild", range(1000))
    plan(person, "Mine", range(0, 1000, 10))

    answers = [revert(rest, wild)]
    while answers[-1]["more"]:
        answers.append(revert(rest, wild))

    assert [len(answer["reverted"]) for answer in answers] == [100] * 9
    assert {(one["id"], one["reason"]) for one in answers[-1]["skipped"]} >= {
        (one["id"], one["reason"]) for answer in answers for one in answer["skipped"]
    }
    found = project.store.database.documents.find({}, {"key": 1, "title": 1, "projectId": 1})
    titles = {row["key"]: row["title"] for row in found if str(row["projectId"]) == project.id}
    assert titles == {f"{number}": f"{'Bread' if number % 10 else 'Mine'} {number}" for number in range(1000)}


@pytest.mark.contract("decided-guards.revert")
def test_a_call_ends_after_so_many_versions_and_the_next_one_goes_on(rest, agent, monkeypatch) -> None:
    documents = [a_document(rest, markdown="Dark.") for _ in range(3)]
    for document in documents:
        for text in ("Wild.", "Wilder."):
            write(agent, document, text)
    monkeypatch.setattr(reverts, "VERSIONS_AT_ONCE", 3)

    answers = [revert(rest, agent.token) for _ in range(3)]

    assert [(len(one["reverted"]), one["more"]) for one in answers] == [(2, True), (1, False), (0, False)]
    assert [ok(rest.get(path_of(document)))["content"] for document in documents] == ["Dark."] * 3
