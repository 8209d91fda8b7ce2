"""The inbox over HTTP: what waits for whom, since when, in which order, read by index (decisions, section 19)."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.store import CODEC, Store
from app.core.times import read_time, wire_time
from app.core.vocabulary import Scope
from app.documents.publishing import publish_due
from app.features import ALL
from app.notices.inbox_store import Inboxes
from tests.documents.steps import NOBODY, a_document, a_document_in, a_member, make_due, ok, path_of
from tests.graphql_app.watched import Watched
from tests.live import quickest
from tests.make import Project

pytestmark = pytest.mark.needs_mongod

YESTERDAY = (this_instant().date() - timedelta(days=1)).isoformat()


def waiting(api, query: str = "") -> list[dict[str, Any]]:
    return ok(api.get(f"/inbox{query}"))


def kinds(api, query: str = "") -> list[tuple[str, str, str | None]]:
    return [(line["kind"], line["action"], line["memberId"]) for line in waiting(api, query)]


@pytest.mark.contract("decided-notices.inbox")
def test_a_document_in_review_waits_for_its_assignee_since_it_was_submitted(api) -> None:
    member = a_member(api)
    document = a_document_in(api, "review", assigneeId=member["id"])
    submitted = document["updatedAt"]
    ok(api.patch(path_of(document), {"dueDate": "2999-01-01"}))

    assert waiting(api) == [
        {
            "kind": "review",
            "documentId": document["id"],
            "title": document["title"],
            "since": submitted,
            "action": "approve_document",
            "memberId": member["id"],
            "threadId": None,
        }
    ]


@pytest.mark.contract("decided-notices.inbox")
def test_with_a_member_it_has_theirs_and_everybodys(api) -> None:
    ada, jun = a_member(api, "Ada"), a_member(api, "Jun")
    hers = a_document_in(api, "review", assigneeId=ada["id"], slug="hers")
    his = a_document_in(api, "review", assigneeId=jun["id"], slug="his")
    all_s = a_document_in(api, "review", slug="all")

    def ids(query: str = "") -> list[str]:
        return [line["documentId"] for line in waiting(api, query)]

    assert ids() == [hers["id"], his["id"], all_s["id"]]
    assert ids(f"?memberId={ada['id'].upper()}") == [hers["id"], all_s["id"]]
    assert ids(f"?memberId={NOBODY}") == ids("?memberId=nobody") == [all_s["id"]]


def test_what_was_assigned_to_a_member_who_left_waits_for_everybody(api) -> None:
    ada, jun = a_member(api, "Ada"), a_member(api, "Jun")
    document = a_document_in(api, "review", assigneeId=ada["id"])
    ok(api.delete(f"/members/{ada['id']}"))

    [line] = waiting(api, f"?memberId={jun['id']}")

    assert (line["documentId"], line["memberId"]) == (document["id"], None)


@pytest.mark.contract("decided-notices.kinds")
def test_requested_changes_wait_until_the_document_is_submitted(api) -> None:
    member = a_member(api)
    document = a_document_in(api, "review", assigneeId=member["id"])
    ok(api.post(f"{path_of(document)}/request-changes", {"note": "Which flour?"}))
    assert kinds(api) == [("changes", "submit_document", member["id"])]

    ok(api.post(f"{path_of(document)}/submit"))

    assert kinds(api) == [("review", "approve_document", member["id"])]


@pytest.mark.contract("decided-notices.kinds")
def test_an_open_must_thread_waits_for_the_assignee_and_an_answered_one_for_who_opened_it(api, project) -> None:
    ada, jun = a_member(api, "Ada"), a_member(api, "Jun")
    editor = api.by(project.token("Jun", memberId=ObjectId(jun["id"])))
    document = a_document_in(api, "approved", assigneeId=ada["id"])
    path = f"{path_of(document)}/threads"
    thread = ok(editor.post(path, {"text": "Which?", "level": "must"}), 201)
    ok(editor.post(path, {"text": "Nice."}), 201)
    assert kinds(api) == [("thread", "reply_to_thread", ada["id"])]

    answered = ok(api.post(f"{path}/{thread['id']}/replies", {"text": "Rye."}), 201)

    [line] = waiting(api)
    assert (line["action"], line["memberId"], line["threadId"]) == ("resolve_thread", jun["id"], thread["id"])
    assert line["since"] == answered["updatedAt"]
    assert kinds(api, f"?memberId={ada['id']}") == []
    ok(api.post(f"{path}/{thread['id']}/replies", {"text": "Rye, I mean."}), 201)
    assert waiting(api) == [line]
    ok(editor.post(f"{path}/{thread['id']}/replies", {"text": "How much?"}), 201)
    assert kinds(api) == [("thread", "reply_to_thread", ada["id"])]
    ok(editor.post(f"{path}/{thread['id']}/resolve"))
    assert kinds(api) == []
    ok(editor.post(f"{path}/{thread['id']}/reopen"))
    assert kinds(api) == [("thread", "reply_to_thread", ada["id"])]


def test_an_answered_thread_of_a_token_that_is_nobodys_waits_for_nobody(api, project) -> None:
    document = a_document(api)
    path = f"{path_of(document)}/threads"
    thread = ok(api.post(path, {"text": "Which?"}), 201)
    ok(api.by(project.token("Other")).post(f"{path}/{thread['id']}/replies", {"text": "Rye."}), 201)

    assert kinds(api) == []


def test_a_thread_of_a_document_in_the_trash_does_not_wait(api, project) -> None:
    jun = a_member(api, "Jun")
    editor = api.by(project.token("Jun", memberId=ObjectId(jun["id"])))
    document = a_document(api)
    path = f"{path_of(document)}/threads"
    thread = ok(editor.post(path, {"text": "Which?"}), 201)
    ok(editor.post(path, {"text": "What?", "level": "must"}), 201)
    ok(api.post(f"{path}/{thread['id']}/replies", {"text": "Rye."}), 201)
    assert len(kinds(api)) == 2

    ok(api.delete(path_of(document)))

    assert kinds(api) == []


@pytest.mark.contract("decided-notices.kinds")
def test_what_was_due_before_today_is_overdue_since_the_midnight_after(api) -> None:
    late = a_document(api, dueDate="2026-01-31", slug="late")
    a_document(api, dueDate=this_instant().date().isoformat(), slug="today")
    published = a_document(api, dueDate=YESTERDAY, slug="published")
    ok(api.post(f"{path_of(published)}/publish"))
    ok(api.patch(path_of(a_document(api, slug="last")), {"dueDate": "9999-12-31"}))

    [line] = waiting(api)

    assert (line["documentId"], line["since"]) == (late["id"], "2026-02-01T00:00:00.000Z")
    assert line["action"] == "publish_document"


@pytest.mark.contract("decided-notices.kinds")
def test_a_failed_publication_waits_until_the_next_write(api, project) -> None:
    document = a_document_in(api, "scheduled")
    ok(api.post(f"{path_of(document)}/threads", {"text": "Which?"}), 201)
    project.store.database.documents.update_one(
        {"_id": ObjectId(document["id"])}, {"$set": {"mustThreads": {NOBODY: "open"}}}
    )
    make_due(project.store, document)
    list(publish_due(project.store, project.id, this_instant()))
    assert kinds(api) == [("publish_failed", "publish_document", None)]

    ok(api.patch(path_of(document), {"subtitle": "Wild yeast"}))

    assert kinds(api) == []


@pytest.mark.contract("decided-notices.kinds")
def test_exhausted_rounds_wait_until_the_document_is_published(api) -> None:
    ok(api.patch("/project", {"maxRounds": 1}))
    document = a_document_in(api, "review")
    changed = ok(api.post(f"{path_of(document)}/request-changes", {"note": "Which flour?"}))
    assert kinds(api) == [("changes", "submit_document", None), ("rounds", "mark_brief_ready", None)]
    assert {line["since"] for line in waiting(api)} == {changed["updatedAt"]}
    ok(api.post(f"{path_of(document)}/approve"))
    assert [kind for kind, *_ in kinds(api)] == ["rounds"]
    ok(api.patch("/project", {"maxRounds": 2}))
    assert kinds(api) == []
    ok(api.patch("/project", {"maxRounds": 1}))

    ok(api.post(f"{path_of(document)}/publish"))

    assert kinds(api) == []


def test_the_inbox_needs_the_scope_read(api, project) -> None:
    writer = api.by(project.token(scopes=[Scope.WRITE]))

    assert writer.get("/inbox").status_code == 403


def fill(project: Project, like: dict[str, Any], members: list[dict[str, Any]], documents: int) -> None:
    """Adds documents like one: in review, each waiting since another minute, assigned to the members in turn."""
    store = project.store.database.documents
    row = store.find_one({"_id": ObjectId(like["id"])})
    since = datetime(2026, 1, 1, tzinfo=UTC)
    store.insert_many(
        {
            **row,
            **{
                "_id": ObjectId(),
                "slug": f"rye-{number}",
                "slugs": [f"rye-{number}"],
                "slugKeys": [f"rye-{number}"],
                "outbox": [],
            },
            "assigneeId": ObjectId(members[number % len(members)]["id"]) if number % 10 else None,
            "statusSince": (at := since + timedelta(minutes=number)),
            "waitingSince": at,
            "dueDate": None,
        }
        for number in range(documents)
    )


@pytest.mark.contract("decided-notices.inbox")
def test_it_is_the_200_longest_waiting_first(api, project) -> None:
    members = [a_member(api, name) for name in ("Ada", "Jun", "Kim")]
    fill(project, a_document_in(api, "review"), members, 900)

    everything, hers = waiting(api), waiting(api, f"?memberId={members[0]['id']}")

    first = datetime(2026, 1, 1, tzinfo=UTC)
    assert [line["since"] for line in everything] == [wire_time(first + timedelta(minutes=n)) for n in range(200)]
    numbers = [(read_time(line["since"]) - first).total_seconds() / 60 for line in hers]
    assert numbers == [n for n in range(900) if n % 10 == 0 or n % 3 == 0][:200]


@pytest.mark.contract("decided-notices.index")
def test_of_50_members_and_1000_documents_it_is_read_by_index_alone(api, project, mongodb_uri) -> None:
    members = [a_member(api, f"Member {number}") for number in range(50)]
    tokens = [project.token(member["name"], memberId=ObjectId(member["id"])) for member in members]
    document = a_document_in(api, "review")
    fill(project, document, members, 999)
    path = f"{path_of(document)}/threads"
    for number in range(20):
        thread = ok(api.by(tokens[number]).post(path, {"text": "Which?"}), 201)
        ok(api.post(f"{path}/{thread['id']}/replies", {"text": "Rye."}), 201)
    ok(api.patch("/project", {"maxRounds": 2}))
    watched = Watched(mongodb_uri, project.store.database.name)
    store = Store(
        watched.client.get_database(project.store.database.name, codec_options=CODEC), deadline_seconds=10, features=ALL
    )

    for member_id in (None, members[7]["id"]):
        assert store[Inboxes].read(project.id, this_instant(), member_id)

    plans = {command["name"] + command[command["name"]]: watched.explained(command) for command in watched.commands}
    assert [plan for plan in plans.values() if "COLLSCAN" in plan] == []
    assert len(watched.commands) <= 16
    watched.client.close()


@pytest.mark.slow
def test_it_answers_within_20_ms(api, rest, project) -> None:
    members = [a_member(api, f"Member {number}") for number in range(50)]
    fill(project, a_document_in(api, "review"), members, 999)

    def read() -> None:
        ok(rest.get(f"/inbox?memberId={members[7]['id']}"))

    read()
    assert quickest(read, 0.1, time.perf_counter) < 0.1  # 20 ms on a machine with nothing else to do


@pytest.mark.contract("decided-notices.assigned")
def test_what_another_assigned_waits_for_the_assignee_until_somebody_writes(api, project) -> None:
    ada = a_member(api, "Ada")
    own = api.by(project.token("Ada", memberId=ObjectId(ada["id"])))
    document = a_document(api, assigneeId=ada["id"], markdown="Begun.", status="drafting")
    assert kinds(api) == [("assigned", "write_content", ada["id"])]

    ok(own.patch(path_of(document), {"dueDate": "2999-01-01"}))
    assert kinds(api) == [("assigned", "write_content", ada["id"])]
    ok(own.put(f"{path_of(document)}/content", {"markdown": "Written.", "baseVersion": 1}))
    assert kinds(api) == []

    ok(own.patch(path_of(document), {"assigneeId": None}))
    ok(own.patch(path_of(document), {"assigneeId": ada["id"]}))
    assert kinds(api) == [], "she took it herself"
    ok(api.patch(path_of(document), {"assigneeId": None}))
    since = ok(api.patch(path_of(document), {"assigneeId": ada["id"]}))["updatedAt"]
    assert [line["since"] for line in waiting(api)] == [since]
    ok(api.post(f"{path_of(document)}/approve"))
    assert kinds(api) == []


@pytest.mark.contract("decided-notices.assigned")
def test_what_is_offered_or_sent_back_is_not_listed_as_assigned(api) -> None:
    ada = a_member(api, "Ada")
    document = a_document(api, assigneeId=ada["id"], brief={"keyword": "rye"})
    assert kinds(api) == [("assigned", "write_content", ada["id"])]
    ok(api.post(f"{path_of(document)}/brief/ready"))
    assert kinds(api) == []
    ok(api.post(f"{path_of(document)}/brief/withdraw"))
    assert kinds(api) == [("assigned", "write_content", ada["id"])]
    ok(api.put(f"{path_of(document)}/content", {"markdown": "Rye.", "baseVersion": 1}))
    ok(api.post(f"{path_of(document)}/submit"))
    ok(api.post(f"{path_of(document)}/request-changes", {"note": "Which?"}))
    ok(api.patch(path_of(document), {"assigneeId": a_member(api, "Jun")["id"]}))
    assert [line["kind"] for line in waiting(api)] == ["changes"]
    ok(api.delete(f"/members/{ada['id']}"))


def test_what_was_assigned_to_who_left_is_nobodys(api) -> None:
    ada = a_member(api, "Ada")
    a_document(api, assigneeId=ada["id"])
    ok(api.delete(f"/members/{ada['id']}"))
    assert kinds(api) == []


@pytest.fixture
def three(api, project) -> dict[str, tuple[str, Any]]:
    """Members Ada, Ada Miller and Jun, each with a token."""
    members = [
        ok(api.post("/members", {"name": name, "email": email}), 201)
        for name, email in (("Ada", "a@e.example"), ("Ada Miller", "ada.miller@e.example"), ("Jün", "jun+x@e.example"))
    ]
    tokens = {one["id"]: project.token(one["name"], memberId=ObjectId(one["id"])) for one in members}
    return {one["name"]: (one["id"], api.by(tokens[one["id"]])) for one in members}


@pytest.mark.contract("decided-notices.mention")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@Ada Miller, look", {"Ada Miller"}),
        ("Look, @ada!", {"Ada"}),
        ("@Adam looks", set()),
        ("@ada.miller.", {"Ada Miller"}),
        ("@ada.miller2", set()),
        ("x@ada", set()),
        ("@JÜN and @ADA MILLER", {"Jün", "Ada Miller"}),
        ("(@jun+x)", {"Jün"}),
        ("@jun", set()),
        ("Ada", set()),
        ("@a", {"Ada"}),
        ("@", set()),
    ],
)
def test_who_is_named_in_a_comment_is_told(api, three, text: str, named: set[str]) -> None:
    document = a_document(api)
    ok(api.post(f"{path_of(document)}/threads", {"text": text}), 201)
    names = {one_id: name for name, (one_id, _) in three.items()}
    lines = waiting(api)
    assert {names[line["memberId"]] for line in lines} == named
    assert {(line["kind"], line["action"]) for line in lines} <= {("mention", "reply_to_thread")}


@pytest.mark.contract("decided-notices.mention")
def test_a_mention_waits_until_they_answer_or_the_thread_is_resolved(api, three) -> None:
    (ada_id, ada), (jun_id, jun) = three["Ada"], three["Jün"]
    path = f"{path_of(a_document(api))}/threads"
    thread = ok(jun.post(path, {"text": "@Ada, @Jün: which?"}), 201)
    assert kinds(api) == [("mention", "reply_to_thread", ada_id)], "oneself is nobody"
    ok(ada.post(f"{path}/{thread['id']}/replies", {"text": "Ask @jün"}), 201)
    mentions = [line for line in waiting(api) if line["kind"] == "mention"]
    assert [line["memberId"] for line in mentions] == [jun_id]
    assert mentions[0]["threadId"] == thread["id"]
    assert [line["kind"] for line in waiting(api, f"?memberId={ada_id}")] == []
    ok(jun.post(f"{path}/{thread['id']}/resolve", {"text": "Thanks, @Ada"}))
    assert kinds(api) == []


@pytest.mark.contract("decided-notices.mention")
def test_a_mention_waits_for_thirty_days(api, three, store) -> None:
    document = a_document(api)
    thread = ok(api.post(f"{path_of(document)}/threads", {"text": "@Ada?"}), 201)
    for days, lines in ((29, 1), (31, 0)):
        at = this_instant() - timedelta(days=days)
        store.database.threads.update_one({"_id": ObjectId(thread["id"])}, {"$set": {"mentions.0.at": at}})
        assert len(waiting(api)) == lines
    ok(api.post(f"{path_of(document)}/threads", {"text": "@Ada?"}), 201)
    ok(api.delete(path_of(document)))
    assert kinds(api) == []


@pytest.mark.contract("decided-notices.mention")
def test_a_request_for_changes_names_members_too(api, three) -> None:
    document = a_document_in(api, "review")
    ok(api.post(f"{path_of(document)}/request-changes", {"note": "See", "threads": [{"text": "@Ada?"}]}))
    assert ("mention", "reply_to_thread", three["Ada"][0]) in kinds(api)
