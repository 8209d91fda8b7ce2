"""The story of sources in Chromium: written by an agent with an altered excerpt, found, mended, compared, published."""

from typing import Any

import pytest
from flask import Flask
from selenium.webdriver.common.by import By

from app.core.vocabulary import Scope, TokenKind
from tests.console.browser import Window
from tests.graphql_app.client import GraphQL
from tests.make import OPERATIONS, Project, a_ready_brief
from tests.mcp_tools.client import Agent

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

EXCERPTS = [
    "A starter needs five days at room temperature before it lifts a dough.",
    "Of all bakers asked, 45 % feed their starter twice a day.",
    "Rye flour ferments faster than wheat, and tastes sour.",
    "The oldest starter known is kept in a museum in Belgium.",
]
TEXT = """“A starter needs five days at room temperature,”[^s1] the handbook says.

Of those asked, 45 % feed it twice a day[^s2].

> Rye flour ferments faster than wheat, and tastes sour.[^s3]

The oldest one stands in a museum[^s4].
"""
ALTERED = "A starter needs nine days at room temperature before it lifts a dough."
MARKED = "return [...(CSS.highlights.get('unsupported') ?? [])].map((one) => one.toString())"


@pytest.mark.contract("decided-sources.console")
def test_an_altered_excerpt_is_found_mended_compared_and_published(
    window: Window, served: Flask, project: Project
) -> None:
    client = served.test_client()
    agent = Agent(client, project.token("Writer", agent="writer-1", scopes=[Scope.READ, Scope.WRITE]))
    document, ids = written_by(agent, project)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document}")

    # The reviewer finds it by the mark in the text, and sends it back with a remark.
    window.until(lambda: window.chrome.execute_script(MARKED))
    assert window.chrome.execute_script(MARKED) == ["A starter needs five days at room temperature,"]
    assert "stands in no excerpt" in window.find("#sources-of-text").text
    remark = {"text": "The excerpt says nine days.", "level": "must", "quote": {"exact": "five days"}}
    called(project, "request_changes", document, note="One excerpt.", threads=[remark], offer=True)

    # The agent mends it.
    agent.call("claim_brief", documentId=document, packet=True)
    agent.call("update_source", documentId=document, sourceId=ids[0], excerpt=EXCERPTS[0])
    [thread] = agent.call("list_threads", documentId=document)["items"]
    agent.call("reply_to_thread", documentId=document, threadId=thread["id"], text="Copied again.")
    agent.call("submit_document", documentId=document)
    called(project, "resolve_thread", document, thread["id"])

    # The reviewer sees what nobody compared, compares four, each by one key, and approves.
    window.open(f"/console/documents/{document}/approve")
    assert window.find("[aria-labelledby=cited-sources]").text.count("Nobody has compared") == 4
    window.open(f"/console/documents/{document}/sources")
    assert not window.has(".source-card [data-is=wrong]")
    assert "five days at room temperature" in window.find("#s-1 [data-is=same]").text
    for left in (3, 2, 1, 0):
        window.keys("y")
        window.until(lambda left=left: len(window.chrome.find_elements(By.CSS_SELECTOR, "[data-verifies]")) == left)
    window.open(f"/console/documents/{document}/approve")
    assert "All 4 are compared" in window.find("[aria-labelledby=cited-sources]").text
    for box in ("facts", "sources"):
        window.click(f"[name={box}]")
    window.find("[name=examined]").send_keys("Each source.")
    window.press("Approve and record your review")
    record = window.find(".record").text
    assert all(f"Source {number}" in record for number in (1, 2, 3, 4))

    # The page, its markdown and the record show them, and a later change of an excerpt changes none of it.
    called(project, "publish_document", document)
    before = everything(client, project, document)
    assert [one["number"] for one in before["live"]["sources"]] == [1, 2, 3, 4]
    assert before["live"]["html"].count('<li id="fn-s') == 4
    assert before["md"].count("\n[^s") == len(before["list"]) == 4
    called(project, "update_source", document, ids[3], excerpt="Other words.")
    assert everything(client, project, document) == before


def test_a_source_is_picked_and_added_while_writing(window: Window, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye", markdown="Rye is dark.\n")
    called(project, "add_source", document["id"], title="The handbook of rye")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    root = window.find(".editor").shadow_root
    editor = root.find_element(By.CSS_SELECTOR, ".cm-content")

    editor.send_keys("[^hand")
    window.until(lambda: root.find_elements(By.CSS_SELECTOR, ".cm-tooltip-autocomplete li"))
    root.find_element(By.CSS_SELECTOR, ".cm-tooltip-autocomplete li").click()
    window.until(lambda: "[^s1]" in window.find("[data-editor]").get_property("value"))

    editor.send_keys("[^new")
    window.until(lambda: root.find_elements(By.CSS_SELECTOR, ".cm-tooltip-autocomplete li"))
    root.find_element(By.CSS_SELECTOR, ".cm-tooltip-autocomplete li").click()
    window.find("#ns-title").send_keys("Another")
    window.find("#ns-excerpt").send_keys("Rye is dark.")
    window.click("#new-source [value=yes]")
    window.until(lambda: "[^s1][^s2]" in window.find("[data-editor]").get_property("value"))
    assert [one["title"] for one in called(project, "list_sources", document["id"])] == [
        "The handbook of rye",
        "Another",
    ]
    assert window.problems() == []


def written_by(agent: Agent, project: Project) -> tuple[str, list[str]]:
    """Has an agent write a text with four sources, one excerpt altered; returns the ids."""
    document = a_ready_brief(project.context(), title="Starters")["id"]
    claimed = agent.call("claim_brief", documentId=document, packet=True)
    sources = [
        {"title": f"Source {number}", "url": f"https://example.org/{number}", "excerpt": excerpt}
        for number, excerpt in enumerate([ALTERED, *EXCERPTS[1:]], 1)
    ]
    added = agent.call("add_source", documentId=document, sources=sources)["sources"]
    agent.call("write_content", documentId=document, markdown=TEXT, baseVersion=claimed["version"])
    failed = [one["check"] for one in agent.call("check_document", documentId=document)["checks"]]
    assert failed.count("quotes_verbatim") == 1
    agent.call("submit_document", documentId=document)
    return document, [one["id"] for one in added]


def called(project: Project, name: str, *ids: str, **fields: Any) -> Any:
    """Calls an operation as somebody who may do everything."""
    operation = OPERATIONS[name]
    return operation(project.context(), *ids, fields=fields if operation.body else None).body


def everything(client: Any, project: Project, document: str) -> dict[str, Any]:
    """Returns what is live, and the record of the review."""
    site = project.token("Site", kind=TokenKind.DELIVERY)
    delivery = GraphQL(client, site)
    live = delivery.data(f'{{ document(id: "{document}") {{ html slug sources {{ number title url }} }} }}')["document"]
    path = f"/delivery/documents/{live['slug']}"
    page = client.get(path, headers={"Authorization": f"Bearer {site.secret}", "Accept": "text/markdown"})
    record = OPERATIONS["get_review_record"](project.context(), document, fields={}).body
    return {"live": live, "md": page.text, "list": record["sourceList"]}
