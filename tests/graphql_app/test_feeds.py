"""A site's Atom feed and sitemap: valid, complete, and not held in memory where long (decisions, section 7)."""

from io import BytesIO
from pathlib import Path
from typing import Any

import feedparser
import pytest
from bson import ObjectId
from lxml import etree

from app.core.errors import ServiceUnavailable
from app.core.store.store import Store
from app.delivery import sites
from app.delivery.site_addresses import feed_url, home_url, page_url
from app.http.responses import IN_MEMORY, PART
from app.publications.store import Publications
from tests.graphql_app.client import GraphQL, published, run
from tests.graphql_app.watched import Watched
from tests.make import Project, a_document, an_app, made

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SCHEMAS = Path(__file__).parent / "schemas"


@pytest.fixture
def site(project: Project) -> Project:
    """A project with an address."""
    run(project, "update_project", siteUrl="https://bread.example/blog")
    return project


def valid(feed: bytes, schema: str) -> etree._Element:
    """Returns a document that the standard's own schema finds valid."""
    tree = etree.parse(BytesIO(feed))
    file = SCHEMAS / schema
    rules = etree.RelaxNG(file=file) if file.suffix == ".rng" else etree.XMLSchema(file=file)
    rules.assertValid(tree)
    return tree.getroot()


def test_the_feed_lists_what_was_published_last(site: Project, graphql: GraphQL) -> None:
    category = made(site.context(), "category", name="Bread & rolls", slug="bread")["id"]
    first = published(site, title="Rye", slug="rye", markdown="It is *dark*.")
    second = published(site, title="<Spelt> & \x0bÉtoile", slug="épeautre", categoryId=category)
    a_document(site.context(), title="Draft")
    again = run(site, "publish_document", first["id"])

    answer = graphql.feed("feed")

    assert answer.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = valid(answer.data, "atom.rng")
    feed = feedparser.parse(answer.data)
    assert not feed.bozo
    assert feed.feed.title == "The Crust"
    assert feed.feed.link == "https://bread.example/blog"
    assert root.findtext(f"{ATOM}updated") > again["publishedAt"]
    spelt, rye = feed.entries
    assert (rye.title, rye.link, rye.summary) == ("Rye", "https://bread.example/blog/rye", "It is dark.")
    assert rye.published == first["publishedAt"] < rye.updated
    assert spelt.title_detail.value == "<Spelt> & Étoile"
    assert spelt.link == "https://bread.example/blog/%C3%A9peautre"
    assert (spelt.tags[0].term, spelt.tags[0].label) == ("bread", "Bread & rolls")
    assert second["slug"] == "épeautre"


def test_an_entry_keeps_its_id_when_its_slug_and_the_site_move(site: Project, graphql: GraphQL) -> None:
    document = published(site, slug="old")
    [before] = feedparser.parse(graphql.feed("feed").data).entries
    run(site, "update_document", document["id"], slug="new")
    run(site, "publish_document", document["id"])
    run(site, "update_project", siteUrl="https://other.example/{slug}.html")

    [after] = feedparser.parse(graphql.feed("feed").data).entries

    assert after.id == before.id
    assert (before.link, after.link) == ("https://bread.example/blog/old", "https://other.example/new.html")


def test_an_empty_feed_and_an_empty_sitemap_are_valid(site: Project, graphql: GraphQL) -> None:
    valid(graphql.feed("feed").data, "atom.rng")
    assert len(etree.fromstring(graphql.feed("sitemap").data)) == 0


def test_the_sitemap_lists_every_page_that_is_delivered(site: Project, graphql: GraphQL) -> None:
    published(site, slug="rye")
    document = published(site, slug="spelt")
    run(site, "update_document", document["id"], slug="not-yet")
    a_document(site.context(), slug="draft")

    answer = graphql.feed("sitemap")

    assert answer.headers["Content-Type"] == "application/xml; charset=utf-8"
    root = valid(answer.data, "sitemap.xsd")
    assert [url.findtext(f"{SITEMAP}loc") for url in root] == [
        "https://bread.example/blog/spelt",
        "https://bread.example/blog/rye",
    ]


@pytest.mark.parametrize("name", ["feed", "sitemap"])
def test_feeds_have_tags_that_every_change_of_them_changes(site: Project, graphql: GraphQL, name: str) -> None:
    published(site)
    tag = graphql.feed(name).headers["ETag"]
    again = graphql.feed(name, {"If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert again.headers["Cache-Control"] == "private, max-age=0, must-revalidate"
    assert again.headers["Vary"] == "Authorization"
    seen = {tag}
    for change in (
        lambda: published(site, title="Another"),
        lambda: run(site, "update_project", siteUrl="https://other.example"),
    ):
        change()
        answer = graphql.feed(name, {"If-None-Match": tag})
        assert answer.status_code == 200
        seen.add(answer.headers["ETag"])
    assert len(seen) == 3


@pytest.mark.parametrize("name", ["feed", "sitemap"])
def test_feeds_need_a_delivery_token_and_a_site(project: Project, graphql: GraphQL, name: str) -> None:
    assert graphql.client.get(f"/delivery/{name}.xml").status_code == 401
    assert graphql.by(project.token()).feed(name).status_code == 401

    answer = graphql.feed(name)

    assert (answer.status_code, answer.json["_tag"]) == (422, "BadRequest")
    assert "siteUrl" in answer.json["message"]


@pytest.mark.parametrize("limit", ["0", "50001", "x", "-1"])
def test_a_feed_of_a_length_that_is_none_is_refused(site: Project, graphql: GraphQL, limit: str) -> None:
    assert graphql.feed("feed", limit=limit).status_code == 400


def test_a_feed_lists_the_parameters_that_it_ignored_or_refuses_them(site: Project, graphql: GraphQL) -> None:
    for name, ignored in (("feed", '"?limi";did-you-mean="limit"'), ("sitemap", '"?limi"')):
        assert graphql.feed(name, limi=1).headers["Ignored-Fields"] == ignored
        assert graphql.feed(name, {"Prefer": "handling=strict"}, limi=1).status_code == 400
        assert "Ignored-Fields" not in graphql.feed(name).headers


def test_strict_handling_lists_all_that_is_wrong_with_a_feeds_parameters(site: Project, graphql: GraphQL) -> None:
    refused = graphql.feed("feed", {"Prefer": "handling=strict"}, limit="x", foo=1)

    assert (refused.status_code, refused.headers["Preference-Applied"]) == (400, "handling=strict")
    assert [issue["path"] for issue in refused.json["issues"]] == ["foo", "limit"]


def many_published(site: Project, number: int) -> None:
    """Adds publications, all like one but for the slug."""
    publications = site.store.database.publications
    row = publications.find_one({"_id": ObjectId(published(site)["id"])})
    publications.insert_many(
        [{**row, "_id": ObjectId(), "slug": f"s{number}"} for number in range(number)], ordered=False
    )


@pytest.mark.needs_mongod
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "tag", "number"), [("feed", f"{ATOM}entry", 3_500), ("sitemap", f"{SITEMAP}url", 12_000)]
)
def test_thousands_of_documents_are_read_in_batches_and_sent_in_parts(
    site: Project, graphql: GraphQL, watched: Watched, name: str, tag: str, number: int
) -> None:
    many_published(site, number)
    headers = {"Authorization": f"Bearer {graphql.token.secret}"}

    answer = watched.app.test_client().get(f"/delivery/{name}.xml?limit=50000", headers=headers)

    parts = list(answer.iter_encoded())
    assert max(map(len, parts)) == PART
    assert sum(map(len, parts)) == answer.content_length > IN_MEMORY
    assert len(etree.fromstring(b"".join(parts)).findall(tag)) == number + 1
    assert batches(watched) == (number + 1) // 1_000 + 1
    answer.close()


@pytest.mark.needs_mongod
def test_a_feed_that_fails_half_way_is_an_error_and_not_half_a_feed(
    site: Project, graphql: GraphQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_published(site, 1_500)
    read = Publications.after

    def fails(self: Publications, project_id: str, last: Any, **asked: Any) -> Any:
        if last is not None:
            raise ServiceUnavailable
        return read(self, project_id, last, **asked)

    monkeypatch.setattr(Publications, "after", fails)
    answer = graphql.feed("sitemap")

    assert (answer.status_code, "ETag" in answer.headers) == (503, False)


@pytest.mark.parametrize("name", ["feed", "sitemap"])
def test_head_has_the_headers_of_get_and_no_body(site: Project, graphql: GraphQL, name: str) -> None:
    published(site)
    headers = {"Authorization": f"Bearer {graphql.token.secret}"}

    head = graphql.client.head(f"/delivery/{name}.xml", headers=headers)

    get = graphql.feed(name)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(get.data))
    assert head.headers["ETag"] == get.headers["ETag"]


@pytest.mark.parametrize("public_url", ["", "https://cms.example/", "https://cms.example/content"])
def test_no_host_header_is_in_what_a_cache_can_store(
    site: Project, graphql: GraphQL, store: Store, public_url: str
) -> None:
    published(site)
    api = graphql.through(an_app(store, public_url=public_url, delivery_cache_control="public, max-age=60"))

    feed = api.feed("feed", {"Host": "evil.example"}, limit=5)

    assert "evil.example" not in f"{feed.headers}{feed.text}"
    assert feed.headers["ETag"] == api.feed("feed", limit=5).headers["ETag"]
    links = {link.rel: link.href for link in feedparser.parse(feed.data).feed.links}
    address = (
        f"{public_url.rstrip('/')}/delivery/feed.xml?limit=5" if public_url else "https://bread.example/blog/feed.xml"
    )
    assert links["self"] == address
    assert "evil.example" not in str(api.feed("sitemap", {"Host": "evil.example"}).headers)


def test_a_site_url_with_letters_outside_ascii_is_escaped(project: Project, graphql: GraphQL) -> None:
    run(project, "update_project", siteUrl="https://brød.example/blå")
    published(project, slug="rye")

    for name, schema in (("feed", "atom.rng"), ("sitemap", "sitemap.xsd")):
        text = graphql.feed(name).text
        valid(text.encode(), schema)
        assert "https://xn--brd-1na.example/bl%C3%A5/rye" in text
        assert text.isascii()


def batches(watched: Watched) -> int:
    return sum(command.get("limit") == 1_000 for command in watched.commands)


@pytest.mark.parametrize(
    ("site_url", "page", "home"),
    [
        ("https://a.example", "https://a.example/rye", "https://a.example"),
        ("https://a.example/blog/", "https://a.example/blog/rye", "https://a.example/blog/"),
        ("https://a.example/{slug}.html", "https://a.example/rye.html", "https://a.example/"),
        ("https://a.example/?p={slug}", "https://a.example/?p=rye", "https://a.example/"),
        ("https://a.example/#{slug}", "https://a.example/#rye", "https://a.example/"),
        ("https://{slug}.example:81/a/", "https://rye.example:81/a/", "https://example:81/"),
        ("https://docs-{slug}.example.com", "https://docs-rye.example.com", "https://example.com/"),
        ("https://www.{slug}-site.example.com", "https://www.rye-site.example.com", "https://example.com/"),
        ("https://{slug}:81/", "https://rye:81/", ""),
        (
            "https://a.example/blog/?lang=de#top",
            "https://a.example/blog/rye?lang=de#top",
            "https://a.example/blog/?lang=de#top",
        ),
        (
            "https://brød.example:81/blå?ø=%C3%B8",
            "https://xn--brd-1na.example:81/bl%C3%A5/rye?%C3%B8=%C3%B8",
            "https://xn--brd-1na.example:81/bl%C3%A5?%C3%B8=%C3%B8",
        ),
        (f"https://{'ø' * 64}.example", f"https://{'%C3%B8' * 64}.example/rye", f"https://{'%C3%B8' * 64}.example"),
    ],
)
def test_a_page_is_where_the_site_says(site_url: str, page: str, home: str) -> None:
    assert (page_url(site_url, "rye"), home_url(site_url)) == (page, home)
    assert feed_url(site_url) == (f"{home.partition('?')[0].rstrip('/')}/feed.xml" if home else "")


def test_a_feed_whose_site_has_no_home_page_names_its_own_path(project: Project, graphql: GraphQL) -> None:
    run(project, "update_project", siteUrl="https://{slug}:81/")

    assert (
        '<link rel="self" type="application/atom+xml" href="/delivery/feed.xml?limit=3"/>'
        in graphql.feed("feed", limit=3).text
    )


def test_a_feed_has_the_html_of_its_newest_entries_where_the_server_is_set_so(
    site: Project, graphql: GraphQL, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most 16 MB of it together."""
    published(site, title="Old", markdown="x" * 100)
    published(site, title="Rye & co", slug="rye", markdown="It is *dark*, ![as](night.png) & <b>more</b>.\x0c")
    api = graphql.through(an_app(store, feed_html=True))

    answer = api.feed("feed")
    monkeypatch.setattr(sites, "MAX_BODIES", 120)
    shorter = api.feed("feed", limit=2)

    root = valid(answer.data, "atom.rng")
    [content, old] = root.iter(f"{ATOM}content")
    assert content.text == graphql.data("{ documents { html } }")["documents"][0]["html"].replace("\x0c", "")
    assert content.attrib == {
        "type": "html",
        "{http://www.w3.org/XML/1998/namespace}base": "https://bread.example/blog/rye",
    }
    assert old.text == f"<p>{'x' * 100}</p>\n"
    assert [entry.get("summary") for entry in feedparser.parse(answer.data).entries][1] == "x" * 100
    assert len([*valid(shorter.data, "atom.rng").iter(f"{ATOM}content")]) == 1
    assert "<content" not in graphql.feed("feed").text
