"""What html, covers and checks have of own pictures."""

import re
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from tests.console.visitor import Visitor
from tests.graphql_app.client import GraphQL, delivery_token
from tests.images.steps import Pictures
from tests.make import Project, an_app
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def images_in(html: str) -> list[dict[str, str]]:
    """Returns the attributes of each image."""
    return [dict(re.findall(r'([a-z-]+)="([^"]*)"', one)) for one in re.findall(r"<img[^>]*>", html)]


@pytest.mark.contract("decided-pictures.html")
def test_html_has_the_widths_of_own_pictures(pictures: Pictures) -> None:
    one, two = pictures.upload(alt="A loaf & more"), pictures.upload(seed=1)
    text = f"![]({one['url']})\n\n![Crust]({two['url']})\n\n![x](https://elsewhere.example/media/{'a' * 26}/b.png)"
    document = pictures.document(text)
    pictures.publish(document)
    first, second, third = images_in(pictures.delivered(document, "html")["html"])

    assert first["alt"] == "A loaf &amp; more"
    assert (first["width"], first["height"]) == ("700", "400")
    assert first["srcset"] == f"{one['url']}?w=320 320w, {one['url']}?w=640 640w, {one['url']} 700w"
    assert first["sizes"] == "(max-width: 60rem) 100vw, 60rem"
    assert (first.get("loading"), first["decoding"]) == (None, "async")
    assert (second["alt"], second["loading"]) == ("Crust", "lazy")
    assert third == {"src": f"https://elsewhere.example/media/{'a' * 26}/b.png", "alt": "x"}


@pytest.mark.contract("decided-pictures.html")
def test_pictures_of_other_projects_are_not_own(pictures: Pictures, store: Store) -> None:
    from tests.make import a_project
    from tests.rest.client import Rest

    other = a_project(store)
    theirs = Pictures(Rest(pictures.rest.client, other.token()), other).upload(alt="Theirs")
    document = pictures.document(f"![]({theirs['url']})")
    pictures.publish(document)

    assert images_in(pictures.delivered(document, "html")["html"]) == [{"src": theirs["url"], "alt": ""}]


@pytest.mark.contract("decided-pictures.html")
def test_a_preview_has_them_and_a_changed_alt_goes_out_with_the_next_publication(pictures: Pictures) -> None:
    image = pictures.upload(alt="Before")
    document = pictures.document(f"![]({image['url']})")
    pictures.publish(document)
    pictures.rest.patch(f"/images/{image['id']}", {"alt": "After"})
    found = pictures.delivered(document, "html preview { html }", drafts=True)

    assert images_in(found["html"])[0]["alt"] == "Before"
    assert images_in(found["preview"]["html"])[0]["alt"] == "After"
    pictures.publish(document)
    assert images_in(pictures.delivered(document, "html")["html"])[0]["alt"] == "After"


@pytest.mark.contract("decided-pictures.addresses")
def test_html_and_covers_get_the_present_beginning(pictures: Pictures, store: Store) -> None:
    image = pictures.upload(alt="Loaf")
    text = (
        f"![Loaf](http://old.example/x/media/{image['key']}/old-name.png)\n\n`https://a.example/media/{image['key']}/`"
    )
    document = pictures.document(text, coverImageUrl=f"http://old.example/media/{image['key']}/old.png")
    pictures.publish(document)
    cdn: Flask = an_app(store, images_url="https://cdn.example/", public_url="https://service.example")
    public: Flask = an_app(store, public_url="https://service.example")
    query = "query ($id: ID!) { document(id: $id) { html coverImage { url srcset } } }"

    for app, begins in (
        (cdn, "https://cdn.example"),
        (public, "https://service.example"),
        (None, "http://old.example"),
    ):
        client = app.test_client() if app else pictures.rest.client
        found = GraphQL(client, delivery_token(pictures.project)).data(query, {"id": document})["document"]
        own = images_in(found["html"])[0]
        old = f"{begins}/x" if app is None else begins
        assert own["src"] == f"{old}/media/{image['key']}/old-name.png"
        assert own["srcset"].startswith(f"{old}/media/{image['key']}/loaf.png?w=320 320w, {old}/media/")
        assert f"<code>https://a.example/media/{image['key']}/</code>" in found["html"]
        assert found["coverImage"]["url"] == f"{begins}/media/{image['key']}/loaf.png"


MARKDOWN = """\
![Loaf](http://old.example/x/media/{0}/old.png "T") [![Loaf](/media/{0}/a.png)](http://old.example/media/{0}/a.png)

<img src='http://old.example/media/{0}/b.png' alt="b"> http://old.example/media/{0}/c.png, ![x](https://else.example/media/{1}/d.png)

[ref]: <http://old.example/media/{0}/e.png>
"""


@pytest.mark.contract("decided-pictures.addresses")
def test_markdown_and_links_to_pictures_get_the_present_beginning_too(pictures: Pictures, store: Store) -> None:
    key, foreign = pictures.upload(alt="Loaf")["key"], "a" * 26
    document = pictures.document(MARKDOWN.format(key, foreign))
    pictures.publish(document)
    begins = "https://service.example"
    app: Flask = an_app(store, public_url=f"{begins}/")
    secret = pictures.project.token(kind=TokenKind.DELIVERY, drafts=True)
    query = "query ($id: ID!) { document(id: $id) { html markdown preview { html markdown } } }"

    found = GraphQL(app.test_client(), secret).data(query, {"id": document})["document"]
    site = Rest(app.test_client(), secret)
    page = site.get("/delivery/documents/bread.md").text.partition("---\n\n")[2]
    shown = site.get("/delivery/documents/bread", Accept="application/json").json

    present = MARKDOWN.format(key, foreign).replace("http://old.example/x/", "/").replace("http://old.example/", "/")
    present = present.replace("/media/", f"{begins}/media/").replace(
        f"https://else.example{begins}", "https://else.example"
    )
    assert found["markdown"] == found["preview"]["markdown"] == shown["markdown"] == page == present
    for html in (found["html"], found["preview"]["html"], shown["html"]):
        assert "old.example/media/" not in re.sub(r">[^<]*<", "><", html)
        assert f'<a href="{begins}/media/{key}/a.png" rel="noopener"><img src="{begins}/media/{key}/a.png"' in html
    visitor = Visitor(app)
    visitor.sign_in(pictures.project.token())
    assert f'<img src="{begins}/media/{key}/old.png"' in visitor.get(f"/console/documents/{document}").text


@pytest.mark.contract("decided-pictures.addresses")
def test_an_address_without_a_beginning_gets_that_of_the_request(pictures: Pictures) -> None:
    key = pictures.upload(alt="Loaf")["key"]
    document = pictures.document(f"![Loaf](/media/{key}/a.png)")
    pictures.publish(document)
    found = pictures.delivered(document, "html markdown")

    assert found["markdown"] == f"![Loaf](http://localhost/media/{key}/a.png)"
    assert images_in(found["html"])[0]["src"] == f"http://localhost/media/{key}/a.png"


@pytest.mark.contract("decided-pictures.covers")
def test_a_cover_has_its_size_alt_and_widths(pictures: Pictures) -> None:
    image = pictures.upload(alt="A loaf")
    document = pictures.document(coverImageUrl=image["url"])
    pictures.publish(document)
    fields = "coverImage { url width height alt srcset }"
    found: Any = pictures.delivered(document, fields)["coverImage"]

    assert found == {
        "url": image["url"],
        "width": 700,
        "height": 400,
        "alt": "A loaf",
        "srcset": f"{image['url']}?w=320 320w, {image['url']}?w=640 640w, {image['url']} 700w",
    }
    pictures.rest.patch(f"/documents/{document}", {"coverImageUrl": "https://elsewhere.example/a.png"})
    preview = pictures.delivered(document, "preview { %s }" % fields, drafts=True)["preview"]["coverImage"]  # noqa: UP031
    nothing = dict.fromkeys(("width", "height", "alt", "srcset"))
    assert preview == {"url": "https://elsewhere.example/a.png", **nothing}


@pytest.mark.contract("decided-pictures.covers")
def test_the_feed_has_the_cover_as_an_enclosure(pictures: Pictures, project: Project) -> None:
    pictures.rest.patch("/project", {"siteUrl": "https://crust.example"})
    image = pictures.upload()
    for cover in (image["url"], "https://elsewhere.example/a.png?b=1&c=2"):
        pictures.publish(pictures.document(coverImageUrl=cover))
    feed = GraphQL(pictures.rest.client, delivery_token(project)).feed("feed").text

    assert f'<link rel="enclosure" type="image/png" length="{image["bytes"]}" href="{image["url"]}"/>' in feed
    assert '<link rel="enclosure" href="https://elsewhere.example/a.png?b=1&amp;c=2"/>' in feed


@pytest.mark.contract("decided-pictures.alt")
def test_the_alternative_text_of_the_record_satisfies_the_check(pictures: Pictures) -> None:
    described, bare = pictures.upload(alt="A loaf"), pictures.upload(seed=1)
    document = pictures.document(f"![]({described['url']})\n\n![]({bare['url']})\n\n![](https://a.example/b.png)")
    checks = pictures.rest.get(f"/documents/{document}/checks").json["checks"]

    assert [one["line"] for one in checks if one["check"] == "image_alt"] == [3, 5]


@pytest.mark.contract("decided-pictures.left-out")
def test_without_the_feature_a_published_text_is_delivered_as_it_is(pictures: Pictures, store: Store) -> None:
    image = pictures.upload(alt="A loaf")
    document = pictures.document(f"![]({image['url']})")
    pictures.publish(document)
    bare = an_app(replace(store, features=store.features.without("images")))
    query = "query ($id: ID!) { document(id: $id) { html } }"

    assert (
        "srcset"
        in GraphQL(bare.test_client(), delivery_token(pictures.project)).data(query, {"id": document})["document"][
            "html"
        ]
    )
    assert bare.test_client().get("/media/" + image["url"].partition("/media/")[2]).status_code == 404
