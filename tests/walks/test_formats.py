"""Texts with every kind of line end and control character, in each format that they go into: none ends it."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from flask import Flask
from icalendar import Calendar
from lxml import etree
from werkzeug.test import TestResponse

from app.core.context import this_instant
from app.core.vocabulary import TokenKind
from app.transfers.operations import export_lines
from tests.console.visitor import Visitor
from tests.documents.steps import a_category, a_cluster, a_document, ok, path_of
from tests.images.pictures import a_picture
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

ODD = "Rye\r\nX-Odd: 1\n---\n\x0b\x0c\x1c\x1d\x85\u2028\u2029\x01\x7f\",';\\<&>=]]>\ufeff\ufffe end"
"""A text with what ends a line, a value, an element or a header somewhere."""
RAW = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@pytest.fixture
def document(rest: Rest) -> dict[str, Any]:
    """A published document of a project in which everything is called so."""
    ok(rest.patch("/project", {"name": ODD, "siteUrl": "https://site.example/{slug}", "guidelines": ODD}))
    member = ok(rest.post("/members", {"name": ODD, "role": "writer"}), 201)["id"]
    filed = {
        "categoryId": a_category(rest, ODD, slug="odd", description=ODD)["id"],
        "clusterId": a_cluster(rest, ODD, description=ODD, keywords=[ODD])["id"],
    }
    brief = dict.fromkeys(("keyword", "notes", "outline", "audience"), ODD)
    due = this_instant().date().isoformat()
    made = a_document(rest, title=ODD, slug="rye", markdown=f"{ODD} [^s1]", brief=brief, dueDate=due, **filed)
    texts = dict.fromkeys(("subtitle", "metaTitle", "metaDescription", "excerpt"), ODD)
    ok(rest.patch(path_of(made), {**texts, "authorId": member}))
    ok(rest.post(f"{path_of(made)}/sources", {"title": ODD, "publisher": ODD, "url": "https://a.example/b"}), 201)
    ok(rest.post(f"{path_of(made)}/threads", {"text": ODD, "quote": {"exact": "Rye"}}), 201)
    ok(rest.post(f"{path_of(made)}/submit"))
    ok(rest.post(f"{path_of(made)}/approve", {"review": {"facts": True, "examined": ODD, "responsible": ODD}}))
    ok(rest.post(f"{path_of(made)}/publish"))
    return made


def is_xml(text: str) -> None:
    assert etree.fromstring(text.encode()) is not None


def is_front_matter(text: str) -> None:
    block, _, rest = text.removeprefix("---\n").partition("\n---\n")
    assert rest.startswith("\nRye")
    values = yaml.safe_load(block)
    assert (values["title"], values["author"], values["sources"][0]["title"]) == (ODD, ODD, ODD)
    assert values.keys() <= {
        *("title", "description", "canonical", "published", "updated", "author", "category", "disclosure", "sources"),
    }


def is_contents(text: str) -> None:
    kinds = [line[:2] for line in text.split("\n") if line]
    assert kinds == ["# ", "##", "- "]


@pytest.mark.contract("decided-site.contents", "decided-site.front_matter")
@pytest.mark.parametrize(
    ("path", "judge"),
    [
        ("feed.xml", is_xml),
        ("sitemap.xml", is_xml),
        ("documents/rye.md", is_front_matter),
        ("documents.md", is_contents),
    ],
)
def test_what_sites_read_is_whole(
    app: Flask, rest: Rest, project: Project, document: Any, path: str, judge: Callable[[str], None]
) -> None:
    site = rest.by(project.token(kind=TokenKind.DELIVERY))
    answer = site.get(f"/delivery/{path}")
    assert answer.status_code == 200
    judge(answer.text)
    judge_headers(answer)


def judge_headers(answer: TestResponse) -> None:
    assert "X-Odd" not in answer.headers
    assert not any(RAW.search(value) for _, value in answer.headers)


def test_a_table_has_a_row_for_each_document(rest: Rest, document: Any) -> None:
    answer = rest.get("/disclosures", Accept="text/csv")
    header, row = csv.reader(io.StringIO(answer.text, newline=""))
    assert len(header) == len(row)
    assert row[header.index("title")] == row[header.index("responsible")] == ODD
    judge_headers(answer)


@pytest.mark.contract("decided-notices.calendar")
def test_a_calendar_has_an_event_for_each_date(app: Flask, rest: Rest, project: Project, document: Any) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token(memberId=ok(rest.get("/members"))[0]["id"]))
    [address] = re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", visitor.post("/console/inbox/calendar").text)
    answer = app.test_client().get(address)
    calendar = Calendar.from_ical(answer.text)
    assert {one.name for one in calendar.subcomponents} == {"VEVENT"}
    assert not RAW.search(answer.text)
    assert not re.search("^X-Odd", answer.text, re.MULTILINE)
    judge_headers(answer)


def test_an_export_has_a_record_in_each_line(project: Project, document: Any) -> None:
    lines = b"".join(export_lines(project.store, project.id)).splitlines()
    assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize("page", ["", "/edit", "/sources", "/revisions", "/activity"])
def test_a_page_shows_them_as_text(app: Flask, project: Project, document: Any, page: str) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token())
    answer = visitor.get(f"/console/documents/{document['id']}{page}")
    assert answer.status_code == 200
    judge_headers(answer)


@pytest.mark.parametrize("name", ["X-Odd: 1\r\nX-Odd", "é", "a b"])
def test_no_name_of_a_picture_is_in_a_header(app: Flask, rest: Rest, name: str) -> None:
    sent = {"Authorization": f"Bearer {rest.token.secret}"}
    made = app.test_client().post(
        "/images", query_string={"name": name}, data=a_picture(), content_type="image/png", headers=sent
    )
    assert made.status_code == 201
    judge_headers(made)
    judge_headers(app.test_client().get("/media/" + made.json["url"].partition("/media/")[2]))
