"""The work packet: all that a writer needs in one answer (decisions, section 12)."""

from typing import Any

import orjson
import pytest

from app.packets.rules import LEAST, MOST_BYTES, shortened
from tests.documents.steps import NOBODY, a_category, a_cluster, a_document, claimed, ok, path_of
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def packet_of(rest: Rest, document: Any) -> dict[str, Any]:
    response = rest.get(f"{path_of(document)}/packet")
    assert len(response.data) <= MOST_BYTES
    packet: dict[str, Any] = ok(response)
    return packet


@pytest.mark.contract("decided-packet.parts")
def test_a_packet_has_all_that_a_writer_needs(rest: Rest, project: Project) -> None:
    settings = {"guidelines": "Say *you*.", "checks": {"placeholders": "error"}, "siteUrl": "https://crust.example/b"}
    ok(rest.patch("/project", settings))
    food = a_category(rest, "Food")
    bread = a_category(rest, "Bread", description="Loaves", categoryId=food["id"])
    cluster = a_cluster(rest, keywords=["levain"])
    linked = a_document(rest, title="Oats", clusterId=cluster["id"])
    document = a_document(
        rest,
        markdown="Rye.\n\n# Dough\n\nTODO",
        categoryId=bread["id"],
        clusterId=cluster["id"],
        brief={"keyword": "rye", "internalLinks": [linked["id"]]},
    )
    writer = rest.by(project.token("Night writer", agent="writer-1", scopes=["read", "write"]))
    claimed(rest, document, writer)

    packet = packet_of(writer, document)

    assert set(packet) == {
        *("document", "brief", "guidelines", "category", "cluster", "links"),
        *("review", "threads", "passages", "sources", "outline", "checks", "actions", "truncated"),
    }
    assert packet["document"] == {
        "id": document["id"],
        "title": "Rye",
        "slug": "rye",
        "status": "drafting",
        "version": 1,
        "dueDate": None,
        "wordCount": 3,
    }
    assert (packet["brief"]["keyword"], packet["brief"]["state"]) == ("rye", "claimed")
    assert packet["guidelines"] == "Say *you*."
    assert packet["category"] == {
        "id": bread["id"],
        "name": "Bread",
        "description": "Loaves",
        "path": ["Food", "Bread"],
    }
    other = {"id": linked["id"], "title": "Oats", "slug": "oats", "status": linked["status"]}
    assert packet["cluster"] == {
        "id": cluster["id"],
        "name": "Sourdough",
        "description": "",
        "keywords": ["levain"],
        "documents": [other],
    }
    assert packet["links"] == [{**other, "excerpt": "", "url": "https://crust.example/b/oats"}]
    assert packet["review"] is None
    assert packet["outline"] == ok(rest.get(f"{path_of(document)}/outline"))
    assert {one["check"] for one in packet["checks"]} >= {"placeholders", "internal_links", "meta_title"}
    assert {one["outcome"] for one in packet["checks"]} == {"failed"}
    allowed = [one["action"] for one in ok(writer.get(f"{path_of(document)}/actions")) if one["allowed"]]
    assert packet["actions"] == allowed
    assert "submit_document" not in allowed  # a placeholder is an error here
    assert packet["truncated"] == []


@pytest.mark.contract("decided-packet.parts")
def test_what_is_not_there_is_null_or_empty(rest: Rest) -> None:
    packet = packet_of(rest, a_document(rest, markdown=None))

    assert (packet["brief"], packet["category"], packet["cluster"], packet["review"]) == (None, None, None, None)
    assert (packet["guidelines"], packet["links"], packet["outline"]["sections"]) == ("", [], [])
    assert rest.get(f"/documents/{NOBODY}/packet").status_code == 404


@pytest.mark.contract("decided-packet.review")
def test_a_request_for_changes_is_shown_until_the_next_submit(rest: Rest) -> None:
    document = a_document(rest)
    ok(rest.post(f"{path_of(document)}/submit"))
    changed = ok(rest.post(f"{path_of(document)}/request-changes", {"note": "Say which flour."}))

    review = packet_of(rest, document)["review"]

    assert (review["note"], review["at"], review["by"]["id"]) == (
        "Say which flour.",
        changed["updatedAt"],
        rest.token.id,
    )
    ok(rest.post(f"{path_of(document)}/submit"))
    assert packet_of(rest, document)["review"] is None
    assert ok(rest.get(path_of(document)))["reviewNote"] == "Say which flour."


@pytest.mark.slow
@pytest.mark.contract("decided-packet.size")
def test_a_packet_stays_small_whatever_is_in_it(rest: Rest) -> None:
    ok(rest.patch("/project", {"guidelines": "\u00e9" * 20_000}))
    cluster = a_cluster(rest, description="\u0001" * 2_000)
    links = [a_document(rest, title="\u0001" * 290 + str(n), clusterId=cluster["id"])["id"] for n in range(25)]
    brief = {"notes": "\u0001" * 5_000, "outline": "line\n" * 1_000, "internalLinks": links}
    brief |= {"referenceUrls": [f"https://a.example/{'x' * 470}{n}" for n in range(50)]}
    document = a_document(rest, markdown="# TODO TODO\n" * 20_000, clusterId=cluster["id"], brief=brief)

    packet = packet_of(rest, document)

    assert {"outline", "checks", "guidelines", "links"} <= set(packet["truncated"])
    assert packet["brief"]["notes"]
    assert packet["guidelines"].endswith("…")
    assert (
        packet["outline"]["sections"]
        == ok(rest.get(f"{path_of(document)}/outline"))["sections"][: len(packet["outline"]["sections"])]
    )


def test_parts_are_shortened_only_as_far_as_it_takes() -> None:
    packet = {**dict.fromkeys(LEAST), "guidelines": "word " * 4_000, "checks": ["a" * 100] * 700}

    short = shortened(packet)

    assert MOST_BYTES - 600 <= len(orjson.dumps(short)) <= MOST_BYTES
    assert short["truncated"] == ["checks"]
    assert short["guidelines"] == packet["guidelines"]
