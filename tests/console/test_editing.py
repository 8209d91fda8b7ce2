"""What an editor sees of a piece: the brief while it matters, who else writes it, and which step is next."""

import re
from typing import Any

import orjson
import pytest

from app.console import calls
from app.core.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document, a_ready_brief

TEXT = "Flour and water.\n"
MAIN = re.compile(r'data-kind="main"[^>]*>([^<]+)<')


def call(project: Project, name: str, id: str, **fields: Any) -> dict[str, Any]:
    """Calls an operation on a document as an editor."""
    operation = OPERATIONS[name]
    record: dict[str, Any] = operation(
        project.context(), id, **({"fields": fields} if operation.body or operation.query else {})
    ).body
    return record


def next_of(editor: Visitor, document: dict[str, Any]) -> str:
    """Returns the part of a document's page with what can be done with it."""
    return (
        editor.get(f"/console/documents/{document['id']}")
        .text.partition('class="actions"')[2]
        .partition("<details>")[0]
    )


def test_a_piece_past_drafting_says_nothing_of_its_offer(editor: Visitor, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye", markdown=TEXT)
    call(project, "submit_document", document["id"])
    pages = ("board", "table", f"documents/{document['id']}", f"documents/{document['id']}/brief")
    assert [path for path in pages if "Ready to claim</span>" in editor.get(f"/console/{path}").text] == []

    call(project, "request_changes", document["id"], note="Say more.")
    page = editor.get(f"/console/documents/{document['id']}").text
    assert ("Offered for revision" in page, "Ready to claim</span>" in page) == (True, False)


def test_who_writes_learns_that_an_agent_can_claim_the_piece(editor: Visitor, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye", status="planned")
    edit = f"/console/documents/{document['id']}/edit"
    page = editor.get(edit).text
    assert "an agent can claim this piece while you write." in page
    assert "/actions/claim_brief" in page

    agent = project.context(project.token("Night writer", agent="writer-1"))
    OPERATIONS["claim_brief"](agent, document["id"], fields={})
    meanwhile = editor.get(f"/console/documents/{document['id']}/meanwhile?baseVersion=1").text
    assert re.search("writer-1 \\(Night writer\\) claimed this piece", meanwhile)
    assert "/actions/withdraw_brief" in meanwhile


def test_who_claimed_the_piece_is_not_warned(editor: Visitor, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye", status="planned")
    editor.post(f"/console/documents/{document['id']}/actions/claim_brief")
    meanwhile = editor.get(f"/console/documents/{document['id']}/meanwhile?baseVersion=1").text
    assert 'class="notice"' not in meanwhile


def test_the_facts_follow_while_a_piece_is_written(editor: Visitor, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye", status="planned")
    editor.post(f"/console/documents/{document['id']}/actions/claim_brief")
    meanwhile = editor.get(f"/console/documents/{document['id']}/meanwhile?baseVersion=1").text
    assert 'hx-select-oob="#facts,' in meanwhile
    assert "Claimed by" in meanwhile.partition('id="facts"')[2]


def test_changes_asked_by_remarks_alone_are_made_with_the_remarks_beside_the_text(
    editor: Visitor, project: Project
) -> None:
    document = a_document(project.context(), markdown=TEXT, status="drafting")
    path = f"/console/documents/{document['id']}"
    call(project, "submit_document", document["id"])
    remark = {"text": "Which flour?", "level": "should", "quote": {"exact": "Flour"}}
    sent = editor.post(f"{path}/actions/request_changes", threads=orjson.dumps([remark]).decode()).text
    assert "It is back in drafting, with 1 remark. That was round 1." in sent
    assert MAIN.findall(next_of(editor, document)) == ["Revise the text"]
    page = editor.get(f"{path}/edit").text
    assert page.index("1 remark to see to") < page.index("Which flour?") < page.index('id="markdown"')

    call(project, "write_content", document["id"], markdown="Rye flour.", baseVersion=1)
    assert MAIN.findall(next_of(editor, document)) == ["Submit for review"]


def test_a_text_says_who_wrote_it(editor: Visitor, project: Project) -> None:
    writer = project.context(project.token("Night writer", agent="writer-1"))
    document = a_document(writer, markdown=TEXT, status="drafting")
    facts = editor.get(f"/console/documents/{document['id']}").text.partition('id="facts"')[2].partition("</p>")[0]
    assert "last written by writer-1 (Night writer)" in facts


@pytest.mark.parametrize(("ticked", "status"), [({"drafts": "yes"}, "drafting"), ({}, "planned")])
def test_a_planned_piece_whose_text_is_saved_moves_to_drafting_where_that_stays_ticked(
    editor: Visitor, project: Project, ticked: dict[str, str], status: str
) -> None:
    document = a_document(project.context(), title="Rye", status="planned")
    path = f"/console/documents/{document['id']}/edit"
    assert 'name="drafts" value="yes" checked' in editor.get(path).text
    saved = editor.post(path, markdown=TEXT, baseVersion="1", **ticked)
    assert "Saved as version 2." in saved.text
    assert ("It is in Drafting now." in saved.text) == bool(ticked)
    assert call(project, "get_document", document["id"])["status"] == status
    assert ('name="drafts"' in editor.get(path).text) == (status == "planned")


def test_a_text_is_saved_and_submitted_at_once(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="planned")
    path = f"/console/documents/{document['id']}/edit"
    assert '"submit">Save and submit</button>' in editor.get(path).text
    sent = editor.post(path, markdown=TEXT, baseVersion="1", then="submit", drafts="yes")
    assert "Saved as version 2. It is submitted for review." in sent.text
    assert call(project, "get_document", document["id"])["status"] == "review"
    assert "Save and submit" not in editor.get(path).text


def test_a_text_that_can_not_be_submitted_is_saved_and_the_page_where_it_is_written_says_why(
    editor: Visitor, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, status="drafting")
    call(project, "open_thread", document["id"], text="Which flour?", level="must")
    path = f"/console/documents/{document['id']}/edit"
    sent = editor.post(path, markdown=f"Rye: {TEXT}", baseVersion="1", then="submit")
    assert sent.request.path == path
    assert "Saved as version 2. It stays in Drafting. 1 Must remark is open: answer or resolve it first." in sent.text
    thread = re.search('id="(t-[0-9a-f]+)"', sent.text)
    assert thread
    assert f'<a href="#{thread[1]}">Show it</a>' in sent.text
    assert "Rye: Flour" in sent.text.partition("<textarea")[2]
    assert call(project, "get_document", document["id"])["status"] == "drafting"
    again = editor.post(path, markdown=f"Rye: {TEXT}", baseVersion="2", then="submit")
    assert "All of it is saved. It stays in Drafting. 1 Must remark is open" in again.text


def test_a_text_that_somebody_replaces_before_it_is_submitted_is_not_submitted(
    editor: Visitor, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, status="drafting")
    path = f"/console/documents/{document['id']}/edit"

    def call_and_write(operation: Any, *ids: str, **options: Any) -> Any:
        result = calls.call(operation, *ids, **options)
        if operation.name == "write_content":
            call(project, "write_content", document["id"], markdown="Another text.", baseVersion=2)
        return result

    monkeypatch.setattr("app.console.documents.call", call_and_write)
    sent = editor.post(path, markdown=f"Rye: {TEXT}", baseVersion="1", then="submit")

    assert "Saved as version 2. It stays in Drafting. It changed meanwhile" in sent.text
    assert call(project, "get_document", document["id"])["status"] == "drafting"


def test_remarks_are_answered_and_settled_where_the_text_is_written(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, status="drafting")
    path = f"/console/documents/{document['id']}"
    for exact, words in (("Flour", "Rye flour"), ("water", None)):
        quote = {"exact": exact, "prefix": "", "suffix": ""}
        call(
            project, "open_thread", document["id"], text=exact, quote=quote, **({"suggestion": words} if words else {})
        )
    page = editor.get(f"{path}/edit").text
    assert "2 remarks to see to. Accepting a suggestion saves your text first." in page
    for change, number in (("reply", 2), ("resolve", 2), ("accept", 1), ("reject", 1)):
        assert len(re.findall(f'ction="{path}/threads/[0-9a-f]+/{change}"', page)) == number, change

    first, second = re.findall('class="thread" id="t-([0-9a-f]+)"', page)
    editor.post(f"{path}/threads/{first}/accept")
    editor.post(f"{path}/threads/{second}/resolve")
    assert "Rye flour and water" in editor.get(f"{path}/edit").text
    meanwhile = editor.get(f"{path}/meanwhile?baseVersion=1").text
    assert 'id="remarks" class="threads"></div>' in meanwhile
    call(project, "approve_document", document["id"])
    call(project, "open_thread", document["id"], text="Late.")
    locked = editor.get(f"{path}/edit").text
    assert ("Late." in locked, "/threads/" in locked) == (True, False)


def test_an_empty_brief_asks_before_it_is_offered_and_a_written_one_is_what_the_page_shows(
    editor: Visitor, project: Project
) -> None:
    empty = a_document(project.context(), title="Rye", status="planned")
    written = a_document(project.context(), title="Stollen", status="planned", brief={"outline": "Butter\nSugar"})
    assert 'data-question="The brief is empty' in next_of(editor, empty)
    assert "data-question" not in next_of(editor, written)
    assert MAIN.findall(next_of(editor, written)) == ["Offer brief"]
    paper = editor.get(f"/console/documents/{written['id']}").text.partition('class="paper"')[2]
    assert "<li>Butter</li>" in paper.partition("</article>")[0]


@pytest.mark.parametrize(
    ("steps", "main"),
    [
        (("submit_document",), ["Approve"]),
        (("submit_document", "approve_document"), ["Publish now"]),
        (("submit_document", "request_changes"), ["Revise the text"]),
        (("schedule_document",), []),
        (("publish_document",), []),
    ],
)
def test_the_main_button_is_the_next_step_and_never_an_undo(
    editor: Visitor, project: Project, steps: tuple[str, ...], main: list[str]
) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, dueDate="2020-01-01")
    sent = {"request_changes": {"note": "More."}, "schedule_document": {"publishAt": "2099-01-31T09:00:00Z"}}
    for step in steps:
        call(project, step, document["id"], **sent.get(step, {}))
    assert MAIN.findall(next_of(editor, document)) == main


def test_a_text_that_cannot_be_saved_is_not_opened_for_writing(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    call(project, "schedule_document", document["id"], publishAt="2099-01-31T09:00:00Z")
    page = editor.get(f"/console/documents/{document['id']}/edit").text
    assert "A text can&#39;t be saved now" in page
    assert '<textarea id="markdown"' not in page.partition('id="main"')[2]
    assert "Restore</button>" not in editor.get(f"/console/documents/{document['id']}/revisions").text


def test_an_approved_text_is_taken_back_to_drafting_from_where_it_would_be_written(
    editor: Visitor, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    call(project, "approve_document", document["id"])
    page = editor.get(f"/console/documents/{document['id']}/edit").text
    [action] = re.findall(r'action="([^"]+/actions/request_changes)"', page)
    assert 'name="note"' in page

    editor.post(action, note="Say which flour.")
    assert "<textarea" in editor.get(f"/console/documents/{document['id']}/edit").text.partition('id="main"')[2]


def test_a_refusal_names_what_its_reader_can_do(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    call(project, "submit_document", document["id"])
    submit = f"/console/documents/{document['id']}/actions/submit_document"
    assert "You can: Approve, Request changes, Schedule, Publish now." in editor.post(submit).text

    writer = Visitor(editor.app)
    writer.sign_in(project.token("Writer", scopes=[Scope.READ, Scope.WRITE]))
    refused = writer.post(submit).text
    assert "which does not allow this" in refused
    assert "You can" not in refused


def test_words_are_counted_as_they_are_when_the_text_is_saved(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    path = f"/console/documents/{document['id']}/preview"
    markdown = '**Rye** [bread](https://bread.example "a title") <b>rises</b> `slowly`.\n'
    counted = editor.post(path, markdown=markdown).headers["X-Words"]
    saved = call(project, "write_content", document["id"], markdown=markdown, baseVersion=1)
    assert counted == str(saved["wordCount"]) == "4"


def test_a_piece_is_seen_on_the_site_where_it_previews_it(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    assert "See on the site" not in editor.get(f"/console/documents/{document['id']}").text
    preview = "https://crust.example/preview/{id}?slug={slug}"
    OPERATIONS["update_project"](project.context(), fields={"previewUrl": preview})
    for tab in ("", "/edit"):
        page = editor.get(f"/console/documents/{document['id']}{tab}").text
        assert f'href="https://crust.example/preview/{document["id"]}?slug=rye"' in page, tab
    empty = a_document(project.context(), title="Stollen")
    assert "See on the site" not in editor.get(f"/console/documents/{empty['id']}").text
