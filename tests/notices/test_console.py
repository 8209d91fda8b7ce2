"""The inbox in the console, one's own notices, the calendar, and turning notices off (decisions, section 19)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask
from icalendar import Calendar

from app.console.times import ZONE_COOKIE
from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.projects.store import Members
from tests.console.visitor import Visitor
from tests.documents.steps import a_document, a_document_in, in_hours, ok, path_of
from tests.make import Project, Token, an_app
from tests.notices.conftest import Inboxes, Post, a_member, token_of
from tests.rest.client import Rest
from tests.webhooks.receiver import Receiver

pytestmark = pytest.mark.needs_mongod


@pytest.fixture
def ada(rest: Rest) -> dict[str, Any]:
    return a_member(rest)


@pytest.fixture
def signed_in(mailing_app: Flask, project: Project, ada: dict[str, Any]) -> Visitor:
    visitor = Visitor(mailing_app)
    visitor.sign_in(token_of(project, ada))
    return visitor


def lines(visitor: Visitor) -> list[str]:
    return re.findall(r'<th scope="rowgroup" colspan="4"><a [^>]+>([^<]+)</a>', visitor.get("/console/inbox").text)


def test_a_line_is_done_in_place(signed_in: Visitor, rest: Rest, ada: dict[str, Any]) -> None:
    document = a_document_in(rest, "review", assigneeId=ada["id"], title="Rye bread")
    a_document_in(rest, "approved", assigneeId=a_member(rest, "Jun")["id"], dueDate="2026-01-31", slug="his")
    assert lines(signed_in) == ["Rye bread"]
    assert signed_in.get("/console/inbox/count").text == "1"

    response = signed_in.post(f"/console/inbox/{document['id']}", action="approve_document")

    assert response.request.path == "/console/inbox"
    assert "“Rye bread” is approved" in response.text
    assert ok(rest.get(path_of(document)))["status"] == "approved"
    assert lines(signed_in) == []
    assert "Nothing waits for you" in signed_in.get("/console/inbox").text


def test_who_may_approve_sees_what_other_members_submitted(signed_in: Visitor, rest: Rest, ada: dict[str, Any]) -> None:
    document = a_document_in(rest, "review", assigneeId=a_member(rest, "Jun")["id"], title="Rye bread")
    assert lines(signed_in) == ["Rye bread"]
    assert signed_in.get("/console/inbox/count").text == "1"

    signed_in.post(f"/console/inbox/{document['id']}", action="approve_document")

    assert ok(rest.get(path_of(document)))["status"] == "approved"
    assert lines(signed_in) == []


def test_what_is_urgent_is_first_and_a_review_says_who_submitted_it_and_who_decides(
    signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    a_document(rest, title="Assigned", status="drafting", assigneeId=ada["id"], slug="b")
    a_document_in(rest, "review", assigneeId=ada["id"], title="Written", slug="a")
    sent_back = a_document_in(rest, "review", assigneeId=ada["id"], title="Sent back", dueDate="2026-01-31", slug="c")
    ok(rest.post(f"{path_of(sent_back)}/request-changes", {"note": "Say more."}))

    page = signed_in.get("/console/inbox").text

    assert lines(signed_in) == ["Sent back", "Written", "Assigned"]
    assert "4 in 3 documents" in page
    assert signed_in.get("/console/inbox/count").text == "4"
    written = re.sub(r"<[^>]+>|\s+", " ", page.partition(">Written</a>")[2].partition("</tbody>")[0])
    assert re.search("Waits for review +submitted by +[A-Z].*Whoever may approve", written)


def test_of_equally_urgent_lines_what_is_due_first_is_first(
    signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    for title, due in (("Whenever", None), ("Later", "2099-02-01"), ("Sooner", "2099-01-31")):
        a_document(rest, title=title, slug=title.lower(), status="drafting", assigneeId=ada["id"], dueDate=due)

    assert lines(signed_in) == ["Sooner", "Later", "Whenever"]
    page = signed_in.get("/console/inbox").text
    assert '<time datetime="2099-01-31">' in page
    assert page.count('<td data-label="For">You</td>') == 3


def test_who_may_not_approve_is_not_asked_to_review(
    mailing_app: Flask, project: Project, rest: Rest, ada: dict[str, Any]
) -> None:
    a_document_in(rest, "review", assigneeId=ada["id"], title="Rye bread", dueDate="2026-01-31")
    writer = Visitor(mailing_app)
    writer.sign_in(token_of(project, ada, scopes=[Scope.READ, Scope.WRITE]))

    page = writer.get("/console/inbox").text

    assert "Overdue" in page
    assert "Waits for review" not in page
    assert writer.get("/console/inbox/count").text == "1"


def test_a_thread_is_answered_and_resolved_in_place(
    signed_in: Visitor,
    rest: Rest,
    ada: dict[str, Any],
) -> None:
    document = a_document(rest, assigneeId=ada["id"])
    path = f"{path_of(document)}/threads"
    thread = ok(rest.post(path, {"text": "Which?", "level": "must"}), 201)
    answer = {"action": "reply_to_thread", "threadId": thread["id"], "text": "Rye."}

    for _ in range(2):  # as by a double click
        signed_in.post(f"/console/inbox/{document['id']}", **answer, _key="of the page")

    [answered] = ok(rest.get(path))
    assert (answered["state"], [one["text"] for one in answered["comments"]]) == ("answered", ["Which?", "Rye."])
    assert [one["kind"] for one in ok(rest.get(f"/inbox?memberId={ada['id']}"))] == ["assigned"]


def test_a_review_opens_what_is_to_be_approved(signed_in: Visitor, rest: Rest, ada: dict[str, Any]) -> None:
    document = a_document_in(rest, "review", assigneeId=ada["id"])
    page = signed_in.get("/console/inbox").text
    assert f'data-acts href="/console/documents/{document["id"]}#act-approve_document"' in page
    assert 'id="act-approve_document"' in signed_in.get(f"/console/documents/{document['id']}").text


def test_what_is_refused_is_said_and_what_is_no_action_of_a_line_is_not_done(signed_in: Visitor, rest: Rest) -> None:
    document = a_document(rest)
    ok(rest.delete(path_of(document)))

    assert signed_in.post(f"/console/inbox/{document['id']}", action="delete_document").status_code == 404
    assert 'data-ok="false"' in signed_in.post(f"/console/inbox/{document['id']}", action="approve_document").text


def test_lines_are_by_document_with_what_was_said_and_what_stands_in_the_way(
    signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    document = a_document_in(rest, "review", assigneeId=ada["id"], title="Rye bread", dueDate="2026-01-31")
    remark = ok(rest.post(f"{path_of(document)}/threads", {"text": "Which <rye>?", "level": "must"}), 201)

    page = signed_in.get("/console/inbox").text

    assert lines(signed_in) == ["Rye bread"]
    assert "<p>Which &lt;rye&gt;?</p>" in page
    assert f'documents/{document["id"]}#t-{remark["id"]}"' in page
    assert page.count("data-read") == 3
    assert "1 Must remark has to be resolved first." in page
    assert "#act-approve_document" not in page
    ok(rest.post(f"{path_of(document)}/threads/{remark['id']}/resolve"))
    assert "#act-approve_document" in signed_in.get("/console/inbox").text


def test_who_may_only_read_sees_lines_without_actions(mailing_app: Flask, project: Project, rest: Rest) -> None:
    a_document_in(rest, "review")
    reader = Visitor(mailing_app)
    reader.sign_in(project.token("Reader", scopes=[Scope.READ]))

    page = reader.get("/console/inbox").text

    assert "Waits for review" in page
    assert "data-acts" not in page
    assert "not a member" in page


@pytest.mark.contract("decided-notices.settings")
def test_members_say_themselves_how_they_are_told(signed_in: Visitor, rest: Rest, ada: dict[str, Any]) -> None:
    url = "https://hooks.slack.com/services/T0/B0/abcd"
    form = {"digest": "daily", "hour": "0", "slack": url}
    signed_in.post("/console/inbox/settings", **form)
    told = {"email": False, "slack": "…abcd", "digest": "daily", "hour": 0}
    assert ok(rest.get(f"/members/{ada['id']}"))["notify"] == told
    page = signed_in.get("/console/inbox/settings").text
    assert url not in page
    assert 'value="…abcd"' in page

    signed_in.post("/console/inbox/settings", **{**form, "slack": "…abcd", "email": "yes"})

    assert ok(rest.get(f"/members/{ada['id']}"))["notify"] == {**told, "email": True}
    refused = signed_in.post("/console/inbox/settings", **{**form, "slack": "http://hooks.slack.com/x"})
    assert "Must be an https URL" in refused.text


def test_settings_that_reach_nobody_say_so_and_hours_are_the_readers(signed_in: Visitor) -> None:
    signed_in.client.set_cookie(ZONE_COOKIE, "Asia/Kolkata", path="/console")
    page = signed_in.post("/console/inbox/settings", digest="daily", hour="7").text
    assert "Nothing is sent to you: it needs e-mail or Slack." in page
    assert re.search(r'<option value="7" selected[^>]*>12:30<', page)
    assert page.index(">00:30<") < page.index(">23:30<")
    for enough in ({"digest": "off"}, {"digest": "daily", "email": "yes"}):
        assert "Nothing is sent" not in signed_in.post("/console/inbox/settings", hour="7", **enough).text


def test_a_test_message_arrives_though_notices_are_off(
    signed_in: Visitor, rest: Rest, ada: dict[str, Any], post: Post, mails: Inboxes
) -> None:
    ok(rest.patch(f"/members/{ada['id']}", {"notify": {"digest": "off"}}))
    signed_in.post("/console/inbox/test")

    assert post.deliver() == 1
    assert mails.messages[0]["Subject"].startswith("A test")
    ok(rest.patch(f"/members/{ada['id']}", {"notify": {"email": False}}))
    assert "Choose e-mail or Slack first" in signed_in.post("/console/inbox/test").text


def test_a_page_says_what_came_of_a_test(
    signed_in: Visitor, rest: Rest, ada: dict[str, Any], post: Post, mails: Inboxes, slack: Receiver
) -> None:
    ok(rest.patch(f"/members/{ada['id']}", {"notify": {"digest": "off", "slack": slack.url}}))
    mails.refusal = "554 no such mailbox"
    assert "the test is on its way" not in signed_in.get("/console/inbox/settings").text
    page = signed_in.post("/console/inbox/test").text
    assert page.count("the test is on its way") == 2
    assert 'hx-get="/console/inbox/test"' in page

    assert post.deliver() == 1
    page = signed_in.get("/console/inbox/test").text
    assert "Slack: the test was sent." in page
    assert re.search(r"E-mail: the test could not be sent. The mail server 127.0.0.1:\d+ refused it", page)
    assert "hx-get" not in page

    mails.refusal = None
    signed_in.post("/console/inbox/test")
    assert "E-mail: the test is on its way" in signed_in.get("/console/inbox/test").text
    assert post.deliver() >= 1  # at once, though the mailbox would rest after its failure
    assert "E-mail: the test was sent." in signed_in.get("/console/inbox/test").text


BOX = 'name="notices" value="yes" checked'


def joined(app: Flask, rest: Rest, name: str, email: str | None, **fields: str) -> tuple[str, dict[str, Any]]:
    """Invites a member who accepts; returns the pages before and after that, and their settings."""
    member = ok(rest.post("/members", {"name": name, "email": email}), 201)
    link = ok(rest.post(f"/members/{member['id']}/invitations", {"scopes": ["read", "write"]}), 201)["link"]
    client = app.test_client()
    client.set_cookie(ZONE_COOKIE, "Asia/Kolkata", path="/console")
    form = {"invitation": link.partition("#")[2]}
    page = client.post("/console/join", data={**form, "look": "yes"}).text
    page += client.post("/console/join", data={**form, **fields}).text
    return page, ok(rest.get(f"/members/{member['id']}"))["notify"]


def test_who_joins_with_an_address_is_told_daily_unless_they_untick_it(mailing_app: Flask, rest: Rest) -> None:
    page, notify = joined(mailing_app, rest, "Mateo", "mateo@example.org", notices="yes")
    assert BOX in page
    assert "Each day you get an e-mail" in page
    assert "cwm_" in page
    assert notify == {"email": True, "slack": None, "digest": "daily", "hour": 2}  # 08:00 in India
    others: tuple[tuple[str, str | None, dict[str, str]], ...]
    others = (("Lee", "lee@example.org", {}), ("Kim", None, {"notices": "yes"}))
    for name, email, fields in others:
        page, notify = joined(mailing_app, rest, name, email, **fields)
        assert ("Each day you get" in page, "cwm_" in page) == (False, True)
        assert (notify["email"], notify["digest"]) == (False, "off")


def test_a_server_that_sends_no_mail_offers_none(app: Flask, project: Project) -> None:
    rest = Rest(app.test_client(), project.token())
    page, notify = joined(app, rest, "Mateo", "mateo@example.org", notices="yes")
    assert BOX not in page
    assert ("Each day you get" in page, notify["digest"]) == (False, "off")


def test_who_gets_no_notices_is_offered_the_daily_one_in_one_click(
    signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    assert "You get no notices." not in signed_in.get("/console/inbox/settings").text
    ok(rest.patch(f"/members/{ada['id']}", {"notify": {"digest": "off", "email": False}}))
    page = signed_in.get("/console/inbox/settings").text
    form = page.partition("You get no notices.")[2].partition("</form>")[0]
    assert "to ada@example.org" in form
    signed_in.post("/console/inbox/settings", **dict(re.findall('name="([a-z]+)" value="([^"]*)"', form)))
    notify = ok(rest.get(f"/members/{ada['id']}"))["notify"]
    assert notify == {"email": True, "slack": None, "digest": "daily", "hour": 8}
    assert "You get no notices." not in signed_in.get("/console/inbox/settings").text


@pytest.mark.contract("decided-notices.one-click")
def test_one_click_turns_email_off_and_looking_does_not(
    mailing_app: Flask, rest: Rest, ada: dict[str, Any], post: Post, mails: Inboxes
) -> None:
    a_document_in(rest, "review", assigneeId=ada["id"])
    post.deliver()
    address = mails.messages[0]["List-Unsubscribe"].strip("<>").removeprefix("https://cms.example.org")
    client = mailing_app.test_client()

    page = client.get(address)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert "Turn e-mail off" in page.text
    assert ok(rest.get(f"/members/{ada['id']}"))["notify"]["email"]

    done = client.post(address, data={"List-Unsubscribe": "One-Click"})

    assert done.status_code == 200
    assert ok(rest.get(f"/members/{ada['id']}"))["notify"] == {**ada["notify"], "email": False}
    assert client.post(address).status_code == 200
    for wrong in (address[:-1], address.replace(ada["id"], "0" * 24), "/notices/off", "/notices/off?key=x.y.z"):
        assert client.post(wrong).status_code == 401


def calendar_of(client: Any, address: str) -> Calendar:
    response = client.get(address)
    assert (response.status_code, response.mimetype) == (200, "text/calendar")
    feed = Calendar.from_ical(response.data)
    assert isinstance(feed, Calendar)
    return feed


@pytest.mark.contract("decided-notices.calendar", "decided-notices.owners")
def test_a_calendar_has_the_members_documents_and_nobodys(
    mailing_app: Flask, signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    jun, today = a_member(rest, "Jun"), this_instant().date()
    a_document(rest, title="Due, soon; \\", slug="due", dueDate=today.isoformat(), assigneeId=ada["id"])
    a_document(rest, slug="far", dueDate=(today + timedelta(days=401)).isoformat())
    a_document(rest, slug="his", dueDate=today.isoformat(), assigneeId=jun["id"])
    scheduled = a_document_in(rest, "approved", title="Scheduled", slug="scheduled")
    ok(rest.post(f"{path_of(scheduled)}/schedule", {"publishAt": in_hours(48)}))
    published = a_document_in(rest, "published", title="Published", slug="published")
    shown = signed_in.post("/console/inbox/calendar").text
    [address] = re.findall(r"https://cms\.example\.org(/calendar\.ics\?token=cwc_[\w-]+)", shown)
    client = mailing_app.test_client()

    events = {str(event["summary"]): event for event in calendar_of(client, address).walk("VEVENT")}

    assert set(events) == {"Due: Due, soon; \\", "Goes live: Scheduled", "Published: Published"}
    assert events["Due: Due, soon; \\"].decoded("dtstart") == today
    at = events["Published: Published"].decoded("dtstart")
    assert at.isoformat(timespec="seconds") == published["publishedAt"][:19] + "+00:00"
    assert str(events["Goes live: Scheduled"]["url"]).endswith(scheduled["id"])
    [token] = [one for one in ok(rest.get("/tokens")) if one["kind"] == "calendar"]
    assert (token["memberId"], token["scopes"]) == (ada["id"], ["read"])
    secret = address.partition("=")[2]
    assert rest.by(Token(token["id"], secret, rest.token.caller)).get("/documents").status_code == 401


@pytest.mark.contract("decided-notices.calendar")
def test_a_calendar_for_everybody_has_the_whole_project_beside_ones_own(
    mailing_app: Flask, store: Store, signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    jun, today = a_member(rest, "Jun"), this_instant().date().isoformat()
    a_document(rest, title="Hers", slug="hers", dueDate=today, assigneeId=ada["id"])
    a_document(rest, title="His", slug="his", dueDate=today, assigneeId=jun["id"])
    assert "Subscribe" in signed_in.get("/console/calendar").text

    def address(**form: str) -> str:
        shown = signed_in.post("/console/inbox/calendar", **form).text
        return re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", shown)[0]

    def summaries(address: str) -> set[str]:
        return {str(event["summary"]) for event in calendar_of(mailing_app.test_client(), address).walk("VEVENT")}

    own, everybodys = address(), address(everybody="yes")
    assert (summaries(own), summaries(everybodys)) == ({"Due: Hers"}, {"Due: Hers", "Due: His"})
    address(everybody="yes")
    assert an_app(store).test_client().get(everybodys).status_code == 401
    assert summaries(own) == {"Due: Hers"}


@pytest.mark.contract("decided-notices.calendar")
def test_without_a_valid_token_the_calendar_is_401(
    mailing_app: Flask, signed_in: Visitor, rest: Rest, ada: dict[str, Any]
) -> None:
    client = mailing_app.test_client()

    def address() -> str:
        shown = signed_in.post("/console/inbox/calendar").text
        return re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", shown)[0]

    first, second = address(), address()
    assert client.get(first).status_code == 401
    assert client.get(second).status_code == 200
    for token in ("", "x", rest.token.secret):
        assert client.get(f"/calendar.ics?token={token}").status_code == 401
    [token] = [one for one in ok(rest.get("/tokens")) if one["kind"] == "calendar"]
    assert ok(rest.post(f"/tokens/{token['id']}/rotate"))["token"].startswith("cwc_")
    ok(rest.delete(f"/tokens/{token['id']}"))
    assert client.get(second).status_code == 401
    third = address()
    ok(rest.delete(f"/members/{ada['id']}"))
    assert client.get(third).status_code == 401


def test_the_board_offers_ones_own(signed_in: Visitor, ada: dict[str, Any]) -> None:
    assert f"/console/board?assigneeId={ada['id']}" in signed_in.get("/console/board").text


@pytest.mark.contract("decided-notices.calendar")
def test_a_calendars_token_opens_no_other_interface_and_ends_with_the_token_that_made_it(
    mailing_app: Flask, signed_in: Visitor, rest: Rest, ada: dict[str, Any], store: Store
) -> None:
    shown = signed_in.post("/console/inbox/calendar").text
    [secret] = re.findall(r"token=(cwc_[\w-]+)", shown)
    client, bearer = mailing_app.test_client(), {"Authorization": f"Bearer {secret}"}
    [token] = [one for one in ok(rest.get("/tokens")) if one["kind"] == "calendar"]
    stranger = rest.by(Token(token["id"], secret, rest.token.caller))
    for path in ("/inbox", "/events", "/project", f"/members/{ada['id']}"):
        assert stranger.get(path).status_code == 401
    for path in ("/mcp", "/graphql"):
        assert client.post(path, headers=bearer, json={}).status_code == 401
    assert client.get("/calendar.ics", headers=bearer).status_code == 401
    assert "cw_session" not in str(client.post("/console/sign-in", data={"token": secret}).headers)
    store.database.tokens.update_one({"_id": ObjectId(token["id"])}, {"$set": {"expiresAt": this_instant()}})
    assert an_app(store).test_client().get(f"/calendar.ics?token={secret}").status_code == 401


@pytest.mark.contract("decided-notices.calendar")
def test_a_calendar_has_no_control_characters(mailing_app: Flask, signed_in: Visitor, rest: Rest) -> None:
    a_document(rest, title="Rye\x0band\x07 wheat\x7f", dueDate=this_instant().date().isoformat())
    [address] = re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", signed_in.post("/console/inbox/calendar").text)

    feed = mailing_app.test_client().get(address).text

    assert "SUMMARY:Due: Rye and  wheat \r\n" in feed
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", feed)


@pytest.mark.contract("decided-notices.calendar")
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_calendar_has_texts_with_any_line_end(store: Store, signed_in: Visitor, rest: Rest, end: str) -> None:
    [address] = re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", signed_in.post("/console/inbox/calendar").text)
    ok(rest.patch("/project", {"name": f"The{end}END:VCALENDAR"}))
    a_document(rest, title=f"Rye{end}END:VEVENT", dueDate=this_instant().date().isoformat())

    feed = calendar_of(an_app(store).test_client(), address)

    assert str(feed["x-wr-calname"]).startswith("The")
    assert [str(event["summary"])[:8] for event in feed.walk("VEVENT")] == ["Due: Rye"]


@pytest.mark.contract("decided-notices.calendar")
def test_a_calendar_of_a_frozen_project_is_read_and_a_title_adds_nothing_to_it(
    mailing_app: Flask, signed_in: Visitor, rest: Rest
) -> None:
    title = "Rye;X=1,Y\\nEND:VEVENT\u2028BEGIN:VALARM" + "ü" * 100
    a_document(rest, title=title, dueDate=this_instant().date().isoformat())
    [address] = re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", signed_in.post("/console/inbox/calendar").text)
    ok(rest.post("/project/freeze", {"reason": "A look at it."}))

    response = mailing_app.test_client().get(address)

    assert response.headers["Cache-Control"] == "no-store"
    assert all(len(line) <= 75 for line in response.data.split(b"\r\n"))
    names = [line.partition(b":")[0] for line in response.data.split(b"\r\n")]
    assert (names.count(b"BEGIN"), names.count(b"END")) == (2, 2)
    [event] = Calendar.from_ical(response.data).walk("VEVENT")
    assert str(event["summary"]) == f"Due: {title}"


@pytest.mark.contract("decided-notices.one-click")
def test_the_one_click_works_while_the_member_is_changed(
    mailing_app: Flask, ada: dict[str, Any], rest: Rest, post: Post, mails: Inboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_document_in(rest, "review", assigneeId=ada["id"])
    post.deliver()
    address = mails.messages[0]["List-Unsubscribe"].strip("<>").removeprefix("https://cms.example.org")
    read, changes = Members.get, iter([{"name": "Ada L"}])

    def changed_after(self: Members, project_id: str, member_id: str) -> Any:
        found = read(self, project_id, member_id)
        for change in changes:
            ok(rest.patch(f"/members/{member_id}", change))
        return found

    monkeypatch.setattr(Members, "get", changed_after)

    assert mailing_app.test_client().post(address).status_code == 200
    assert not ok(rest.get(f"/members/{ada['id']}"))["notify"]["email"]
