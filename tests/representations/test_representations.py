"""Published documents at addresses of their own (decisions, section 21)."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from werkzeug.test import TestResponse

from app.representations.front_matter import front_matter
from tests.graphql_app.client import GraphQL, published, republish, run
from tests.make import a_document, an_app, made

MARKDOWN, HTML, JSON = "text/markdown", "text/html", "application/json"
HOME = "/delivery/documents/"


@pytest.fixture
def get(graphql: GraphQL) -> Callable[..., TestResponse]:
    """Asks for an address below `/delivery/documents`."""

    def get(path: str, accept: str | None = None, **headers: str) -> TestResponse:
        sent = {"Authorization": f"Bearer {graphql.token.secret}", **headers}
        return graphql.client.get(f"/delivery/documents{path}", headers=sent | ({"Accept": accept} if accept else {}))

    return get


def parts_of(text: str) -> tuple[dict[str, Any], str]:
    """Returns the front matter of a markdown, and what follows it."""
    start, block, rest = text.split("---\n", 2)
    assert (start, rest[0]) == ("", "\n")
    return yaml.safe_load(block), rest[1:]


@pytest.mark.contract("decided-site.http")
@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, MARKDOWN),
        ("*/*", MARKDOWN),
        ("text/markdown", MARKDOWN),
        ("text/*", MARKDOWN),
        ("text/html", HTML),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", HTML),
        ("text/html, text/markdown", MARKDOWN),
        ("text/markdown;q=0.5, text/html;q=0.7", HTML),
        ("text/markdown;variant=GFM, text/html;q=0.9", MARKDOWN),
        ("application/json", JSON),
        ("application/json, text/html;q=0.9", JSON),
        ("text/html, application/json", HTML),
        ("text/markdown;q=0, */*;q=0.1", HTML),
        ("text/csv", None),
        ("text/markdown;q=0", None),
    ],
)
def test_a_document_is_what_the_client_accepts(project, get, accept, expected) -> None:
    published(project, title="Loaf", markdown="# Flour\n\nWater.")
    answer = get("/loaf", accept)
    if expected is None:
        assert (answer.status_code, answer.json["_tag"]) == (406, "NotAcceptable")
        return
    assert (answer.status_code, answer.mimetype) == (200, expected)
    assert {*answer.vary} == {"Accept", "Authorization"}
    if expected == HTML:
        assert answer.text == '<h1 id="flour">Flour</h1>\n<p>Water.</p>\n'


@pytest.mark.contract("decided-site.front_matter")
def test_the_markdown_begins_with_front_matter(project, graphql, get) -> None:
    run(project, "update_project", siteUrl="https://crust.example/blog/{slug}/")
    bread = made(project.context(), "category", name="Bread", slug="bread")
    rye = made(project.context(), "category", name="Rye", slug="rye", categoryId=bread["id"])
    ada = run(project, "create_member", name="Ada: the first")
    markdown = "\n\n# Flour\r\n\nWater. \n\n---\n"
    loaf = published(project, title="Loaf # 1: yes", slug="loaf", markdown=markdown, categoryId=rye["id"])
    fields = {"metaDescription": 'On "flour".', "coverImageUrl": "https://a.example/c.png", "authorId": ada["id"]}
    republish(project, loaf, **fields)
    values, text = parts_of(get("/loaf").text)
    times = graphql.data('{documentBySlug(slug:"loaf"){publishedAt updatedAt}}')["documentBySlug"]
    disclosed = values.pop("disclosure")
    assert text == markdown
    assert values == {
        "title": "Loaf # 1: yes",
        "description": 'On "flour".',
        "canonical": "https://crust.example/blog/loaf/",
        "published": times["publishedAt"],
        "updated": times["updatedAt"],
        "author": "Ada: the first",
        "category": "bread/rye",
        "image": "https://a.example/c.png",
    }
    assert disclosed == {"value": "human-only"}


@pytest.mark.contract("decided-site.front_matter")
def test_front_matter_has_no_key_without_a_value(project, get) -> None:
    published(project, title="Loaf", markdown="# Flour")
    values, _ = parts_of(get("/loaf").text)
    assert values.keys() == {"title", "published", "updated", "disclosure"}


@pytest.mark.contract("decided-site.front_matter")
@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_readers_of_yaml_agree_on_every_text(text) -> None:
    values = {"title": text, "models": [text, text], "disclosure": {"value": text}}
    values["sources"] = [{"number": 1, "title": text}, {"number": 2, "title": text, "url": text}]
    block = front_matter(values).split("\n", 1)[1].removesuffix("---\n")
    assert "\n---" not in block
    assert yaml.safe_load(block) == values
    assert yaml.compose(block)
    for version in ("1.1", "1.2"):
        reader = YAML(typ="safe", pure=True)
        reader.version = version
        assert reader.load(block) == values


@pytest.mark.contract("decided-site.http")
def test_the_json_has_the_fields_of_the_type_in_graphql(project, graphql, get) -> None:
    bread = made(project.context(), "category", name="Bread", slug="bread")
    rye = made(project.context(), "category", name="Rye", slug="rye", categoryId=bread["id"])
    ada = run(project, "create_member", name="Ada")
    loaf = published(project, title="Loaf", categoryId=rye["id"])
    republish(project, loaf, authorId=ada["id"], coverImageUrl="https://a.example/c.png")
    kind = "type{name ofType{name ofType{name ofType{name}}}}"
    query = f"query($type:String!){{__type(name:$type){{fields{{name {kind}}}}}}}"
    leaves = {"ID", "String", "Int", "Boolean", "Float"}

    def selected(type_name: str, *left_out: str) -> str:
        names = []
        for one in graphql.data(query, {"type": type_name})["__type"]["fields"]:
            inner = one["type"]
            while inner.get("ofType"):
                inner = inner["ofType"]
            if one["name"] in left_out:
                continue
            more = "" if inner["name"] in leaves else category if one["name"] == "category" else selected(inner["name"])
            names.append(f"{one['name']}{more and '{'}{more}{more and '}'}")
        return " ".join(names)

    category = "id name slug description category{id name slug description category{id}}"
    fields = selected("Document", "related", "preview")
    shown = graphql.data(f'{{documentBySlug(slug:"loaf"){{{fields}}}}}')["documentBySlug"]
    assert get("/loaf", JSON).json == shown


@pytest.mark.contract("decided-site.md")
def test_an_address_that_ends_in_md_is_markdown_whatever_is_accepted(project, get) -> None:
    published(project, title="Loaf", slug="loaf")
    for accept in ("text/html", "text/csv", None):
        assert get("/loaf.md", accept).mimetype == MARKDOWN
    published(project, title="Readme", slug="readme.md", markdown="*Read*")
    assert get("/readme.md", HTML).text == "<p><em>Read</em></p>\n"
    assert get("/readme.md.md", HTML).mimetype == MARKDOWN


@pytest.mark.contract("decided-site.http")
def test_a_former_slug_leads_to_the_present_one_and_what_is_not_published_is_not_found(project, get, preview) -> None:
    loaf = published(project, title="Loaf")
    republish(project, loaf, slug="brot-ü")
    for path, location in (("/loaf", "brot-%C3%BC"), ("/loaf.md", "brot-%C3%BC.md")):
        moved = get(path)
        assert (moved.status_code, moved.location) == (301, location)
        assert get(f"/{location}").status_code == 200
    a_document(project.context(), title="A draft", markdown="Text")
    assert get("/a-draft").status_code == get("/none.md").status_code == 404
    drafts = {"Authorization": f"Bearer {preview.token.secret}"}
    assert get("/a-draft", **drafts).status_code == 404
    run(project, "unpublish_document", loaf["id"])
    assert get("/loaf").status_code == 404


@pytest.mark.contract("decided-site.http")
def test_what_did_not_change_is_not_sent_again(project, get) -> None:
    loaf = published(project, title="Loaf")
    first = get("/loaf")
    tag = first.headers["ETag"]
    again = get("/loaf", **{"If-None-Match": tag})
    assert (again.status_code, again.headers["ETag"], again.data) == (304, tag, b"")
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"] == "private, max-age=0, must-revalidate"
    assert get("/loaf", HTML).headers["ETag"] != tag
    star = {"If-None-Match": "*"}
    assert [get(path, **star).status_code for path in ("/loaf", "/nothing", "/nothing.md")] == [304, 404, 404]
    republish(project, loaf, title="Another")
    assert get("/loaf", **{"If-None-Match": tag}).status_code == 200


@pytest.mark.contract("decided-site.http")
def test_a_delivery_token_is_needed(project, get) -> None:
    published(project, title="Loaf")
    management = {"Authorization": f"Bearer {project.token().secret}"}
    assert get("/loaf", **management).status_code == get(".md", Authorization="").status_code == 401


@pytest.mark.contract("decided-site.contents")
def test_the_table_of_contents_lists_documents_by_category(project, graphql, store) -> None:
    rye = made(project.context(), "category", name="Rye_*", slug="rye")
    loaf = published(project, title="A [link](x) *title*", slug="loaf-é", categoryId=rye["id"])
    republish(project, loaf, excerpt="See <b>`this`</b>.")
    published(project, title="Roll", markdown="# Roll")
    client = an_app(store, public_url="https://cms.example/x").test_client()
    answer = client.get("/delivery/documents.md", headers={"Authorization": f"Bearer {graphql.token.secret}"})
    assert (answer.status_code, answer.mimetype) == (200, MARKDOWN)
    assert answer.text == (
        "# The Crust\n\n## Rye\\_\\*\n\n"
        "- [A \\[link\\](x) \\*title\\*](https://cms.example/x/delivery/documents/loaf-%C3%A9.md): "
        "See \\<b\\>\\`this\\`\\</b\\>.\n\n## Other\n\n"
        "- [Roll](https://cms.example/x/delivery/documents/roll.md)\n"
    )
