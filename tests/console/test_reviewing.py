"""A review without scripts: what a document's pages say of it, and what a visitor by a review link may do.

(decisions, section 17)
"""

import re
from html import unescape
from typing import Any

import orjson
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.core.store.outbox import Outboxes
from app.core.vocabulary import Scope
from app.review.vocabulary import ThreadState
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document

TEXT = "Flour, water and *patience*.\n\n## Day by day\n\nFeed it.\n"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def document(project: Project) -> dict[str, Any]:
    """A document in review."""
    made = a_document(project.context(), title="Rye", markdown=TEXT)
    OPERATIONS["submit_document"](project.context(), made["id"], fields={})
    return made


def opened(project: Project, document: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Opens a thread."""
    record: dict[str, Any] = OPERATIONS["open_thread"](
        project.context(project.token("Ada")), document["id"], fields={"text": "Which?", **fields}
    ).body
    return record


def threads_of(project: Project, document: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns all threads of a document."""
    fields = {"state": list(ThreadState), "limit": 200, "offset": 0}
    listed: list[dict[str, Any]] = OPERATIONS["list_threads"](project.context(), document["id"], fields=fields).body
    return listed


def come_by_link(app: Flask, project: Project, document: dict[str, Any], name: str = "Lee") -> Visitor:
    """Returns a visitor who opened a review link."""
    made = OPERATIONS["create_review_link"](project.context(), document["id"], fields={"name": name}).body
    visitor = Visitor(app)
    visitor.client.post("/console/review", data={"link": made["link"]})
    found = re.search(r'name="csrf-token" content="(\w+)"', visitor.get("/console/review").text)
    visitor.csrf = found[1] if found else ""
    return visitor


def test_what_somebody_remarked_is_text(editor: Visitor, project: Project, document: dict[str, Any]) -> None:
    opened(project, document, text=SCRIPT, quote={"exact": "Flour"}, suggestion=SCRIPT)
    opened(project, document, text="'><b>", quote={"exact": "water"})

    page = editor.get(f"/console/documents/{document['id']}").text

    assert SCRIPT not in page
    assert "'><b>" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2  # the remark, and the other words
    assert "removed: </span>Flour</del><ins>" in page


def test_a_quote_is_shown_as_it_is_read(editor: Visitor, project: Project) -> None:
    markdown = "## Day\n\nIt is **not** rye.[^1]\n\n"
    markdown += "| a | b |\n| - | - |\n| flour \\| hay | `x_y` |\n\n> - Feed\n\n[^1]: *Hers*.\n"
    document = a_document(project.context(), title="Rye", markdown=markdown)
    for exact in (markdown, "flour \\| hay", "**not** rye"):
        opened(project, document, text=exact, quote={"exact": exact})
    opened(project, document, text="Which?", quote={"exact": "is **not** rye"}, suggestion="is *rye*")

    page = editor.get(f"/console/documents/{document['id']}").text
    quotes = [
        unescape(re.sub("<[^>]+>", "", one)) for one in re.findall("(?s)<blockquote[^>]*>(.*?)</blockquote>", page)
    ]
    assert "Day\n\nIt is not rye.\n\na · b\nflour | hay · x_y\n\nFeed\n\nHers.\n" in quotes
    assert {"flour | hay", "not rye", "is removed: not rye"} <= {*quotes}
    assert "**not** rye" in {one["quote"]["exact"] for one in threads_of(project, document)}

    path = f"/console/documents/{document['id']}/edit"
    OPERATIONS["write_content"](
        project.context(), document["id"], fields={"markdown": markdown.replace("not", "now"), "baseVersion": 1}
    )
    both = editor.post(path, markdown=markdown.replace("not", "never"), baseVersion="1").text
    compared = unescape(re.sub("<[^>]+>", "", both.partition('class="diff"')[2].partition("</table>")[0]))
    assert "It is now rye." in compared.replace("removed: ", "")
    assert "| - | - |" not in compared


def test_a_remark_is_sent_answered_and_settled_without_a_script(
    editor: Visitor, project: Project, document: dict[str, Any]
) -> None:
    base = f"/console/documents/{document['id']}/threads"
    assert "Your remark is there." in editor.post(base, text="Say more.", level="must").text
    thread = opened(project, document, quote={"exact": "Flour"}, suggestion="Rye flour")
    for change, fields, says in (
        ("reply", {"text": "Of what?"}, "Your answer is there."),
        ("reply", {"text": ""}, "Correct this and send it again."),
        ("accept", {}, "the text has the new words"),
        ("reject", {}, "resolved"),
        ("reopen", {}, "It is open again."),
        ("resolve", {"text": "Good now."}, "It is resolved."),
    ):
        assert says in editor.post(f"{base}/{thread['id']}/{change}", **fields).text, change
    assert editor.post(f"{base}/{thread['id']}/purge").status_code == 404
    assert "list its threads" in unescape(editor.post(f"{base}/nothing/resolve").text)

    by_text = {one["comments"][0]["text"]: one for one in threads_of(project, document)}
    assert (by_text["Say more."]["level"], by_text["Which?"]["state"]) == ("must", "resolved")
    assert [one["text"] for one in by_text["Which?"]["comments"]] == ["Which?", "Of what?", "Good now."]
    assert OPERATIONS["get_document"](project.context(), document["id"]).body["version"] == 2


def test_a_request_for_changes_with_wrong_remarks_changes_nothing(
    editor: Visitor, project: Project, document: dict[str, Any]
) -> None:
    path = f"/console/documents/{document['id']}/actions/request_changes"
    wrong = [{"text": "Good.", "level": "note"}, {"text": "Which?", "quote": {"exact": "Barley"}}]
    for sent, says in (
        (orjson.dumps(wrong).decode(), "Stands nowhere"),
        ("{", "must be JSON"),
        ("[1]", "Correct this"),
        ("1", "Correct this"),
    ):
        assert says in editor.post(path, note="No.", threads=sent).text
    assert threads_of(project, document) == []
    assert OPERATIONS["get_document"](project.context(), document["id"]).body["status"] == "review"


def test_who_gets_the_notice_is_said_where_it_is_not_who_wrote(editor: Visitor, project: Project) -> None:
    def page(assignee: str | None) -> str:
        ctx = project.context(project.token("Ada"))
        document = a_document(ctx, title="Rye", markdown="Rye.", assigneeId=assignee)
        path = f"/console/documents/{document['id']}"
        draft = editor.get(path).text
        OPERATIONS["submit_document"](ctx, document["id"], fields={})
        return draft + editor.get(path).text

    theirs = page(OPERATIONS["create_member"](project.context(), fields={"name": "Mateo Ruiz"}).body["id"])
    assert "Whoever may approve has it in the inbox; the notice goes to Mateo Ruiz, the assignee." in theirs
    assert "The notice goes to Mateo Ruiz, the assignee, and not to Ada, who wrote the text." in theirs
    nobodys = page(None)
    assert "Whoever may approve has it in the inbox.</p>" in nobodys
    assert "Nobody is assigned: everybody has it in the inbox." in nobodys


def test_what_was_asked_is_there_after_the_text_came_back(
    editor: Visitor, project: Project, document: dict[str, Any]
) -> None:
    path = f"/console/documents/{document['id']}"
    for note, text in (("Say which flour.", "Rye flour, water and *patience*."), ("Say how much.", "Rye flour, 50 g.")):
        sent = orjson.dumps([{"text": f"See: {note}", "level": "should"}]).decode()
        editor.post(f"{path}/actions/request_changes", note=note, threads=sent)
        assert "Changes requested, round" in editor.get("/console/board").text
        version = OPERATIONS["get_document"](project.context(), document["id"]).body["version"]
        ada = project.context(project.token("Ada"))
        OPERATIONS["write_content"](ada, document["id"], fields={"markdown": text, "baseVersion": version})
        OPERATIONS["submit_document"](ada, document["id"], fields={})
    project.store[Outboxes].publish_all(project.id)

    read = editor.get(path).text
    assert "In review again, round 3" in read
    assert "Round 2 asked for: Say how much." in read
    assert "Again, round 3" in editor.get("/console/board").text
    assert 'href="?since=2"' in read
    assert '<del datetime="' in editor.get(f"{path}?since=2").text
    for nothing in ("99", "9" * 30):
        assert editor.get(f"{path}?since={nothing}").status_code == 404
    assert editor.get(f"{path}?since=-1").status_code == 200
    activity = editor.get(f"{path}/activity").text
    assert "Say how much." in activity
    assert "Say which flour." in activity
    for listed in OPERATIONS["list_events"](project.context(), fields={"limit": 100}).body["events"]:
        assert "Say which flour." not in str(listed)


def test_versions_open_on_what_changed_since_my_decision_and_are_marked(
    editor: Visitor, project: Project, document: dict[str, Any]
) -> None:
    path = f"/console/documents/{document['id']}"
    editor.post(f"{path}/actions/request_changes", note="Say more.")
    ada = project.context(project.token("Ada"))
    for version in (1, 2):
        text = {"markdown": TEXT + f"More {version}.\n", "baseVersion": version}
        OPERATIONS["write_content"](ada, document["id"], fields=text)
    OPERATIONS["submit_document"](ada, document["id"], fields={})

    page = editor.get(f"{path}/revisions").text

    assert "What changed from version 1 to 3" in page
    assert "Since your last decision." in page
    assert re.findall('data-mark="([^"]+)"', page) == ["Submitted", "Submitted", "Changes requested"]
    OPERATIONS["update_document"](ada, document["id"], fields={"subtitle": "Another"})
    fields = editor.get(f"{path}/revisions?to=4&from=3").text
    assert "same" not in fields.partition("diff-title")[2]
    assert "Fields changed" in fields


def test_refusals_speak_of_remarks_and_an_own_one_says_who_resolves_it(
    editor: Visitor, project: Project, document: dict[str, Any]
) -> None:
    path = f"/console/documents/{document['id']}"
    others = opened(project, document, text="Which?", level="must")
    page = editor.get(path).text
    assert "1 Must remark has to be resolved first." in page
    assert "level" not in re.sub(r"<[^>]+>", "", page)
    assert "This is your own remark" not in page

    editor.post(f"{path}/threads", text="Warm?", level="note")
    assert editor.get(path).text.count("This is your own remark: resolve it when it is done.") == 1
    OPERATIONS["resolve_thread"](project.context(), document["id"], others["id"], fields={})
    refused = editor.post(f"{path}/threads/{others['id']}/reply", text="Rye.").text
    assert "The remark is resolved: open it again first." in refused


def visit(visitor: Visitor) -> TestResponse:
    return visitor.get("/console/review")


def test_a_visitor_sees_one_text_and_its_threads_and_no_other_page(
    app: Flask, project: Project, document: dict[str, Any]
) -> None:
    other = a_document(project.context(), title="Secret plans", markdown="Secret.")
    thread = opened(project, document, text=SCRIPT)
    visitor = come_by_link(app, project, document, name=SCRIPT)

    page = visit(visitor)

    assert page.status_code == 200
    assert "Feed it." in page.text
    assert SCRIPT not in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for path in (f"documents/{document['id']}", f"documents/{other['id']}", "board", "changes"):
        assert visitor.get(f"/console/{path}").status_code == 303, path
    base = "/console/review/threads"
    assert "Your remark is there." in visitor.post(base, text="Is it?", level="should").text
    assert "for a visitor" in visitor.post(base, text="Is it?", level="must").text
    [mine] = [one for one in threads_of(project, document) if one["openedBy"]["type"] == "link"]
    assert "Your answer is there." in visitor.post(f"{base}/{thread['id']}/reply", text="Yes.").text
    assert "made this remark and has to resolve it" in visitor.post(f"{base}/{thread['id']}/resolve").text
    assert "It is resolved." in visitor.post(f"{base}/{mine['id']}/resolve").text
    for change in ("accept", "reject", "reopen"):
        assert visitor.post(f"{base}/{thread['id']}/{change}").status_code == 404
    elsewhere = opened(project, other)
    assert "list its threads" in unescape(visitor.post(f"{base}/{elsewhere['id']}/reply", text="Yes.").text)


@pytest.mark.parametrize("ends", ["revoked", "expired", "trash"])
def test_a_link_that_has_ended_opens_nothing(
    app: Flask, project: Project, store: Any, document: dict[str, Any], ends: str
) -> None:
    visitor, ctx = come_by_link(app, project, document), project.context()
    [made] = OPERATIONS["list_review_links"](ctx, document["id"]).body
    if ends == "revoked":
        OPERATIONS["delete_review_link"](ctx, document["id"], made["id"])
    elif ends == "expired":
        store.database.reviewLinks.update_many({}, {"$set": {"expiresAt": ctx.now}})
    else:
        OPERATIONS["delete_document"](ctx, document["id"])

    sent = visitor.post("/console/review/threads", text="Is it?", level="should")
    page = visit(visitor)

    assert "This link has ended" in sent.text
    for response in (sent, page):
        assert "Feed it." not in response.text
    if ends != "trash":
        assert threads_of(project, document) == []


def test_a_visit_has_the_cookie_of_a_session_and_needs_its_own_csrf_token(
    app: Flask, project: Project, editor: Visitor, document: dict[str, Any]
) -> None:
    made = OPERATIONS["create_review_link"](project.context(), document["id"], fields={"name": "Lee"}).body
    client = app.test_client()
    cookie = client.post("/console/review", data={"link": made["link"]}).headers["Set-Cookie"]
    assert {"HttpOnly", "Path=/console", "SameSite=Strict"} <= set(cookie.split("; "))
    crossed = {"Sec-Fetch-Site": "cross-site"}
    assert client.post("/console/review", data={"link": made["link"]}, headers=crossed).status_code == 403

    visitor = come_by_link(app, project, document)
    for token in ("", editor.csrf):
        visitor.csrf = token
        assert visitor.post("/console/review/threads", text="Is it?", level="should").status_code == 403
    assert threads_of(project, document) == []
    assert app.test_client().post("/console/review", data={"link": "cwl_nothing"}).status_code == 401


def test_review_links_are_made_shown_once_listed_and_revoked(
    editor: Visitor, app: Flask, project: Project, document: dict[str, Any]
) -> None:
    path = f"/console/documents/{document['id']}/links"
    made = editor.post(path, name=SCRIPT, days="3")
    link = re.search(r"http://localhost/console/review#(cwl_[\w.-]+)", made.text)
    assert link
    assert SCRIPT not in made.text
    listed = editor.get(path).text
    assert "cwl_" not in listed
    assert SCRIPT not in listed
    assert "Must be" in unescape(editor.post(path, name="Lee", days="15").text)
    [one] = OPERATIONS["list_review_links"](project.context(), document["id"]).body
    assert "is ended" in editor.post(f"{path}/{one['id']}/delete").text
    assert app.test_client().post("/console/review", data={"link": link[1]}).status_code == 401


def test_who_may_only_write_makes_no_links(app: Flask, project: Project, document: dict[str, Any]) -> None:
    writer = Visitor(app)
    writer.sign_in(project.token("Ada", scopes=[Scope.READ, Scope.WRITE]))
    path = f"/console/documents/{document['id']}"
    assert "/links" not in writer.get(path).text
    assert writer.get(f"{path}/links").status_code == 403


def test_a_suggestion_that_was_carried_out_by_hand_says_so_and_is_done_with_one_click(
    editor: Visitor, project: Project
) -> None:
    ctx = project.context()
    document = a_document(ctx, markdown="Flour and water.\n\nWait a day.\n", status="drafting")
    for exact, words in (("Flour", "Rye flour"), ("Wait a day.", "Wait two days.")):
        fields = {"text": "Better.", "quote": {"exact": exact, "prefix": "", "suffix": ""}, "suggestion": words}
        OPERATIONS["open_thread"](project.context(project.token("Jun")), document["id"], fields=fields)
    path = f"/console/documents/{document['id']}"
    assert "The text says this already" not in editor.get(path).text

    fields = {"markdown": "Rye flour and water.\n\nWait a day.\n", "baseVersion": document["version"]}
    OPERATIONS["write_content"](ctx, document["id"], fields=fields)
    page = editor.get(path).text
    assert page.count("The text says this already") == page.count("Done <kbd>") == 1
    assert page.count("/accept") == page.count("/reject") == 1

    thread = page.partition("The text says this already")[2].partition("/resolve")[0].rpartition("/")[2]
    assert "It is resolved." in editor.post(f"{path}/threads/{thread}/resolve").text
    assert "The text says this already" not in editor.get(path).text
