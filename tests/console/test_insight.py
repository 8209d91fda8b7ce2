"""The page with a project's figures: plots, and the numbers that they show."""

import re
from datetime import timedelta

import pytest

from app.console import plots
from app.console.words import duration
from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.times import wire_time
from app.core.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document, a_ready_brief

TEXT = "Flour and water.\n"


def test_it_shows_what_waits_for_whom_with_links(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    a_ready_brief(ctx, title="Stollen")
    late = a_document(ctx, title="Late", markdown=TEXT, dueDate="2020-01-31")
    OPERATIONS["submit_document"](ctx, late["id"], fields={})

    page = editor.get("/console/insight").text
    tiles = re.findall(r'class="tile"[^>]*><a href="([^"]+)"><strong>(\d+)</strong> ([^<]+)<', page)

    assert tiles == [
        ("/console/table?briefState=ready", "1", "waiting for a writer"),
        ("/console/table?briefState=claimed", "0", "being written"),
        ("/console/table?status=review", "1", "waiting for a review"),
        ("/console/table?status=approved", "0", "approved, not published"),
        ("/console/table?due=overdue", "1", "overdue"),
    ]


def test_it_shows_each_day_and_each_agent_as_a_plot_and_as_a_table(editor: Visitor, project: Project) -> None:
    agent = project.context(project.token("Night writer", agent="<writer>"))
    document = a_ready_brief(agent, title="Rye")
    OPERATIONS["claim_brief"](agent, document["id"], fields={})
    OPERATIONS["write_content"](agent, document["id"], fields={"markdown": TEXT, "baseVersion": 1})
    OPERATIONS["submit_document"](agent, document["id"], fields={})
    project.store[Outboxes].publish_all(project.id)

    page = editor.get("/console/insight?days=7").text

    assert f'aria-label="Created: 1 in 7 days, at most 1 on {agent.now.date()}"' in page
    assert 'aria-label="Published: 0 in 7 days"' in page
    assert page.count("<title>") == 1 + 3  # the page's, and a bar each of created, claimed and submitted
    assert "&lt;writer&gt;" in page


def test_it_shows_where_pieces_were_on_each_day(editor: Visitor, project: Project) -> None:
    yesterday = project.context(now=this_instant() - timedelta(days=1))
    document = a_document(yesterday, title="Rye", markdown=TEXT)
    OPERATIONS["submit_document"](yesterday, document["id"], fields={})
    OPERATIONS["approve_document"](project.context(), document["id"], fields={})
    project.store[Outboxes].publish_all(project.id)

    page = editor.get("/console/insight?days=7").text

    assert 'aria-label="In review: 0 now, 0 to 1 in these days"' in page
    assert 'aria-label="Approved: 1 now, 0 to 1 in these days"' in page


def test_areas_have_a_step_for_each_day() -> None:
    assert plots.area([0, 0, 1, 2]) == "M180 48V24h90V48ZM270 48V0h90V48Z"
    assert plots.area([0, 0]) == ""


@pytest.mark.parametrize("days", ["0", "91", "-1"])
def test_more_days_than_there_are_figures_for_are_refused(editor: Visitor, days: str) -> None:
    assert editor.get(f"/console/insight?days={days}").status_code == 400


def test_it_needs_a_token_that_may_read(editor: Visitor, project: Project) -> None:
    visitor = Visitor(editor.app)
    visitor.sign_in(project.token("Publisher", scopes=[Scope.PUBLISH]))
    assert visitor.get("/console/insight").status_code == 403


def test_bars_are_as_high_as_their_values_and_none_is_invisible() -> None:
    none, one, most = plots.bars([0, 1, 1_000])

    assert none is None
    assert one is not None
    assert most is not None
    assert (one.height, most.height, most.y) == (plots.LEAST, plots.HEIGHT, 0)
    assert plots.bars([0, 0]) == [None, None]
    assert (plots.share(None, 5), plots.share(0, 5), plots.share(5, 5), plots.share(0.001, 5)) == (0, 0, 100, 1)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.2, "0 seconds"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (5_400, "1.5 hours"),
        (86_400, "1 day"),
        (2_000_000, "23 days"),
    ],
)
def test_durations_are_written_in_words(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


def test_it_says_what_goes_out_when_and_who_is_in_time(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    member = OPERATIONS["create_member"](ctx, fields={"name": "Hannah Okafor"}).body["id"]
    today = ctx.now.date()
    a_document(ctx, title="Rye", assigneeId=member, dueDate=(today - timedelta(days=2)).isoformat())
    out = a_document(ctx, title="Salt", assigneeId=member, markdown="Salt.", dueDate=today.isoformat())
    OPERATIONS["publish_document"](ctx, out["id"], fields={})
    soon = a_document(ctx, title="Stollen", markdown="Butter.")
    at = wire_time(ctx.now + timedelta(days=3))
    OPERATIONS["schedule_document"](ctx, soon["id"], fields={"publishAt": at})

    page = editor.get("/console/insight/dates").text
    assert re.search(">Stollen</a> <span[^>]*><time", page)
    figures = re.findall(r'data-label="([^"]+)"[^>]*>([^<]+)</td>', page.partition("Hannah Okafor")[2])
    assert figures == [("Out in time", "1"), ("Out late", "–"), ("Overdue", "1"), ("Due soon", "–")]
    assert "/console/insight/dates?days=30" in editor.get("/console/insight").text
