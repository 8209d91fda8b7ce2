"""How many long texts are processed at the same time; what is beyond that is refused and never waits."""

import time
from typing import Any

import comrak
import pytest

from app.core import concurrency
from app.core.concurrency import ConcurrencyLimit
from app.core.errors import ServiceUnavailable
from app.sections.rules import partition
from tests.core.text.bombs import BOMBS, seconds_of_processor, tried
from tests.live import quickest
from tests.make import Project, a_document
from tests.rest.client import Rest

BUSY = "Too many."


def test_an_amount_over_a_bound_is_refused_until_enough_is_released() -> None:
    limit = ConcurrencyLimit(10, each=6, busy=BUSY)
    limit.acquire("one", 4)
    with pytest.raises(ServiceUnavailable, match=BUSY):
        limit.acquire("one", 3)
    limit.acquire("other", 6)
    for key in ("one", "third"):
        with pytest.raises(ServiceUnavailable):
            limit.acquire(key)
    limit.release("other", 6)
    limit.acquire("one", 2)
    limit.acquire("third", 4)


def test_any_amount_is_granted_to_who_is_alone() -> None:
    limit = ConcurrencyLimit(10, each=6, busy=BUSY)
    with limit.holding("one", 100), pytest.raises(ServiceUnavailable):
        limit.acquire("other")
    limit.acquire("other")


def test_work_that_fails_releases_what_it_held() -> None:
    limit = ConcurrencyLimit(1, each=1, busy=BUSY)
    with pytest.raises(ZeroDivisionError), limit.holding("one"):
        1 / 0  # noqa: B018
    limit.acquire("other")


def test_a_refusal_comes_at_once_and_says_when_to_try_again() -> None:
    limit = ConcurrencyLimit(1, each=1, busy=BUSY)
    limit.acquire("one")

    def refuse() -> None:
        with pytest.raises(ServiceUnavailable) as refused:
            limit.acquire("one")
        assert refused.value.headers["Retry-After"]

    assert quickest(refuse, 0.5, time.monotonic) < 0.5


@pytest.mark.parametrize("path", ["checks", "outline", "sections/1"])
def test_a_long_text_is_refused_while_others_of_its_project_are_processed(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    limit = ConcurrencyLimit(300_000, each=200_000, busy=BUSY)
    monkeypatch.setattr(concurrency, "PROCESSED", limit)
    short, long = (a_document(project.context(), markdown="# Rye\n\n" + "x" * size) for size in (1_000, 150_000))
    limit.acquire(project.id, 100_000)

    assert rest.get(f"/documents/{short['id']}/{path}").status_code == 200
    began = time.monotonic()
    refused = rest.get(f"/documents/{long['id']}/{path}")
    assert (refused.status_code, refused.json["message"]) == (503, BUSY)
    assert time.monotonic() - began < 5, "it waited"

    limit.release(project.id, 100_000)
    assert rest.get(f"/documents/{long['id']}/{path}").status_code == 200


@pytest.mark.needs_mongod
@pytest.mark.parametrize("route", ["checks", "outline", "packet", "sources"])
def test_a_request_parses_a_text_once(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    text = "# Rye[^s1]\n\nIt is dark[^s1], see [above](https://rye.example).\n"
    document = a_document(project.context(), markdown=text)
    source = {"title": "Rye", "excerpt": "It is dark."}
    assert rest.post(f"/documents/{document['id']}/sources", source).status_code == 201
    assert rest.get(f"/documents/{document['id']}/{route}").status_code == 200  # known: can it be published?
    parse, parsed = comrak.markdown_to_xml, []

    def counted(markdown: str, *options: Any) -> str:
        parsed.append(markdown)
        return parse(markdown, *options)

    monkeypatch.setattr(comrak, "markdown_to_xml", counted)
    assert rest.get(f"/documents/{document['id']}/{route}").status_code == 200
    assert len(parsed) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", tried(BOMBS, ("bare quotes", "brackets", "different headings", "cells", "citations")))
def test_every_route_reads_two_megabytes_in_seconds(rest: Rest, project: Project, name: str) -> None:
    document = a_document(project.context(), markdown="# Rye")
    path, bomb = f"/documents/{document['id']}", BOMBS[name]

    def seconds_of(method: str, route: str, body: Any = None) -> float:
        def ask() -> None:
            answer = rest.call(method, f"{path}/{route}", body)
            assert answer.status_code == 200, answer.json

        # what writes can't be tried again
        return quickest(ask, 6 if method == "GET" else float("inf"), seconds_of_processor)

    edits = [{"hash": partition(bomb)[0].hash, "markdown": "Rye.\n\n"}]
    routes: list[tuple[str, str, Any]] = [
        ("PUT", "content", {"markdown": bomb, "baseVersion": 1}),
        *[("GET", route, None) for route in ("checks", "outline", "packet", "provenance", "threads")],
        ("PATCH", "content", {"edits": edits, "baseVersion": 2}),
    ]
    took = {f"{method} {route}": seconds_of(method, route, body) for method, route, body in routes}
    assert max(took.values()) < 6, took
