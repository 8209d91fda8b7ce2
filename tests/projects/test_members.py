"""Members as authors over HTTP: slug, bio and picture (decisions, section 21)."""

from typing import Any

import pytest

from tests.documents.steps import ok, refused

TAKEN = {"field": "slug", "message": "Another member of the project has this slug: choose another."}


def add(api: Any, name: str, **fields: Any) -> dict[str, Any]:
    """Adds a member and returns the record."""
    found: dict[str, Any] = ok(api.post("/members", {"name": name, **fields}), 201)
    return found


@pytest.mark.contract("decided-authors.slug")
@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["Ada Lovelace", "ada  lovelace", "Ada-Lovelace"], ["ada-lovelace", "ada-lovelace-2", "ada-lovelace-3"]),
        (["Ada", "Ada Lovelace", "Adam"], ["ada", "ada-lovelace", "adam"]),
        (["Žofie Bürger", "雨", "😀", "🍞"], ["zofie-buerger", "yu", "untitled", "untitled-2"]),
        (["雨" * 100, "雨" * 100], ["-".join(["yu"] * 67), "-".join(["yu"] * 66) + "-2"]),
    ],
    ids=["the same", "beginnings", "scripts", "long"],
)
def test_a_slug_is_made_from_the_name_and_nobody_else_has_it(api: Any, names: list[str], slugs: list[str]) -> None:
    assert [add(api, name)["slug"] for name in names] == slugs


@pytest.mark.contract("decided-authors.slug", "decided-authors.member")
def test_a_member_has_what_readers_learn_about_them(api: Any) -> None:
    about = {"slug": "ada", "bio": "Bakes *rye*.", "imageUrl": "https://crust.example/ada.jpg"}
    ada = add(api, "Ada Lovelace", **about)
    path = f"/members/{ada['id']}"

    assert {name: ada[name] for name in about} == about
    renamed = ok(api.patch(path, {"name": "Ada King"}))
    assert (renamed["slug"], renamed["bio"]) == ("ada", "Bakes *rye*.")
    cleared = ok(api.patch(path, {"bio": None, "imageUrl": None, "slug": "ada-king"}))
    assert (cleared["slug"], cleared["bio"], cleared["imageUrl"]) == ("ada-king", None, None)
    assert ok(api.patch(path, {"bio": ""}))["bio"] is None
    assert ok(api.get("/members")) == [cleared]


@pytest.mark.contract("decided-authors.slug")
def test_a_slug_that_another_member_has_is_refused_and_that_of_one_who_left_is_free(api: Any) -> None:
    ada, bea = add(api, "Ada"), add(api, "Bea")

    assert refused(api.post("/members", {"name": "Cleo", "slug": "ada"}), "BadRequest")["errors"] == [TAKEN]
    assert refused(api.patch(f"/members/{bea['id']}", {"slug": "ada"}), "BadRequest")["errors"] == [TAKEN]
    assert ok(api.patch(f"/members/{ada['id']}", {"slug": "ada", "name": "Ada King"}))["slug"] == "ada"
    ok(api.delete(f"/members/{ada['id']}"))
    assert add(api, "Ada")["slug"] == "ada"


@pytest.mark.contract("decided-authors.member")
@pytest.mark.parametrize(
    ("fields", "tag"),
    [
        ({"bio": "x" * 1_001}, "HttpApiDecodeError"),
        ({"slug": None}, "HttpApiDecodeError"),
        ({"slug": "a" * 201}, "HttpApiDecodeError"),
        ({"imageUrl": "https://a.example/" + "a" * 2_000}, "HttpApiDecodeError"),
        ({"slug": ""}, "BadRequest"),
        ({"slug": "Ada"}, "BadRequest"),
        ({"slug": "ada/king"}, "BadRequest"),
        ({"imageUrl": "javascript:alert(1)"}, "BadRequest"),
        ({"imageUrl": "/media/a.png"}, "BadRequest"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_what_does_not_fit_is_refused(api: Any, fields: dict[str, Any], tag: str) -> None:
    ada = add(api, "Ada", bio="x" * 1_000)

    refused(api.patch(f"/members/{ada['id']}", fields), tag)
    refused(api.post("/members", {"name": "Bea", **fields}), tag)
    assert ok(api.get("/members")) == [ada]
