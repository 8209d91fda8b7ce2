"""The figures of a project: exact against a replay of its history, also when a relay dies (decisions, section 14)."""

import random
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

import pytest
from bson import ObjectId

from app.briefs.operations import end_expired_claim
from app.core.context import Context, system, this_instant
from app.core.errors import Refusal
from app.core.store import outbox as outboxes
from app.core.store.outbox import Outboxes
from app.core.vocabulary import Channel
from app.documents.purging import purge_trash
from app.documents.store import Documents
from app.insights import store as insights
from app.insights.rules import duration_class, quantile
from app.transfers.operations import export_lines, import_lines
from tests.live import until_it_lasts
from tests.make import OPERATIONS, Project, Token, a_document, a_project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

DAYS = ("created", "claimed", "submitted", "approved", "published")
OFFERS = ("brief.ready", "brief.released", "brief.expired")
STEPS = {
    "readyToClaimed": (OFFERS, "brief.claimed"),
    "claimedToSubmitted": (("brief.claimed",), "document.submitted"),
    "submittedToApproved": (("document.submitted",), "document.approved"),
    "approvedToPublished": (("document.approved",), "document.published"),
}
STEPS_OF_A_HISTORY = 200


@pytest.fixture(autouse=True)
def one_day() -> None:
    """What a test does and what it reads are of one day."""
    until_it_lasts(timedelta(days=1), 30)


def a_history(project: Project, seed: int, steps: int = STEPS_OF_A_HISTORY) -> list[Token]:
    """Works in a project at random, from 40 days ago until now; returns its agents."""
    draw = random.Random(seed)
    editor, agents = project.token("Editor"), [project.token(f"Agent {n}", agent=f"a-{n}") for n in range(3)]
    now, documents = this_instant() - timedelta(days=40), []
    for number in range(steps):
        now += timedelta(days=40) * draw.random() * 2 / (steps + 1) if number < steps - 1 else timedelta()
        now = min(now, this_instant())
        now = now.replace(microsecond=now.microsecond // 1000 * 1000)
        end_claims(project, now)
        if len(documents) < 4 or draw.random() < 0.1:
            due = draw.choice([None, "2020-01-01", "2999-01-01"])
            fields = {"title": f"Loaf {number}", "brief": {"keyword": "x"}, "markdown": "words", "dueDate": due}
            ctx = project.context(editor, now=now)
            draft = OPERATIONS["create_document_intent"](ctx, fields=fields).body
            documents.append(OPERATIONS["confirm_intent"](ctx, draft["id"], fields={}).body["document"]["id"])
            continue
        document = draw.choice(documents)
        for name in draw.sample(OPERATIONS_TRIED, 4):
            editing = name in (*EDITORS, "restore_document") or draw.random() < 0.2
            ctx = project.context(editor if editing else draw.choice(agents), now=now)
            fields = {"leaseSeconds": 60} if name == "claim_brief" and draw.random() < 0.2 else {}
            takes = {"fields": fields} if OPERATIONS[name].body or OPERATIONS[name].query else {}
            with suppress(Refusal):
                OPERATIONS[name](ctx, document, **takes)
                break
    end_claims(project, this_instant())
    return agents


def end_claims(project: Project, now: datetime) -> None:
    """Has the worker end the claims whose lease has run out at an instant."""
    ctx = Context(project.store, system(project.id, ""), Channel.WORKER, now)
    for document in project.store[Documents].find_expired(project.id, now):
        end_expired_claim(ctx, document)


EDITORS = ("approve_document", "request_changes", "publish_document", "unpublish_document", "delete_document")
OPERATIONS_TRIED = tuple(
    name
    for name, times in {
        "mark_brief_ready": 4,
        "claim_brief": 6,
        "withdraw_brief": 1,
        "release_brief": 2,
        "submit_document": 6,
        "request_changes": 4,
        "approve_document": 5,
        "publish_document": 2,
        "unpublish_document": 2,
        "delete_document": 1,
        "restore_document": 2,
    }.items()
    for _ in range(times)
)


def figures(project: Project, days: int = 90) -> dict[str, Any]:
    found: dict[str, Any] = OPERATIONS["get_insights"](project.context(), fields={"days": days}).body
    return found


def replayed(project: Project, days: int = 90) -> dict[str, Any]:
    """Returns the figures as a plain reading of the contract has them, from the feed and the documents."""
    today = datetime.now(UTC).date()
    first = today - timedelta(days=days - 1)
    by_day: dict[str, Counter[str]] = defaultdict(Counter)
    took: dict[str, list[float]] = defaultdict(list)
    agents: dict[str, Counter[str]] = defaultdict(Counter)
    began: dict[tuple[str, str], datetime] = {}
    holder: dict[str, str] = {}
    claimed: set[str] = set()
    status_until: dict[str, dict[str, str]] = defaultdict(dict)
    offered: dict[str, datetime] = {}
    events = project.store.database.events.find({"projectId": ObjectId(project.id)}).sort("sequence", 1)
    for event in events:
        document, kind, at = str(event["data"].get("documentId")), event["type"], event["at"]
        shown = at.date() >= first
        area, _, what = kind.partition(".")
        if what in DAYS and area in ("document", "brief") and shown:
            by_day[at.date().isoformat()][what] += 1
        for step, (starts, end) in STEPS.items():
            if kind == end and (start := began.pop((document, step), None)) and shown:
                took[step].append((at - start).total_seconds())
            if kind in starts:
                began[document, step] = at
        if kind == "brief.claimed":
            holder[document] = event["by"]["id"]
        figure = {"withdrawn": "released", "changes_requested": "changesRequested"}.get(what, what)
        gave_up = kind in ("brief.expired", "brief.released", "brief.withdrawn")
        counts = figure in ("claimed", "submitted", "changesRequested", "approved") or (gave_up and document in claimed)
        if counts and document in holder and area in ("brief", "document") and shown:
            agents[holder[document]][figure] += 1
        if gave_up:
            holder.pop(document, None)
        (claimed.add if event["data"].get("briefState") == "claimed" else claimed.discard)(document)
        if kind in OFFERS:
            offered[document] = at
        status_until[document][at.date().isoformat()] = "" if what == "deleted" else event["data"].get("status", "")
    documents = list(project.store.database.documents.find({"projectId": ObjectId(project.id), "deletedAt": None}))
    ready = [one for one in documents if one["brief"]["state"] == "ready" and one["status"] in OPEN]
    return {
        "days": {day: dict(counter) for day, counter in by_day.items()},
        "took": dict(took),
        "agents": {token: dict(counter) for token, counter in agents.items()},
        "statuses": Counter(one["status"] for one in documents),
        "statusesByDay": {
            (day := (first + timedelta(days=ago)).isoformat()): Counter(
                status
                for until in status_until.values()
                if (status := next((until[at] for at in sorted(until, reverse=True) if at <= day), ""))
            )
            for ago in range(days)
        },
        "briefs": Counter((one["brief"] or {"state": "none"})["state"] for one in documents),
        "overdue": sum((one["dueDate"] or "9999") < today.isoformat() and not one["isPublished"] for one in documents),
        "oldestReady": min((offered[str(one["_id"])] for one in ready), default=None),
    }


OPEN = ("idea", "planned", "drafting")


def same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Holds figures to a replay."""
    assert {
        day["date"]: {name: day[name] for name in DAYS if day[name]} for day in found["days"] if any(map(day.get, DAYS))
    } == wanted["days"]
    assert {one["id"]: {k: v for k, v in one.items() if isinstance(v, int) and v} for one in found["agents"]} == (
        wanted["agents"]
    )
    for step, durations in found["durations"].items():
        took = sorted(wanted["took"].get(step, []))
        assert durations["count"] == len(took)
        for name, part in (("p50", 0.5), ("p90", 0.9)):
            exact = took[ceil(len(took) * part) - 1] if took else None
            assert durations[name] == (exact and pytest.approx(exact, rel=0.1, abs=0.001)), (step, name)
    for name in ("statuses", "briefs"):
        assert {key: value for key, value in found[name].items() if value} == dict(wanted[name])
    by_day = {day["date"]: day["statuses"] for day in found["statusesByDay"]}
    assert [*by_day] == [day["date"] for day in found["days"]]
    assert {
        day: {status: number for status, number in numbers.items() if number} for day, numbers in by_day.items()
    } == {day: dict(numbers) for day, numbers in wanted["statusesByDay"].items()}
    assert by_day[found["to"]] == found["statuses"]
    assert found["overdue"] == wanted["overdue"]
    oldest = wanted["oldestReady"]
    assert found["oldestReady"] == (oldest and oldest.isoformat(timespec="milliseconds").replace("+00:00", "Z"))


@pytest.mark.contract("decided-insights.days", "decided-insights.durations", "decided-insights.agents")
@pytest.mark.contract("decided-insights.now", "decided-insights.states")
@pytest.mark.parametrize("seed", range(2))
def test_the_figures_are_those_of_a_replayed_history(project: Project, seed: int) -> None:
    a_history(project, seed)
    project.store[Outboxes].publish_all(project.id)

    for days in (90, 20, 1):
        same(figures(project, days), replayed(project, days))
    found = figures(project)
    assert [name for name in DAYS if not sum(day[name] for day in found["days"])] == []
    assert [step for step, durations in found["durations"].items() if not durations["count"]] == []


@pytest.mark.contract("decided-insights.agents", "decided-insights.durations")
def test_what_became_of_the_claims_of_an_agent(rest: Rest, project: Project) -> None:
    editor, agent = rest.token, project.token("Night writer", agent="writer-1")
    noon = (this_instant() - timedelta(days=2)).replace(hour=12, minute=0, second=0, microsecond=0)
    draft = OPERATIONS["create_document_intent"](project.context(editor, now=noon), fields={"title": "Rye"}).body
    ctx = project.context(editor, now=noon)
    document = OPERATIONS["confirm_intent"](ctx, draft["id"], fields={}).body["document"]["id"]
    for minutes, name, token, fields in (
        (0, "mark_brief_ready", editor, None),
        (10, "claim_brief", agent, {}),
        (20, "release_brief", agent, None),
        (25, "claim_brief", agent, {}),
        (30, "withdraw_brief", editor, None),
        (31, "mark_brief_ready", editor, None),
        (40, "claim_brief", agent, {"leaseSeconds": 60}),
        (50, "claim_brief", agent, {}),
        (60, "write_content", agent, {"markdown": "words", "baseVersion": 1}),
        (70, "submit_document", agent, {}),
        (75, "request_changes", editor, {"note": "more"}),
        (90, "submit_document", agent, {}),
        (100, "approve_document", editor, {}),
        (102, "publish_document", editor, {}),
    ):
        ctx = project.context(token, now=noon + timedelta(minutes=minutes))
        end_claims(project, ctx.now)
        OPERATIONS[name](ctx, document, **({} if fields is None else {"fields": fields}))
    project.store[Outboxes].publish_all(project.id)

    found = rest.get("/insights?days=3").json

    [day] = [day for day in found["days"] if day["date"] == noon.date().isoformat()]
    assert {name: day[name] for name in DAYS} == {
        "created": 1,
        "claimed": 4,
        "submitted": 2,
        "approved": 1,
        "published": 1,
    }
    assert found["agents"] == [
        {
            "id": agent.id,
            "name": "Night writer",
            "agent": "writer-1",
            "claimed": 4,
            "submitted": 2,
            "expired": 1,
            "released": 2,
            "changesRequested": 1,
            "approved": 1,
            "words": 1,
            "inputTokens": 0,
            "outputTokens": 0,
        }
    ]
    minutes = {
        step: (figures["count"], *(figures[name] / 60 for name in ("p50", "p90")))
        for step, figures in found["durations"].items()
    }
    assert minutes == {
        "readyToClaimed": (4, pytest.approx(5, rel=0.1), pytest.approx(10, rel=0.1)),
        "claimedToSubmitted": (1, pytest.approx(20, rel=0.1), pytest.approx(20, rel=0.1)),
        "submittedToApproved": (1, pytest.approx(10, rel=0.1), pytest.approx(10, rel=0.1)),
        "approvedToPublished": (1, pytest.approx(2, rel=0.1), pytest.approx(2, rel=0.1)),
    }


@pytest.mark.contract("decided-insights.exact")
def test_figures_are_exact_whichever_write_a_relay_dies_before_or_after(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outboxes, "BATCH", 20)
    write, draw = insights.write_once, random.Random(5)

    def dies(collection: Any, updates: Any, key: Any) -> None:
        death = draw.random()
        if death < 0.15:
            raise KilledError
        write(collection, updates[: draw.randrange(len(updates) + 1)] if 0.15 < death < 0.4 else updates, key)
        if death < 0.5:
            raise KilledError

    a_history(project, 11, steps=150)
    monkeypatch.setattr(insights, "write_once", dies)
    deaths = 0
    while True:
        try:
            while project.store[Outboxes].publish_all(project.id):
                pass
            break
        except KilledError:
            deaths += 1

    assert deaths > 10
    same(figures(project), replayed(project))


class KilledError(Exception):
    """What a relay dies of."""


@pytest.mark.contract("decided-insights.exact")
@pytest.mark.race
def test_several_relays_at_once_count_each_event_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outboxes, "BATCH", 5)
    a_history(project, 12, steps=150)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: project.store[Outboxes].publish_all(project.id), range(6)))
    project.store[Outboxes].publish_all(project.id)

    same(figures(project), replayed(project))


@pytest.mark.contract("decided-insights.states")
def test_documents_that_are_imported_into_the_trash_have_no_status(project: Project) -> None:
    ctx = project.context()
    documents = [a_document(ctx, title=title) for title in ("Rye", "Gone")]
    OPERATIONS["delete_document"](ctx, documents[1]["id"])
    imported = a_project(project.store)
    import_lines(imported.context(), export_lines(project.store, project.id))
    for of in (project, imported):
        of.store[Outboxes].publish_all(of.id)

        [day] = of.store.database.figures.find({"projectId": ObjectId(of.id), "tokenId": None})
        assert {status: number for status, number in day["statuses"].items() if number} == {documents[0]["status"]: 1}


def test_a_purged_document_leaves_nothing_but_figures(rest: Rest, project: Project) -> None:
    ctx = project.context(rest.token)
    draft = OPERATIONS["create_document_intent"](ctx, fields={"title": "Rye", "brief": {}}).body
    document = OPERATIONS["confirm_intent"](ctx, draft["id"], fields={}).body["document"]
    OPERATIONS["mark_brief_ready"](ctx, document["id"])
    project.store[Outboxes].publish_all(project.id)
    assert rest.get("/insights").json["oldestReady"]
    OPERATIONS["delete_document"](ctx, document["id"])
    project.store[Outboxes].publish_all(project.id)
    assert rest.get("/insights").json["oldestReady"] is None

    purge_trash(project.store, this_instant() + timedelta(seconds=1), project.id)

    assert project.store.database.progress.count_documents({"projectId": ObjectId(project.id)}) == 0
    assert rest.get("/insights?days=1").json["days"][0]["created"] == 1


@pytest.mark.contract("decided-insights.days")
def test_a_project_without_events_has_every_day_and_no_durations(rest: Rest) -> None:
    empty = rest.get("/insights").json
    today = datetime.now(UTC).date()

    assert (empty["from"], empty["to"]) == ((today - timedelta(days=29)).isoformat(), today.isoformat())
    assert [day["date"] for day in empty["days"]] == [
        (today - timedelta(days=ago)).isoformat() for ago in range(29, -1, -1)
    ]
    assert set(empty["statuses"].values()) == set(empty["briefs"].values()) == {0}
    assert empty["durations"]["readyToClaimed"] == {"count": 0, "p50": None, "p90": None}
    assert (empty["overdue"], empty["oldestReady"], empty["agents"]) == (0, None, [])
    assert len(rest.get("/insights?days=90").json["days"]) == 90


@pytest.mark.parametrize("days", ["0", "91", "x", "1.5"])
def test_days_out_of_range_are_refused(rest: Rest, days: str) -> None:
    assert [issue["path"] for issue in rest.get(f"/insights?days={days}").json["issues"]] == ["days"]


def test_figures_are_of_one_project(rest: Rest, project: Project) -> None:
    other = a_project(project.store)
    a_history(other, 3, steps=40)
    project.store[Outboxes].publish_all(other.id)

    assert sum(rest.get("/insights").json["statuses"].values()) == 0
    assert rest.get("/insights").json["agents"] == []


@pytest.mark.contract("decided-insights.durations")
def test_quantiles_are_right_to_ten_percent() -> None:
    draw = random.Random(1)
    for number in (1, 2, 3, 10, 1_000):
        took = sorted(draw.lognormvariate(6, 3) for _ in range(number))
        histogram = Counter(duration_class(timedelta(seconds=seconds)) for seconds in took)
        for part in (0.5, 0.9):
            assert quantile(histogram, part) == pytest.approx(took[ceil(number * part) - 1], rel=0.1)
    assert duration_class(timedelta(0)) == 0
    assert duration_class(timedelta(seconds=-3)) == 0
    assert quantile({0: 5}, 0.5) == 0
    assert quantile({}, 0.5) is None


@pytest.mark.contract("decided-threads.insights")
def test_rounds_and_threads_are_counted(rest: Rest, project: Project) -> None:
    ctx = project.context(rest.token)
    for rounds in (0, 2, 2):
        document = a_document(ctx, title="Rye", markdown="Rye is dark.")["id"]
        for _ in range(rounds):
            OPERATIONS["submit_document"](ctx, document, fields={})
            OPERATIONS["request_changes"](ctx, document, fields={})
        OPERATIONS["publish_document"](ctx, document, fields={})
    remark = {"text": "Which?", "quote": {"exact": "Rye"}, "suggestion": "Oats"}
    settled = {"accept_suggestion": "must", "reject_suggestion": "note", "resolve_thread": "note"}
    for step, level in settled.items():
        other = a_document(ctx, title="Rye", markdown="Rye is dark.")["id"]
        thread = OPERATIONS["open_thread"](ctx, other, fields=remark | {"level": level}).body["id"]
        OPERATIONS[step](ctx, other, thread, fields={})
    project.store[Outboxes].publish_all(project.id)

    insights = rest.get("/insights").json

    assert insights["rounds"] == [{"rounds": 0, "published": 1}, {"rounds": 2, "published": 2}]
    none = {"opened": 0, "resolved": 0, "accepted": 0, "rejected": 0}
    assert insights["threads"] == {
        "must": none | {"opened": 1, "accepted": 1},
        "should": none,
        "note": none | {"opened": 2, "rejected": 1, "resolved": 1},
    }
