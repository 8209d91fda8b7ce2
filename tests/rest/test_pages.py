"""Lists in pages: each page links to the next one while there may be more (decisions, section 14)."""

from typing import Any

import pytest
from werkzeug.http import parse_options_header

from app.core.store.store import Store
from tests.documented import DocumentedRest
from tests.make import OPERATIONS, Project, a_document, a_ready_brief, an_app, made
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def next_of(response: Any) -> str | None:
    """Returns where the next page is."""
    if "Link" not in response.headers:
        return None
    target, parameters = parse_options_header(response.headers["Link"])
    assert parameters == {"rel": "next"}
    assert target[0] + target[-1] == "<>"
    return target[1:-1]


def followed(rest: Rest, path: str) -> list[Any]:
    """Returns all items of a list, page by page."""
    items: list[Any] = []
    following: str | None = path
    while following:
        page = rest.get(following)
        assert page.status_code == 200
        items += page.json
        following = next_of(page)
    return items


@pytest.fixture
def shelf(project: Project, api: DocumentedRest) -> str:
    """A project with five of everything that is listed; the id of a document with five versions."""
    ctx = project.context(api.token)
    for number in range(4):
        a_ready_brief(ctx, title=f"Loaf & rye {number}")
        made(ctx, "category", name=f"C {number}", slug=f"c-{number}")
        made(ctx, "cluster", name=f"T {number}")
        OPERATIONS["create_member"](ctx, fields={"name": f"M {number}", "role": "writer", "email": None})
        project.token(f"Other {number}")
    document = a_document(ctx, title="Loaf & rye", brief={})
    for version in range(1, 5):
        fields = {"markdown": f"words {version}", "baseVersion": version}
        OPERATIONS["write_content"](ctx, document["id"], fields=fields)
    OPERATIONS["mark_brief_ready"](ctx, document["id"])
    return str(document["id"])


@pytest.mark.contract("decided-pages.link")
@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/documents?sort=title", 5),
        ("/documents?q=loaf%20%26%20rye&updatedSince=2020-01-01T00:00:00%2B01:00&status=drafting,idea", 5),
        ("/briefs?state=ready,claimed", 5),
        ("/briefs?state=claimed&state=ready", 5),
        ('/categories?x=<>"%0d%0aä', 4),
        ("/categories?token=cwm_secret&limits=1", 4),
        ("/clusters?", 4),
        ("/members?offset=0", 4),
        ("/tokens?", 5),
        ("/documents/{id}/revisions?", 5),
        ("/documents/{id}/activity?", 6),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_following_the_links_gives_the_whole_list(
    api: DocumentedRest, shelf: str, path: str, number: int, limit: int
) -> None:
    path = path.format(id=shelf)

    assert followed(api, f"{path}&limit={limit}") == api.get(f"{path}&limit=100").json
    assert len(api.get(f"{path}&limit=100").json) == number


@pytest.mark.parametrize("query", ["limit=5&limit=5", "sort=title&sort=title", "deleted=true&deleted=true"])
def test_a_parameter_of_one_value_that_is_sent_twice_is_refused(api: DocumentedRest, query: str) -> None:
    response = api.get(f"/documents?{query}")

    assert [issue["path"] for issue in response.json["issues"]] == [query.partition("=")[0]]


@pytest.mark.contract("decided-pages.link")
def test_a_page_links_to_the_next_one_unless_it_is_the_last(api: DocumentedRest, shelf: str) -> None:
    assert api.get("/documents?limit=5&count=true").headers["Link"] == (
        '</documents?limit=5&count=true&offset=5>; rel="next"'
    )
    assert api.get("/documents?offset=1&limit=2").headers["Link"] == '</documents?offset=3&limit=2>; rel="next"'
    for unknown in ("token=cwm_secret", "x=%0d%0a", "dryRun=true", "Limit=9"):
        assert api.get(f"/documents?{unknown}&limit=2").headers["Link"] == '</documents?limit=2&offset=2>; rel="next"'
    for last in ("/documents", "/documents?limit=5&offset=5", "/documents?limit=100&offset=100000"):
        assert "Link" not in api.get(last).headers
    for other in ("/events?limit=1", "/cluster-intents", "/webhooks", f"/documents/{shelf}", "/documents?limit=0"):
        assert "Link" not in api.get(other).headers


def test_no_link_leads_beyond_the_greatest_offset(
    api: DocumentedRest, shelf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.rest.blueprint.MAX_OFFSET", 3)

    assert next_of(api.get("/documents?limit=1&offset=2")) == "/documents?limit=1&offset=3"
    assert "Link" not in api.get("/documents?limit=1&offset=3").headers


def test_the_paths_in_responses_are_those_on_the_host(store: Store, project: Project) -> None:
    rest = Rest(an_app(store, base_path="/api").test_client(), project.token())
    document = a_document(project.context())

    member = rest.post("/api/members", {"name": "Ada"})
    actions = rest.get(f"/api/documents/{document['id']}/actions").json

    assert next_of(rest.get("/api/documents?limit=1")) == "/api/documents?limit=1&offset=1"
    assert rest.get(member.headers["Location"]).json == member.json
    [submit] = [one for one in actions if one["action"] == "submit_document"]
    assert rest.call(submit["method"], submit["path"]).json["_tag"] == submit["refusal"]["_tag"]
