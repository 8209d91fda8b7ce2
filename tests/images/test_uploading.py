"""Uploading pictures, and what becomes of a stranger's file."""

import base64
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from PIL import Image

from app.core.vocabulary import Scope
from app.projects.store import Projects
from tests.images.pictures import SECRET, a_bomb, a_picture, an_animation, with_metadata
from tests.make import Project
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def upload(rest: Rest, data: bytes, kind: str = "image/png", query: str = "", **headers: str) -> Any:
    """Sends a file as the body."""
    sent = {"Authorization": f"Bearer {rest.token.secret}", **headers}
    return rest.client.post(f"/images{query}", data=data, content_type=kind, headers=sent)


def stored(rest: Rest, image: dict[str, Any]) -> bytes:
    """Returns the file that is delivered."""
    found: bytes = rest.client.get(image["url"].partition("localhost")[2]).data
    return found


@pytest.mark.contract("decided-pictures.upload")
@pytest.mark.parametrize(
    ("sent", "becomes"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("WEBP", "image/webp"),
        ("GIF", "image/webp"),
        ("AVIF", "image/webp"),
    ],
)
def test_a_picture_is_stored_as_it_was_sent_or_as_webp(rest: Rest, sent: str, becomes: str) -> None:
    response = upload(rest, a_picture(sent), f"image/{sent.lower()}", "?name=Loaf.png&alt=A%20loaf")
    image = response.json

    assert response.status_code == 201, response.text
    assert response.headers["Location"] == f"/images/{image['id']}"
    assert (image["name"], image["alt"], image["type"]) == ("Loaf.png", "A loaf", becomes)
    assert (image["width"], image["height"], image["widths"]) == (700, 400, [320, 640])
    assert image["url"].endswith(f"/media/{image['key']}/loaf.{becomes.partition('/')[2].replace('jpeg', 'jpg')}")
    assert len(stored(rest, image)) == image["bytes"]


@pytest.mark.contract("decided-pictures.kinds")
def test_the_bytes_decide_what_a_picture_is(rest: Rest) -> None:
    assert upload(rest, a_picture("JPEG"), "image/png").json["type"] == "image/jpeg"
    for kind in ("image/svg+xml", "text/html", "application/octet-stream", "image/bmp"):
        refused = upload(rest, a_picture(), kind)
        assert (refused.status_code, refused.json["_tag"]) == (415, "UnsupportedMediaType")


@pytest.mark.contract("decided-pictures.damaged")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b"<!doctype html><script>alert(1)</script>",
        b"GIF89a/*\x00\x00*/=1;alert(1)",
        b"%PDF-1.7",
        b"#define x_width 1\n#define x_height 1\nstatic char x_bits[] = {0};",
        a_picture("PNG")[:900],
        a_picture("JPEG")[:2_000],
        a_picture("WEBP")[:500],
        a_picture("GIF")[:3_000],
        a_picture("BMP"),
        a_picture("TIFF"),
        a_picture("ICO", (64, 64)),
    ],
    ids=range(14),
)
def test_what_is_no_picture_is_refused(rest: Rest, data: bytes) -> None:
    for kind in ("image/png", "image/gif"):
        refused = upload(rest, data, kind)
        assert refused.status_code == 422, refused.text
        assert [problem["field"] for problem in refused.json["errors"]] == ["body"]
    assert rest.get("/images").json == []


@pytest.mark.contract("decided-pictures.bombs")
@pytest.mark.parametrize("size", [(50_001, 1_000), (60_000, 60_000), (2_000_000_000, 2), (7_072, 7_071)])
def test_a_bomb_is_refused_before_it_is_decoded(rest: Rest, size: tuple[int, int]) -> None:
    refused = upload(rest, a_bomb(*size))

    assert refused.status_code == 422
    assert "50,000,000 pixels" in refused.json["errors"][0]["message"]


@pytest.mark.contract("decided-pictures.bombs")
def test_too_many_frames_are_refused(rest: Rest) -> None:
    refused = upload(rest, an_animation("GIF", 501, (9, 9)), "image/gif")

    assert refused.status_code == 422
    assert "500 frames" in refused.json["errors"][0]["message"]


@pytest.mark.contract("decided-pictures.metadata")
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_metadata_and_what_follows_the_end_is_removed(rest: Rest, kind: str) -> None:
    image = upload(rest, with_metadata(kind), f"image/{kind.lower()}").json

    for address in (image["url"], image["url"] + "?w=320"):
        data = rest.client.get(address.partition("localhost")[2]).data
        assert SECRET not in data
        assert b"script" not in data
        assert b"Exif" not in data
        assert dict(Image.open(BytesIO(data)).getexif()) == {}


@pytest.mark.contract("decided-pictures.metadata")
@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "AVIF"])
def test_an_animation_keeps_its_frames_and_moves_in_every_width(rest: Rest, kind: str) -> None:
    sent = an_animation(kind) + b"<script>"
    image = upload(rest, sent, f"image/{kind.lower()}").json
    data = stored(rest, image)
    small = Image.open(BytesIO(rest.client.get(image["url"].partition("localhost")[2] + "?w=320").data))

    assert image["type"] == f"image/{kind.lower()}"
    assert b"<script>" not in data
    assert Image.open(BytesIO(data)).n_frames == 4  # type: ignore[attr-defined]
    assert (small.format, small.size, small.n_frames) == ("WEBP", (320, 240), 4)  # type: ignore[attr-defined]


@pytest.mark.contract("decided-pictures.metadata")
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_its_exif_says(rest: Rest, orientation: int) -> None:
    image = upload(rest, with_metadata("JPEG", orientation=orientation), "image/jpeg").json

    assert (image["width"], image["height"]) == ((400, 700) if orientation > 4 else (700, 400))
    assert Image.open(BytesIO(stored(rest, image))).size == (image["width"], image["height"])


@pytest.mark.contract("decided-pictures.same")
def test_the_same_file_gives_the_picture_that_is_there(rest: Rest) -> None:
    sent = with_metadata("JPEG", orientation=6)
    first = upload(rest, sent, "image/jpeg", "?name=one")
    again = upload(rest, sent, "image/jpeg", "?name=two")
    as_stored = upload(rest, stored(rest, first.json), "image/jpeg")

    assert (first.status_code, again.status_code, as_stored.status_code) == (201, 200, 200)
    assert first.json == again.json == as_stored.json
    assert rest.get("/images?count=true").headers["Total-Count"] == "1"


@pytest.mark.contract("decided-pictures.same")
def test_a_replay_under_a_key_stores_nothing_and_a_deleted_picture_can_be_sent_again(rest: Rest) -> None:
    first = upload(rest, a_picture(), **{"Idempotency-Key": "one"})
    again = upload(rest, a_picture(), **{"Idempotency-Key": "one"})
    other = upload(rest, a_picture(seed=1), **{"Idempotency-Key": "one"})

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert other.json["_tag"] == "IdempotencyMismatch"
    assert rest.delete(f"/images/{first.json['id']}").status_code == 200
    assert upload(rest, a_picture()).status_code == 201


@pytest.mark.contract("decided-pictures.dry-run")
def test_a_dry_run_stores_nothing(rest: Rest, project: Project) -> None:
    tried = upload(rest, a_picture(seed=77), query="?dryRun=true")
    files = project.store.database["imageFiles.files"].count_documents({"filename": tried.json["key"]})

    assert (tried.status_code, tried.headers["Dry-Run"]) == (201, "true")
    assert (rest.get("/images").json, files) == ([], 0)


@pytest.mark.contract("decided-pictures.sources")
@pytest.mark.parametrize("body", [{}, {"name": "x"}, {"url": "https://a.example/b.png", "data": "aGk="}])
def test_exactly_one_source_is_sent(rest: Rest, body: Any) -> None:
    assert rest.post("/images", body).status_code == 400


@pytest.mark.contract("decided-pictures.sources")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"data": "a" * 1_048_577}, "data"),
        ({"data": "not base64!"}, "data"),
        ({"data": base64.b64encode(b"<svg/>").decode()}, "data"),
        ({"url": "ftp://a.example/b.png"}, "url"),
        ({"url": "http://a.example/b.png"}, "url"),
        ({"url": "https://127.0.0.1/b.png"}, "url"),
        ({"url": "https://169.254.169.254/latest"}, "url"),
        ({"url": "https://[::1]/b.png"}, "url"),
        ({"url": "https://user:secret@a.example/b.png"}, "url"),
        ({"url": "https://[broken/b.png"}, "url"),
        ({"url": "https://nowhere.invalid/b.png"}, "url"),
    ],
    ids=str,
)
def test_what_can_not_be_taken_from_a_source_is_refused(rest: Rest, body: Any, field: str) -> None:
    refused = rest.post("/images", body)

    assert refused.status_code == 422, refused.text
    assert [problem["field"] for problem in refused.json["errors"]] == [field]


@pytest.mark.contract("decided-pictures.hosts")
def test_an_agent_fetches_only_from_the_hosts_of_the_setting(app: Flask, project: Project, rest: Rest) -> None:
    url = "https://pictures.invalid/b.png"
    agent = rest.by(project.token(agent="writer"))

    assert "imageHosts" in agent.post("/images", {"url": url}).text
    assert "imageHosts" not in rest.post("/images", {"url": url}).text
    over_mcp = Agent(app.test_client(), rest.token)
    assert "imageHosts" in str(over_mcp.refused("upload_image", url=url))
    assert rest.patch("/project", {"imageHosts": ["pictures.invalid"]}).json["imageHosts"] == ["pictures.invalid"]
    assert "imageHosts" not in agent.post("/images", {"url": url}).text
    assert rest.patch("/project", {"imageHosts": ["a.example"] * 21}).status_code in (400, 422)
    assert rest.patch("/project", {"imageHosts": ["HTTPS://x"]}).status_code == 422


@pytest.mark.contract("decided-pictures.mcp")
def test_an_agent_uploads_base64(app: Flask, project: Project) -> None:
    agent = Agent(app.test_client(), project.token())
    image = agent.call("upload_image", data=base64.b64encode(a_picture()).decode(), name="Loaf", alt="A loaf")

    assert (image["name"], image["alt"], image["width"]) == ("Loaf", "A loaf", 700)


@pytest.mark.contract("decided-pictures.upload")
def test_a_reader_uploads_nothing(rest: Rest, project: Project) -> None:
    assert upload(rest.by(project.token(scopes=[Scope.READ])), a_picture()).status_code == 403


@pytest.mark.contract("decided-pictures.upload")
@pytest.mark.parametrize("query", [f"?name={'n' * 201}", f"?alt={'a' * 501}", "?dryrun=true"])
def test_a_query_that_is_wrong_is_refused(rest: Rest, query: str) -> None:
    assert upload(rest, a_picture(), query=query).status_code == 400


@pytest.mark.contract("decided-pictures.upload")
def test_a_project_has_at_most_20_000_pictures(rest: Rest, project: Project) -> None:
    project.store[Projects].count_up(project.id, "images", 20_000, 19_999)

    assert upload(rest, a_picture(seed=1)).status_code == 201
    refused = upload(rest, a_picture(seed=2))
    assert (refused.status_code, [one["field"] for one in refused.json["errors"]]) == (422, ["body"])
    assert "20,000 pictures" in refused.json["errors"][0]["message"]


def test_the_etag_of_a_picture_guards_a_write_as_it_was_read_until_the_picture_changes(rest: Rest) -> None:
    path = f"/images/{upload(rest, a_picture()).json['id']}"
    tag = rest.get(path).headers["ETag"]

    first, again = (rest.patch(path, {"alt": alt}, If_Match=tag) for alt in ("A loaf.", "Rye."))

    assert (first.status_code, again.status_code) == (200, 412)
