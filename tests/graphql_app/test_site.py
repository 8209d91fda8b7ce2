"""The example site is built from the delivery API as its users would do it, drafts and all."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import feedparser
import html5lib
import pytest
from flask import Flask

from tests.graphql_app.client import delivery_token, published, run
from tests.live import serving
from tests.make import Project, Token, a_document, made

BUILD = Path(__file__).parents[2] / "examples" / "site" / "build.py"
BLOG = Path(os.environ.get("RUST_BLOG", Path(__file__).parents[3] / "shared" / "data" / "rust-blog" / "content"))

pytestmark = pytest.mark.needs_mongod


def built(app: Flask, token: Token, out: Path, *options: str) -> Path:
    """Builds the site in a folder and returns it."""
    environment = {**os.environ, "DELIVERY_TOKEN": token.secret, "NO_PROXY": "*"}
    with serving(app) as address:
        command = [sys.executable, BUILD, "--api", address, "--out", out, *options]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return out


@pytest.fixture
def site(project: Project) -> Project:
    """A project with 21 articles, in a category below another, and a draft."""
    run(project, "update_project", siteUrl="https://bread.example/articles/{slug}.html")
    bread = made(project.context(), "category", name="Bread", slug="bread", description="Loaves & rolls")
    rye = made(project.context(), "category", name="Rye", slug="rye", categoryId=bread["id"])
    for number in range(21):
        published(project, title=f"Loaf <{number}>", slug=f"loaf-{number}", categoryId=rye["id"])
    a_document(project.context(), title="Not yet", slug="not-yet", markdown="Soon.\n\nA secret.")
    return project


def test_a_site_has_a_page_for_every_article_and_category_and_a_feed(site: Project, app: Flask, tmp_path: Path) -> None:
    out = built(app, delivery_token(site), tmp_path / "site")

    articles = sorted(file.name for file in (out / "articles").iterdir())
    assert articles == sorted(f"loaf-{number}.html" for number in range(21))
    article = (out / "articles" / "loaf-3.html").read_text()
    assert "<h1>Loaf &lt;3&gt;</h1>" in article
    assert "<p>Flour, <em>water</em>, time.</p>" in article
    assert '<a href="../categories/bread.html">Bread</a>' in article
    assert "Loaves &amp; rolls" in (out / "categories" / "bread.html").read_text()
    assert len(feedparser.parse((out / "feed.xml").read_bytes()).entries) == 21
    for file in out.rglob("*.html"):
        text = file.read_text()
        html5lib.HTMLParser(strict=True).parse(text)
        assert "feed.xml" in text
        assert "Not yet" not in text


def test_a_preview_marks_drafts(site: Project, app: Flask, tmp_path: Path) -> None:
    out = built(app, delivery_token(site, drafts=True), tmp_path / "preview", "--preview")

    assert '<span class="mark">Draft</span>' in (out / "index.html").read_text()
    assert "A secret." not in (out / "articles" / "not-yet.html").read_text()
    assert "Preview: this copy shows drafts" in (out / "articles" / "loaf-0.html").read_text()


def test_a_preview_without_the_permission_says_what_is_missing(site: Project, app: Flask, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="drafts permission"):
        built(app, delivery_token(site), tmp_path / "preview", "--preview")


def test_a_slug_that_is_too_long_for_a_file_has_a_shorter_page_that_is_linked(
    project: Project, app: Flask, tmp_path: Path
) -> None:
    published(project, title="Cafés", slug="é" * 200)
    published(project, title="Tea houses", slug="é" * 199 + "e")

    out = built(app, delivery_token(project), tmp_path / "site")

    names = [file.name for file in (out / "articles").iterdir()]
    assert len(names) == 2
    assert max(len(name.encode()) for name in names) <= 205
    index = (out / "index.html").read_text("utf-8")
    assert all(f'href="articles/{quote(name)}"' in index for name in names)


def test_a_build_that_fails_leaves_the_old_site(site: Project, app: Flask, tmp_path: Path) -> None:
    out = built(app, delivery_token(site), tmp_path / "site")
    before = (out / "index.html").read_bytes()

    with pytest.raises(AssertionError, match="UNAUTHENTICATED"):
        built(app, replace(delivery_token(site), secret="cwd_wrong"), out)
    with pytest.raises(AssertionError):
        built(app, delivery_token(site), out, "--title", "\udcff")

    assert (out / "index.html").read_bytes() == before
    assert list(tmp_path.iterdir()) == [out]


def test_the_site_is_built_with_nothing_installed_but_its_requirements(tmp_path: Path) -> None:
    requirements = (BUILD.parent / "requirements.txt").read_text("utf-8").split()
    assert [one.partition(">")[0] for one in requirements] == ["jinja2"]

    command = [sys.executable, "-S", BUILD, "--help"]
    ended = subprocess.run(command, capture_output=True, text=True)

    assert ended.stderr == "Jinja is missing. Install it: python -m pip install -r examples/site/requirements.txt\n"


@pytest.mark.slow
@pytest.mark.skipif(not BLOG.exists(), reason="The Rust blog's articles are not there to build a site from.")
def test_the_rust_blog_is_imported_and_built(project: Project, app: Flask, mongodb_uri: str, tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("content-workflow"), "import", "--project", project.id, "--publish", BLOG]
    database = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": project.store.database.name}
    subprocess.run(command, env={**os.environ, **database}, capture_output=True, text=True)

    out = built(app, delivery_token(project), tmp_path / "site")

    assert len(list((out / "articles").iterdir())) > 380
    assert "Announcing Rust" in (out / "index.html").read_text()
