"""Publishing names what a text loses in html (decisions, section 21)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.checks.kept import losses_of, may_lose
from app.core.text.content import content_of
from tests.core.text.test_markdown import MARKS
from tests.make import Project, a_document
from tests.rest.client import Rest

TEXT = "Fine.\n\n<iframe src='https://a.example'></iframe>\n\n[x](javascript:y)"


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-import.lost-published")
def test_publishing_names_what_a_text_loses_in_html_unless_that_check_is_off(project: Project, rest: Rest) -> None:
    lossy = f"/documents/{a_document(project.context(), title='A', markdown=TEXT)['id']}/publish"
    fine = f"/documents/{a_document(project.context(), title='B', markdown='Fine.')['id']}/publish"

    warnings = rest.post(lossy).json["warnings"]

    assert [(one["check"], one["level"], one["line"]) for one in warnings] == [
        ("html_kept", "warning", 3),
        ("html_kept", "warning", 5),
    ]
    key = {"Idempotency_Key": "once"}
    assert rest.post(lossy, **key).json["warnings"] == rest.post(lossy, **key).json["warnings"] == warnings
    assert "warnings" not in rest.post(fine).json
    assert "warnings" not in rest.get(lossy.removesuffix("/publish")).json
    rest.patch("/project", {"checks": {"html_kept": "off"}})
    assert "warnings" not in rest.post(lossy).json


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=14).map("".join))
def test_a_text_that_may_lose_nothing_loses_nothing(markdown: str) -> None:
    assert may_lose(markdown) or not [*losses_of(content_of(markdown))]
