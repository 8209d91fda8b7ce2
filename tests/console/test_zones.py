"""Times in the console are in the reader's own time zone, which the browser tells in a cookie."""

from typing import Any

import pytest

from app.console.times import ZONE_COOKIE
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document


@pytest.fixture
def scheduled(project: Project) -> dict[str, Any]:
    """A document that goes out at half past midnight in Berlin: on the day before in UTC."""
    document = a_document(project.context(), title="Rye", markdown="Flour.", dueDate="2026-01-01")
    fields = {"publishAt": "2099-07-14T22:30:00Z"}
    OPERATIONS["schedule_document"](project.context(), document["id"], fields=fields)
    return document


def in_berlin(editor: Visitor) -> Visitor:
    """Returns the visitor, whose browser is in Berlin."""
    editor.client.set_cookie(ZONE_COOKIE, "Europe/Berlin", path="/console")
    return editor


def test_a_time_is_the_readers_with_utc_on_hover(editor: Visitor, scheduled: dict[str, Any]) -> None:
    page = in_berlin(editor).get(f"/console/documents/{scheduled['id']}").text
    assert 'title="14 Jul 2099, 22:30 UTC" data-time>15 Jul 2099, 00:30 CEST<' in page


def test_the_calendar_has_the_readers_days(editor: Visitor, project: Project, scheduled: dict[str, Any]) -> None:
    week = in_berlin(editor).get("/console/calendar?view=week&day=2099-07-15").text
    assert (
        week.index('data-day="2099-07-15"') < week.index('data-kind="scheduled"') < week.index('data-day="2099-07-16"')
    )
    assert ">00:30</time>" in week

    moved = {"kind": "scheduled", "from": "2099-07-15", "day": "2099-12-20"}
    assert "Sunday, 20 December, 00:30 CET" in editor.post(f"/console/calendar/{scheduled['id']}", **moved).text
    after = OPERATIONS["get_document"](project.context(), scheduled["id"]).body
    assert after["publishAt"] == "2099-12-19T23:30:00.000Z"


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "Europe", "Nowhere/None", "<b>", "__init__/x", "Europe/__init__/x"]
)
def test_a_zone_that_is_none_is_utc(editor: Visitor, scheduled: dict[str, Any], name: str) -> None:
    editor.client.set_cookie(ZONE_COOKIE, name, path="/console")
    assert "14 Jul 2099, 22:30 UTC</time>" in editor.get(f"/console/documents/{scheduled['id']}").text


def test_a_scheduled_piece_is_not_late(editor: Visitor, scheduled: dict[str, Any]) -> None:
    assert "data-late" not in editor.get(f"/console/documents/{scheduled['id']}").text
    assert "data-late" not in editor.get("/console/table").text
