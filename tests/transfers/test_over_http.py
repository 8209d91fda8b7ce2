"""A whole project out and in again over REST (decisions, section 10)."""

import gzip
import json
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient

from app.core.context import Context, system
from app.core.store.store import Store
from app.core.vocabulary import Channel, Scope
from app.delivery.caches import read_redirects
from app.features import ALL, ServerSettings
from app.http.streams import MAX_STREAM
from app.publications.store import Publications
from app.server import create_app
from app.transfers.errors import ImportStopped
from app.transfers.operations import BATCH_LINES, export_lines, import_lines
from tests.cli.conftest import Cli, cli  # noqa: F401
from tests.cli.test_import import RUST_BLOG, write
from tests.make import OPERATIONS, Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod

NDJSON = "application/x-ndjson"
POST = """+++
title = "Rye {number}"
date = 20{number:02}-05-01
authors = ["Grace", "Ada"]
aliases = ["/old/{number}.html", "older-{number}"]
+++
Dark, no. {number}.
"""


class Api:
    """The two routes, called with a token."""

    def __init__(self, client: FlaskClient, secret: str) -> None:
        self._client, self._headers = client, {"Authorization": f"Bearer {secret}"}

    def out(self) -> bytes:
        """Returns the export."""
        response = self._client.get("/export", headers=self._headers)
        assert (response.status_code, response.content_type) == (200, NDJSON)
        assert "Content-Length" not in response.headers
        return response.data

    def move_in(self, body: bytes, query: str = "", **headers: str) -> tuple[int, dict[str, Any]]:
        """Imports a body, and returns the status and what the response has."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {**self._headers, "Content-Type": NDJSON, **named}
        response = self._client.post(f"/import{query}", data=body, headers=given)
        return response.status_code, response.json

    def rename(self, name: str) -> int:
        """Uses up one write."""
        return self._client.patch("/project", json={"name": name}, headers=self._headers).status_code


def client_of(project: Project) -> FlaskClient:
    settings = ServerSettings(mongodb_uri="mongodb://unused", rate_limit=0)
    return create_app(settings, project.store, ALL).test_client()


def api_of(project: Project, **token: Any) -> Api:
    return Api(client_of(project), project.token(**token).secret)


def moved_site(project: Project) -> dict[str, Any]:
    """Returns what a website gets of a project: dates, authors, categories and redirects."""
    ctx = project.context()
    everybody = OPERATIONS["list_members"](ctx, fields={"limit": 500, "offset": 0}).body
    members = {one["id"]: one["name"] for one in everybody}
    rows = ctx.store[Publications].after(project.id, None, limit=1_000)
    return {
        "posts": {row["slug"]: (row["publishedAt"].date(), members.get(row["authorId"] or "")) for row in rows},
        "redirects": {one.from_: one.to for one in read_redirects(ctx, None)},
    }


@pytest.fixture
def site(cli: Cli, project: Project, tmp_path: Path) -> Project:  # noqa: F811
    """A project into which a folder of posts was imported."""
    for name in ("Ada", "Grace"):
        OPERATIONS["create_member"](project.context(), fields={"name": name})
    for number in range(1, 13):
        write(tmp_path, f"rye-{number}.md", POST.format(number=number))
    report = json.loads(cli("import", "--project", project.id, tmp_path, "--publish", "--json").stdout)
    assert (report["published"], report["refused"]) == (12, {})
    return project


@pytest.mark.contract("decided-import.http")
def test_a_site_moves_out_and_in_byte_for_byte_with_dates_authors_and_redirects(
    site: Project, fresh_store: Store
) -> None:
    there = a_project(fresh_store, name="Another")
    lines = api_of(site).out()

    status, report = api_of(there).move_in(lines)

    assert (status, report["documents"], report["members"]) == (200, 12, 2)
    assert "name" in report["settings"]
    assert api_of(there).out() == lines == b"".join(export_lines(there.store, there.id))
    found = moved_site(there)
    assert found == moved_site(site)
    assert {author for _, author in found["posts"].values()} == {"Grace"}
    assert found["posts"]["rye-7"][0].isoformat() == "2007-05-01"
    old = [(old.format(n), f"rye-{n}") for n in range(1, 13) for old in ("{}.html", "older-{}")]
    assert found["redirects"] == dict(old)


@pytest.mark.slow
@pytest.mark.skipif(not RUST_BLOG.exists(), reason="the posts of the Rust blog are not beside this checkout")
def test_the_rust_blog_moves_out_and_in_byte_for_byte(cli: Cli, project: Project, fresh_store: Store) -> None:  # noqa: F811
    names = {
        name
        for file in RUST_BLOG.rglob("*.md")
        for line in re.findall(r"^authors = \[(.*)\]", file.read_text("utf-8"), re.MULTILINE)
        for name in re.findall(r'"([^"]+)"', line)
    }
    for name in sorted(names):
        OPERATIONS["create_member"](project.context(), fields={"name": name[:100]})
    report = json.loads(cli("import", "--project", project.id, RUST_BLOG, "--publish", "--json").stdout)
    there = a_project(fresh_store, name="Another")
    lines = api_of(project).out()

    status, moved = api_of(there).move_in(lines)

    assert (status, moved["documents"]) == (200, report["created"])
    assert api_of(there).out() == lines
    found = moved_site(there)
    assert found == moved_site(project)
    assert len(found["posts"]) == report["published"] > 380
    assert found["redirects"]["1.88.0"] == "Rust-1.88.0"
    assert found["posts"]["Rust-1.88.0"][0].isoformat() == "2025-06-26"
    assert found["posts"]["Rust-1.88.0"][1] == "The Rust Release Team"


def without_end(lines: bytes) -> bytes:
    return b"".join(lines.splitlines(keepends=True)[:-1])


def with_bad_line(lines: bytes) -> bytes:
    rows = lines.splitlines(keepends=True)
    return b"".join([*rows[:2], b'{"type":"member","name":""}\n', *rows[3:]])


@pytest.mark.contract("decided-import.http-refused")
@pytest.mark.parametrize(
    ("change", "headers", "status", "tag", "says"),
    [
        (without_end, {}, 422, "BadRequest", "or `GET /export`"),
        (lambda lines: lines[: len(lines) // 2], {}, 422, "BadRequest", "was cut short"),
        (lambda lines: without_end(lines) + b'{"type":"error","_tag":"InternalError"}\n', {}, 422, "BadRequest", "cut"),
        (with_bad_line, {}, 422, "BadRequest", "refused lines: 1"),
        (lambda lines: b"", {}, 422, "BadRequest", "does not begin with"),
        (lambda lines: b"\x00\xff" * 1000, {}, 422, "BadRequest", "does not begin with"),
        (lambda lines: lines, {"Content_Type": "application/json"}, 415, "UnsupportedMediaType", NDJSON),
        (gzip.compress, {"Content_Encoding": "gzip"}, 415, "UnsupportedMediaType", "as it is"),
        (lambda lines: lines, {"Idempotency_Key": ""}, 400, "HttpApiDecodeError", ""),
    ],
)
def test_a_body_that_is_no_whole_export_imports_nothing(
    site: Project, store: Store, change: Any, headers: dict[str, str], status: int, tag: str, says: str
) -> None:
    there = a_project(store, name="Another")
    before = api_of(there).out()

    found, body = api_of(there).move_in(change(api_of(site).out()), **headers)

    assert (found, body["_tag"]) == (status, tag)
    assert says in body["message"]
    assert api_of(there).out() == before


def test_refused_lines_are_named_by_their_number(site: Project, store: Store) -> None:
    _, body = api_of(a_project(store)).move_in(with_bad_line(api_of(site).out()))

    assert body["errors"][0]["field"] == "lines[3]"
    wrong = "id: Is required. createdAt: Is required. role: Is required. name: Must not be blank."
    assert body["errors"][0]["message"] == f"member: {wrong}"


def test_a_project_with_content_and_a_token_without_the_scope_are_refused(site: Project) -> None:
    lines = api_of(site).out()
    status, body = api_of(site).move_in(lines)
    assert (status, body["_tag"]) == (422, "BadRequest")
    assert "The project has documents" in body["message"]

    writer = api_of(site, scopes=[Scope.READ, Scope.WRITE, Scope.PUBLISH])
    assert writer.move_in(lines)[0] == 403
    with pytest.raises(AssertionError, match="403"):
        writer.out()


def test_a_body_over_the_limit_is_refused_before_it_is_read(project: Project) -> None:
    client = client_of(project)
    headers = {"Authorization": f"Bearer {project.token().secret}", "Content-Type": NDJSON}
    answer = client.post("/import", environ_overrides={"CONTENT_LENGTH": str(MAX_STREAM + 1)}, headers=headers)

    assert (answer.status_code, answer.json["_tag"]) == (413, "PayloadTooLarge")
    assert f"{MAX_STREAM:,}" in answer.json["message"]


def test_a_dry_run_says_the_same_and_imports_nothing(site: Project, store: Store) -> None:
    there, lines = a_project(store, name="Another"), api_of(site).out()
    before = api_of(there).out()

    dry = api_of(there).move_in(lines, "?dryRun=true")

    assert api_of(there).out() == before
    assert dry == api_of(there).move_in(lines)


def test_an_import_that_is_sent_again_under_its_key_is_answered_again(site: Project, store: Store) -> None:
    there, lines = api_of(a_project(store)), api_of(site).out()
    key = {"Idempotency_Key": "move-1"}

    assert there.move_in(lines, **key) == there.move_in(lines, **key)
    assert there.move_in(lines + b"\n", **key)[1]["_tag"] == "IdempotencyMismatch"


def test_an_import_counts_once_towards_the_budget_and_needs_one(site: Project, store: Store) -> None:
    lines = api_of(site).out()
    used_up, there = a_project(store, name="One"), a_project(store, name="Two")
    one = api_of(used_up, budget={"writesPerHour": 1, "publishesPerDay": None})
    assert one.move_in(with_bad_line(lines))[0] == 422
    assert one.move_in(lines)[0] == 200
    two, before = api_of(there, budget={"writesPerHour": 1, "publishesPerDay": None}), api_of(there).out()
    assert two.rename("Two again") == 200
    assert two.move_in(lines)[1]["_tag"] == "BudgetExceeded"
    assert api_of(there).out() != before
    assert b'"type":"document"' not in api_of(there).out()


def test_an_import_that_others_stop_says_what_stands(project: Project, store: Store) -> None:
    ctx = project.context()
    OPERATIONS["create_member"](ctx, fields={"name": "Ada", "email": "ada@example.org"})
    pieces = [{"key": str(number), "title": f"Rye {number}", "markdown": "Dark."} for number in range(400)]
    OPERATIONS["plan_documents"](ctx, fields={"pieces": pieces})
    lines, other = list(export_lines(store, project.id)), a_project(store, name="Another")

    def interrupted() -> Iterator[bytes]:
        yield from lines[:BATCH_LINES]
        a_document(other.context(), title="Rye 399")
        yield from lines[BATCH_LINES:]

    with pytest.raises(ImportStopped) as stopped:
        import_lines(Context(store, system(other.id, other.team_id), Channel.CLI), interrupted())

    body = stopped.value.body()
    assert body["lines"] % BATCH_LINES == 0
    stand = OPERATIONS["list_documents"](other.context(), fields={"limit": 500, "offset": 0, "sort": "title"}).body
    assert body["documents"] == len(stand) - 1
    assert f"{body['lines']:,} lines" in body["message"]


def test_an_export_of_a_project_that_is_asked_for_by_head_sends_nothing(project: Project) -> None:
    client = client_of(project)
    headers = {"Authorization": f"Bearer {project.token().secret}"}
    for _ in range(10):  # more than may run at a time
        answer = client.head("/export", headers=headers)
        assert (answer.status_code, answer.data) == (200, b"")
    assert orjson.loads(client.get("/export", headers=headers).data.splitlines()[-1])["type"] == "end"


@contextmanager
def full_disk() -> Iterator[None]:
    """Lets this process write files of at most 4 KB; a longer one fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_of_the_server_is_no_bug(site: Project, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    lines, there = api_of(site).out(), api_of(a_project(store, name="Another"))
    client, headers = client_of(site), {"Authorization": f"Bearer {site.token().secret}"}
    with full_disk():
        moved = there.move_in(lines)
        out = client.get("/export", headers=headers)

    for status, body in (moved, (out.status_code, out.json)):
        assert (status, body["_tag"]) == (503, "ServiceUnavailable")
        assert body["message"] == "The server's disk is full: try again later, with the same idempotency key."
    assert out.headers["Retry-After"]
    assert capsys.readouterr().err.count('"reason":"[Errno 27] File too large"') == 2
    assert there.move_in(lines)[0] == 200
