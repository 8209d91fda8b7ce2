"""The pages of the console: what they show, what they change, and what they cost."""

import base64
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import orjson
import pytest
from bson import ObjectId
from flask import Flask, g
from werkzeug.test import encode_multipart

from app.console.frame import NOTICE_COOKIE
from app.console.words import message_html, time_left
from app.core.errors import ServiceUnavailable
from app.core.store.bodies import Bodies
from app.core.store.outbox import Outboxes
from app.core.times import wire_time
from app.core.vocabulary import DocumentStatus, Scope
from app.documents.keys import document_keys
from tests.console.test_page_costs import DOCUMENT as PAGES
from tests.console.visitor import Visitor, now
from tests.live import quickest
from tests.make import OPERATIONS, Project, a_document, a_ready_brief, made

TEXT = "Flour, water and *patience*.\n\n## Day by day\n\nFeed it.\n"


@pytest.fixture
def document(project: Project) -> dict[str, str]:
    """A document with a text."""
    return a_document(project.context(), markdown=TEXT, status="drafting")


def test_the_board_shows_each_document_in_the_column_of_its_status(editor: Visitor, project: Project) -> None:
    member = made_member(project, "Hannah Okafor")
    a_document(project.context(), title="Rye, the other bread", assigneeId=member, dueDate="2020-01-31", status="idea")
    a_ready_brief(project.context(project.token("Night writer", agent="writer-1")), title="Stollen", status="planned")

    page = editor.get("/console/board").text
    columns = {part.partition('"')[0]: part for part in page.split('class="column" data-status="')[1:]}

    assert set(columns) == set(DocumentStatus)
    assert "Rye, the other bread" in columns["idea"]
    assert 'data-late title="Due 31 Jan 2020">' in columns["idea"]
    assert "days late" in columns["idea"]
    assert "Hannah Okafor" in columns["idea"]
    assert "Ready to claim" in columns["planned"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("q=rye", {"Rye bread"}),
        ("assigneeId=none", {"Rye bread", "Stollen"}),
        ("briefState=ready", {"Stollen"}),
        ("due=overdue", {"Rye bread"}),
        ("due=week", {"Stollen"}),
        ("due=week&q=bread", set()),
    ],
)
def test_the_filters_of_the_board_are_in_its_address(
    editor: Visitor, project: Project, query: str, titles: set[str]
) -> None:
    ctx = project.context()
    a_document(ctx, title="Rye bread", dueDate="2020-01-31")
    a_ready_brief(ctx, title="Stollen", dueDate=ctx.now.date().isoformat())
    published = a_document(
        ctx, title="Salt bread", markdown=TEXT, dueDate="2020-01-31", assigneeId=made_member(project, "Jun")
    )
    OPERATIONS["publish_document"](ctx, published["id"], fields={})

    page = editor.get(f"/console/board?{query}").text

    assert {title for title in ("Rye bread", "Stollen", "Salt bread") if title in page} == titles


def test_a_search_with_as_many_results_as_the_board_shows_is_complete(
    editor: Visitor, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.console.board.MOST", 2)
    for title in ("Rye bread", "Spelt bread"):
        a_document(project.context(), title=title, status="idea")
    complete = editor.get("/console/board?q=bread").text
    a_document(project.context(), title="Wheat bread", status="idea")
    cut = editor.get("/console/board?q=bread").text

    assert ">2</span>" in complete
    assert "None of the first" not in complete
    assert 'class="cut" hidden>' in complete
    assert ">2+</span>" in cut
    assert "None of the first 2<" in cut
    assert 'class="cut" >These are the first 2;' in cut


def test_a_column_is_bounded_and_shows_more(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    for number in range(25):
        a_document(ctx, title=f"Idea {number}", status="idea")
    assert ">25</span>" in editor.get("/console/board").text
    for number in range(25, 27):
        a_document(ctx, title=f"Idea {number}", status="idea")

    first = editor.get("/console/board").text
    assert first.count('class="card"') == 25
    assert ">25+</span>" in first
    more = editor.get("/console/board?show.idea=75")
    assert more.text.count('class="card"') == 27


@pytest.mark.parametrize(
    ("start", "to", "ends", "fields"),
    [
        ("idea", "planned", "planned", {}),
        ("drafting", "review", "review", {}),
        ("review", "approved", "approved", {}),
        ("review", "drafting", "drafting", {"note": "Say which flour."}),
        ("approved", "published", "published", {}),
        ("approved", "scheduled", "scheduled", {"publishAt": "2099-01-31T09:00:00Z"}),
        ("scheduled", "approved", "approved", {}),
        ("published", "drafting", "drafting", {}),
    ],
)
def test_moving_a_card_calls_the_operation(
    editor: Visitor, project: Project, start: str, to: str, ends: str, fields: dict[str, str]
) -> None:
    document = in_status(project, start)

    editor.post(f"/console/documents/{document['id']}/move", **{"from": start, "to": to, **fields})

    after = now(project, document)
    assert after["status"] == ends
    assert after["reviewNote"] == fields.get("note", "")


@pytest.mark.parametrize("start", ["review", "approved", "scheduled", "published"])
@pytest.mark.parametrize("to", ["idea", "planned"])
def test_a_card_past_drafting_is_moved_to_drafting_first(
    editor: Visitor, project: Project, start: str, to: str
) -> None:
    document = in_status(project, start)

    moved = editor.post(f"/console/documents/{document['id']}/move", **{"from": start, "to": to})

    assert "goes back to Drafting: move it there first" in moved.text
    assert now(project, document)["status"] == start


def test_a_card_is_published_in_the_version_that_it_shows(editor: Visitor, project: Project) -> None:
    document = in_status(project, "drafting")
    OPERATIONS["update_document"](project.context(), document["id"], fields={"title": "Another"})
    shown = {"from": "drafting", "to": "published", "baseVersion": str(document["version"])}

    moved = editor.post(f"/console/documents/{document['id']}/move", **shown)

    assert "The text changed since this page was shown" in moved.text
    assert now(project, document)["status"] == "drafting"


def test_a_card_that_lands_elsewhere_says_where(editor: Visitor, project: Project) -> None:
    document = in_status(project, "drafting")
    OPERATIONS["schedule_document"](project.context(), document["id"], fields={"publishAt": "2099-01-31T09:00:00Z"})

    moved = editor.post(f"/console/documents/{document['id']}/move", **{"from": "scheduled", "to": "approved"})

    assert "is not scheduled any more. It is in Drafting now." in moved.text


def test_a_card_that_cannot_be_moved_says_why(editor: Visitor, project: Project) -> None:
    document = in_status(project, "scheduled")
    moved = editor.post(f"/console/documents/{document['id']}/move", **{"from": "scheduled", "to": "review"})

    assert "which does not allow this" in moved.text
    assert now(project, document)["status"] == "scheduled"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/console/documents/{}/move", {"from": "idea", "to": "planned"}),
        ("/console/calendar/{}", {"kind": "due", "from": "2099-01-10", "day": "2099-01-12"}),
        ("/console/calendar/{}", {"kind": "scheduled", "from": "2099-01-10", "day": "2099-01-12"}),
    ],
)
def test_what_somebody_else_has_moved_meanwhile_stays_where_it_is(
    editor: Visitor, project: Project, path: str, fields: dict[str, str]
) -> None:
    document = in_status(project, "scheduled" if fields.get("kind") == "scheduled" else "drafting")
    OPERATIONS["update_document"](project.context(), document["id"], fields={"dueDate": "2099-01-15"})
    before = now(project, document)

    moved = editor.post(path.format(document["id"]), **fields)

    assert "Somebody else has moved it meanwhile" in moved.text
    assert now(project, document) == before


@pytest.mark.parametrize("restores", ["", "../x", "1" * 23, f"{'1' * 24}/revisions/3"])
def test_a_notice_offers_to_undo_only_what_the_service_wrote(editor: Visitor, restores: str) -> None:
    notice = base64.urlsafe_b64encode(orjson.dumps({"ok": True, "message": "Done.", "restores": restores}))

    editor.client.set_cookie(NOTICE_COOKIE, notice.decode(), path="/console")
    shown = editor.get("/console/board").text

    assert "Done." in shown
    assert "data-undo" not in shown


def test_a_document_is_shown_as_the_site_will_show_it(editor: Visitor, project: Project) -> None:
    markdown = "*Rise* <script>alert(1)</script>\n\n[out](javascript:alert(1))"
    document = a_document(project.context(), title="<b>Bold</b>", markdown=markdown)

    page = editor.get(f"/console/documents/{document['id']}")

    assert "<em>Rise</em>" in page.text
    assert "<script>alert" not in page.text
    shown = re.sub(r"data-markdown='[^']*'", "", page.text)  # what a script selects in: text alone
    assert "javascript:" not in shown
    assert "<b>Bold" not in page.text


def test_buttons_follow_the_status_and_say_why_one_is_not_allowed(editor: Visitor, project: Project) -> None:
    page = editor.get(f"/console/documents/{in_status(project, 'review')['id']}").text

    assert "/actions/approve_document" in page
    assert "/actions/request_changes" in page
    assert "/actions/mark_brief_ready" not in page
    assert "once it is back in drafting" in page

    writer = Visitor(editor.app)
    writer.sign_in(project.token("Writer", scopes=[Scope.READ, Scope.WRITE]))
    assert (
        "It waits for an editor to review it"
        in writer.get(f"/console/documents/{in_status(project, 'review')['id']}").text
    )


def test_a_button_runs_its_operation_once_and_for_what_was_read(
    editor: Visitor, project: Project, document: dict[str, str]
) -> None:
    path = f"/console/documents/{document['id']}/actions"
    outdated = editor.post(f"{path}/approve_document", baseVersion="7")
    assert "The text changed since this page was shown" in outdated.text
    approved = editor.post(f"{path}/approve_document", baseVersion="1")
    assert "It is approved" in approved.text
    assert now(project, document)["status"] == "approved"


def test_a_text_is_saved_as_a_new_version(editor: Visitor, project: Project, document: dict[str, str]) -> None:
    fields = {"markdown": TEXT.replace("\n", "\r\n") + "Again.", "baseVersion": "1"}
    saved = editor.post(f"/console/documents/{document['id']}/edit", **fields)

    assert "Saved as version 2" in saved.text
    part = OPERATIONS["get_revision"](project.context(), document["id"], "2")
    stored = project.store[Bodies].get_texts(project.id, [part.text_ids["markdown"]])
    assert list(stored.values()) == [TEXT + "Again."]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_saving_an_unchanged_text_changes_nothing_and_another_keeps_its_line_ends(
    editor: Visitor, project: Project, end: str
) -> None:
    text = end.join(["", "Flour.", "", "Water.", "", "\tPatience.", ""])
    document = a_document(project.context(), title="Rye", markdown=text)
    path = f"/console/documents/{document['id']}/edit"

    editor.post(path, markdown=text.replace(end, "\r\n"), baseVersion="1")
    assert now(project, document)["version"] == 1

    editor.post(path, markdown=text.replace(end, "\r\n").replace("Water.", "Rye.\r\nWater."), baseVersion="1")
    part = OPERATIONS["get_revision"](project.context(), document["id"], "2")
    [stored] = project.store[Bodies].get_texts(project.id, [part.text_ids["markdown"]]).values()
    assert stored == text.replace("Water.", f"Rye.{end}Water.")


def test_changes_of_different_paragraphs_are_saved_together(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown="Flour.\n\nWater.\n\nSalt.\n")
    ada = project.context(project.token("Ada"))
    theirs = {"markdown": "Flour.\n\nWater.\n\nSea salt.\n", "baseVersion": 1}
    OPERATIONS["write_content"](ada, document["id"], fields=theirs)
    path = f"/console/documents/{document['id']}/edit"

    saved = editor.post(path, markdown="Rye flour.\n\nWater.\n\nSalt.\n", baseVersion="1")

    assert "Saved as version 3. What Ada saved meanwhile in other paragraphs is part of it." in saved.text
    part = OPERATIONS["get_revision"](project.context(), document["id"], "3")
    [stored] = project.store[Bodies].get_texts(project.id, [part.text_ids["markdown"]]).values()
    assert stored == "Rye flour.\n\nWater.\n\nSea salt.\n"


def test_a_conflict_shows_both_texts_and_loses_neither(
    editor: Visitor, project: Project, document: dict[str, str]
) -> None:
    theirs = TEXT.replace("patience", "time")
    OPERATIONS["write_content"](project.context(), document["id"], fields={"markdown": theirs, "baseVersion": 1})
    ada = project.context(project.token("Ada"))
    OPERATIONS["update_document"](ada, document["id"], fields={"title": "Rye", "baseVersion": 2})
    path = f"/console/documents/{document['id']}/edit"

    refused = editor.post(path, markdown=TEXT.replace("Flour", "Rye"), baseVersion="1")
    assert refused.status_code == 409
    assert "Ada saved version 3 while you were writing" in refused.text
    assert "<mark>Rye</mark>" in refused.text
    assert "<mark>time</mark>" in refused.text
    assert 'name="baseVersion" value="3"' in refused.text
    assert now(project, document)["version"] == 3

    assert "Saved as version 4" in editor.post(path, markdown="Merged.", baseVersion="3").text


def test_a_writer_learns_what_others_did_meanwhile(editor: Visitor, project: Project, document: dict[str, str]) -> None:
    path = f"/console/documents/{document['id']}/meanwhile"
    ada = project.context(project.token("Ada"))
    assert "notice" not in editor.get(f"{path}?baseVersion=1").text

    OPERATIONS["update_document"](ada, document["id"], fields={"title": "Rye"})
    told = editor.get(f"{path}?baseVersion=1").text
    assert "Ada saved version 2 while you are writing" in told
    assert f"/console/documents/{document['id']}/revisions?to=2&amp;from=1" in told
    assert "notice" not in editor.get(f"{path}?baseVersion=2").text

    OPERATIONS["submit_document"](ada, document["id"])
    OPERATIONS["approve_document"](ada, document["id"])
    assert "A text can&#39;t be saved now" in editor.get(f"{path}?baseVersion=2").text


@pytest.mark.parametrize("length", [600_000, 2_097_152])
def test_a_long_text_can_be_saved(editor: Visitor, document: dict[str, str], length: int) -> None:
    fields = {"_csrf": editor.csrf, "markdown": "a" * length, "baseVersion": "1"}
    boundary, form = encode_multipart(fields)
    path, kind = f"/console/documents/{document['id']}/edit", f"multipart/form-data; boundary={boundary}"
    saved = editor.client.post(path, data=form, content_type=kind)

    assert saved.status_code == 303


def test_the_problem_of_a_text_that_is_too_long_leads_to_the_editor(editor: Visitor, document: dict[str, str]) -> None:
    boundary, form = encode_multipart({"_csrf": editor.csrf, "markdown": "a" * 2_097_153, "baseVersion": "1"})
    path, kind = f"/console/documents/{document['id']}/edit", f"multipart/form-data; boundary={boundary}"
    refused = editor.client.post(path, data=form, content_type=kind)

    assert 'href="#f-markdown"' in refused.text
    assert 'id="f-markdown"' in refused.text


def test_fields_are_changed_one_by_one_and_errors_stand_beside_them(
    editor: Visitor, project: Project, document: dict[str, str]
) -> None:
    path = f"/console/documents/{document['id']}/fields"
    OPERATIONS["update_document"](project.context(), document["id"], fields={"subtitle": "By somebody else"})
    editor.post(path, **{"dueDate": "2027-02-14", "was.dueDate": "", "subtitle": "", "was.subtitle": ""})
    after = now(project, document)
    assert (after["dueDate"], after["subtitle"]) == ("2027-02-14", "By somebody else")

    refused = editor.post(path, **{"title": " ", "was.title": "x", "slug": "a b", "was.slug": "x"})
    assert refused.status_code == 422
    assert 'aria-current="page">Fields</a>' in refused.text
    assert 'id="e-title"' in refused.text
    assert 'id="e-slug"' in refused.text
    assert 'value="a b"' in refused.text
    assert "<code>_</code>" in refused.text
    assert re.findall(r'<li><a href="#(f-\w+)">(\w+)</a>:', refused.text) == [("f-slug", "Slug"), ("f-title", "Title")]


def test_a_brief_is_edited_as_lines(editor: Visitor, project: Project, document: dict[str, str]) -> None:
    path = f"/console/documents/{document['id']}/brief"
    editor.post(path, keyword="rye", referenceUrls="https://a.example/1\r\n\r\nhttps://a.example/2 ")
    brief = now(project, document)["brief"]
    assert (brief["keyword"], brief["referenceUrls"]) == ("rye", ["https://a.example/1", "https://a.example/2"])

    refused = editor.post(path, referenceUrls="ftp://a.example", **{"was.referenceUrls": "x"})
    assert refused.status_code == 422


def test_versions_are_compared_side_by_side_and_restored(
    editor: Visitor, project: Project, document: dict[str, str]
) -> None:
    fields = {"markdown": TEXT.replace("patience", "time"), "baseVersion": 1}
    OPERATIONS["write_content"](project.context(), document["id"], fields=fields)

    OPERATIONS["update_document"](project.context(), document["id"], fields={"metaTitle": "Loaves & <rolls>"})

    page = editor.get(f"/console/documents/{document['id']}/revisions").text
    assert "Meta title" in page
    assert "Loaves &amp; &lt;rolls&gt;" in page
    assert f'href="/console/documents/{document["id"]}/revisions?to=3&amp;from=1#diff-title"' in page
    page = editor.get(f"/console/documents/{document['id']}/revisions?from=1&to=2").text
    assert "A script, <time" in page
    compared = page.partition('class="diff"')[2].partition("</table>")[0]
    assert "Day by day" in compared
    assert not re.search(r"[*#]", compared)
    assert "<mark>patience</mark>" in page
    assert "<mark>time</mark>" in page

    editor.post(f"/console/documents/{document['id']}/revisions/1/restore", baseVersion="3")
    assert now(project, document)["version"] == 4


@pytest.mark.parametrize("number", [10**20, -(10**20)])
def test_a_version_with_a_number_that_mongodb_does_not_store_is_none(
    editor: Visitor, document: dict[str, str], number: int
) -> None:
    for name in ("from", "to"):
        page = editor.get(f"/console/documents/{document['id']}/revisions?{name}={number}")

        assert (page.status_code, "The document has no version" in page.text) == (200, True)


def test_the_activity_says_who_did_what(editor: Visitor, document: dict[str, str]) -> None:
    editor.post(f"/console/documents/{document['id']}/actions/submit_document")

    page = editor.get(f"/console/documents/{document['id']}/activity").text
    assert "<strong>Ingrid</strong> submitted it for review" in page


def test_the_calendar_shows_and_moves_what_is_due_and_what_goes_out(editor: Visitor, project: Project) -> None:
    due = a_document(project.context(), title="Due", dueDate="2099-01-10", status="planned")
    scheduled = in_status(project, "scheduled")

    month = editor.get("/console/calendar?view=month&day=2099-01-15").text
    assert month.index('data-day="2099-01-10"') < month.index(">Due</a>") < month.index('data-day="2099-01-11"')
    assert month.index('data-day="2099-01-31"') < month.index('data-kind="scheduled"')

    editor.post(f"/console/calendar/{due['id']}", kind="due", day="2099-01-12")
    editor.post(f"/console/calendar/{scheduled['id']}", kind="scheduled", day="2099-02-03")
    assert now(project, due)["dueDate"] == "2099-01-12"
    assert now(project, scheduled)["publishAt"] == "2099-02-03T09:00:00.000Z"


def test_a_piece_cannot_be_scheduled_into_the_past_and_keeps_its_time(editor: Visitor, project: Project) -> None:
    scheduled = in_status(project, "scheduled")
    refused = editor.post(f"/console/calendar/{scheduled['id']}", kind="scheduled", day="2020-01-01")

    assert "Must be in the future" in refused.text
    after = now(project, scheduled)
    assert (after["status"], after["publishAt"]) == ("scheduled", "2099-01-31T09:00:00.000Z")


def test_a_base_version_that_no_document_has_is_refused(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), markdown="Rye is dark.")

    response = editor.post(f"/console/documents/{document['id']}/actions/publish_document", baseVersion=10**30)

    assert "Must be from 1 to" in response.text


@pytest.mark.parametrize(("due", "offered"), [("2099-01-31", "2099-01-31T09:00"), ("2020-01-31", ""), (None, "")])
def test_a_time_of_publishing_is_proposed_on_the_due_date(
    editor: Visitor, project: Project, due: str | None, offered: str
) -> None:
    document = in_status(project, "approved")
    OPERATIONS["update_document"](project.context(), document["id"], fields={"dueDate": due})

    page = editor.get(f"/console/documents/{document['id']}").text

    assert f'name="publishAt" value="{offered}"' in page


def test_a_scheduled_piece_is_rescheduled_where_it_is_read(editor: Visitor, project: Project) -> None:
    scheduled = in_status(project, "scheduled")
    path = f"/console/documents/{scheduled['id']}"
    editor.client.set_cookie("cw_zone", "Europe/Berlin", path="/console")
    assert 'name="publishAt" value="2099-01-31T10:00"' in editor.get(path).text

    assert "scheduled for another time" in editor.post(f"{path}/reschedule", publishAt="2099-02-01T09:00:00Z").text
    assert "Must be in the future" in editor.post(f"{path}/reschedule", publishAt="2020-01-01T09:00:00Z").text
    after = now(project, scheduled)
    assert (after["status"], after["publishAt"]) == ("scheduled", "2099-02-01T09:00:00.000Z")


def test_a_page_that_follows_learns_what_changed(editor: Visitor, project: Project, document: dict[str, str]) -> None:
    cursor = editor.get("/console/board").text.partition('data-cursor="')[2].partition('"')[0]
    editor.post(f"/console/documents/{document['id']}/actions/submit_document")
    project.store[Outboxes].publish_all(project.id)

    changes = editor.get(f"/console/changes?after={cursor}").json
    assert document["id"] in changes["documents"]
    assert editor.get(f"/console/changes?after={changes['cursor']}").json["documents"] == []


def test_a_brief_links_to_pieces_by_the_addresses_of_their_pages(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    document, other, third = (a_document(ctx, title=title)["id"] for title in ("Rye", "Salt", "Stollen"))
    lines = f"https://content.example/console/documents/{other}/edit?x=1\r\n{third}"

    editor.post(f"/console/documents/{document}/brief", internalLinks=lines)
    planned = editor.post("/console/plan", then="plan", title="Loaf", **{"brief.internalLinks": lines})

    for one in (document, planned.request.path.rpartition("/")[2]):
        assert OPERATIONS["get_document"](ctx, one).body["brief"]["internalLinks"] == [other, third]


def test_links_made_to_take_long_are_refused_at_once(editor: Visitor, project: Project) -> None:
    path = f"/console/documents/{a_document(project.context())['id']}/brief"

    def refuse() -> None:
        assert "at most 500 characters" in editor.post(path, internalLinks="http://" * 30_000).text

    assert quickest(refuse, 2) < 2


def test_a_brief_that_is_offered_is_not_offered_again(editor: Visitor, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Stollen")

    page = editor.get(f"/console/documents/{document['id']}").text

    assert "waits for a writer or an agent" in page
    assert ("Withdraw brief" in page, "Offer brief" in page, "Release brief" in page) == (True, False, False)


def test_a_message_has_its_times_as_elements_and_all_else_escaped(editor: Visitor) -> None:
    with editor.app.test_request_context():
        html = message_html("<b>Ada</b> & `<i>` until 2026-11-23T16:38:45.686Z, not <2026-99-99T00:00:00Z>.")
    assert html == (
        "&lt;b&gt;Ada&lt;/b&gt; &amp; <code>&lt;i&gt;</code> until "
        '<time datetime="2026-11-23T16:38:45.686Z" title="23 Nov 2026, 16:38 UTC" data-time>'
        "23 Nov 2026, 16:38 UTC</time>, "
        "not &lt;2026-99-99T00:00:00Z&gt;."
    )


def test_a_refusal_has_its_times_as_elements_on_a_page_and_in_utc_for_a_script(
    editor: Visitor, project: Project
) -> None:
    ctx = project.context(project.token("<b>Ada</b>"))
    document = a_ready_brief(ctx, title="Stollen")
    OPERATIONS["claim_brief"](ctx, document["id"], fields={"leaseSeconds": 3600})
    path = f"/console/documents/{document['id']}"

    page = editor.post(f"{path}/actions/claim_brief").text
    headers = {"X-CSRF-Token": editor.csrf, "HX-Request": "true"}
    message = editor.client.post(f"{path}/actions/claim_brief", headers=headers).json["message"]

    on_a_page = r"&lt;b&gt;Ada&lt;/b&gt;.* holds it until <time datetime=[^>]+ data-time>[^<]+ UTC</time>"
    assert re.search(on_a_page, page)
    assert "<b>Ada" not in page
    assert re.search(r"<b>Ada</b>.* holds it until \d\d \w{3} \d{4}, \d\d:\d\d UTC", message)


def test_a_script_gets_the_message_of_a_form_that_is_refused(editor: Visitor, document: dict[str, str]) -> None:
    headers = {"X-CSRF-Token": editor.csrf, "HX-Request": "true"}
    form = {"markdown": "New."}
    refused = editor.client.post(f"/console/documents/{document['id']}/edit", data=form, headers=headers)
    assert (refused.status_code, refused.json["ok"]) == (400, False)


def test_who_claims_a_brief_is_led_to_writing_the_text(editor: Visitor, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Stollen")

    page = editor.post(f"/console/documents/{document['id']}/actions/claim_brief").text

    assert f'data-kind="main" href="/console/documents/{document["id"]}/edit">Write the text' in page
    assert page.index("You claimed the brief: write the text.") < page.index(">Write the text<")
    assert "the text is being written" not in page
    assert page.index(">Write the text<") < page.index("Release brief")
    release = re.search(r'<button id="act-release_brief"[^>]*>', page)
    assert release
    assert "data-kind" not in release[0]
    assert "Claimed by Ingrid" in page
    assert "#i-agent" not in page.partition('id="facts"')[2]


def test_why_there_is_nothing_else_to_do_is_said_before_the_button_to_write(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), status="drafting")
    page = editor.get(f"/console/documents/{document['id']}").text
    assert page.index("The text has to be written.") < page.index(">Write the text<")


def test_a_claim_says_whose_it_is_and_how_long_it_lasts_and_can_be_taken_back(
    editor: Visitor, project: Project
) -> None:
    ctx = project.context(project.token("Night writer", agent="writer-1"))
    document = a_ready_brief(ctx, title="Stollen", brief={"keyword": "stollen", "intent": "informational"})
    OPERATIONS["claim_brief"](ctx, document["id"], fields={"leaseSeconds": 3 * 3600 + 60})
    path = f"/console/documents/{document['id']}"

    for page in (editor.get("/console/board").text, editor.get(path).text):
        assert re.search(r"writer-1 \(Night writer\), expires in <time [^>]+>3 hours</time>", page)
        assert not re.search(r">[^<>]*\d\d:\d\d:\d\d\.\d{3}Z", page)
    assert "The brief is claimed: the text is being written." in editor.get(path).text
    assert "<dd>Informational</dd>" in editor.get(path).text
    usual = editor.get(path).text.partition("All actions</summary>")[0]
    assert ("/actions/withdraw_brief" in usual, 'data-kind="main"' in usual.partition("actions-title")[2]) == (
        True,
        False,
    )

    editor.post(f"{path}/actions/withdraw_brief")
    assert now(project, document)["brief"]["state"] == "none"


@pytest.mark.parametrize(
    ("seconds", "says"), [(172_800, "2 days"), (172_700, "48 hours"), (7_100, "118 minutes"), (20, "1 minute")]
)
def test_the_time_left_is_written_in_whole_numbers(editor: Visitor, project: Project, seconds: int, says: str) -> None:
    with editor.app.test_request_context():
        g.console_context = project.context()
        assert f">{says}</time>" in time_left(wire_time(g.console_context.now + timedelta(seconds=seconds)))


def test_what_goes_to_the_trash_is_restored_there(editor: Visitor, project: Project, document: dict[str, str]) -> None:
    path = f"/console/documents/{document['id']}"
    before = editor.post(f"{path}/actions/delete_document", list="/console/calendar?day=2099-01-31")
    assert before.request.full_path == "/console/calendar?day=2099-01-31"
    assert f'action="{path}/restore"' in before.text.partition('id="toasts"')[2]  # Undo, beside the message
    trash = editor.get("/console/table?deleted=true").text
    assert f'formaction="{path}/restore"' in trash
    assert f'href="{path}"' not in trash  # in the trash it has no page
    assert 'href="/console/table?deleted=true">see the trash' in editor.get(path).text
    assert "It is restored" in editor.post(f"{path}/restore").text
    assert now(project, document)["deletedAt"] is None


def test_publishing_is_not_offered_for_what_the_website_shows_already(
    editor: Visitor, project: Project, document: dict[str, str]
) -> None:
    path = f"/console/documents/{document['id']}"
    editor.post(f"{path}/actions/publish_document", baseVersion="1")
    assert "/actions/publish_document" not in editor.get(path).text
    assert "See it on the website" not in editor.get(path).text
    OPERATIONS["update_project"](project.context(), fields={"siteUrl": "https://crust.example/{slug}/"})
    assert f'href="https://crust.example/{document["slug"]}/"' in editor.get(path).text
    editor.post(f"{path}/edit", markdown="New.", baseVersion="1")
    assert "/actions/publish_document" in editor.get(path).text.partition("All actions</summary>")[0]


def test_what_a_token_may_not_do_is_not_offered(reader: Visitor, document: dict[str, str]) -> None:
    """`tests/walks/test_console.py` holds that it is not done either, on every page and form."""
    page = reader.get(f"/console/documents/{document['id']}").text
    assert "/actions/" not in page
    assert "/edit" not in page
    board = reader.get("/console/board").text
    assert "draggable=" not in board.replace('draggable="false"', "")
    assert "data-move>" not in board


@pytest.mark.parametrize("path", ["documents/nonsense", f"documents/{'0' * 24}", "nowhere", "assets/x/../../frame.py"])
def test_what_is_not_there_is_a_page_that_says_so(editor: Visitor, path: str) -> None:
    answer = editor.get(f"/console/{path}")

    assert (answer.status_code, answer.mimetype) == (404, "text/html")


def test_a_page_that_is_not_available_now_is_tried_again(editor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(*_: object, **__: object) -> None:
        raise ServiceUnavailable()

    monkeypatch.setattr("app.console.board.call", unavailable)
    response = editor.get("/console/board?q=rye")
    assert response.status_code == 503
    assert 'href="">Try again' in response.text  # the same for every address: an early refusal is a copy of another


def test_every_page_is_private_and_loads_nothing_from_elsewhere(editor: Visitor, document: dict[str, str]) -> None:
    addresses = (f"documents/{document['id']}{page}" for page in PAGES)
    for address in (
        "board",
        "table",
        "insight",
        "plan",
        "plan/many",
        "plan/categories",
        "administration",
        "administration/tokens",
        "calendar",
        *addresses,
    ):
        page = editor.get(f"/console/{address}")
        policy = page.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
        assert page.headers["Cache-Control"] == "no-store"
        assert " style=" not in page.text
        assert "<script>" not in page.text
        assert len(page.data) < 60_000


def test_assets_are_stored_for_good_under_their_version_alone(app: Flask) -> None:
    client = app.test_client()
    address = client.get("/console/sign-in").text.partition('rel="stylesheet" href="')[2].partition('"')[0]
    current, other = client.get(address), client.get("/console/assets/0000/console.css")
    current.close()
    other.close()

    assert current.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert other.headers["Cache-Control"] == "no-store"


def made_member(project: Project, name: str) -> str:
    """Makes a member and returns its id."""
    member_id: str = OPERATIONS["create_member"](project.context(), fields={"name": name}).body["id"]
    return member_id


STEPS = {
    "review": ("submit_document",),
    "approved": ("submit_document", "approve_document"),
    "scheduled": ("submit_document", "approve_document", "schedule_document"),
    "published": ("publish_document",),
}


def in_status(project: Project, status: str) -> dict[str, str]:
    """Makes a document in a status."""
    ctx = project.context()
    first = status if status in ("idea", "planned") else "drafting"
    document = a_document(ctx, title=f"It is {status}", markdown=TEXT, status=first)
    for step in STEPS.get(status, ()):
        fields = {"publishAt": "2099-01-31T09:00:00Z"} if step == "schedule_document" else {}
        OPERATIONS[step](ctx, document["id"], fields=fields)
    return document


@pytest.mark.parametrize("refused_by", ["four eyes", "a budget"])
def test_what_can_not_be_scheduled_anew_stays_scheduled(app: Flask, project: Project, refused_by: str) -> None:
    one_write = {"writesPerHour": 1, "publishesPerDay": None}
    token = project.token("Ingrid", budget=one_write if refused_by == "a budget" else None)
    document = a_document(project.context(token), markdown=TEXT)
    scheduled = OPERATIONS["schedule_document"](
        project.context(), document["id"], fields={"publishAt": "2100-01-31T12:00:00Z"}
    ).body
    OPERATIONS["update_project"](project.context(), fields={"fourEyes": refused_by == "four eyes"})
    visitor = Visitor(app)
    visitor.sign_in(token)

    visitor.post(f"/console/calendar/{document['id']}", kind="scheduled", day="2100-02-14")

    assert now(project, document)["status"] == "scheduled"
    assert now(project, document)["publishAt"] == scheduled["publishAt"]


@pytest.mark.parametrize("version", ["1" + "0" * 10, "1" + "0" * 30, "9" * 5_000])
def test_a_version_that_no_document_has_is_no_bug(editor: Visitor, document: dict[str, str], version: str) -> None:
    response = editor.post(f"/console/documents/{document['id']}/revisions/{version}/restore", baseVersion="1")

    assert 400 <= response.status_code < 500


def test_the_editor_has_the_brief_and_the_note_of_the_review_beside_the_text(project: Project, editor: Visitor) -> None:
    brief = {"keyword": "rye", "notes": "Grams, not cups."}
    document = a_document(project.context(), title="Rye", markdown="Text.", brief=brief)
    for name, fields in (("submit_document", {}), ("request_changes", {"note": "Say which flour."})):
        OPERATIONS[name](project.context(), document["id"], fields=fields)

    page = editor.get(f"/console/documents/{document['id']}/edit").text
    assert "Grams, not cups." in page
    assert "Say which flour." in page


@pytest.mark.parametrize("agent", ["writer-1", ""])
def test_a_text_that_has_to_change_is_offered_to_writers_again(project: Project, editor: Visitor, agent: str) -> None:
    document = a_ready_brief(project.context(), title="Rye", status="planned")
    writer = project.context(project.token("Night writer", agent=agent))
    path = f"/console/documents/{document['id']}"
    for name, fields in (
        ("claim_brief", {}),
        ("write_content", {"markdown": "Text.", "baseVersion": 1}),
        ("submit_document", {}),
    ):
        OPERATIONS[name](writer, document["id"], fields=fields)

    assert bool(re.search('name="offer" value="yes" checked', editor.get(path).text)) == bool(agent)
    sent_back = editor.post(f"{path}/actions/request_changes", note="Say which flour.", offer="yes")

    assert "with your note, and its brief is offered." in sent_back.text
    after = now(project, document)
    assert (after["status"], after["brief"]["state"]) == ("drafting", "ready")
    assert OPERATIONS["claim_next_brief"](writer, fields={}).body["reviewNote"] == "Say which flour."


def test_a_slug_that_is_taken_is_said_at_its_field(project: Project, editor: Visitor) -> None:
    document, other = (a_document(project.context(), title=title) for title in ("Rye", "Stollen"))
    fields = {"title": "Rye", "was.title": "Rye", "slug": other["slug"], "was.slug": document["slug"]}
    refused = editor.post(f"/console/documents/{document['id']}/fields", **fields)

    assert refused.status_code == 409
    assert re.search(r'id="f-slug"[^>]*aria-invalid="true"', refused.text)
    assert re.search(r'id="e-slug">.*Another document has the slug', refused.text)
    assert refused.text.count("choose another") == 2


def test_a_text_that_can_not_be_saved_is_refused_with_one_message(project: Project, editor: Visitor) -> None:
    document = in_status(project, "approved")
    page = f"/console/documents/{document['id']}/edit"

    assert "A text can&#39;t be saved now" in editor.get(page).text
    assert editor.post(page, markdown="New.", baseVersion="1").text.count("does not allow this") == 1


def test_the_calendar_shows_all_days_of_a_month_however_many_documents_there_are(
    editor: Visitor, project: Project
) -> None:
    first = in_status(project, "published")
    documents = project.store.database.documents
    row: Any = documents.find_one({"_id": ObjectId(first["id"])})
    due: dict[str, Any] = {"status": "planned", "isPublished": False, "publishedAt": None}
    rows = [
        {"title": "Old", "publishedAt": datetime(2019, 5, 4, tzinfo=UTC)},
        *[{}] * 150,
        *[{**due, "title": "Early", "dueDate": "2099-03-01"}] * 120,
        {**due, "title": "Late", "dueDate": "2099-03-31"},
    ]
    every = [
        {
            **row,
            "_id": ObjectId(),
            "slug": f"s-{number}",
            "slugs": [f"s-{number}"],
            "slugKeys": [f"s-{number}"],
            "outbox": [],
            **changes,
        }
        for number, changes in enumerate(rows)
    ]
    documents.insert_many(one | document_keys(one) for one in every)

    assert ">Old</a>" in editor.get("/console/calendar?view=month&day=2019-05-04").text
    march = editor.get("/console/calendar?view=month&day=2099-03-15").text
    assert (march.count(">Early</a>"), march.count(">Late</a>")) == (120, 1)


def test_the_calendar_says_of_what_it_shows_a_part(
    editor: Visitor, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.console.calendar.MOST", 2)
    for _ in range(2):
        a_document(project.context(), title="Due", dueDate="2099-01-10", status="planned")

    assert "Only 2 documents that are due are shown" in editor.get("/console/calendar?view=month&day=2099-01-15").text
    assert "Only 2" not in editor.get("/console/calendar?view=month&day=2099-03-15").text


def test_the_calendar_has_filters_that_stay_from_month_to_month(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    a_document(ctx, title="Rye", dueDate="2099-01-10", categoryId=bread)
    a_document(ctx, title="Tea", dueDate="2099-01-10")

    page = unescape(editor.get(f"/console/calendar?view=month&day=2099-01-15&categoryId={bread}").text)
    assert ">Rye</a>" in page
    assert ">Tea</a>" not in page
    assert f"/console/calendar?categoryId={bread}&day=2099-02-01" in page
    assert ">Tea</a>" in editor.get("/console/calendar?view=month&day=2099-01-15&categoryId=none").text
    assert editor.get("/console/calendar?categoryId=bread").status_code == 400


def test_a_card_counts_one_word_as_one(editor: Visitor, project: Project) -> None:
    a_document(project.context(), title="Rye", markdown="Rye")
    assert "1 word<" in editor.get("/console/board").text


@pytest.mark.parametrize(
    ("length", "shown"),
    [("600-800 Wörter", "600–800 words"), ("1.200", "1,200 words"), ("ca. 500", "500 words"), ("short", "")],
)
def test_a_length_is_shown_as_the_numbers_that_checks_read(
    editor: Visitor, project: Project, length: str, shown: str
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Rye", brief={"wordCount": length})
    card = re.search('<span class="words">(.*?) words?</span>', editor.get("/console/board").text)
    counted = re.sub("<[^>]+>| of", "", card[0]) if card else ""
    assert counted == (f"1/{shown}" if shown else "1 word")
    page = editor.get(f"/console/documents/{document['id']}/edit").text
    assert (f"1 word</span> of {shown.removesuffix(' words')}</span>" if shown else "1 word</span></span>") in page


def test_checks_are_told_without_the_names_of_fields(editor: Visitor, project: Project) -> None:
    document = a_document(
        project.context(),
        title="Rye",
        markdown="Wheat\n\n![](https://a.example/m/p.png)",
        brief={"keyword": "baker's yeast"},
    )
    page = editor.get(f"/console/documents/{document['id']}/checks").text
    assert "The title lacks the keyword “baker&#39;s yeast”." in page
    assert "The picture “p.png” has no description." in page
    assert "Not checked: The brief has no length of one or two numbers of 50 or more, outline, documents" in page


def test_the_keys_of_write_are_those_that_work_there(editor: Visitor, document: dict[str, str]) -> None:
    keys = (
        editor.get(f"/console/documents/{document['id']}/edit").text.partition('id="keys"')[2].partition("</dialog>")[0]
    )
    assert "save and go on writing" in keys
    assert not any(f"<kbd>{key}</kbd>" in keys for key in ("?", "g", "j", "z</kbd></dt><dd>undo, as"))
