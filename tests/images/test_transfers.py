"""Pictures in exports, in imports of projects and of folders, and the command that deletes unused ones."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.core.context import Context, system, this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.vocabulary import Channel, TokenKind
from app.transfers.operations import check_import, export_lines, import_lines
from tests.cli.conftest import Cli, cli  # noqa: F401
from tests.images.pictures import a_picture
from tests.images.steps import Pictures
from tests.make import Project, a_project, an_app
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def imported(store: Store, lines: list[bytes]) -> Pictures:
    """Imports an export into a new project."""
    project = a_project(store)
    ctx = Context(store, system(project.id, project.team_id), Channel.CLI)
    assert check_import(ctx, lines).refused == []
    import_lines(ctx, lines)
    return Pictures(Rest(an_app(store).test_client(), project.token()), project)


@pytest.mark.contract("decided-pictures.export")
def test_an_export_has_each_picture_once_and_an_import_takes_it_back(
    pictures: Pictures, store: Store, fresh_store: Store
) -> None:
    image = pictures.upload(alt="A loaf")
    document = pictures.document(f"![]({image['url']}) ![]({image['url']})", coverImageUrl=image["url"])
    pictures.publish(document)
    pictures.project.store[Outboxes].publish_all(pictures.project.id)
    lines = list(export_lines(store, pictures.project.id))
    there = imported(fresh_store, lines)

    assert [orjson.loads(line)["type"] for line in lines].count("image") == 1
    assert there.rest.get(f"/images/{image['id']}").json["sha256"] == image["sha256"]
    assert there.media(image).data == pictures.media(image).data
    assert there.media(image, "?w=320").status_code == 200
    assert there.rest.delete(f"/images/{image['id']}").json["_tag"] == "ImageInUse"
    there.project.store[Outboxes].publish_all(there.project.id)
    assert list(export_lines(fresh_store, there.project.id)) == lines


@pytest.mark.contract("decided-pictures.export")
def test_where_keys_are_taken_addresses_are_rewritten(pictures: Pictures, store: Store) -> None:
    image = pictures.upload(alt="A loaf")
    pictures.rest.post("/members", {"name": "Ada", "imageUrl": image["url"]})
    document = pictures.document(f"![]({image['url']})", coverImageUrl=image["url"])
    pictures.publish(document)
    there = imported(store, list(export_lines(store, pictures.project.id)))
    [copy] = there.rest.get("/images").json
    [row] = there.rest.get("/documents").json

    assert copy["key"] != image["key"]
    assert copy["key"] in there.rest.get(f"/documents/{row['id']}").json["content"]
    assert copy["key"] in row["coverImageUrl"]
    assert copy["key"] in there.rest.get("/members").json[0]["imageUrl"]
    assert there.rest.get(f"/images/{copy['id']}").json["usedIn"] == [{"id": row["id"], "title": "Bread"}]
    assert copy["key"] in there.delivered(row["id"], "html coverImage { url width }")["coverImage"]["url"]


@pytest.mark.contract("decided-pictures.export")
@pytest.mark.parametrize(
    "change",
    [
        {"data": "no base64"},
        {"data": "PHN2Zy8+"},
        {"mediaType": "text/html"},
        {"width": 5},
        {"key": "short"},
        {"alt": "a" * 501},
    ],
    ids=str,
)
def test_a_picture_that_is_none_is_refused(pictures: Pictures, store: Store, change: Any) -> None:
    pictures.upload()
    lines = [orjson.loads(line) for line in export_lines(store, pictures.project.id)]
    changed = [orjson.dumps(line | change if line["type"] == "image" else line) for line in lines]
    project = a_project(store)
    ctx = Context(store, system(project.id, project.team_id), Channel.CLI)

    assert [one.what.partition(" ")[0] for one in check_import(ctx, changed).refused] == ["image"]


@pytest.mark.contract("decided-pictures.folder")
def test_a_folder_brings_its_pictures(cli: Cli, project: Project, tmp_path: Path, store: Store) -> None:  # noqa: F811
    folder = tmp_path / "posts"
    (folder / "img").mkdir(parents=True)
    (folder / "img" / "a loaf.png").write_bytes(a_picture())
    (folder / "cover.jpg").write_bytes(a_picture("JPEG", seed=1))
    (folder / "fake.png").write_bytes(b"<svg/>")
    (tmp_path / "secret.png").write_bytes(a_picture(seed=2))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    text = (
        "---\ntitle: Bread\ncover: cover.jpg\n---\n"
        '![A loaf](img/a%20loaf.png "Title")\n\n<img src="img/a%20loaf.png" alt="x">\n\n![ref][one]\n\n'
        "![gone](img/gone.png) ![out](../secret.png) ![link](link.png) ![fake](fake.png)\n\n"
        "![far](https://a.example/b.png)\n\n[one]: ./img/a%20loaf.png\n"
    )
    (folder / "bread.md").write_text(text)
    tried = json.loads(cli("import", "--project", project.id, folder, "--dry-run", "--json").stdout)
    rest = Rest(an_app(store).test_client(), project.token())
    assert (tried["created"], rest.get("/images").json) == (1, [])

    report = json.loads(cli("import", "--project", project.id, folder, "--json").stdout)
    [document] = rest.get("/documents").json
    markdown = rest.get(f"/documents/{document['id']}").json["content"]
    cover, loaf = (
        rest.get("/images").json
        if rest.get("/images").json[0]["type"] == "image/jpeg"
        else reversed(rest.get("/images").json)
    )

    assert report["created"] == 1
    assert [one.partition(" ")[0] for one in report["missing"]["bread.md"]] == [
        "img/gone.png",
        "../secret.png",
        "link.png",
        "fake.png",
    ]
    assert markdown.count(f"/media/{loaf['key']}/a-loaf.png") == 3
    assert "![gone](img/gone.png) ![out](../secret.png)" in markdown
    assert cover["key"] in document["coverImageUrl"]
    assert loaf["alt"] in ("A loaf", "x", "ref")
    again = json.loads(cli("import", "--project", project.id, folder, "--json").stdout)
    assert (again["unchanged"], len(rest.get("/images").json)) == (1, 2)


@pytest.mark.contract("decided-pictures.addresses")
def test_a_folder_that_was_imported_elsewhere_names_no_other_server(
    cli: Cli,  # noqa: F811
    project: Project,
    tmp_path: Path,
    store: Store,
    fresh_store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "loaf.png").write_bytes(a_picture())
    (tmp_path / "bread.md").write_text("---\ntitle: Bread\ndate: 2020-01-01\ncover: loaf.png\n---\n![Loaf](loaf.png)\n")
    cli("import", "--project", project.id, tmp_path, "--publish")
    [image] = Rest(an_app(store).test_client(), project.token()).get("/images").json
    monkeypatch.setenv("PUBLIC_URL", "https://here.example")
    address, exported = f"https://here.example/media/{image['key']}/loaf.png", cli("export", "--project", project.id)
    project.store[Outboxes].publish_all(project.id)
    copy = imported(fresh_store, exported.stdout_bytes.splitlines())

    assert json.loads(cli("import", "--project", project.id, tmp_path, "--json").stdout)["unchanged"] == 1
    assert "(/media/" in exported.stdout
    for there in (Pictures(copy.rest, project), copy):
        app = an_app(there.project.store, public_url="https://here.example")
        site = Rest(app.test_client(), there.project.token(kind=TokenKind.DELIVERY))
        html, markdown = (
            site.get("/delivery/documents/bread", Accept=kind).text for kind in ("text/html", "text/markdown")
        )
        assert f'<img src="{address}" srcset="{address}?w=320 320w, ' in html
        assert f"![Loaf]({address})" in markdown
        assert f'image: "{address}"' in markdown


@pytest.mark.contract("decided-pictures.purge")
def test_the_command_deletes_unused_pictures(cli: Cli, pictures: Pictures, store: Store) -> None:  # noqa: F811
    image = pictures.upload()
    arguments = ("purge", "--images", "--project", pictures.project.id)
    assert "0 pictures" in cli(*arguments, "--dry-run").stdout
    past = this_instant() - timedelta(days=31)
    store.database.images.update_one({"key": image["key"]}, {"$set": {"usedAt": past}})

    assert "1 picture would be" in cli(*arguments, "--dry-run").stdout
    assert "1 picture was permanently deleted" in cli(*arguments, "--yes").stdout
    assert pictures.rest.get("/images").json == []


def test_an_application_without_pictures_exports_none(pictures: Pictures, store: Store) -> None:
    pictures.upload()
    bare = replace(store, features=store.features.without("images"))

    assert b'"type":"image"' not in b"".join(export_lines(bare, pictures.project.id))
