"""`/media/`: pictures for whoever has their address."""

import hashlib
import re
import threading
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.images.pictures import a_picture, an_animation
from tests.images.steps import Pictures

pytestmark = pytest.mark.needs_mongod


@pytest.mark.contract("decided-pictures.media")
def test_a_picture_is_public_and_cached_for_ever(pictures: Pictures) -> None:
    image = pictures.upload()
    response = pictures.media(image)

    assert response.status_code == 200
    assert hashlib.sha256(response.data).hexdigest() == image["sha256"]
    assert {name: response.headers[name] for name in response.headers.keys() & EXPECTED.keys()} == EXPECTED
    assert response.headers["ETag"] == f'"{image["sha256"]}"'
    assert pictures.media(image, If_None_Match=response.headers["ETag"]).status_code == 304
    assert re.fullmatch("[a-z2-7]{26}", image["key"])


EXPECTED = {
    "Content-Type": "image/png",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Accept-Ranges": "bytes",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}


@pytest.mark.contract("decided-pictures.media")
def test_head_has_the_headers_and_no_body(pictures: Pictures) -> None:
    image = pictures.upload()
    response = pictures.rest.client.head("/media/" + image["url"].partition("/media/")[2])

    assert (response.status_code, response.data) == (200, b"")
    assert response.headers["Content-Length"] == str(image["bytes"])


@pytest.mark.contract("decided-pictures.ranges")
@pytest.mark.parametrize(
    ("wanted", "status", "part"),
    [
        ("bytes=0-9", 206, slice(0, 10)),
        ("bytes=10-", 206, slice(10, None)),
        ("bytes=-7", 206, slice(-7, None)),
        ("bytes=0-99999999999999999999", 206, slice(None)),
        ("bytes=99999999-", 416, None),
        ("bytes=5-2", 200, slice(None)),
        ("bytes=0-1,3-4", 200, slice(None)),
        ("bytes=" + ",".join("0-0" for _ in range(1_500)), 200, slice(None)),
        ("pages=1-2", 200, slice(None)),
        ("nonsense", 200, slice(None)),
        ("bytes=--1", 200, slice(None)),
        ("bytes=-0", 200, slice(None)),
    ],
)
def test_a_part_is_sent_and_a_strange_range_is_ignored(
    pictures: Pictures, wanted: str, status: int, part: slice | None
) -> None:
    image = pictures.upload()
    whole = pictures.media(image).data
    response = pictures.media(image, Range=wanted)

    assert response.status_code == status
    assert response.data == (whole[part] if part else b"")
    if status == 416:
        assert response.headers["Content-Range"] == f"bytes */{len(whole)}"
    if status == 206:
        assert response.headers["Content-Length"] == str(len(response.data))


@pytest.mark.contract("decided-pictures.ranges")
def test_a_part_of_another_file_is_not_sent(pictures: Pictures) -> None:
    image = pictures.upload()

    assert pictures.media(image, Range="bytes=0-9", If_Range='"another"').status_code == 200
    assert pictures.media(image, Range="bytes=0-9", If_Range=f'"{image["sha256"]}"').status_code == 206


@pytest.mark.contract("decided-pictures.widths")
def test_each_width_is_delivered_as_webp(pictures: Pictures) -> None:
    image = pictures.upload(a_picture("JPEG", (2_000, 1_000)))

    assert image["widths"] == [320, 640, 960, 1280, 1920]
    for width in image["widths"]:
        found = Image.open(BytesIO(pictures.media(image, f"?w={width}").data))
        assert (found.format, found.size) == ("WEBP", (width, width // 2))


@pytest.mark.contract("decided-pictures.widths")
@pytest.mark.parametrize("query", ["0", "1", "321", "2560", "700", "-320", "320.0", "x", "", "999999999999", "٣٢٠"])
def test_any_other_width_is_404(pictures: Pictures, query: str) -> None:
    response = pictures.media(pictures.upload(), f"?w={query}")

    assert (response.status_code, response.headers["Cache-Control"]) == (404, "no-store")


@pytest.mark.contract("decided-pictures.widths")
def test_a_width_of_an_animation_is_made_once_however_many_ask(pictures: Pictures) -> None:
    image = pictures.upload(an_animation("GIF", 12))
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(pictures.media(image, "?w=320").status_code)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = pictures.project.store.database["imageFiles.files"].count_documents({"filename": image["key"]})

    assert set(answers) <= {200, 503}
    assert pictures.media(image, "?w=320").status_code == 200
    assert stored == 2


@pytest.mark.contract("decided-pictures.addresses")
def test_the_key_alone_decides(pictures: Pictures) -> None:
    image = pictures.upload()
    pictures.rest.patch(f"/images/{image['id']}", {"name": "Another"})
    client = pictures.rest.client

    assert pictures.rest.get(f"/images/{image['id']}").json["url"].endswith("/another.png")
    for name in ("loaf.png", "another.png", "whatever.exe"):
        assert client.get(f"/media/{image['key']}/{name}").status_code == 200
    for key in ("a" * 26, image["key"].upper(), image["key"][:-1], f"{image['key']}a", "..", "%00" * 26):
        assert client.get(f"/media/{key}/loaf.png").status_code == 404


@pytest.mark.contract("decided-pictures.media")
def test_a_deleted_picture_is_gone(pictures: Pictures) -> None:
    image: Any = pictures.upload()
    assert pictures.rest.delete(f"/images/{image['id']}").status_code == 200

    assert pictures.media(image).status_code == 404
    assert pictures.media(image, "?w=320").status_code == 404
    assert pictures.project.store.database["imageFiles.files"].count_documents({"filename": image["key"]}) == 0
    assert pictures.rest.get(f"/images/{image['id']}").status_code == 404
