"""The console's pages of who wrote what, of approving with a review, and of disclosures (decisions, section 18)."""

import csv
import re
from io import StringIO
from typing import Any

import pytest

from app.console.times import utc_text
from app.core.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.documents.steps import a_document, ok, path_of

pytestmark = pytest.mark.needs_mongod

FORM = {"facts": "yes", "sources": "yes", "review.examined": "", "examined": "Every step.", "responsible": "Ada Miller"}


@pytest.fixture
def visitor(app, project) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in(project.token("Ada"))
    return visitor


@pytest.fixture
def written(rest, project) -> dict[str, Any]:
    """A document by an agent with a paragraph by a person."""
    agent = rest.by(project.token("Night writer", agent="writer-1"))
    document = a_document(agent, markdown="Flour, water.\n\nPatience.", generation={"model": "example-4"})
    body = {"markdown": "Flour and water.\n\nPatience.\n\nBy <b>hand</b>."}
    return ok(rest.put(f"{path_of(document)}/content", body, If_Match="*"))


def text_of(response) -> str:
    assert response.status_code == 200, response.text
    return " ".join(response.text.split())


def test_each_paragraph_says_in_words_whether_a_person_or_an_agent_wrote_it(visitor, written) -> None:
    page = text_of(visitor.get(f"/console{path_of(written)}/written"))

    assert page.count('<li data-kind="both">') == page.count('<li data-kind="agent">') == 1
    assert "Agent: writer-1 (Night writer), with the model example-4" in page
    assert "Person: " in page
    shares = re.findall(r'class="figure">(\d words?)</dd><dd class="figure muted">(\d+ %)', page)
    assert shares == [("2 words", "33 %"), ("1 word", "17 %"), ("3 words", "50 %")]
    assert "Approve and record your review" not in page


def test_an_approval_asks_what_was_examined_and_leads_to_a_record_that_prints(visitor, rest, written) -> None:
    ok(rest.post(f"{path_of(written)}/threads", {"text": "Which flour?"}), 201)
    form = text_of(visitor.get(f"/console{path_of(written)}/approve"))
    assert "Which flour?" in form
    assert "<strong>It can be approved:</strong> fill in this form" in form
    assert "none is a Must remark" in form
    assert "Every step" not in form

    page = text_of(visitor.post(f"/console{path_of(written)}/approve", **FORM, baseVersion="2"))

    assert "the record of your review is made" in page
    for words in ("Every step.", "Ada Miller", "SHA-256", "example-4", f"/console{path_of(written)}/record/2"):
        assert words in page
    assert "Written with AI, reviewed by a person" in page
    assert text_of(visitor.get(f"/console{path_of(written)}/record/2")).count("Every step.") == 1
    assert visitor.get(f"/console{path_of(written)}/record/1").status_code == 404
    assert "/actions/publish_document" in page
    assert "/actions/schedule_document" in page

    ok(rest.post(f"{path_of(written)}/publish"))
    assert "/actions/" not in visitor.get(f"/console{path_of(written)}/record/2").text


def test_an_approval_leads_to_the_remarks_that_block_it(visitor, rest, written) -> None:
    thread = ok(rest.post(f"{path_of(written)}/threads", {"text": "Which flour?", "level": "must"}), 201)
    form = text_of(visitor.get(f"/console{path_of(written)}/approve"))

    assert "be approved yet: a person has to resolve this Must remark" in form
    assert f'href="/console{path_of(written)}#t-{thread["id"]}">Which flour?</a>' in form
    assert f'href="#t-{thread["id"]}">1 Must remark</a> is' in visitor.get(f"/console{path_of(written)}").text


def test_an_approval_with_a_review_is_reached_from_the_document(visitor, rest, written) -> None:
    page = text_of(visitor.get(f"/console{path_of(written)}"))
    usual, others = page.split('id="all-actions"')
    assert "/actions/approve_document" in usual
    assert "Approve and record your review" not in usual
    assert f'href="/console{path_of(written)}/approve">Approve and record your review</a>' in others
    assert "This project asks for it." not in page
    form = text_of(visitor.get(f"/console{path_of(written)}/approve"))
    assert "Approve and record your review</button>" in form


def test_an_approval_that_is_not_possible_says_what_to_do_and_asks_for_nothing(visitor, rest, written) -> None:
    thread = ok(rest.post(f"{path_of(written)}/threads", {"text": "Which flour?", "level": "must"}), 201)
    form = text_of(visitor.get(f"/console{path_of(written)}/approve"))
    assert "be approved yet: a person has to resolve this Must remark" in form
    assert 'name="facts"' not in form

    ok(rest.post(f"{path_of(written)}/threads/{thread['id']}/resolve"))
    assert 'name="facts"' in visitor.get(f"/console{path_of(written)}/approve").text
    ok(rest.post(f"{path_of(written)}/publish"))
    form = text_of(visitor.get(f"/console{path_of(written)}/approve"))
    assert "be approved now." in form
    assert 'name="facts"' not in form


def test_the_time_of_a_record_is_the_readers(visitor, rest, written) -> None:
    visitor.post(f"/console{path_of(written)}/approve", **FORM, baseVersion="2")
    at = ok(rest.get(f"{path_of(written)}/review-record"))["at"]
    visitor.client.set_cookie("cw_zone", "Asia/Tokyo", path="/console")
    page = visitor.get(f"/console{path_of(written)}/record/2").text
    assert f'<time datetime="{at}" title="{utc_text(at)}" data-time>' in page
    assert "JST</time>" in page


def test_a_plain_approval_leads_to_the_form_where_the_project_requires_records(visitor, rest, written) -> None:
    page = visitor.post("/console/administration", reviewRecord="yes", name="Crust", **{"was.name": "Crust"})
    assert "The settings are saved." in page.text
    assert ok(rest.get("/project"))["reviewRecord"] == "required"

    page = text_of(visitor.post(f"/console{path_of(written)}/actions/approve_document", baseVersion="2"))
    assert "It is not approved yet: this project asks for the record of your review." in page
    assert "You checked" in page
    page = text_of(visitor.get(f"/console{path_of(written)}"))
    assert "/actions/approve_document" not in page
    assert 'id="act-approve_document"' in page
    assert "This project asks for it." in page

    refused = visitor.post(f"/console{path_of(written)}/approve", baseVersion="2", examined="All.")
    assert refused.status_code == 409
    assert "It is not approved yet. Check the facts, and tick that you did." in refused.text
    assert ok(rest.get(path_of(written)))["status"] == "drafting"


def test_an_agents_token_is_told_why_it_cant_attest(app, project, written) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token("Agent", agent="writer-1", scopes=set(Scope)))
    form = text_of(visitor.get(f"/console{path_of(written)}/approve"))

    assert "An agent can&#39;t attest" in form or "An agent can't attest" in form
    assert 'name="facts"' not in form
    assert visitor.post(f"/console{path_of(written)}/approve", **FORM, baseVersion="2").status_code == 409


def test_disclosures_are_a_page_and_a_table(visitor, rest, written) -> None:
    ok(rest.post(f"{path_of(written)}/publish"))

    page = text_of(visitor.get("/console/insight/disclosures"))
    assert "Written with AI, without the record of a review" in page
    assert "Nothing is live" in text_of(visitor.get("/console/insight/disclosures?to=2020-01-01"))
    table = visitor.get("/console/insight/disclosures.csv")
    assert table.content_type == "text/csv; charset=utf-8"
    [row] = csv.DictReader(StringIO(table.text, newline=""))
    assert row["disclosure"] == "ai-autonomous"
    assert "Disclosures" in visitor.get("/console/insight").text
