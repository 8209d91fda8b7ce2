"""The story of the console in Chromium: three pieces planned, one written by an agent, reviewed, and on the site."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.core.worker import Worker, jobs
from app.features import ServerSettings
from tests.console.browser import Window, chromium
from tests.databases import opened
from tests.graphql_app.client import delivery_token
from tests.graphql_app.test_site import URL, article, built
from tests.make import OPERATIONS, Project, a_project
from tests.mcp_tools.client import Agent

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

TABLE = "key\ttitle\tbrief.keyword\nrye\tRye bread\trye\nstollen\tStollen\tstollen\nsalt\tSalt\tsalt\n"
FIRST = "Flour and water.\n\nWait a day.\n"
SECOND = "Rye flour and water.\n\nWait a day.\n"
IN_A_MOMENT = """
const field = document.querySelector("#a-at");
field.step = 1;
const local = new Date(Date.now() + 4000 - new Date().getTimezoneOffset() * 60000);
field.value = local.toISOString().slice(0, 19);
"""
POST = """
const [paths, fields, done] = arguments;
const body = new URLSearchParams({ ...fields, _csrf: document.querySelector("[name=csrf-token]").content });
const post = (path) => fetch(path, { method: "POST", body }).then((response) => response.text());
Promise.all(paths.map(post)).then(done);
"""


store = pytest.fixture(scope="module")(opened)
"""A database of the story's own: its worker would work for the projects of other tests too."""


@pytest.fixture
def project(store: Store) -> Project:
    """A project with a site."""
    return a_project(store, siteUrl=f"{URL}/articles/{{slug}}/", categoryUrl=f"{URL}/topics/{{slug}}/")


@pytest.fixture
def worker(store: Store) -> Iterator[None]:
    """A worker at work."""
    running = Worker(jobs(store, ServerSettings(mongodb_uri="mongodb://given", log_level="CRITICAL"))).start()
    yield
    running.stop()


@pytest.fixture
def reader(base: str, project: Project, tmp_path: Path) -> Iterator[Window]:
    """A second browser, signed in with a token that only reads."""
    with chromium(tmp_path / "chrome") as chrome:
        window = Window(chrome, base)
        window.sign_in(project.token("A reader", scopes=[Scope.READ]))
        yield window


@pytest.mark.usefixtures("worker")
def test_pieces_are_planned_written_by_an_agent_reviewed_and_published_on_the_site(
    window: Window, reader: Window, served: Flask, project: Project, tmp_path: Path
) -> None:
    agent = Agent(served.test_client(), project.token("Writer", agent="Baker"))
    window.sign_in(project.token("Ingrid"))

    plan_and_offer_three(window)

    window.open("/console/board")
    window.chrome.execute_script("window.sinceLoaded = true")
    assert len(window.chrome.find_elements("css selector", "[data-status=planned] .card [data-state=ready]")) == 3
    id = agent.call("claim_next_brief", leaseSeconds=600)["id"]
    window.until(lambda: "Baker" in window.find(f"#d-{id} [data-state=claimed]").text)
    write_and_submit(agent, id, FIRST, 1)
    window.find(f".column[data-status=review] #d-{id}")
    assert window.chrome.execute_script("return window.sinceLoaded")

    only_reads(reader, project, id)

    window.click(f"#d-{id} a")
    window.click_tab("Versions")
    assert "Flour and water." in window.find(".diff").text
    window.click_tab("Read")
    window.find("#a-note").send_keys("Say which flour.")
    window.press("Request changes")

    assert agent.call("get_document", documentId=id)["reviewNote"] == "Say which flour."
    write_and_submit(agent, id, SECOND, 2)
    window.until(lambda: "Version 3" in window.find("#facts").text and "In review" in window.find("#facts").text)
    window.click_tab("Versions")
    assert [one.text for one in window.chrome.find_elements("css selector", ".diff mark")] == ["Flour", "Rye flour"]
    window.click_tab("Read")
    window.press("Approve")
    window.find("#a-at")
    window.chrome.execute_script(IN_A_MOMENT)
    window.press("Schedule")
    assert "It is scheduled:" in window.find(".notice").text
    window.until(lambda: "Published" in window.find("#facts").text)

    site = built(served, delivery_token(project), tmp_path / "site")
    published = shown(project)[id]
    assert "Rye flour and water." in article(site, published["slug"])
    assert [one.name for one in (site / "articles").glob("*/")] == [published["slug"]]
    assert window.problems() == []
    assert not reader.has(".card [data-move]")


def plan_and_offer_three(window: Window) -> None:
    """Plans three pieces from a pasted table, and offers their briefs together."""
    window.open("/console/plan/many")
    window.chrome.execute_script("document.querySelector('#table').value = arguments[0]", TABLE)
    window.press("See what would happen")
    window.press("Add 3 pieces")
    window.open("/console/table")
    window.click("[data-all]")
    window.press("Offer briefs")
    assert "Offer briefs: 3 of 3 done" in window.find("h1").text


def write_and_submit(agent: Agent, id: str, markdown: str, base_version: int) -> None:
    """Writes the text as an agent, and submits it for review."""
    agent.call("write_content", documentId=id, markdown=markdown, baseVersion=base_version)
    agent.call("submit_document", documentId=id)


def only_reads(reader: Window, project: Project, id: str) -> None:
    """Checks that who may only read is offered none of it, and is refused what an editor's pages and tools send."""
    before = shown(project)
    offers = "[data-move], [draggable=true], .bulk, .actions, .tabs a[href$=edit], main form[method=post] button"
    document = f"/console/documents/{id}"
    for path in ("/console/board", "/console/table", document, f"{document}/revisions"):
        reader.open(path)
        assert not reader.has(offers), path
    assert not reader.has("nav a[href$=plan]")

    actions = ("submit_document", "approve_document", "request_changes", "schedule_document", "publish_document")
    actions += ("mark_brief_ready", "claim_brief", "delete_document")
    paths = ["/console/plan", "/console/plan/many", "/console/table", f"{document}/edit", f"{document}/move"]
    paths += [f"{document}/actions/{name}" for name in actions]
    fields = {"title": "Mine", "then": "plan", "table": TABLE, "confirmed": "yes", "bulk": "offer", "id": id}
    fields |= {"from": "review", "to": "approved", "note": "No.", "markdown": "Mine.", "baseVersion": "2"}
    fields |= {"publishAt": "2099-01-01T00:00:00Z"}
    answers = reader.chrome.execute_async_script(POST, paths, fields)
    for path, answer in zip(paths, answers, strict=True):
        assert "needs a token with the scope" in answer, path
    assert shown(project) == before


def shown(project: Project) -> dict[str, Any]:
    """Returns the documents of a project by their ids, as they are now."""
    fields = {"sort": "title", "limit": 10, "offset": 0}
    return {one["id"]: one for one in OPERATIONS["list_documents"](project.context(), fields=fields).body}
