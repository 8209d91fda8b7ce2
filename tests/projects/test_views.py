"""Saved views over HTTP: saved by name, replaced, deleted, and bounded."""

from functools import partial

import pytest

from app.core.vocabulary import Scope
from app.projects.schemas import MAX_VIEWS
from tests.documents.steps import ok, refused
from tests.make import Project, a_project
from tests.races.crowd import at_once
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

LATE = {"name": "Late", "query": "due=overdue"}
NEXT = {"name": "Next", "query": "status=planned&sort=dueDate"}


def save(api: Rest, *views: object) -> list[dict[str, str]]:
    """Saves views and returns all that the project has."""
    found: list[dict[str, str]] = ok(api.patch("/project/views", {"views": [*views]}))["views"]
    return found


def test_views_are_saved_by_name_replaced_renamed_and_deleted(api) -> None:
    assert ok(api.get("/project"))["views"] == []
    assert save(api, NEXT) == [NEXT]
    assert save(api, LATE) == [LATE, NEXT]
    assert save(api, {"name": "LATE", "query": ""}) == [{"name": "LATE", "query": ""}, NEXT]
    assert save(api, {"name": "late", "query": None}, {**LATE, "name": "Overdue"}) == [
        NEXT,
        {**LATE, "name": "Overdue"},
    ]
    assert save(api, {**LATE, "name": "e\u0301te\u0301"}, {**LATE, "name": " Été "})[2:] == [{**LATE, "name": " Été "}]
    assert save(api, {**LATE, "name": "été", "query": None})[0] == NEXT
    assert save(api, {"name": "Nothing", "query": None}) == ok(api.get("/project"))["views"]


def test_members_who_write_save_views_and_another_project_has_none_of_them(api, project: Project) -> None:
    save(api.by(project.token(scopes=[Scope.READ, Scope.WRITE])), LATE)
    reader = api.by(project.token(scopes=[Scope.READ]))

    assert ok(reader.get("/project"))["views"] == [LATE]
    refused(reader.patch("/project/views", {"views": [LATE]}), "Forbidden")
    assert ok(api.by(a_project(project.store).token()).get("/project"))["views"] == []


@pytest.mark.parametrize("view", [{"name": "x" * 61, "query": ""}, {"name": "x"}, {"name": "x", "query": "x" * 1_001}])
def test_names_and_queries_are_bounded(api, view: dict[str, str]) -> None:
    refused(api.patch("/project/views", {"views": [view]}), "HttpApiDecodeError")


def test_a_project_has_at_most_fifty_views(api) -> None:
    save(api, *({"name": f"View {number}", "query": ""} for number in range(MAX_VIEWS)))

    too_many = refused(api.patch("/project/views", {"views": [LATE]}), "BadRequest")
    assert too_many["errors"] == [
        {"field": "views", "message": "A project has at most 50 saved views: delete one first."}
    ]
    assert refused(api.patch("/project/views", {"views": [{**LATE, "name": " "}]}), "BadRequest")["errors"]
    assert len(save(api, {"name": "View 0", "query": None}, LATE)) == MAX_VIEWS


def test_views_that_are_saved_at_once_are_all_there(api) -> None:
    names = [f"View {number}" for number in range(6)]

    at_once([partial(save, api, {"name": name, "query": ""}) for name in names])

    assert [view["name"] for view in ok(api.get("/project"))["views"]] == names
