"""Budgets of tokens: what counts, what is refused, and what costs nothing (decisions, section 13)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId
from werkzeug.test import TestResponse

from app.core.context import Context
from app.core.times import wire_time
from app.core.vocabulary import Scope, TokenKind
from app.features import OPERATIONS
from app.guards.budgets import Budget, begins, if_exceeded
from app.guards.vocabulary import BudgetLimit
from tests.documents.steps import a_document, in_hours, ok, path_of, refused
from tests.live import until_it_lasts
from tests.make import Project, Token
from tests.mcp_tools.client import Agent
from tests.races.crowd import at_once, outcomes
from tests.rest.client import Rest
from tests.valid_calls import CALLS, Scene

NOON = datetime(2027, 1, 31, 12, 40, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def one_hour() -> None:
    """What is counted in a test is counted in one hour, and one day."""
    until_it_lasts(timedelta(hours=1), 15)


PUBLISHING = ("publish_document", "schedule_document", "restore_document")
"""The operations whose valid calls put a text on the website."""


def limited(rest: Rest, project: Project, writes: int | None = None, publishes: int | None = None) -> Rest:
    """The same API, called with a new token that has a budget."""
    return rest.by(project.token(budget={"writesPerHour": writes, "publishesPerDay": publishes}))


def limited_context(project: Project, token: Token, **more: Any) -> Context:
    """Makes the context of a call of a token with a budget of 1 and 1."""
    budget = Budget(writesPerHour=1, publishesPerDay=1)
    return project.context(replace(token, caller=replace(token.caller, token={"budget": budget})), **more)


def used(project: Project, token: Token, limit: BudgetLimit = BudgetLimit.WRITES) -> int:
    """Returns what a token has used, whatever the hour."""
    rows = project.store.database.budgets.find({"tokenId": ObjectId(token.id), "limit": str(limit)})
    return sum(row["used"] for row in rows)


def write(rest: Rest, **headers: str) -> TestResponse:
    return rest.post("/document-intents", {"title": "Rye"}, **headers)


@pytest.mark.parametrize(
    ("limit", "since", "resets", "seconds"),
    [
        (BudgetLimit.WRITES, "2027-01-31T12:00:00.000Z", "2027-01-31T13:00:00.000Z", "1170"),
        (BudgetLimit.PUBLISHES, "2027-01-31T00:00:00.000Z", "2027-02-01T00:00:00.000Z", "40770"),
    ],
)
def test_a_limit_counts_clock_hours_and_utc_days(limit: BudgetLimit, since: str, resets: str, seconds: str) -> None:
    budget = Budget(writesPerHour=5, publishesPerDay=5)
    counts = {BudgetLimit.WRITES: 5, BudgetLimit.PUBLISHES: 5}

    refusal = if_exceeded(budget, counts | {limit: 6}, NOON, publishes=True)

    assert if_exceeded(budget, counts, NOON, publishes=True) is None
    assert refusal is not None
    assert wire_time(begins(limit, NOON)) == since
    assert refusal.body() == {
        "_tag": "BudgetExceeded",
        "message": refusal.message,
        "budget": str(limit),
        "resetsAt": resets,
    }
    assert refusal.headers == {"Retry-After": seconds}


@pytest.mark.contract("decided-guards.budget")
def test_a_token_is_given_a_budget_when_it_is_made(rest: Rest) -> None:
    made = ok(rest.post("/tokens", {"name": "A", "budget": {"writesPerHour": 5}}), 201)

    assert made["budget"] == {"writesPerHour": 5, "publishesPerDay": None}
    assert [one["budget"] for one in ok(rest.get("/tokens")) if one["id"] == made["id"]] == [made["budget"]]
    for nothing in (None, {"writesPerHour": None}):
        assert ok(rest.post("/tokens", {"name": "A", "budget": nothing}), 201)["budget"] is None
    for wrong in (0, 1_000_001, "5", 1.5):
        body = refused(rest.post("/tokens", {"name": "A", "budget": {"publishesPerDay": wrong}}), "HttpApiDecodeError")
        assert body["issues"][0]["path"] == "budget.publishesPerDay"
    delivery = {"name": "A", "kind": "delivery", "budget": {"writesPerHour": 5}}
    assert refused(rest.post("/tokens", delivery), "BadRequest")["errors"][0]["field"] == "budget"


@pytest.mark.contract("decided-guards.budget-update", "decided-guards.budget")
@pytest.mark.parametrize("budget", [{}, {"writesPerHours": 5}])
def test_a_budget_that_names_no_limit_is_refused_and_lifts_none(rest: Rest, project: Project, budget: Any) -> None:
    token = project.token(budget={"writesPerHour": 5, "publishesPerDay": 2})

    for response in (
        rest.patch(f"/tokens/{token.id}", {"budget": budget}),
        rest.post("/tokens", {"name": "A", "budget": budget}),
    ):
        assert refused(response, "BadRequest")["errors"] == [
            {"field": "budget", "message": "Must name `writesPerHour` or `publishesPerDay`; null lifts both limits."}
        ]
    [kept] = [one for one in ok(rest.get("/tokens")) if one["id"] == token.id]
    assert kept["budget"] == {"writesPerHour": 5, "publishesPerDay": 2}


@pytest.mark.contract("decided-guards.budget-update", "decided-unknown.listed")
def test_a_misspelt_name_of_a_limit_is_reported(rest: Rest, project: Project) -> None:
    token = project.token(budget={"writesPerHour": 5, "publishesPerDay": 2})

    response = rest.patch(f"/tokens/{token.id}", {"budget": {"writesPerHour": 5, "publishPerDay": 2}})

    assert ok(response)["budget"] == {"writesPerHour": 5, "publishesPerDay": None}
    assert response.headers["Ignored-Fields"] == '"budget.publishPerDay";did-you-mean="publishesPerDay"'


@pytest.mark.contract("decided-guards.budget-update", "decided-guards.budget")
def test_a_tokens_name_and_budget_are_changed_and_the_budget_is_replaced_whole(rest: Rest, project: Project) -> None:
    token = project.token(name="A", budget={"writesPerHour": 5, "publishesPerDay": 2})
    path = f"/tokens/{token.id}"

    assert ok(rest.patch(path, {"name": "B"}))["name"] == "B"
    assert ok(rest.patch(path, {"budget": {"publishesPerDay": 3}}))["budget"] == {
        "writesPerHour": None,
        "publishesPerDay": 3,
    }
    ok(rest.patch(path, {"name": "B", "budget": {"publishesPerDay": 3}}))  # changes nothing
    assert ok(rest.patch(path, {"budget": None}))["budget"] is None
    row = project.store.database.tokens.find_one({"_id": ObjectId(token.id)})
    assert [event["type"] for event in row["outbox"]] == ["token.created", *["token.updated"] * 3]

    refused(rest.patch(path, {"name": None}), "HttpApiDecodeError")
    assert refused(rest.patch(path, {"name": " "}), "BadRequest")["errors"][0]["field"] == "name"
    refused(rest.patch(path, {"name": "C"}, If_Match='"1"'), "PreconditionFailed")
    delivery = project.token(kind=TokenKind.DELIVERY)
    assert refused(rest.patch(f"/tokens/{delivery.id}", {"budget": {"writesPerHour": 1}}), "BadRequest")
    refused(rest.by(project.token(scopes=[Scope.WRITE])).patch(path, {}), "Forbidden")
    ok(rest.delete(path))
    refused(rest.patch(path, {"name": "C"}), "NotFound")


@pytest.mark.contract("decided-guards.budget-writes", "decided-guards.budget-exceeded")
def test_calls_beyond_the_budget_are_refused_until_the_hour_is_over(rest: Rest, project: Project) -> None:
    writer = limited(rest, project, writes=2)
    assert [write(writer).status_code for _ in range(2)] == [201, 201]

    answer = write(writer)

    body = refused(answer, "BudgetExceeded")
    assert (answer.status_code, body["budget"]) == (429, "writesPerHour")
    assert body["resetsAt"].endswith(":00:00.000Z")
    assert 1 <= int(answer.headers["Retry-After"]) <= 3600
    assert Agent(rest.client, writer.token).refused("create_document_intent")["_tag"] == "BudgetExceeded"
    ok(writer.get("/document-intents"))
    assert len(ok(writer.get("/document-intents"))) == 2


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-guards.budget-writes", "decided-guards.budget-free")
@pytest.mark.parametrize("name", [operation.name for operation in OPERATIONS if not operation.reads])
def test_every_operation_that_changes_something_counts_once(project: Project, name: str) -> None:
    token = project.token()
    call = CALLS[name](Scene(project, token))
    operation = next(one for one in OPERATIONS if one.name == name)

    operation(limited_context(project, token, dry_run=True), *call.ids, fields=call.fields)
    assert used(project, token) == 0
    operation(limited_context(project, token), *call.ids, fields=call.fields)
    assert used(project, token) == 1
    assert used(project, token, BudgetLimit.PUBLISHES) == (name in PUBLISHING)


@pytest.mark.contract("decided-guards.budget-publishes")
def test_what_is_published_or_scheduled_counts_in_both_limits(rest: Rest, project: Project) -> None:
    first, second, third = (a_document(rest, title=title) for title in ("A", "B", "C"))
    publisher = limited(rest, project, writes=3, publishes=2)

    ok(publisher.post(f"{path_of(first)}/publish"))
    ok(publisher.post(f"{path_of(second)}/schedule", {"publishAt": in_hours()}))

    answer = publisher.post(f"{path_of(third)}/publish")
    body = refused(answer, "BudgetExceeded")
    assert (body["budget"], body["resetsAt"][10:]) == ("publishesPerDay", "T00:00:00.000Z")
    assert refused(publisher.post(f"{path_of(third)}/publish?dryRun=true"), "BudgetExceeded") == body
    ok(publisher.post(f"{path_of(first)}/unpublish"))
    assert refused(write(publisher), "BudgetExceeded")["budget"] == "writesPerHour"
    assert refused(publisher.post(f"{path_of(third)}/publish"), "BudgetExceeded")["budget"] == "publishesPerDay"
    assert (used(project, publisher.token), used(project, publisher.token, BudgetLimit.PUBLISHES)) == (3, 2)


@pytest.mark.contract("decided-guards.budget-free", "decided-guards.budget-exceeded")
def test_replays_refusals_and_writes_that_change_nothing_cost_nothing(rest: Rest, project: Project) -> None:
    document = a_document(rest, title="Rye")
    writer = limited(rest, project, writes=2)

    made = ok(write(writer, Idempotency_Key="one"), 201)
    assert ok(write(writer, Idempotency_Key="one"), 201) == made
    ok(writer.patch(path_of(document), {"title": "Rye"}))
    ok(writer.put(f"{path_of(document)}/content", {"markdown": document["content"], "baseVersion": 1}))
    refused(writer.patch(path_of(document), {"title": " "}), "BadRequest")
    refused(writer.post(f"{path_of(document)}/brief/claim"), "BriefNotReady")
    ok(writer.patch(f"{path_of(document)}?dryRun=true", {"title": "Wheat"}))
    assert used(project, writer.token) == 1
    ok(writer.patch(path_of(document), {"title": "Wheat"}))

    refused(writer.patch(path_of(document), {"title": "Barley"}), "BudgetExceeded")
    ok(writer.patch(path_of(document), {"title": "Wheat"}))
    refused(writer.patch(path_of(document), {"title": " "}), "BadRequest")
    refused(writer.post(f"{path_of(document)}/brief/claim"), "BriefNotReady")
    refused(write(writer, Idempotency_Key="two"), "BudgetExceeded")
    assert ok(rest.get(path_of(document)))["title"] == "Wheat"
    assert used(project, writer.token) == 2


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-guards.budget-free")
def test_a_plan_counts_once_and_the_same_plan_again_costs_nothing(rest: Rest, project: Project) -> None:
    planner = limited(rest, project, writes=2)

    for day, count in (("01", 1), ("01", 1), ("02", 2), ("02", 2)):
        pieces = [{"key": f"bread-{number}", "title": "Rye", "dueDate": f"2027-02-{day}"} for number in range(3)]
        ok(planner.post("/plan", {"pieces": pieces}))
        assert used(project, planner.token) == count

    refused(planner.post("/plan", {"pieces": [{"key": "bread-0", "title": "Barley"}]}), "BudgetExceeded")


@pytest.mark.contract("decided-guards.budget-update")
def test_a_budget_that_is_raised_holds_at_once_and_the_count_goes_on(rest: Rest, project: Project) -> None:
    writer = limited(rest, project, writes=1)
    ok(write(writer), 201)
    refused(write(writer), "BudgetExceeded")

    ok(rest.patch(f"/tokens/{writer.token.id}", {"budget": {"writesPerHour": 2}}))

    ok(write(writer), 201)
    assert refused(write(writer), "BudgetExceeded")["message"].startswith(
        "The token's budget is used up: `writesPerHour` is 2."
    )


@pytest.mark.contract("decided-guards.budget-exceeded")
def test_what_a_document_allows_names_the_budget_that_is_used_up_and_costs_nothing(
    rest: Rest, project: Project
) -> None:
    document = a_document(rest)
    writer = limited(rest, project, writes=1, publishes=5)

    def refusals() -> dict[str, Any]:
        return {one["action"]: one["refusal"] for one in ok(writer.get(f"{path_of(document)}/actions"))}

    assert refusals()["update_document"] is None
    ok(write(writer), 201)
    for action in ("update_document", "publish_document"):
        assert refusals()[action]["budget"] == "writesPerHour"
    assert used(project, writer.token) == 1


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-guards.budget-exact")
def test_of_40_callers_at_once_as_many_write_as_the_budget_allows(rest: Rest, project: Project) -> None:
    writer = limited(rest, project, writes=12)

    answers = at_once([lambda: write(writer) for _ in range(40)])

    done = outcomes(answers)
    assert set(done) == {"201", "BudgetExceeded"}
    assert done["201"] == used(project, writer.token) == len(ok(writer.get("/document-intents"))) >= 12
    rows = project.store.database.budgets.find({"tokenId": ObjectId(writer.token.id)})
    assert all(row["used"] <= 12 for row in rows)  # two rows, where an hour began meanwhile


@pytest.mark.contract("decided-guards.budget-publishes")
def test_restoring_what_was_live_counts_as_a_publication(rest: Rest, project: Project) -> None:
    publisher = limited(rest, project, publishes=1)
    live, draft = a_document(rest), a_document(rest, title="Draft")
    ok(rest.post(f"{path_of(live)}/publish"))
    for document in (live, draft):
        ok(rest.delete(path_of(document)))

    ok(publisher.post(f"{path_of(draft)}/restore"))
    ok(publisher.post(f"{path_of(live)}/restore"))
    ok(rest.delete(path_of(live)))

    assert refused(publisher.post(f"{path_of(live)}/restore"), "BudgetExceeded")["budget"] == "publishesPerDay"
