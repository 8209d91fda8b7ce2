"""Front matter as Hugo, Jekyll and Astro write it: each key becomes a field, or is listed."""

import json
from pathlib import Path

import pytest

from app.transfers.commands.front_matter import read_post
from app.transfers.commands.generators import tags_in
from tests.cli.conftest import Cli
from tests.cli.test_import import documents_of, redirects_of, write
from tests.cli.test_sites import run, text_of
from tests.graphql_app.client import GraphQL, delivery_token
from tests.images.pictures import a_picture
from tests.make import Project, an_app


@pytest.mark.parametrize(
    ("name", "front", "slug"),
    [
        ("_posts/2024-03-01-hello-world.md", "date: 2024-03-01 10:00:00 +0200", "hello-world"),
        ("travel/_posts/2024-3-1-Hello_World.markdown", "", "Hello_World"),
        ("posts/2024-03-01-hello-world.md", "", "hello-world"),
        ("posts/2024-03-01-hello-world.md", "date: 2024-03-01", "2024-03-01-hello-world"),
        ("posts/2024-03-01-trip/index.md", "", "trip"),
        ("posts/My Trip/index.md", "", "my-trip"),
        ("posts/my-trip/index.en.md", "", "my-trip"),
        ("posts/What's New & Old.md", "", "whats-new-old"),
        ("posts/snake_Case v1.2.md", "", "snake_case-v1.2"),
        ("src/content/blog/Hello v1.2.md", "", "hello-v12"),
        ("posts/Привет, мир.md", "", "привет-мир"),
        ("posts/a - b--c.md", "", "a-b--c"),
        ("posts/x.md", "slug: Kept_As.Is", "Kept_As.Is"),
        ("posts/x.md", "url: /a/b/", "b"),
        ("Rust-1.88.0.md", "path: 2025/06/26/Rust-1.88.0", "Rust-1.88.0"),
        ("posts/2024-03-01.md", "", "2024-03-01"),
    ],
)
def test_a_slug_is_what_the_generator_makes(tmp_path: Path, name: str, front: str, slug: str) -> None:
    write(tmp_path, name, f"---\ntitle: Another title\n{front}\n---\n")

    assert read_post(tmp_path / name).fields["slug"] == slug


@pytest.mark.needs_mongod
def test_of_two_names_that_differ_by_their_dates_the_later_has_it_in_its_slug(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    for name in ("2019-01-01-news", "2020-01-01-news", "2021-01-01-news"):
        write(tmp_path, f"_posts/{name}.md", f"---\ntitle: {name}\n---\n")

    assert run(cli, project, tmp_path)["refused"] == {}
    assert {slug: one["title"] for slug, one in documents_of(project).items()} == {
        "news": "2019-01-01-news",
        "2020-01-01-news": "2020-01-01-news",
        "2021-01-01-news": "2021-01-01-news",
    }
    assert run(cli, project, tmp_path)["unchanged"] == 3


@pytest.mark.needs_mongod
def test_the_paths_of_pages_are_in_the_report_and_only_others_become_former_slugs(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\nurl: /essays/b/\ndate: 2020-01-01\n---\nText\n")
    write(tmp_path, "c.md", "---\ntitle: C\npermalink: /c.html\naliases: [/old/d]\ndate: 2020-01-01\n---\nText\n")

    report = run(cli, project, tmp_path, "--publish")

    assert report["paths"] == {"/essays/b/": "b", "/c.html": "c", "/old/d": "c"}
    assert report["redirects"] == {"/essays/b/": "they end with the slug itself"}
    assert redirects_of(project) == {"c.html": "c", "d": "c"}


@pytest.mark.needs_mongod
def test_every_key_that_is_not_taken_over_is_listed_with_the_number_of_files(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(
        tmp_path,
        "a.md",
        "---\ntitle: A\nlastmod: 2021-01-01\nupdated: 2021-01-01\nmodified: 2021-01-01\nseries: [x]\n"
        "author: {name: Nobody, url: https://a.example}\nauthors: [{name: Other, bio: x}]\n"
        "excerpt: Taken\nsummary: Not taken\nimages: [https://a.example/a.png, https://a.example/b.png]\n"
        "cover: https://a.example/c.png\nimage_alt: The one of another site\n"
        "date: 2020-01-01\npubDate: 2020-01-02\nbuild: {list: never}\n---\nText\n",
    )
    write(tmp_path, "b.md", "---\ntitle: B\nlastmod: 2021-01-01\ndate: 2020-01-01\npubDate: 2020-01-01\n---\nText\n")

    report = run(cli, project, tmp_path)

    assert report["unknown"] == {
        **{"lastmod": 2, "updated": 1, "modified": 1, "series": 1, "image_alt": 1},
        **{"author.url": 1, "authors.bio": 1, "build.list": 1},
    }
    assert report["further"] == {"summary": 1, "images": 1, "pubDate": 1, "author": 1}
    shown = cli("import", "--project", project.id, tmp_path).stdout
    assert "lastmod (2)" in shown
    assert "summary (1)" in shown


@pytest.mark.needs_mongod
def test_a_summary_is_the_excerpt_and_keys_are_read_in_any_case(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.md",
        "+++\nTitle = 'A'\nDescription = 'For engines'\nSummary = 'For lists'\nDate = 2020-01-01\n"
        "Categories = ['Old']\nPublishDate = 2020-01-01\n+++\nText\n",
    )

    report = run(cli, project, tmp_path, "--publish")

    assert (report["published"], report["unknown"], report["further"]) == (1, {}, {})
    found = documents_of(project)["a"]
    assert (found["excerpt"], found["metaDescription"]) == ("For lists", "For engines")
    assert report["categories"] == ["Old"]


@pytest.mark.needs_mongod
@pytest.mark.parametrize(
    ("summary", "excerpt"),
    [
        ("A **dark** [loaf](/x/) & `code`", "A dark loaf & code"),
        ("Two *\n\n  parts_of a*", "Two * parts_of a*"),
        ("3 * 4 < 13, snake_case", "3 * 4 < 13, snake_case"),
        ("# Loaf", "# Loaf"),
    ],
)
def test_a_summary_in_markdown_is_plain_text_here(
    cli: Cli, project: Project, tmp_path: Path, summary: str, excerpt: str
) -> None:
    for name, key in (("a", "summary"), ("b", "excerpt")):
        write(tmp_path, f"{name}.md", f"---\ntitle: {name}\n{key}: |-\n  {summary}\n---\nText\n")

    assert run(cli, project, tmp_path)["created"] == 2
    assert {one["excerpt"] for one in documents_of(project).values()} == {excerpt}
    assert run(cli, project, tmp_path)["unchanged"] == 2


@pytest.mark.needs_mongod
def test_what_stands_before_more_is_the_excerpt_where_front_matter_has_none(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    before = "![Loaf](https://a.example/a.png)\n\nA *dark* [loaf][1][^2].\n\n## No\n\nAnd `<!--more-->`"
    after = "<!-- more -->\n\nThe rest.\n\n[1]: https://a.example\n[^2]: A note.\n"
    texts = {
        "a": f"---\ntitle: A\n---\n{before}\n\n{after}",
        "b": f"---\ntitle: B\nexcerpt: Own\n---\n{before}\n\n{after}",
        "c": "---\ntitle: C\n---\nInside<!--more Read on--> of a line.\n",
        "d": f"---\ntitle: D\n---\n{'word ' * 200}\n\n{after}",
        "e": f"---\ntitle: E\n---\n![](https://a.example/a.png)\n\n{after}",
        "f": "---\ntitle: F\n---\n```\n<!--more-->\n```\n",
        "g": f"---\ntitle: G\n---\n- *Flour*\n- Water\n  1. 2 - 1 l\n\n{after}",
        "h": f"---\ntitle: H\n---\n> Bread\n> > is\n\n{after}",
        "j": f"---\ntitle: J\n---\n[x]({{{{ '/y' | relative_url }}}})\n\n{after}",
        "i": f"---\ntitle: I\n---\nTake:\n\n- flour\n\n{after}",
    }
    for name, text in texts.items():
        write(tmp_path, f"{name}.md", text)

    report = run(cli, project, tmp_path)

    assert (report["created"], report["lost"]) == (10, {})
    found = {slug: one["excerpt"] for slug, one in documents_of(project).items()}
    assert found.pop("d") == "word " * 99 + "word…"
    assert found == {"a": "A dark loaf. And <!--more-->", "b": "Own", "c": "Inside", "e": "", "f": ""} | {
        **{"g": "Flour Water 2 - 1 l", "h": "Bread is", "i": "Take:", "j": "x"}
    }
    assert run(cli, project, tmp_path)["unchanged"] == 10


@pytest.mark.needs_mongod
@pytest.mark.parametrize(
    "front",
    [
        "cover: {image: loaf.png, alt: A loaf}",
        "image: {path: loaf.png, caption: x, alt: A loaf}",
        "featured_image: loaf.png\nfeatured_image_alt: A loaf",
        "heroImage: ./loaf.png\nheroImageAlt: A loaf",
        "feature_image: loaf.png\nfeature_image_alt: A loaf",
        "coverImage: {src: loaf.png, alt: A loaf}",
        "images: [{src: loaf.png, alt: A loaf}]",
        "params: {cover: {image: loaf.png, alt: A loaf}}",
        "params: {Featured_image: loaf.png, featured_image_alt: A loaf}",
        "extra: {heroImage: loaf.png, heroImageAlt: A loaf}",
        "header: {image: loaf.png, image_alt: A loaf}",
    ],
)
def test_the_description_of_a_cover_comes_with_it(cli: Cli, project: Project, tmp_path: Path, front: str) -> None:
    write(tmp_path, "a.md", f"---\ntitle: A\ndate: 2020-01-01\n{front}\n---\n![](loaf.png)\n")
    (tmp_path / "loaf.png").write_bytes(a_picture())

    report = run(cli, project, tmp_path, "--publish")

    assert set(report["unknown"]) <= {"image.caption"}
    graphql = GraphQL(an_app(project.store).test_client(), delivery_token(project))
    assert graphql.data('{ documentBySlug(slug: "a") { coverImage { alt } } }') == {
        "documentBySlug": {"coverImage": {"alt": "A loaf"}}
    }


@pytest.mark.needs_mongod
def test_front_matter_in_json_is_taken_and_what_is_wrong_with_it_named(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    front = {"title": "A } brace", "date": "2020-01-01T10:00:00Z", "tags": ["x"], "nested": {"a": [1]}}
    write(tmp_path, "a.md", json.dumps(front, indent="\t") + "\n\nText {x}\n")
    write(tmp_path, "b.md", '{"title": "B",}\nText\n')
    write(tmp_path, "c.md", '{"title": "C", "title": "D"}\nText\n')
    write(tmp_path, "d.md", '{"title": ' + "[" * 100_000)
    write(tmp_path, "e.md", '{"title": "E", "x": ' + "[" * 40 + "]" * 40 + "}\n")

    report = run(cli, project, tmp_path, "--publish")

    assert (report["published"], report["unknown"]) == (1, {"nested": 1})
    assert documents_of(project)["a"]["title"] == "A } brace"
    assert text_of(project, "a") == "Text {x}"
    assert "is not valid JSON: " in report["refused"]["b.md"]
    assert "the key 'title' stands twice" in report["refused"]["c.md"]
    assert "has more than 32 levels" in report["refused"]["d.md"]
    assert "has more than 32 levels" in report["refused"]["e.md"]


@pytest.mark.needs_mongod
def test_attributes_of_kramdown_and_hugo_are_listed(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(
        tmp_path,
        "a.md",
        '---\ntitle: A\n---\n* x\n{:toc}\n\nA quote\n{: #id .class}\n\n[Out](https://a.example){:target="_blank"} it is'
        "\n\n{.lead} \n\n`{: .not}`\n\n{{< poll x >}}\n\n|a|\n|-|\n{.dark .wide}\n\n> b\n> {#q}\n\n## C {.d} ##\n\n"
        "E {.f}\n```\n{.not}\n```\n\n![g](https://a.example/g.png){width=5 .h} [i](j){.k}, f(x){.l=1} {m=n}\n{o=p}\n",
    )

    report = run(cli, project, tmp_path)

    assert report["attributes"] == {"{.lead}": 1, "{.dark .wide}": 1, "{#q}": 1, "{.d}": 1} | {
        **{"{width=5 .h}": 1, "{.k}": 1, "{o=p}": 1}
    }
    ends = "|a|\n|-|\n\n\n> b\n\n\n## C\n\nE {.f}\n```\n{.not}\n```"
    ends += "\n\n![g](https://a.example/g.png) [i](j), f(x){.l=1} {m=n}"
    assert text_of(project, "a").partition("{{< poll x >}}\n\n")[2] == ends
    assert report["shortcodes"]["a.md"] == [
        {"line": 2, "what": "{:toc}"},
        {"line": 5, "what": "{: #id .class}"},
        {"line": 7, "what": '{:target="_blank"}'},
        {"line": 13, "what": "{{< poll >}}"},
        {"line": 24, "what": "{.f}"},
    ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("part", ["$", "$$ ", "$_", "\\(", "a\n", "$a " + "_" * 500])
def test_formulas_without_end_are_looked_for_in_seconds(part: str) -> None:
    assert len([*tags_in(part * (500_000 // len(part)))]) < 5


@pytest.mark.needs_mongod
def test_formulas_and_definitions_are_listed(cli: Cli, project: Project, tmp_path: Path) -> None:
    texts = {
        "a": "`$x$` costs $5 or $6, US$7/$8, ${a}/${b}, \\$9.\n\n$$\na_1 * b\n$$\n\nSo $a^2 + b$, $n$ and \\(c\\).\n\n"
        "\\[\nx\n\\]\n",
        "b": "Term\n: A definition\n\nNo: not\n:this\n\n:::note\nx\n:::\n",
        "d": "x :tada: 10:30:15 a:b: `:c:` ::e:: :+1:\n\n|:-:|\n\n*[HTML]: Hyper\n",
        "c": "Fine.\n\n    : code\n\n```\nx\n: y $$z$$\n```\n\n- a: b\n- $ and $\n",
    }
    for name, text in texts.items():
        write(tmp_path, f"{name}.md", f"---\ntitle: {name}\n---\n{text}")

    listed = run(cli, project, tmp_path)["shortcodes"]

    assert listed == {
        "a.md": [
            {"line": line, "what": what} for line, what in ((3, "$$…$$"), (7, "$…$"), (7, r"\(…\)"), (9, r"\[…\]"))
        ],
        "b.md": [{"line": 2, "what": ": a definition"}, {"line": 7, "what": ":::"}],
        "d.md": [
            *({"line": 1, "what": emoji} for emoji in (":tada:", ":+1:")),
            {"line": 5, "what": "*[…]: an abbreviation"},
        ],
    }


@pytest.mark.needs_mongod
def test_a_post_of_jekyll_is_read_as_jekyll_does(cli: Cli, project: Project, tmp_path: Path) -> None:
    """A list is words, a title by default the name, and addresses begin with variables of the site."""
    write(
        tmp_path,
        "_posts/2020-01-01-no-title.md",
        "---\ncategories: bread rye\ntags: dark dense\n---\n![A]({{ site.baseurl }}/assets/a.png) "
        "![B]({{ '/assets/a.png' | relative_url }}) [C]({{site.url}}{{ site.baseurl }}/c/) `{{ site.url }}/d` "
        "{{ site.url }}\n",
    )
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "a.png").write_bytes(a_picture())

    report = run(cli, project, tmp_path / "_posts", "--site", tmp_path)

    assert (report["missing"], report["categories"]) == ({}, ["bread"])
    assert report["further"] == {"categories": 1, "tags": 1}
    assert report["shortcodes"] == {"2020-01-01-no-title.md": [{"line": 1, "what": "{{ site.url }}"}]}
    found = documents_of(project)["no-title"]
    assert (found["title"], found["brief"]["keyword"]) == ("No Title", "dark")
    text = text_of(project, "no-title")
    assert text.count("](/media/") == 2
    assert text.endswith("[C](/c/) `{{ site.url }}/d` {{ site.url }}")


@pytest.mark.needs_mongod
def test_the_shortcodes_and_authors_of_many_files_are_one_line_each(cli: Cli, project: Project, tmp_path: Path) -> None:
    for name in "abc":
        write(
            tmp_path, f"{name}.md", f"---\ntitle: {name}\nauthor: Ada\n---\n{{{{< figure >}}}}\n\n{{{{< figure >}}}}\n"
        )

    shown = cli("import", "--project", project.id, tmp_path).stdout

    assert (
        "Authors that were not taken, as only the first who is a member is, with the number of files: Ada (3)" in shown
    )
    where = "a.md line 1, b.md line 1, c.md line 1"
    assert f"Not markdown here, published as text at these lines of it: {{{{< figure >}}}} ({where})\n" in shown


@pytest.mark.needs_mongod
@pytest.mark.timeout(60)
def test_a_text_of_backticks_is_imported_in_seconds(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "a.md", f"---\ntitle: A\n---\n{'`' * 200_000} x\n")

    assert run(cli, project, tmp_path)["created"] == 1


@pytest.mark.needs_mongod
def test_tags_and_categories_can_be_numbers_and_refused_files_have_no_paths(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\ntags: [2024]\ncategories: [1984]\nurl: /a/\n---\nText\n")
    write(tmp_path, "b.md", "---\nurl: /old/b/\naliases: [/older/]\n---\nText\n")

    report = run(cli, project, tmp_path)

    assert (list(report["refused"]), report["further"], report["paths"]) == (["b.md"], {}, {"/a/": "a"})
    assert (report["categories"], documents_of(project)["a"]["brief"]["keyword"]) == (["1984"], "2024")


@pytest.mark.needs_mongod
def test_a_translation_beside_its_page_is_skipped(cli: Cli, project: Project, tmp_path: Path) -> None:
    names = ["trip/index.md", "trip/index.de.md", "rye.md", "rye.pt-br.md", "oats.de.md", "v1.88.md", "v1.md"]
    names += ["a.de.md", "a.en.md", "b/index.de.md", "b/index.fr.md"]
    for name in names:
        write(tmp_path, name, "---\ntitle: A\n---\nText\n")

    report = run(cli, project, tmp_path)

    assert (report["created"], report["refused"]) == (7, {})
    assert {"a", "b", "oats.de"} < set(documents_of(project))
    assert report["skipped"] == {
        "a.de.md": "It is a translation of a.en.md: a project has one language.",
        "b/index.fr.md": "It is a translation of index.de.md: a project has one language.",
        "rye.pt-br.md": "It is a translation of rye.md: a project has one language.",
        "trip/index.de.md": "It is a translation of index.md: a project has one language.",
    }
