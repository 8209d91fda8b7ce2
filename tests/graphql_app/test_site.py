"""The example site is built from the delivery API as its users would do it, drafts and all."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

import feedparser
import html5lib
import pytest
from flask import Flask
from lxml import etree

from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.vocabulary import Scope
from tests.graphql_app.client import delivery_token, published, republish, run
from tests.live import serving, until
from tests.make import Project, Token, a_document, a_project, made

BUILD = Path(__file__).parents[2] / "examples" / "site" / "build.py"
URL = "https://bread.example"

pytestmark = pytest.mark.needs_mongod


def command(address: str, out: Path, *options: str) -> list[str]:
    return [sys.executable, str(BUILD), "--api", address, "--out", str(out), "--url", URL, *options]


def environment(token: Token, **more: str) -> dict[str, str]:
    return {**os.environ, "DELIVERY_TOKEN": token.secret, "NO_PROXY": "*", **more}


def built(app: Flask, token: Token, out: Path, *options: str) -> Path:
    """Builds the site in a folder and returns it."""
    with serving(app) as address:
        ended = subprocess.run(
            command(address, out, *options), env=environment(token), capture_output=True, text=True, timeout=60
        )
    assert ended.returncode == 0, ended.stderr
    return out


def article(out: Path, slug: str) -> str:
    return (out / "articles" / slug / "index.html").read_text("utf-8")


def a_site(store: Store, articles: int) -> Project:
    """A project with articles in categories of three levels and in a cluster; an author, a redirect, and a draft."""
    addresses = {"siteUrl": f"{URL}/articles/{{slug}}/", "categoryUrl": f"{URL}/topics/{{slug}}/"}
    project = a_project(store, **addresses)
    ada = run(project, "create_member", name="Ada Lovelace")["id"]
    cluster = made(project.context(), "cluster", name="Loaves")["id"]
    bread = made(project.context(), "category", name="Bread", slug="bread", description="Loaves & rolls")
    rye = made(project.context(), "category", name="Rye", slug="rye", categoryId=bread["id"])
    filed = {"categoryId": rye["id"], "clusterId": cluster}
    dark = made(project.context(), "category", name="Dark rye", slug="dark-rye", categoryId=rye["id"])
    made(project.context(), "category", name="Unused", slug="unused", categoryId=rye["id"])
    for number in range(articles - 1):
        category = filed["categoryId"] if number else dark["id"]
        published(project, title=f"Loaf <{number}>", slug=f"loaf-{number}", **{**filed, "categoryId": category})
    last = published(project, title="Crème & crust", slug="crust", **filed)
    cover = {"coverImageUrl": "https://images.example/rye.jpg", "subtitle": "Sour"}
    republish(project, last, slug="crème", authorId=ada, **cover)
    a_document(project.context(), title="Not yet", slug="not-yet", markdown="Soon.\n\nA secret.")
    return project


@pytest.fixture
def site(store: Store) -> Project:
    """A project that the test changes."""
    return a_site(store, 2)


@pytest.fixture(scope="module")
def out(store: Store, app: Flask, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of 15 articles."""
    return built(app, delivery_token(a_site(store, 15)), tmp_path_factory.mktemp("site") / "site")


def links(file: Path, out: Path) -> Iterator[tuple[str, Path | None]]:
    """Yields each address on a page, and the file that is served at it; None for another site's."""
    text = file.read_text("utf-8")
    own = f"{URL}/{file.relative_to(out).as_posix()}"
    for found in re.finditer(r'(?:href|src)="([^"]*)"|url=([^"]*)"|<loc>([^<]*)|<id>(https?:[^<]*)', text):
        address = urljoin(own, unescape(next(filter(None, found.groups()))))
        path = unquote(address.removeprefix(URL).partition("#")[0]).lstrip("/")
        page = out / path / "index.html" if path.endswith("/") or not path else out / path
        yield address, page if address.startswith(URL) else None


def test_every_link_of_every_page_of_the_feed_and_of_the_sitemap_leads_to_a_page(out: Path) -> None:
    files = [*out.rglob("*.html"), *out.glob("*.xml")]
    assert len(files) > 22
    missing = [
        (str(file), address) for file in files for address, page in links(file, out) if page and not page.exists()
    ]
    assert missing == []
    for file in out.rglob("*.html"):
        html5lib.HTMLParser(strict=True).parse(file.read_text("utf-8"))
        assert "Not yet" not in file.read_text("utf-8")
    feed = feedparser.parse((out / "feed.xml").read_bytes())
    assert [entry.link for entry in feed.entries][0] == f"{URL}/articles/cr%C3%A8me/"
    assert {link.href for link in feed.feed.links} == {f"{URL}/feed.xml", f"{URL}/"}
    locations = [one.text for one in etree.parse(out / "sitemap.xml").iter("{*}loc")]
    assert f"{URL}/topics/rye/" in locations
    assert len(locations) == 17


def test_an_article_names_its_topic_author_address_and_picture_and_what_to_read_next(out: Path) -> None:
    page = article(out, "crème")

    assert "<h1>Crème &amp; crust</h1>" in page
    assert "<p>Flour, <em>water</em>, time.</p>" in page
    for expected in (
        f'<link rel="canonical" href="{URL}/articles/cr%C3%A8me/">',
        '<meta property="og:title" content="Crème &amp; crust">',
        '<meta property="og:description" content="Flour, water, time.">',
        '<meta property="og:image" content="https://images.example/rye.jpg">',
        *('<img class="cover" src="https://images.example/rye.jpg"', '<a class="topic" href="/topics/rye/">Rye</a>'),
        *('<a class="author" href="/authors/ada-lovelace/">Ada Lovelace</a>', '<p class="subtitle">Sour</p>'),
        *('<meta name="ai-disclosure" content="human-only">', '"creativeWorkStatus": "human-only"'),
        '"digitalSourceType": "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCreation"',
    ):
        assert expected in page
    assert 'class="disclosure"' not in page
    related = page[page.index("Read next") :]
    assert [f"/articles/loaf-{number}/" in related for number in (13, 12, 11, 10)] == [True, True, True, False]


def test_there_are_pages_for_topics_authors_further_articles_and_what_is_not_there(out: Path) -> None:
    bread = (out / "topics" / "bread" / "index.html").read_text("utf-8")
    assert "Loaves &amp; rolls" in bread
    assert '<a href="/topics/rye/">Rye</a>' in bread
    assert [f'<a href="/articles/{slug}/">' in bread for slug in ("cr%C3%A8me", "loaf-0")] == [True] * 2
    tree = html5lib.parse(bread, namespaceHTMLElements=False).find(".//nav[@class='tree']")
    links = [[link.text for link in tree.findall(f"ul{'/li/ul' * depth}/li/a")] for depth in range(4)]
    assert links == [["Bread"], ["Rye"], ["Dark rye"], []]
    assert "Crème &amp; crust" in (out / "authors" / "ada-lovelace" / "index.html").read_text("utf-8")
    assert "Loaf &lt;0&gt;" in (out / "page" / "2" / "index.html").read_text("utf-8")
    assert "This page is not here" in (out / "404.html").read_text("utf-8")


def test_a_preview_shows_the_real_draft_and_what_is_not_published_yet(
    site: Project, app: Flask, tmp_path: Path
) -> None:
    [loaf] = run(site, "list_documents", q="loaf", limit=10, offset=0, sort="title")
    run(site, "write_content", loaf["id"], markdown="Better.", baseVersion=loaf["version"])
    out = built(app, delivery_token(site, drafts=True), tmp_path / "preview", "--preview")

    assert "<p>A secret.</p>" in article(out, "not-yet")
    assert '<span class="mark">Draft</span>' in article(out, "not-yet")
    assert "<p>Better.</p>" in article(out, "loaf-0")
    assert '<span class="mark">Edited</span>' in article(out, "loaf-0")
    assert "mark" not in article(out, "crème").partition("Read next")[0]
    assert "Do not publish this copy" in article(out, "crème")
    assert '<meta name="robots" content="noindex">' in article(out, "crème")


def test_a_preview_without_the_permission_says_what_is_missing(project: Project, app: Flask, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="drafts permission"):
        built(app, delivery_token(project), tmp_path / "preview", "--preview")


def test_a_site_url_with_other_addresses_stops_the_build_with_the_right_one(
    site: Project, app: Flask, tmp_path: Path
) -> None:
    run(site, "update_project", siteUrl=f"{URL}/{{slug}}")

    with pytest.raises(AssertionError, match=re.escape(f"`siteUrl` to {URL}/articles/{{slug}}/")):
        built(app, delivery_token(site), tmp_path / "site")
    assert not (tmp_path / "site").exists()
    run(site, "update_project", siteUrl=None)
    out = built(app, delivery_token(site), tmp_path / "site")
    assert not (out / "feed.xml").exists()
    assert "feed.xml" not in (out / "index.html").read_text("utf-8")


def test_a_build_that_fails_leaves_the_old_site_and_other_files_of_the_folder_stay(
    site: Project, app: Flask, tmp_path: Path
) -> None:
    out = built(app, delivery_token(site), tmp_path / "site")
    (out / "CNAME").write_text("bread.example")
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}

    with pytest.raises(AssertionError, match="401 UNAUTHORIZED: is DELIVERY_TOKEN"):
        built(app, replace(delivery_token(site), secret="cwd_wrong"), out)
    built(app, delivery_token(site), out)

    after = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}
    assert after.keys() == before.keys()
    changed = {file.name for file in after if after[file] != before[file]}
    assert changed == {".built.json"}


@pytest.mark.slow
def test_a_change_is_on_the_site_in_two_seconds(site: Project, app: Flask, tmp_path: Path) -> None:
    """The worker relays the event; the site waits for it, and writes the pages that it changes alone."""
    out, reader = tmp_path / "site", site.token(scopes=[Scope.READ])
    watched = environment(delivery_token(site), EVENTS_TOKEN=reader.secret)
    with (
        serving(app) as address,
        subprocess.Popen(command(address, out, "--watch"), env=watched, stdout=subprocess.PIPE, text=True) as watching,
    ):
        try:
            assert watching.stdout
            assert "2 articles" in watching.stdout.readline()
            untouched = out / "authors" / "ada-lovelace" / "index.html"
            before = untouched.stat().st_mtime_ns
            document = published(site, title="Fresh", slug="fresh")
            began = time.monotonic()
            site.store[Outboxes].publish_all(site.id)
            until(lambda: (out / "articles" / "fresh" / "index.html").exists(), 60)
            assert time.monotonic() - began < 20, "2 seconds on a machine that does nothing else; it waits for 25"
            run(site, "unpublish_document", document["id"])
            site.store[Outboxes].publish_all(site.id)
            until(lambda: not (out / "articles" / "fresh").exists())
            assert untouched.stat().st_mtime_ns == before
        finally:
            watching.kill()


@pytest.mark.parametrize("read", ["articles", "texts", "topics", "redirects"])
def test_a_site_shows_one_moment_while_others_publish(
    site: Project, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: str
) -> None:
    """Between two requests a document leaves the lists, another joins them, and a topic moves to another address."""
    monkeypatch.syspath_prepend(str(BUILD.parent))
    build = import_module("build")
    [loaf] = run(site, "list_documents", q="loaf", limit=10, offset=0, sort="title")
    [rye] = [one for one in run(site, "list_categories", limit=10, offset=0) if one["slug"] == "rye"]
    with serving(app) as address:
        api = build.Delivery(address, delivery_token(site).secret)
        answer = getattr(build.Delivery, read)
        changes = iter([None])

        def after_others(*args: Any, **named: Any) -> Any:
            for _ in changes:
                run(site, "unpublish_document", loaf["id"])
                run(site, "update_category", rye["id"], slug="roggen")
                published(site, title="Fresh", slug="fresh", categoryId=rye["id"])
            return answer(*args, **named)

        monkeypatch.setattr(build.Delivery, read, after_others)
        build.Site(api, tmp_path, build.Options("T", "D", URL)).build()

    assert sorted(one.name for one in (tmp_path / "articles").iterdir()) == ["crust", "crème", "fresh"]
    assert "Fresh" in (tmp_path / "topics" / "roggen" / "index.html").read_text("utf-8")
    assert "/topics/rye/" not in article(tmp_path, "crème")


def test_the_site_is_built_with_nothing_installed_but_its_requirements(tmp_path: Path) -> None:
    requirements = (BUILD.parent / "requirements.txt").read_text("utf-8").split()
    assert [one.partition(">")[0] for one in requirements] == ["jinja2"]

    ended = subprocess.run([sys.executable, "-S", BUILD, "--help"], capture_output=True, text=True)

    assert ended.stderr == "Jinja is missing. Install it: python -m pip install -r examples/site/requirements.txt\n"
