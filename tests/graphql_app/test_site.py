"""The example site is built from the delivery API as its users would do it, drafts and all."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
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

from app.changes.cursors import ChangesCursor
from app.core.store.store import Store
from tests.graphql_app.client import delivery_token, published, republish, run
from tests.images.pictures import a_picture
from tests.live import free_port, serving, slowdown, until
from tests.make import OPERATIONS, Project, Token, a_document, a_project, made

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


def test_a_site_says_what_it_is_about_only_where_that_is_given(out: Path) -> None:
    page = (out / "index.html").read_text("utf-8")

    assert ("magazine" in page, 'content=""' in page, "<br></p>" in page) == (False, False, False)


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
    assert changed == set()


def asked(app: Flask, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of all requests from now on."""
    paths: list[str] = []
    answer = app.wsgi_app

    def note(environ: Any, start_response: Any) -> Any:
        paths.append(environ["PATH_INFO"])
        return answer(environ, start_response)

    monkeypatch.setattr(app, "wsgi_app", note)
    return paths


def contents(out: Path) -> dict[str, bytes]:
    """The files of a site, without what it keeps for its next build."""
    files = (file for file in out.rglob("*") if file.is_file())
    return {file.relative_to(out).as_posix(): file.read_bytes() for file in files if file.name != ".kept.json"}


@pytest.mark.contract("decided-site.changes")
def test_a_build_without_changes_is_one_request_and_one_after_a_change_reads_that_document_alone(
    site: Project, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = delivery_token(site)
    out = built(app, token, tmp_path / "site")
    before, paths = contents(out), asked(app, monkeypatch)

    built(app, token, out)
    assert paths == ["/graphql"]
    assert contents(out) == before

    published(site, title="Fresh", slug="fresh")
    paths.clear()
    built(app, token, out)
    assert [path for path in paths if path.startswith("/delivery/documents/")] == ["/delivery/documents/fresh"]
    assert len(paths) == 11  # changes three times, topics, authors, redirects twice, three files, this document
    paths.clear()
    built(app, token, out)
    assert paths == ["/graphql"]


def test_a_build_that_breaks_off_at_any_request_loses_nothing(
    site: Project, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BUILD.parent))
    build = import_module("build")
    answer, left = app.wsgi_app, [100]

    def break_off(environ: Any, start_response: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            start_response("503 Service Unavailable", [("Content-Length", "0")])
            return []
        return answer(environ, start_response)

    monkeypatch.setattr(app, "wsgi_app", break_off)
    with serving(app) as address:
        api = build.Delivery(address, delivery_token(site).secret)
        watched = build.Site(api, tmp_path / "site", build.Options("T", "D", URL))
        watched.build()
        for number in range(1, 12):
            published(site, title=f"Roll {number}", slug=f"roll-{number}")
            left[0] = number
            with pytest.raises(build.HTTPError, match="503"):
                watched.build()
            watched.build()
            assert f"Roll {number}" in article(tmp_path / "site", f"roll-{number}")
        assert watched.build() == (13, 0)
        build.Site(api, tmp_path / "anew", build.Options("T", "D", URL)).build()
    assert contents(tmp_path / "site") == contents(tmp_path / "anew")


CHANGES: dict[str, Callable[[Project, str, dict[str, str]], object]] = {
    "published again": lambda site, loaf, _: republish(site, {"id": loaf}, title="A better loaf", slug="better"),
    "back at a former slug": lambda site, loaf, _: republish(site, {"id": loaf}, slug="loaf-0"),
    "a slug like the name of a file": lambda site, loaf, _: published(site, title="File", slug="loaf-0.md"),
    "another author": lambda site, loaf, ids: run(site, "update_document", loaf, authorId=ids["Grace"]),
    "an author renamed": lambda site, loaf, ids: run(site, "update_member", ids["Grace"], name="Grace H.", slug="gh"),
    "no author": lambda site, loaf, _: run(site, "update_document", loaf, authorId=None),
    "a topic renamed": lambda site, loaf, ids: run(site, "update_category", ids["Rye"], name="Roggen", slug="roggen"),
    "a topic moved": lambda site, loaf, ids: run(site, "update_category", ids["Rye"], categoryId=None),
    "another cluster": lambda site, loaf, _: run(site, "update_document", loaf, clusterId=None),
    "no address": lambda site, loaf, _: run(site, "update_project", siteUrl=None),
    "an address again": lambda site, loaf, _: run(site, "update_project", siteUrl=f"{URL}/articles/{{slug}}/"),
    "another name": lambda site, loaf, _: run(site, "update_project", name="The Loaf"),
    "unpublished": lambda site, loaf, _: run(site, "unpublish_document", loaf),
    "published once more": lambda site, loaf, _: run(site, "publish_document", loaf),
    "in the trash": lambda site, loaf, _: run(site, "delete_document", loaf),
}


@pytest.mark.contract("decided-site.changes")
def test_a_site_that_follows_changes_is_the_same_as_one_built_anew(
    site: Project, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BUILD.parent))
    build = import_module("build")
    [loaf] = run(site, "list_documents", q="loaf", limit=10, offset=0, sort="title")
    ids = {one["name"]: one["id"] for one in run(site, "list_categories", limit=10, offset=0)}
    ids["Grace"] = run(site, "create_member", name="Grace")["id"]
    with serving(app) as address:
        api = build.Delivery(address, delivery_token(site).secret)

        def files(folder: str) -> dict[str, bytes]:
            build.Site(api, tmp_path / folder, build.Options("T", "D", URL)).build()
            return contents(tmp_path / folder)

        before = files("site")
        for what, change in CHANGES.items():
            change(site, loaf["id"], ids)
            after = files("site")
            assert after != before, what
            assert after == files(what), what
            before = after


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda _: {}, id="another project"),
        pytest.param(lambda site: {"cursor": ChangesCursor(1).encode(site.id)}, id="expired"),
        pytest.param(lambda _: {"queries": []}, id="other fields"),
    ],
)
def test_a_build_with_a_cursor_that_does_not_hold_begins_anew(
    site: Project, project: Project, app: Flask, tmp_path: Path, changed: Callable[[Project], dict[str, Any]]
) -> None:
    published(project, title="Elsewhere", slug="elsewhere")
    out = built(app, delivery_token(project), tmp_path / "site")
    kept = json.loads((out / ".kept.json").read_text("utf-8"))
    (out / ".kept.json").write_text(json.dumps(kept | changed(site)), "utf-8")

    built(app, delivery_token(site), out)

    assert contents(out) == contents(built(app, delivery_token(site), tmp_path / "anew"))


@pytest.mark.contract("decided-site.example")
def test_agents_find_the_markdown_of_each_article_beside_its_page_and_all_of_them_in_llms_txt(
    site: Project, app: Flask, tmp_path: Path
) -> None:
    long = "ё" * 150
    published(site, title=r"Salt](x) \\", slug="salt", markdown="Salt.")
    published(site, title="Long", slug=long)
    published(site, title="A file", slug="salt.md")
    token = delivery_token(site)
    out = built(app, token, tmp_path / "site")

    headers = {"Authorization": f"Bearer {token.secret}", "Accept": "text/markdown"}
    served = app.test_client().get("/delivery/documents/crème", headers=headers).data
    assert (out / "articles" / "crème.md").read_bytes() == served
    assert f"canonical: {URL}/articles/cr%C3%A8me/".encode() in served.replace(b'"', b"")
    assert '<link rel="alternate" type="text/markdown" href="/articles/cr%C3%A8me.md">' in article(out, "crème")
    assert 'type="text/markdown"' not in article(out, "salt"), "this file would have the name of another folder"

    text = (out / "llms.txt").read_text("utf-8")
    addresses = re.findall(r"\]\((https://bread[^)]*)\)", text)
    assert len(addresses) == len(text.split("\n- ")) - 1 == 5
    found = {unquote(one.removeprefix(f"{URL}/")) for one in addresses}
    assert all((out / one).exists() for one in found)
    assert {"articles/crème.md", "articles/salt/", "articles/salt.md.md"} < found
    assert "/delivery/" not in text


def test_the_cover_of_an_article_has_its_description(site: Project, app: Flask, tmp_path: Path) -> None:
    ctx = replace(site.context(), file=a_picture())
    picture = OPERATIONS["upload_image"](ctx, fields={"name": "Loaf", "alt": 'A "round" loaf'}).body
    republish(site, published(site, title="With a cover", slug="with-a-cover"), coverImageUrl=f"{URL}{picture['url']}")

    out = built(app, delivery_token(site), tmp_path / "site")

    assert 'alt="A &#34;round&#34; loaf"' in article(out, "with-a-cover")


def test_the_page_of_an_author_has_their_bio_and_picture(site: Project, app: Flask, tmp_path: Path) -> None:
    [ada] = run(site, "list_members", q="Ada", limit=10, offset=0)
    run(
        site,
        "update_member",
        ada["id"],
        slug="countess",
        bio="Bakes & counts.",
        imageUrl="https://images.example/a.jpg",
    )
    out = built(app, delivery_token(site), tmp_path / "site")

    page = (out / "authors" / "countess" / "index.html").read_text("utf-8")
    assert '<p class="subtitle">Bakes &amp; counts.</p>' in page
    assert '<img class="portrait" src="https://images.example/a.jpg" alt=""' in page
    assert '<a class="author" href="/authors/countess/">Ada Lovelace</a>' in article(out, "crème")


@pytest.mark.contract("decided-sources.delivery")
def test_an_article_has_its_footnotes_a_list_of_its_sources_and_citations_for_machines(
    site: Project, app: Flask, tmp_path: Path
) -> None:
    document = a_document(site.context(), title="Cited", slug="cited", markdown="One.[^s2] Two.[^s1] Three.[^s2]")
    run(site, "add_source", document["id"], title="A <b>ook")
    web = {"title": "A page", "url": "https://page.example/", "publisher": "Mill", "publishedOn": "2024-05-01"}
    run(site, "add_source", document["id"], **web)
    run(site, "add_source", document["id"], title="Not cited")
    run(site, "publish_document", document["id"])
    out = built(app, delivery_token(site), tmp_path / "site")

    page = article(out, "cited")
    tree = html5lib.parse(page, namespaceHTMLElements=False)
    assert len(tree.findall(".//div[@class='text']/p/sup[@class='footnote-ref']")) == 3
    notes = ["".join(one.itertext()) for one in tree.findall(".//section[@class='footnotes']/ol/li")]
    assert [("A page" in note, "A <b>ook" in note) for note in notes] == [(True, False), (False, True)]
    listed = ["".join(one.itertext()) for one in tree.findall(".//section[@class='sources']/ol/li")]
    assert listed == ["A page, Mill, 2024-05-01", "A <b>ook"]
    data = json.loads(tree.find(".//script[@type='application/ld+json']").text)
    assert [one["name"] for one in data["citation"]] == ["A page", "A <b>ook"]
    assert data["citation"][0]["url"] == "https://page.example/"
    assert "[^s2]: " in (out / "articles" / "cited.md").read_text("utf-8")


@pytest.mark.parametrize("is_preview", [False, True])
def test_a_site_read_in_pages_of_one_is_that_of_one_page(
    site: Project, app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_preview: bool
) -> None:
    a_document(site.context(), title="Nor yet", slug="nor-yet", markdown="Later.")
    republish(site, published(site, slug="a"), slug="b")
    monkeypatch.syspath_prepend(str(BUILD.parent))
    build, delivery = import_module("build"), import_module("delivery")
    options = build.Options("T", "D", URL, is_preview)
    with serving(app) as address:
        api = build.Delivery(address, delivery_token(site, drafts=is_preview).secret)
        assert build.Site(api, tmp_path / "one page", options).build()[0] == (5 if is_preview else 3)
        monkeypatch.setattr(delivery, "FETCHED", 1)
        build.Site(api, tmp_path / "pages", options).build()

    assert contents(tmp_path / "pages") == contents(tmp_path / "one page")


@pytest.mark.slow
def test_texts_of_more_than_a_response_may_have_are_read_in_smaller_pages(
    project: Project, app: Flask, tmp_path: Path
) -> None:
    for number in range(9):
        published(project, title=f"Loaf {number}", markdown="word " * 400_000)

    out = built(app, delivery_token(project), tmp_path / "site")

    assert len(list((out / "articles").glob("*/index.html"))) == len(list((out / "articles").glob("*.md"))) == 9


@pytest.mark.slow
def test_a_change_is_on_the_site_in_two_seconds(site: Project, app: Flask, tmp_path: Path) -> None:
    """It asks each second, and writes the pages that a change changes alone."""
    out, options = tmp_path / "site", {"env": environment(delivery_token(site)), "stdout": subprocess.PIPE}
    with (
        serving(app) as address,
        subprocess.Popen(command(address, out, "--watch"), text=True, **options) as watching,
    ):
        try:
            assert watching.stdout
            assert "2 articles" in watching.stdout.readline()
            untouched = out / "authors" / "ada-lovelace" / "index.html"
            before = untouched.stat().st_mtime_ns
            document = published(site, title="Fresh", slug="fresh")
            took = until(lambda: (out / "articles" / "fresh" / "index.html").exists())
            assert took / slowdown() < 20, "2 seconds on a machine that does nothing else"
            run(site, "unpublish_document", document["id"])
            until(lambda: not (out / "articles" / "fresh").exists())
            assert untouched.stat().st_mtime_ns == before
        finally:
            watching.kill()


@pytest.mark.slow
def test_watching_goes_on_after_a_restart_and_ends_when_the_token_is_revoked(
    site: Project, app: Flask, tmp_path: Path
) -> None:
    token, port = delivery_token(site), free_port()
    options = {"env": environment(token), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with serving(app, port) as address:
        watching = subprocess.Popen(command(address, tmp_path, "--watch"), text=True, **options)
        try:
            assert watching.stdout
            assert watching.stderr
            assert "2 articles" in watching.stdout.readline()
        except BaseException:
            watching.kill()
            raise
    with watching:
        try:
            assert "Not built: " in watching.stderr.readline()
            published(site, title="Fresh", slug="fresh")
            with serving(app, port):
                assert "3 articles, " in watching.stdout.readline()
                run(site, "revoke_token", token.id)
                assert "The service refused: 401" in watching.stderr.readline()
                assert watching.wait(60) == 1
        finally:
            watching.kill()


@pytest.mark.parametrize("read", ["changes", "topics", "authors", "redirects", "file", "markdown"])
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

    articles = [one.name for one in (tmp_path / "articles").iterdir()]
    assert sorted(articles) == ["crust", "crème", "crème.md", "fresh", "fresh.md"]
    assert "Fresh" in (tmp_path / "topics" / "roggen" / "index.html").read_text("utf-8")
    assert "/topics/rye/" not in article(tmp_path, "crème")


def test_the_site_is_built_with_nothing_installed_but_its_requirements(tmp_path: Path) -> None:
    requirements = (BUILD.parent / "requirements.txt").read_text("utf-8").split()
    assert [one.partition(">")[0] for one in requirements] == ["jinja2"]

    ended = subprocess.run([sys.executable, "-S", BUILD, "--help"], capture_output=True, text=True)

    assert ended.stderr == "Jinja is missing. Install it: python -m pip install -r examples/site/requirements.txt\n"
