"""Notices: sent from the event, at once or each day, once, to those who don't know yet (decisions, section 19)."""

import socket
from datetime import timedelta
from statistics import median
from typing import Any
from unittest.mock import Mock

import orjson
import pytest

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.times import read_time
from app.core.worker import Worker, jobs
from app.events.store import Events
from app.notices.messages import MOST_SHOWN
from app.notices.rules import GATHERS, NewNotice, NoticeLine
from app.notices.store import NoticeLeases, Notices
from app.notices.vocabulary import WaitKind
from tests.documents.steps import a_document, a_document_in, in_hours, ok, path_of
from tests.live import slowdown, until
from tests.make import Project
from tests.notices.conftest import PUBLIC_URL, Inboxes, Post, a_member, settings, token_of
from tests.rest.client import Rest
from tests.webhooks.receiver import Receiver

pytestmark = pytest.mark.needs_mongod

TEXT = "The secret of the crust.\n"


def subjects(mails: Inboxes) -> list[str]:
    return [message["Subject"] for message in mails.messages]


def texts(mails: Inboxes) -> list[str]:
    bodies = [message.get_body(("plain",)) for message in mails.messages]
    return [body.get_content().replace("\r\n", "\n") for body in bodies if body]


@pytest.mark.contract("decided-notices.told", "decided-notices.instant")
def test_a_mail_has_title_kind_who_the_note_and_a_link_and_nothing_else(
    rest: Rest, project: Project, post: Post, mails: Inboxes
) -> None:
    ada = a_member(rest)
    document = a_document_in(rest, "review", assigneeId=ada["id"], title="Rye & <b>wheat</b>", markdown=TEXT)
    assert post.deliver() == 1
    mails.messages.clear()
    editor = rest.by(project.token("Ingrid"))
    ok(editor.post(f"{path_of(document)}/request-changes", {"note": "Which\nflour? " + "x" * 300}))

    assert post.later(seconds=61).deliver() == 1

    [message] = mails.messages
    assert message["Subject"] == "Changes were requested: Rye & <b>wheat</b> · The Crust"
    assert (message["To"], message["Auto-Submitted"]) == ("ada@example.org", "auto-generated")
    note = ("Which flour? " + "x" * 300)[:200]
    link = f"{PUBLIC_URL}/console/documents/{document['id']}"
    [off] = [line for line in texts(mails)[0].splitlines() if line.startswith("No more of these: ")]
    assert texts(mails)[0].split("\n--\n")[0].split() == (
        f"Changes were requested: Rye & <b>wheat</b> Ingrid: {note} {link}".split()
    )
    html = message.get_body(("html",)).get_content()  # type: ignore[union-attr]
    assert f'<a href="{link}">Rye &amp; &lt;b&gt;wheat&lt;/b&gt;</a>' in html
    whole = message.as_string()
    assert "secret of the crust" not in whole
    assert "cwm_" not in whole
    assert message["List-Unsubscribe"] == f"<{off.partition(': ')[2]}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.contract("decided-notices.instant")
def test_the_first_goes_at_once_and_what_follows_within_a_minute_together_at_its_end(
    rest: Rest, post: Post, mails: Inboxes
) -> None:
    ada = a_member(rest)

    def submit(title: str) -> None:
        a_document_in(rest, "review", assigneeId=ada["id"], title=title, slug=title.lower())

    submit("One")
    assert post.deliver() == 1
    submit("Two")
    submit("Three")
    assert post.later(seconds=20).deliver() == 0
    assert post.later(seconds=39).deliver() == 0
    assert post.later(seconds=2).deliver() == 2
    assert subjects(mails) == ["Waits for review: One · The Crust", "2 things wait for you · The Crust"]
    assert post.later(seconds=1).deliver() == 0

    submit("Four")

    assert post.later(seconds=1).deliver() == 1
    assert subjects(mails)[2:] == ["Waits for review: Four · The Crust"]
    assert GATHERS.total_seconds() == 60


@pytest.mark.contract("decided-notices.once")
def test_nobody_hears_of_what_they_did_themselves(rest: Rest, project: Project, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    own = rest.by(token_of(project, ada))
    document = a_document(own, assigneeId=ada["id"])
    ok(own.post(f"{path_of(document)}/submit"))
    thread = ok(own.post(f"{path_of(document)}/threads", {"text": "Which?", "level": "must"}), 201)
    assert post.deliver() == 0

    ok(rest.post(f"{path_of(document)}/threads/{thread['id']}/replies", {"text": "Rye."}), 201)

    assert post.deliver() == 1
    assert subjects(mails) == ["A remark waits: Rye · The Crust"]
    assert "A script: Rye." in texts(mails)[0]


@pytest.mark.contract("decided-notices.once")
def test_an_event_is_told_once_however_often_it_is_relayed(
    rest: Rest, project: Project, post: Post, mails: Inboxes, store: Store
) -> None:
    ada = a_member(rest)
    a_document_in(rest, "review", assigneeId=ada["id"])
    post.deliver()
    events, _ = store[Events].page(project.id, None, 1_000)

    for _ in range(3):
        store[Notices].queue(project.id, events, this_instant())
        post.later(seconds=90).deliver()

    assert len(mails.messages) == 1


@pytest.mark.contract("decided-notices.once")
def test_what_began_to_wait_with_several_events_at_once_is_told_once(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    overdue = a_document(rest, slug="overdue", assigneeId=ada["id"])
    ok(rest.patch(path_of(overdue), {"dueDate": "2020-01-01"}))
    submitted = a_document_in(rest, "review", slug="submitted")
    ok(rest.patch(path_of(submitted), {"assigneeId": ada["id"]}))

    post.deliver()

    [text] = texts(mails)
    assert (text.count("Overdue: "), text.count("Waits for review: ")) == (1, 1)


@pytest.mark.contract("decided-notices.once")
def test_what_waits_no_more_or_is_in_the_trash_is_not_told(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    approved = a_document_in(rest, "review", assigneeId=ada["id"], slug="approved")
    deleted = a_document_in(rest, "review", assigneeId=ada["id"], slug="deleted")
    ok(rest.post(f"{path_of(approved)}/approve"))
    ok(rest.delete(path_of(deleted)))

    assert post.deliver() == 0
    assert mails.messages == []


def test_who_is_assigned_something_that_waits_is_told_and_who_gets_it_back_from_the_trash(
    rest: Rest, post: Post, mails: Inboxes
) -> None:
    ada = a_member(rest)
    document = a_document_in(rest, "review")
    post.deliver()
    ok(rest.patch(path_of(document), {"assigneeId": ada["id"]}))
    assert post.deliver() == 1
    ok(rest.delete(path_of(document)))
    ok(rest.post(f"{path_of(document)}/restore"))

    assert post.later(seconds=90).deliver() == 1
    assert subjects(mails) == ["Waits for review: Rye · The Crust"] * 2


@pytest.mark.contract("decided-notices.told")
def test_what_is_in_review_again_after_it_was_unscheduled_is_told(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    document = a_document_in(rest, "review", assigneeId=ada["id"])
    post.deliver()
    ok(rest.post(f"{path_of(document)}/schedule", {"publishAt": in_hours(1)}))
    ok(rest.post(f"{path_of(document)}/unschedule"))

    assert post.later(seconds=90).deliver() == 1
    assert subjects(mails) == ["Waits for review: Rye · The Crust"] * 2


@pytest.mark.contract("decided-notices.everybody")
def test_what_waits_for_everybody_goes_to_the_projects_slack_alone(
    rest: Rest, post: Post, mails: Inboxes, slack: Receiver
) -> None:
    a_member(rest)
    ok(rest.patch("/project", {"slack": slack.url}))
    document = a_document_in(rest, "review", title="Rye <&> wheat | spelt")

    assert post.deliver() == 1

    [(headers, body)] = slack.requests
    assert headers["content-type"] == "application/json"
    link = f"{PUBLIC_URL}/console/documents/{document['id']}"
    assert orjson.loads(body) == {
        "text": f"Waits for review: <{link}|Rye &lt;&amp;&gt; wheat | spelt> (A script)",
        "unfurl_links": False,
    }
    assert mails.messages == []


def test_a_members_slack_and_mail_fail_and_arrive_each_by_itself(
    rest: Rest, post: Post, mails: Inboxes, slack: Receiver
) -> None:
    ada = a_member(rest, slack=slack.url)
    slack.statuses = [500, 200]
    a_document_in(rest, "review", assigneeId=ada["id"])
    post.deliver()
    assert (len(mails.messages), len(slack.requests)) == (1, 1)

    post.later(minutes=2).deliver()

    assert (len(mails.messages), len(slack.requests)) == (1, 2)


@pytest.mark.contract("decided-notices.retries")
def test_after_three_days_of_failures_the_members_notices_are_off(
    rest: Rest, post: Post, mails: Inboxes, project: Project, store: Store, logged: pytest.LogCaptureFixture
) -> None:
    ada = a_member(rest)
    mails.refusal = "451 Try again later"
    a_document_in(rest, "review", assigneeId=ada["id"])
    for _ in range(12):
        post.deliver()
        post.later(hours=5)
    assert ok(rest.get(f"/members/{ada['id']}"))["notify"]["digest"] == "instant"

    for _ in range(4):
        post.later(hours=12).deliver()

    assert ok(rest.get(f"/members/{ada['id']}"))["notify"] == {**ada["notify"], "digest": "off"}
    warned = {line["msg"]: line for line in map(vars, logged.records)}
    assert warned.keys() == {"notices attempted", "notices given up"}
    assert warned["notices given up"]["reason"] == warned["notices attempted"]["error"]
    post.relay()
    last = ok(rest.get("/events?limit=1000"))["events"][-1]
    assert (last["type"], last["data"]["memberId"]) == ("member.updated", ada["id"])
    assert last["by"]["type"] == "system"
    mails.refusal = None
    assert post.later(days=1).deliver() == 0
    assert mails.messages == []


def test_what_was_refused_once_arrives_later(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    mails.refusal = "451 Try again later"
    a_document_in(rest, "review", assigneeId=ada["id"])
    assert post.deliver() == 0
    mails.refusal = None

    assert post.later(seconds=10).deliver() == 1


def test_what_a_member_turned_off_meanwhile_is_not_sent(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    a_document_in(rest, "review", assigneeId=ada["id"])
    post.relay()
    ok(rest.patch(f"/members/{ada['id']}", {"notify": {"digest": "off"}}))

    assert post.deliver() == 0
    assert mails.messages == []


@pytest.mark.contract("decided-notices.daily", "decided-notices.everybody")
def test_the_daily_one_is_the_inbox_as_it_is_at_that_hour_once(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest, digest="daily", hour=9)
    a_member(rest, "Jun", digest="daily", hour=10)
    a_document_in(rest, "review", assigneeId=ada["id"], title="Hers", slug="hers")
    a_document_in(rest, "review", title="Everybody's", slug="all")
    a_document_in(rest, "approved", title="Late", slug="late", dueDate="2026-01-31", assigneeId=ada["id"])
    assert post.deliver() == 0
    nine = (this_instant() + timedelta(days=1)).replace(hour=9, minute=0, second=1)
    inbox = ok(rest.get(f"/inbox?memberId={ada['id']}"))

    assert post.tell(nine) == 1
    assert post.tell(nine + timedelta(minutes=30)) == 0

    assert mails.recipients == ["ada@example.org"]
    titles = [line.partition(": ")[2] for line in texts(mails)[0].splitlines() if line.startswith(("Waits", "Overdue"))]
    assert titles == [line["title"] for line in inbox] == ["Late", "Hers", "Everybody's"]
    assert post.tell(nine + timedelta(days=1)) == 1


@pytest.mark.contract("decided-notices.daily")
def test_nothing_is_sent_where_the_inbox_is_empty_at_that_hour_even_if_it_fills_later(
    rest: Rest, post: Post, mails: Inboxes
) -> None:
    ada = a_member(rest, digest="daily", hour=9)
    nine = (this_instant() + timedelta(days=1)).replace(hour=9, minute=0, second=1)
    assert post.tell(nine) == 0
    a_document_in(rest, "review", assigneeId=ada["id"])

    assert post.tell(nine + timedelta(minutes=30)) == 0
    assert mails.messages == []


@pytest.mark.contract("decided-notices.overdue")
def test_what_becomes_overdue_is_told_at_midnight_or_at_once_where_a_write_makes_it_so(
    rest: Rest, post: Post, mails: Inboxes
) -> None:
    ada = a_member(rest)
    today = this_instant().date()
    document = a_document_in(rest, "approved", assigneeId=ada["id"], title="Due", dueDate=today.isoformat())
    assert post.deliver() == 0
    midnight = (this_instant() + timedelta(days=1)).replace(hour=0, minute=0, second=1)

    assert post.tell(midnight) == 1
    assert post.tell(midnight + timedelta(minutes=20)) == 0
    ok(rest.patch(path_of(document), {"dueDate": (today - timedelta(days=2)).isoformat()}))
    assert post.later(minutes=5).deliver() == 1
    assert subjects(mails) == ["Overdue: Due · The Crust"] * 2


@pytest.mark.slow
@pytest.mark.contract("decided-notices.instant", "decided-notices.once")
def test_two_workers_send_each_notice_once_within_seconds(
    rest: Rest, project: Project, store: Store, smtp: str, mails: Inboxes
) -> None:
    members = [a_member(rest, f"{number}-{project.id}") for number in range(10)]
    workers = [Worker(jobs(store, settings(smtp_url=smtp))).start() for _ in range(2)]
    took: list[float] = []
    try:
        for number, member in enumerate(members):
            document = a_document_in(rest, "review", assigneeId=member["id"], slug=f"rye-{number}")
            until(lambda member=member: member["email"] in mails.recipients)
            if number:  # before the first one, the workers relay what other tests left in the database
                took.append((this_instant() - read_time(document["updatedAt"])).total_seconds())
        while mails.arrived.acquire(timeout=1):
            """Waits until nothing more arrives."""
    finally:
        for worker in workers:
            worker.stop()

    assert sorted(one for one in mails.recipients if project.id in one) == [member["email"] for member in members]
    slow = slowdown()
    assert median(took) / slow < 2
    assert max(took) / slow < 10


def test_what_is_imported_tells_nobody(rest: Rest, project: Project, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    event: Any = {
        "id": "0" * 24,
        "type": "document.created",
        "at": this_instant(),
        "by": {"type": "system", "id": None, "name": "", "agent": ""},
        "data": {"documentId": a_document(rest, dueDate="2026-01-31", assigneeId=ada["id"])["id"], "imported": True},
    }
    post.store[Notices].queue(project.id, [event], this_instant())

    assert post.store[Notices].pending(project.id, f"email:{ada['id']}") == []


def test_an_address_that_begins_like_a_url_is_mailed(rest: Rest, post: Post, mails: Inboxes) -> None:
    http = a_member(rest, "Http")
    a_document_in(rest, "review", assigneeId=http["id"])

    assert post.deliver() == 1
    assert mails.recipients == ["http@example.org"]


@pytest.mark.contract("decided-notices.once")
def test_a_daily_one_is_sent_though_the_worker_died_before_it_made_the_mailbox_due(
    rest: Rest, post: Post, mails: Inboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = a_member(rest, digest="daily", hour=9)
    a_document_in(rest, "review", assigneeId=ada["id"])
    nine = (this_instant() + timedelta(days=1)).replace(hour=9, minute=0, second=1)
    with monkeypatch.context() as patch:
        patch.setattr(NoticeLeases, "wake", Mock())
        assert post.tell(nine) == 0

    assert post.tell(nine + timedelta(minutes=1)) == 1
    assert len(mails.messages) == 1


@pytest.mark.contract("decided-notices.overdue")
def test_what_became_overdue_while_no_worker_ran_is_told_when_one_does(rest: Rest, post: Post, mails: Inboxes) -> None:
    ada = a_member(rest)
    a_document_in(rest, "approved", assigneeId=ada["id"], title="Due", dueDate=this_instant().date().isoformat())
    post.relay()
    at_two = (this_instant() + timedelta(days=1)).replace(hour=2, minute=0, second=1)

    assert post.tell(at_two) == 1
    assert post.tell(at_two + timedelta(hours=1)) == 0
    assert subjects(mails) == ["Overdue: Due · The Crust"]


@pytest.mark.contract("decided-notices.overdue")
def test_what_became_overdue_is_told_though_it_was_written_before_the_worker_noticed(
    rest: Rest, post: Post, mails: Inboxes, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = a_member(rest)
    today = this_instant().date().isoformat()
    document = a_document(rest.by(token_of(project, ada)), assigneeId=ada["id"], title="Due", dueDate=today)
    after_midnight = (this_instant() + timedelta(days=1)).replace(hour=0, minute=0, second=1)
    with monkeypatch.context() as patch:
        patch.setattr("app.http.callers.this_instant", lambda: after_midnight)
        ok(rest.patch(path_of(document), {"subtitle": "With rye"}))

    assert post.tell(after_midnight + timedelta(seconds=1)) == 1
    assert subjects(mails) == ["Overdue: Due · The Crust"]


@pytest.mark.contract("decided-notices.once", "decided-notices.overdue")
def test_what_somebody_made_overdue_themselves_is_not_told_by_a_worker_that_starts_later(
    rest: Rest, project: Project, post: Post, mails: Inboxes
) -> None:
    ada = a_member(rest)
    yesterday = (this_instant() - timedelta(days=1)).date().isoformat()
    a_document(rest.by(token_of(project, ada)), assigneeId=ada["id"], dueDate=yesterday)

    assert post.deliver() == 0
    assert post.tell(this_instant()) == 0


@pytest.mark.contract("decided-notices.instant")
def test_a_flood_within_a_minute_is_one_message_with_the_first_and_how_many_more(
    rest: Rest, project: Project, post: Post, mails: Inboxes, slack: Receiver
) -> None:
    ada = a_member(rest, slack=slack.url)
    a_document_in(rest, "review", assigneeId=ada["id"])
    assert post.deliver() == 2
    line = NoticeLine(kind=WaitKind.REVIEW, documentId="0" * 24, title="Rye", by="", text="")
    for box in (f"email:{ada['id']}", f"slack:{ada['id']}"):
        new = [NewNotice(mailbox=box, key=str(number), lines=[line]) for number in range(MOST_SHOWN + 300)]
        post.store[Notices].add(project.id, new, post.now)

    assert post.later(seconds=61).deliver() == 2 * (MOST_SHOWN + 300)

    assert (len(mails.messages), len(slack.requests)) == (2, 2)
    assert subjects(mails)[1] == f"{MOST_SHOWN + 300} things wait for you · The Crust"
    for text in (texts(mails)[1], orjson.loads(slack.requests[1][1])["text"]):
        assert text.count("Waits for review") == MOST_SHOWN
        assert "300 more" in text
    assert post.later(seconds=61).deliver() == 0


@pytest.mark.slow
@pytest.mark.contract("decided-notices.retries")
def test_a_mail_server_that_hangs_holds_up_neither_webhooks_nor_slack(
    rest: Rest, project: Project, store: Store, slack: Receiver
) -> None:
    ok(rest.post("/webhooks", {"url": f"{slack.url}?hook", "events": ["document.submitted"]}), 201)
    ok(rest.patch("/project", {"slack": slack.url}))
    members = [a_member(rest, f"{number}-{project.id}") for number in range(3)]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        worker = Worker(jobs(store, settings(smtp_url=f"smtp://127.0.0.1:{silent.getsockname()[1]}"))).start()
        for number, member in enumerate(members):
            a_document_in(rest, "review", assigneeId=member["id"], slug=f"rye-{number}")
        until(lambda: len(slack.requests) == 3)
        a_document_in(rest, "review", slug="everybody")
        until(lambda: len(slack.requests) == 5)
    worker.stop()  # ends when the attempts have, as the server is gone


def test_who_is_assigned_or_named_is_told_at_once(rest: Rest, post: Post, mails: Inboxes, project: Project) -> None:
    ada = a_member(rest)
    editor = rest.by(project.token("Ines"))
    document = a_document(editor, assigneeId=ada["id"], title="Rye")
    assert post.deliver() == 1
    assert "Assigned to you: Rye" in texts(mails)[0]
    assert "Ines" in texts(mails)[0]
    ok(editor.post(f"{path_of(document)}/threads", {"text": "Which flour, @ada?"}), 201)
    assert post.later(minutes=5).deliver() == 1
    assert "You are mentioned: Rye" in texts(mails)[1]
    assert "Which flour, @ada?" in texts(mails)[1]
    ok(rest.by(token_of(project, ada)).post(f"{path_of(document)}/threads", {"text": "@ada: myself"}), 201)
    assert post.later(minutes=5).deliver() == 0
