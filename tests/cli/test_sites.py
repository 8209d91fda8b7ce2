"""Importing the folders of real generators as they are: Hugo, Jekyll, Astro."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.calling import call, shown
from tests.cli.conftest import Cli
from tests.cli.test_import import documents_of, redirects_of, write
from tests.documents.steps import a_category
from tests.images.pictures import a_picture
from tests.make import OPERATIONS, Project, an_app
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

HUGO = {
    "hugo.toml": "baseURL = 'https://hugo.example/'\n",
    "content/posts/rye/index.md": """\
+++
title = 'Rye bread'
date = 2022-07-02T10:00:00+02:00
lastmod = 2023-01-01
draft = false
tags = ['rye', 'dark']
aliases = ['/old/rye-2019/']
[cover]
image = 'cover.png'
alt = 'A loaf'
+++
{{< gallery dir="/images" title="Loaves" >}}

![Crumb](/images/crumb.png) `{{< not this >}}`

```go
{{< nor this >}}
```

{{% columns %}}Mind the oven.{{% /columns %}}

## The gate {.wide}

See [wheat](../wheat.md#x), [notes](<my notes.pdf>), [oven](oven/), [out](https://a.example/x.md), `[no](no.md)`.
""",
    "content/posts/rye/my notes.pdf": "",
    "content/posts/wheat.md": "---\ntitle: Wheat\ncover: {image: gone.png}\ndate: 2022-07-03\n---\n![](/gone.png)\n",
    "content/posts/later.md": "---\ntitle: Later\ndate: 2022-07-04\ndraft: true\nurl: /essays/much-later/\n---\nText\n",
}
HUGO_PICTURES = ("content/posts/rye/cover.png", "static/images/crumb.png")

JEKYLL = {
    "_config.yml": "title: A blog\n",
    "_posts/2019-05-01-rye.md": """\
---
layout: post
title: Rye
date: 2019-05-01 10:00:00 +0200
categories: [Bread, Old]
permalink: /breads/rye.html
redirect_from:
  - /2018/rye-bread/
image: /assets/rye.png
---
![Crumb](../assets/crumb.png) ![Out](../../secret.png)

{% include video.html id="x" %} {{ site.baseurl }} {% include more.html %}
""",
    "_posts/2019-05-02-wheat.md": """\
---
layout: post
title: Wheat
permalink: /:title/
image: {path: /assets/gone.png, alt: x}
---
Text
""",
}
JEKYLL_PICTURES = ("assets/rye.png", "assets/crumb.png")

ASTRO = {
    "astro.config.mjs": "export default {};\n",
    "src/content/blog/first.md": """\
---
title: 'First'
description: 'Lorem'
pubDate: 'Jul 08 2022'
updatedDate: 'Jul 09 2022'
heroImage: '../../assets/hero.png'
---
![Public](/photo.png)
""",
    "src/content/blog/plain.mdx": "---\ntitle: Plain\npubDate: 'July 9, 2022'\n---\nOnly *markdown*, and `{code}`.\n",
    "src/content/blog/chart.mdx": "---\ntitle: Chart\n---\nimport Chart from './Chart.astro';\n\n<Chart />\n",
    "src/content/blog/sum.mdx": "---\ntitle: Sum\n---\nText\n\nIt is {1 + 1}.\n",
}
ASTRO_PICTURES = ("src/assets/hero.png", "public/photo.png")


def a_site(folder: Path, files: dict[str, str], pictures: tuple[str, ...]) -> None:
    for name, text in files.items():
        write(folder, name, text)
    for seed, name in enumerate(pictures):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(a_picture(seed=seed))


def run(cli: Cli, project: Project, folder: Path, *options: str | Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(cli("import", "--project", project.id, folder, *options, "--json").stdout)
    return report


def text_of(project: Project, slug: str) -> str:
    rest = Rest(an_app(project.store).test_client(), project.token())
    return str(rest.get(f"/documents/{documents_of(project)[slug]['id']}").json["content"])


def names(found: list[str]) -> list[str]:
    return [one.partition(" ")[0] for one in found]


def test_a_hugo_site_comes_with_its_covers_and_names_its_shortcodes(cli: Cli, project: Project, tmp_path: Path) -> None:
    a_site(tmp_path, HUGO, HUGO_PICTURES)
    tried = run(cli, project, tmp_path / "content", "--site", tmp_path, "--publish", "--dry-run")

    report = run(cli, project, tmp_path / "content", "--site", tmp_path, "--publish")

    assert {**report, "refused": {}} == tried
    assert (report["created"], report["published"], report["refused"]) == (3, 2, {})
    assert report["shortcodes"] == {
        "posts/rye/index.md": [
            {"line": 1, "what": "{{< gallery >}}"},
            {"line": 9, "what": "{{% columns %}}"},
        ]
    }
    assert report["attributes"] == {"{.wide}": 1}
    assert report["links"] == {
        "posts/rye/index.md": [{"line": 13, "what": "../wheat.md#x"}, {"line": 13, "what": "my notes.pdf"}]
    }
    assert names(report["missing"]["posts/wheat.md"]) == ["/gone.png", "gone.png"]
    assert report["unknown"] == {"lastmod": 1}
    assert report["further"] == {"tags": 1}
    found = documents_of(project)
    assert set(found) == {"rye", "wheat", "much-later"}
    assert (found["rye"]["publishedAt"], found["wheat"]["coverImageUrl"]) == ("2022-07-02T08:00:00.000Z", None)
    assert found["rye"]["coverImageUrl"].endswith("/cover.png")
    assert "![Crumb](/media/" in text_of(project, "rye")
    assert redirects_of(project) == {"rye-2019": "rye"}
    assert run(cli, project, tmp_path / "content", "--site", tmp_path, "--publish")["unchanged"] == 3


def test_pages_of_sections_are_skipped(cli: Cli, project: Project, tmp_path: Path) -> None:
    for name in ("_index.md", "posts/_index.md", "posts/_index.de.md", "posts/index.md"):
        write(tmp_path, name, f"---\ntitle: {name}\ndate: 2020-01-01\n---\nText\n")

    report = run(cli, project, tmp_path, "--update", "--publish")

    assert (report["created"], report["refused"]) == (1, {})
    assert sorted(report["skipped"]) == ["_index.md", "posts/_index.de.md", "posts/_index.md"]
    assert list(documents_of(project)) == ["posts"]


def test_markdown_beside_the_page_of_a_bundle_of_hugo_is_skipped(cli: Cli, project: Project, tmp_path: Path) -> None:
    pages = ("content/index.md", "content/posts/trip/index.md", "content/posts/rye.md", "src/content/blog/a/index.md")
    parts = ("content/posts/trip/notes.md", "content/posts/trip/days/1.md", "content/posts/trip/days/index.md")
    for name in (*pages, *parts, "src/content/blog/a/b.md", "docs/a/index.md", "docs/a/c.md"):
        write(tmp_path, name, f"---\ntitle: A\nslug: {name.replace('/', '-')}\n---\nText\n")

    report = run(cli, project, tmp_path)

    assert (report["created"], report["refused"]) == (7, {})
    assert report["skipped"] == dict.fromkeys(sorted(parts), "Hugo shows it as a part of trip/index.md, not as a page.")


def test_the_addresses_of_hugo_are_paths_and_drafts_have_none(cli: Cli, project: Project, tmp_path: Path) -> None:
    OPERATIONS["update_project"](project.context(), fields={"siteUrl": "https://a.example/posts/{slug}"})
    files = {"posts/rye": "", "guides/Big Loaf": "slug: loaf", "deep/er/trip/index": "", "posts/pinned": "url: pin/x/"}
    drafts = {"posts/draft": "draft: true\naliases: [/old/]", "posts/later": "date: 2999-01-01", "drafts/d": ""}
    for name, front in (files | drafts).items():
        write(tmp_path, f"content/{name}.md", f"---\ntitle: A\n{front}\n---\nText\n")

    report = run(cli, project, tmp_path / "content")

    assert report["paths"] == {"/guides/loaf/": "loaf", "/deep/er/trip/": "trip", "/pin/x/": "x"}


def test_a_file_without_text_is_created_and_not_published(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-01\n---\n")

    report = run(cli, project, tmp_path, "--publish")

    assert (report["created"], report["published"], report["refused"]) == (1, 0, {})
    assert report["unpublished"] == {"a.md": "it has no text"}


def test_a_jekyll_site_comes_with_its_addresses_and_names_its_liquid(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    a_site(tmp_path / "site", JEKYLL, JEKYLL_PICTURES)
    (tmp_path / "secret.png").write_bytes(a_picture(seed=9))

    report = run(cli, project, tmp_path / "site" / "_posts", "--site", tmp_path / "site", "--publish")

    assert (report["created"], report["published"], report["refused"]) == (2, 2, {})
    assert names(report["missing"]["2019-05-01-rye.md"]) == ["../../secret.png"]
    assert names(report["missing"]["2019-05-02-wheat.md"]) == ["/assets/gone.png"]
    assert report["shortcodes"]["2019-05-01-rye.md"] == [
        {"line": 3, "what": "{% include %}"},
        {"line": 3, "what": "{{ site.baseurl }}"},
    ]
    assert report["unknown"] == {"layout": 2, "permalink": 1}
    assert report["further"] == {"categories": 1}
    found = documents_of(project)
    assert set(found) == {"rye", "wheat"}
    assert found["rye"]["publishedAt"] == "2019-05-01T08:00:00.000Z"
    assert found["rye"]["coverImageUrl"].endswith("/rye.png")
    assert "![Crumb](/media/" in text_of(project, "rye")
    assert redirects_of(project) == {"rye-bread": "rye", "rye.html": "rye"}
    assert run(cli, project, tmp_path / "site" / "_posts", "--site", tmp_path / "site")["unchanged"] == 2


def test_an_astro_site_comes_with_mdx_that_is_markdown_and_names_the_rest(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    a_site(tmp_path, ASTRO, ASTRO_PICTURES)

    report = run(cli, project, tmp_path / "src" / "content" / "blog", "--site", tmp_path, "--publish")

    assert (report["created"], report["published"], report["refused"], report["missing"]) == (2, 2, {}, {})
    assert list(report["skipped"]) == ["chart.mdx", "sum.mdx"]
    assert "line 1 of the text: import Chart" in report["skipped"]["chart.mdx"]
    assert "line 3 of the text: It is {1" in report["skipped"]["sum.mdx"]
    assert report["unknown"] == {"updatedDate": 1}
    found = documents_of(project)
    assert (found["first"]["publishedAt"], found["plain"]["publishedAt"]) == (
        "2022-07-08T00:00:00.000Z",
        "2022-07-09T00:00:00.000Z",
    )
    assert found["first"]["coverImageUrl"].endswith("/hero.png")
    assert "![Public](/media/" in text_of(project, "first")
    shown = cli("import", "--project", project.id, tmp_path / "src" / "content" / "blog", "--site", tmp_path)
    assert "PUBLIC_URL is not set: covers begin with http://localhost:8000, which is a guess." in shown.stderr
    assert (shown.exit_code, "Skipped: chart.mdx: " in shown.stderr) == (0, True)


def test_pictures_outside_of_the_folder_are_taken_only_of_a_site_that_is_named(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    a_site(tmp_path, JEKYLL, JEKYLL_PICTURES)

    report = run(cli, project, tmp_path / "_posts")

    assert (report["created"], report["refused"]) == (2, {})
    assert all("`--site` names the root" in one for one in report["missing"]["2019-05-01-rye.md"])
    assert "](/media/" not in text_of(project, "rye")


@pytest.mark.parametrize("name", ["x" * 300, "a%00b", "a/" * 2500])
def test_addresses_that_no_file_can_have_stop_nothing(cli: Cli, project: Project, tmp_path: Path, name: str) -> None:
    write(tmp_path, "a.md", f"---\ntitle: A\nimage: {name}.png\n---\n![]({name}.png) [x]({name}.pdf)\n")

    report = run(cli, project, tmp_path)

    assert (report["created"], report["links"]) == (1, {})
    assert len(report["missing"]["a.md"]) == 2


def test_a_path_of_categories_has_parents_which_are_made_once(cli: Cli, project: Project, tmp_path: Path) -> None:
    for number, named in enumerate(("Travel/Europe", "travel/ EUROPE / France", "Food/Europe", "/Travel/", "TCP/IP")):
        write(tmp_path, f"{number}.md", f"---\ntitle: x\ncategory: '{named}'\n---\nText\n")
    ctx = project.context()
    a_category(Rest(an_app(project.store).test_client(), project.token()), "TCP/IP", slug="tcp-ip")
    tried = run(cli, project, tmp_path, "--dry-run")

    report = run(cli, project, tmp_path)

    made = ["Travel > Europe", "travel > EUROPE > France", "Food > Europe"]
    assert report["categories"] == tried["categories"] == made
    found = OPERATIONS["list_categories"](ctx, fields={"limit": 99, "offset": 0}).body
    names_of = {one["id"]: one["name"] for one in found}
    assert sorted((one["name"], names_of.get(one["categoryId"]), one["slug"]) for one in found) == [
        ("Europe", "Food", "europe-2"),
        ("Europe", "Travel", "europe"),
        ("Food", None, "food"),
        ("France", "Europe", "france"),
        ("TCP/IP", None, "tcp-ip"),
        ("Travel", None, "travel"),
    ]
    assert names_of[documents_of(project)["3"]["categoryId"]] == "Travel"
    again = run(cli, project, tmp_path)
    assert (again["unchanged"], again["categories"]) == (5, [])
    write(tmp_path, "0.md", "---\ntitle: x\ncategory: Travel/Asia\n---\nText\n")
    assert run(cli, project, tmp_path, "--update")["updated"] == 1


def test_covers_of_one_picture_have_one_alternative_text_and_the_others_are_named_in_one_line(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    for name, alt in (("0", ""), ("a", "A loaf"), ("b", "Rye"), ("c", "A loaf"), ("d", "")):
        write(
            tmp_path,
            f"{name}.md",
            f"---\ntitle: A\ncover: {{image: {name}.png, alt: '{alt}'}}\n---\n![]({name}.png)\n",
        )
        (tmp_path / f"{name}.png").write_bytes(a_picture(seed=1))

    tried, report = run(cli, project, tmp_path, "--dry-run"), run(cli, project, tmp_path)

    assert tried["alts"] == report["alts"] == {"b.md": "A loaf"}
    [image] = call(project.context(), OPERATIONS["list_images"])
    assert image["alt"] == "A loaf"
    shown = cli("import", "--project", project.id, tmp_path).stdout
    assert "Covers with the alternative text that their picture had before: b.md: A loaf\n" in shown


def test_former_paths_that_can_not_all_lead_somewhere_are_listed(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\naliases: [/old/x, /blog/x, /old/a]\ndate: 2020-01-01\n---\nText\n")
    write(tmp_path, "b.md", "---\ntitle: B\nredirect_from: [/2019/x, /2019/a/, /2019/y]\ndate: 2020-01-01\n---\nText\n")

    report = run(cli, project, tmp_path, "--publish")

    assert report["paths"] == {
        **{"/old/x": "a", "/blog/x": "a", "/old/a": "a"},
        **{"/2019/x": "b", "/2019/a/": "b", "/2019/y": "b"},
    }
    assert report["redirects"] == {
        "/old/a": "they end with the slug itself",
        "/2019/x": "`x` is a former slug of a.md",
        "/2019/a/": "`a` is the slug of a.md",
    }
    assert redirects_of(project)["y"] == "b"
    shown = cli("import", "--project", project.id, tmp_path)
    assert "6 former paths, which --json has whole; redirects lead from 3.\n" in shown.stdout
    listed = "Former paths from which no redirect leads, as they end with the slug itself: /old/a\n"
    assert listed in shown.stderr


def test_former_paths_are_paths_whatever_way_they_are_written(cli: Cli, project: Project, tmp_path: Path) -> None:
    aliases = ["/old/index.html", "https://old.example/2019/loaf.html?x=1#y", "other", "../up/", "/?p=33", "/a/b%20c"]
    aliases += ["/", f"/{'x' * 201}"]
    for name in ("content/posts/rye.md", "content/posts/oats/index.md", "plain.md"):
        write(tmp_path, name, f"---\ntitle: Rye\ndate: 2020-01-01\naliases: {aliases}\n---\nText\n")

    report = run(cli, project, tmp_path / "content" / "posts" / "rye.md", "--publish")

    paths = ["/old/index.html", "/2019/loaf.html?x=1", "/posts/other", "/up/", *aliases[4:]]
    assert (report["published"], report["paths"]) == (1, dict.fromkeys(["/posts/rye/", *paths], "rye"))
    assert report["redirects"] == {
        "/posts/rye/": "they end with the slug itself",
        **dict.fromkeys([shown(path) for path in aliases[4:]], "no segment of theirs can be a slug"),
    }
    assert set(redirects_of(project)) == {"old", "loaf.html", "other", "up"}
    tried = run(cli, project, tmp_path / "content", "--dry-run")["paths"]
    assert "/posts/other" in tried
    assert "/other" in run(cli, project, tmp_path / "plain.md", "--dry-run")["paths"]


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("'Jul 02 2022'", "2022-07-02T00:00:00.000Z"),
        ("July 2, 2022", "2022-07-02T00:00:00.000Z"),
        ("2 Jul 2022", "2022-07-02T00:00:00.000Z"),
        ("2022/07/02", "2022-07-02T00:00:00.000Z"),
        ("2022-07-02 10:00:00 +0200", "2022-07-02T08:00:00.000Z"),
        ("2022-07-02 10:00 -05:30", "2022-07-02T15:30:00.000Z"),
        ("Sat, 02 Jul 2022 10:00:00 +0200", "2022-07-02T08:00:00.000Z"),
    ],
)
def test_dates_as_generators_write_them(cli: Cli, project: Project, tmp_path: Path, written: str, instant: str) -> None:
    write(tmp_path, "a.md", f"---\ntitle: A\npubDate: {written}\n---\nText\n")

    assert run(cli, project, tmp_path, "--publish")["refused"] == {}
    assert documents_of(project)["a"]["publishedAt"] == instant


def test_files_with_another_date_than_their_published_document_are_listed(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    for name in "ab":
        write(tmp_path, f"{name}.md", f"---\ntitle: {name}\ndate: 2020-01-02T01:00:00.1234567+01:00\n---\nText\n")
    write(tmp_path, "c.md", "---\ntitle: c\ndate: 2020-01-02\ndraft: true\n---\nText\n")
    assert run(cli, project, tmp_path, "--publish")["dates"] == {}
    assert run(cli, project, tmp_path, "--publish")["dates"] == {}
    for name in "ac":
        write(tmp_path, f"{name}.md", f"---\ntitle: {name}\ndate: 2020-01-03\n---\nText\n")

    report = run(cli, project, tmp_path, "--update")

    assert (report["unchanged"], report["dates"]) == (3, {"a.md": "2020-01-02T00:00:00.123Z"})
    assert (
        "Published here at another time than the file's date, which stays: a.md\n"
        in cli("import", "--project", project.id, tmp_path).stdout
    )
