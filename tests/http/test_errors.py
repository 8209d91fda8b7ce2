"""Every error there is has a body of `_tag` and `message`, whatever went wrong (decisions, section 3)."""

import io
import logging
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.store.store import AccessDenied, Store
from app.http.bodies import MAX_BODY
from tests.http.conftest import Configured
from tests.make import Project, a_ready_brief
from tests.rest.client import Rest

DEEP = b'{"title":' + b"[" * 100_000
NO_ID = "0" * 24

MALFORMED = {
    "no JSON": b"title",
    "half of an object": b'{"title": ',
    "nested too deeply": DEEP,
    "nested too deeply and closed": DEEP + b"]" * 100_000 + b"}",
    "bytes that are no UTF-8": b'{"title": "\xff"}',
    "half of a surrogate pair": b'{"title": "\\ud83d"}',
    "a number that is none": b'{"title": NaN}',
    "white space alone": b" \r\n\t",
    "a byte order mark": b'\xef\xbb\xbf{"title": "x"}',
    "an array": b"[]",
    "a string": b'"title"',
    "null": b"null",
}


@pytest.mark.contract("decided-http.NotFound", "decided-http.errors-are-json")
def test_an_unknown_path_is_not_found(client: FlaskClient) -> None:
    message = "No such route or record: check the path and the id. `/docs` and `/openapi.json` describe every route."
    for path in ("/", "/nothing", "/brief", "/briefs//claim", "/document-intents/x/y/z", "/%ff", "//", "/.env"):
        answer = client.get(path)
        assert_error(answer, 404, "NotFound")
        assert answer.json["message"] == message


@pytest.mark.contract("decided-http.MethodNotAllowed")
def test_a_method_that_a_path_does_not_take_names_those_that_it_takes(client: FlaskClient) -> None:
    answer = client.delete("/briefs")

    assert_error(answer, 405, "MethodNotAllowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert_error(client.open("/briefs/claim", method="BREW"), 405, "MethodNotAllowed")


@pytest.mark.parametrize("what", MALFORMED)
def test_a_body_that_is_no_json_object_is_refused(rest: Rest, what: str) -> None:
    answer = send(rest, "/document-intents", MALFORMED[what])

    assert_error(answer, 400, "HttpApiDecodeError")
    assert len(answer.json["issues"]) == 1
    assert set(answer.json["issues"][0]) == {"path", "message"}


@pytest.mark.contract("decided-http.UnsupportedMediaType")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_of_another_content_type_is_refused(rest: Rest, kind: str) -> None:
    assert_error(send(rest, "/document-intents", b'{"title": "x"}', kind), 415, "UnsupportedMediaType")
    assert "`text/csv`" in send(rest, "/plan", b"key,title", kind).json["message"]


def test_a_packed_body_is_refused(rest: Rest) -> None:
    answer = rest.client.post("/document-intents", data=b"\x1f\x8b", headers=bearer(rest, Content_Encoding="gzip"))

    assert_error(answer, 415, "UnsupportedMediaType")


def test_json_may_name_its_character_set_and_be_a_kind_of_json(rest: Rest) -> None:
    for kind in ("application/json; charset=utf-8", "application/merge-patch+json"):
        assert send(rest, "/document-intents", b'{"title": "x"}', kind).status_code == 201


@pytest.mark.contract("decided-http.HttpApiDecodeError")
def test_every_problem_of_headers_query_and_body_is_reported_at_once(rest: Rest) -> None:
    path = f"/documents/{'0' * 24}/content?dryRun=maybe&x=1"
    answer = rest.put(path, {"markdown": 5, "y": 1}, Idempotency_Key="\u00fc", Prefer="handling=strict")

    assert_error(answer, 400, "HttpApiDecodeError")
    paths = [issue["path"] for issue in answer.json["issues"]]
    assert paths == ["Idempotency-Key", "baseVersion", "dryRun", "markdown", "x", "y"]


@pytest.mark.contract("decided-http.PayloadTooLarge", "limits.body")
@pytest.mark.parametrize(
    "path", ["/document-intents", "/briefs", "/health", "/nothing", f"/documents/{NO_ID}/brief/ready"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_stated_length_over_the_limit_is_refused_on_every_path_unread(
    client: FlaskClient, method: str, path: str
) -> None:
    body = Endless(0)  # nothing of it has come yet

    answer = client.open(
        path, method=method, environ_overrides={"wsgi.input": body, "CONTENT_LENGTH": str(MAX_BODY + 1)}
    )

    assert_error(answer, 413, "PayloadTooLarge")


@pytest.mark.contract("decided-http.PayloadTooLarge", "limits.body")
def test_a_body_that_is_too_long_is_answered_before_it_is_read(app: Flask) -> None:
    body = Endless(MAX_BODY + 1)
    sent = {"wsgi.input": body, "CONTENT_LENGTH": str(MAX_BODY + 1)}

    answer = app.test_client().post("/nothing", environ_overrides=sent)

    assert body.left == MAX_BODY + 1
    assert_error(answer, 413, "PayloadTooLarge")


@pytest.mark.contract("decided-http.PayloadTooLarge", "limits.body")
@pytest.mark.parametrize("path", ["/document-intents", f"/documents/{NO_ID}/brief/ready"])
def test_a_chunked_body_is_counted_and_refused_over_the_limit(rest: Rest, path: str) -> None:
    assert_error(chunked(rest, path, Endless(MAX_BODY + 1), **bearer(rest)), 413, "PayloadTooLarge")


@pytest.mark.parametrize("received", [b"", b"{}", b'{"title": "Cut off"'])
def test_a_body_that_ends_before_its_stated_length_is_refused(rest: Rest, received: bytes) -> None:
    sent = {"wsgi.input": io.BytesIO(received), "wsgi.input_terminated": True, "CONTENT_LENGTH": "100"}

    answer = rest.client.post("/document-intents", headers=bearer(rest), environ_overrides=sent)

    assert_error(answer, 400, "HttpApiDecodeError")
    assert "of 100 bytes" in answer.json["message"]


def test_a_chunked_body_within_the_limit_is_read(rest: Rest) -> None:
    body = io.BytesIO(b'{"title": "In parts"}')

    assert chunked(rest, "/document-intents", body, **bearer(rest)).json["fields"] == {"title": "In parts"}


def test_a_chunked_body_that_did_not_arrive_clears_no_brief(rest: Rest, project: Project) -> None:
    document = a_ready_brief(project.context(rest.token))
    path = f"/documents/{document['id']}/brief"

    answer = chunked(rest, path, io.BytesIO(), method="PUT", **bearer(rest))

    assert_error(answer, 400, "HttpApiDecodeError")
    assert rest.get(path).json["brief"]["keyword"] == document["brief"]["keyword"] != ""


@pytest.mark.contract("decided-http.no-body")
def test_an_endpoint_that_takes_no_body_ignores_an_empty_chunked_one(rest: Rest, project: Project) -> None:
    document = a_ready_brief(project.context(rest.token))

    answer = chunked(rest, f"/documents/{document['id']}/brief/withdraw", io.BytesIO(), **bearer(rest))

    assert answer.status_code == 200


def test_no_body_is_read_without_a_token(rest: Rest) -> None:
    body = Endless(1_000)

    answer = chunked(rest, "/document-intents", body)

    assert_error(answer, 401, "Unauthorized")
    assert body.left == 1_000


@pytest.mark.contract("decided-http.no-body")
def test_an_endpoint_that_takes_no_body_ignores_one(rest: Rest, project: Project) -> None:
    document = a_ready_brief(project.context(rest.token))

    answer = send(rest, f"/documents/{document['id']}/brief/withdraw", b"no JSON", "text/plain")

    assert answer.status_code == 200


@pytest.mark.contract("decided-http.InternalError", "decided-http.errors-are-json")
def test_a_bug_tells_the_request_id_and_nothing_internal(
    configured: Configured, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    app = configured()
    app.view_functions["briefs.listBriefs"] = broken
    logging.getLogger("content_workflow").propagate = True
    token = project.token()

    with caplog.at_level(logging.ERROR, "content_workflow.errors"):
        answer = Rest(app.test_client(), token).get("/briefs", X_Request_Id="mine-1")

    assert_error(answer, 500, "InternalError")
    assert "mine-1" in answer.json["message"]
    assert "secret" not in answer.text
    assert [record.requestId for record in caplog.records if record.name.endswith("errors")] == ["mine-1"]


def broken() -> Any:
    raise ZeroDivisionError("a secret of the inside")


class Endless:
    """A body of zeros that tells how much of it nobody read."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = -1) -> bytes:
        many = self.left if size < 0 else min(size, self.left)
        self.left -= many
        return b"0" * many

    def readline(self, size: int = -1) -> bytes:
        return self.read(size)

    def close(self) -> None:
        """Needs nothing."""


def chunked(rest: Rest, path: str, body: Any, method: str = "POST", **headers: str) -> TestResponse:
    """Sends a body whose length is not stated."""
    sent = {"wsgi.input": body, "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    return rest.client.open(
        path, method=method, headers=headers, content_type="application/json", environ_overrides=sent
    )


def bearer(rest: Rest, **headers: str) -> dict[str, str]:
    """The headers of a call with the token."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"Authorization": f"Bearer {rest.token.secret}", "Content-Type": "application/json", **named}


def send(rest: Rest, path: str, body: bytes, kind: str = "application/json") -> TestResponse:
    """Posts bytes as they are."""
    return rest.client.post(path, data=body, headers={**bearer(rest), "Content-Type": kind})


def assert_error(answer: TestResponse, status: int, tag: str) -> None:
    """Fails when an answer is not the error that it should be, in the form that all errors have."""
    assert (answer.status_code, answer.json["_tag"]) == (status, tag), answer.text
    assert answer.content_type == "application/json"
    assert answer.json["message"]
    assert answer.headers["X-Request-Id"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_only_readiness_and_the_log_say_what_an_operator_has_to_change(
    app: Flask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def denied(_: Store) -> None:
        raise AccessDenied(reason="not authorized on content_workflow")

    monkeypatch.setattr(Store, "check_form", denied)
    logging.getLogger("content_workflow").propagate = True
    client = app.test_client()
    paths = ("/ready", "/documents", "/console/", "/graphql?query={a}", "/delivery/feed.xml", "/mcp")
    with caplog.at_level(logging.WARNING, "content_workflow.errors"):
        answers = {path: client.get(path, headers={"Accept": "*/*"}) for path in paths}

    assert {answer.status_code for answer in answers.values()} == {503}
    assert [path for path, answer in answers.items() if "MONGODB_URI" in answer.text] == ["/ready"]
    lines = [line for line in caplog.records if line.name == "content_workflow.errors"]
    assert {(line.levelname, "MONGODB_URI" in line.message) for line in lines} == {("ERROR", True)}
