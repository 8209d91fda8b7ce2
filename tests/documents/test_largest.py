"""The largest content there may be, and the longest that publishing may take (decisions, section 5)."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.core.store.bodies import Bodies
from app.core.store.store import Store
from app.documents import rendering
from app.documents.schemas import MAX_MARKDOWN
from app.publications.store import Publications
from tests.documents.steps import a_document, ok, path_of, refused
from tests.make import Project
from tests.races.crowd import at_once
from tests.rest.client import Rest

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

LARGEST = "\U00020bb7" * MAX_MARKDOWN
"""As many letters of four bytes as a content may have."""


def put(rest: Rest, path: str, body: dict[str, Any], **headers: str) -> TestResponse:
    """Sends a body as plain UTF-8; with escapes, as the test client writes it, it would be over the limit of a body."""
    sent = {"Authorization": f"Bearer {rest.token.secret}", "Content-Type": "application/json", **headers}
    return rest.client.put(path, data=orjson.dumps(body), headers=sent)


@pytest.mark.contract("decided-documents.largest", "limits.document-markdown")
def test_the_largest_content_is_written_published_read_back_and_replayed_unchanged(rest: Rest) -> None:
    document = a_document(rest, markdown=None)
    path, key = path_of(document), {"Idempotency-Key": "largest"}
    body = {"markdown": LARGEST, "baseVersion": 1}
    written = ok(put(rest, f"{path}/content", body, **key))
    assert written["content"] == LARGEST

    again = put(rest, f"{path}/content", body, **key)
    assert (ok(again), again.headers["Idempotency-Replayed"]) == (written, "true")

    published = ok(rest.post(f"{path}/publish", Idempotency_Key="published"))
    assert published["publishedMarkdown"] == published["content"] == LARGEST
    assert ok(rest.post(f"{path}/publish", Idempotency_Key="published")) == published
    assert ok(rest.get(path)) == published
    assert ok(rest.get(f"{path}/revisions/2"))["markdown"] == LARGEST


@pytest.mark.contract("decided-documents.largest", "limits.document-markdown")
def test_one_character_more_is_too_long(rest: Rest) -> None:
    document = a_document(rest)

    response = put(rest, f"{path_of(document)}/content", {"markdown": LARGEST + "x", "baseVersion": 1})

    assert response.status_code == 400
    assert [issue["path"] for issue in refused(response, "HttpApiDecodeError")["issues"]] == ["markdown"]


@pytest.mark.contract("decided-documents.html-limit")
def test_markdown_whose_html_would_be_over_15_mb_is_not_published(rest: Rest) -> None:
    document = a_document(rest, markdown="a@b.c " * (MAX_MARKDOWN // 6))

    response = rest.post(f"{path_of(document)}/publish")

    assert response.status_code == 422
    assert "15 MB" in refused(response, "BadRequest")["message"]
    assert ok(rest.get(path_of(document)))["isPublished"] is False


@pytest.mark.contract("decided-documents.snapshot")
def test_no_request_waits_for_a_document_that_is_being_rendered(
    app: Flask, rest: Rest, store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rendering holds no transaction: what it takes is neither the deadline's nor another writer's time."""
    document = a_document(rest, markdown="Rye is dark. " * 2_000)
    editor, renderings = Rest(app.test_client(), project.token("Editor")), []

    def renders_while_somebody_writes(render: Callable[..., object]) -> Callable[..., object]:
        def rendered(markdown: str, to_render: str) -> object:
            renderings.append(markdown)
            if len(renderings) == 1:  # who waits for the rendering gets 503 at the deadline
                ok(editor.patch(path_of(document), {"dueDate": "2027-01-31"}))
            return render(markdown, to_render)

        return rendered

    monkeypatch.setattr(rendering, "rendered", renders_while_somebody_writes(rendering.rendered))
    published = ok(rest.post(f"{path_of(document)}/publish", Idempotency_Key="while-written"))

    assert (published["dueDate"], published["status"]) == ("2027-01-31", "published")
    assert len(renderings) == 1, "a transaction that is open meanwhile loses to the edit, and renders again"


def test_what_is_rendered_is_what_is_published_though_somebody_writes_meanwhile(
    app: Flask, rest: Rest, project: Project
) -> None:
    document = a_document(rest, markdown="First. " * 4_000)
    editor = Rest(app.test_client(), project.token("Editor"))

    published, _ = at_once(
        [
            lambda: rest.post(f"{path_of(document)}/publish"),
            lambda: editor.put(f"{path_of(document)}/content", {"markdown": "Second.", "baseVersion": 1}),
        ]
    )

    row = project.store[Publications].get(project.id, document["id"])
    assert row is not None
    html = project.store[Bodies].get_texts(project.id, [row["htmlId"]])[row["htmlId"]]
    version = ok(rest.get(f"{path_of(document)}/revisions/{ok(published)['publishedVersion']}"))
    assert html == f"<p>{version['markdown'].strip()}</p>\n"


def test_content_that_was_found_too_long_is_refused_again_without_being_rendered(
    rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = a_document(rest, markdown="a@b.c " * (MAX_MARKDOWN // 6))
    first = refused(rest.post(f"{path_of(document)}/publish"), "BadRequest")
    monkeypatch.setattr(rendering, "rendered", None)  # calling it would be a 500

    again = rest.post(f"{path_of(document)}/publish")

    assert refused(again, "BadRequest") == first
    assert "split the document" in first["message"]
