"""Links between files of an import lead to the pages of their documents, where the project has a `siteUrl`."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_import import documents_of, redirects_of, write
from tests.cli.test_sites import run, text_of
from tests.documents.steps import a_category
from tests.images.pictures import a_picture
from tests.make import OPERATIONS, Project, an_app
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def with_site(project: Project) -> None:
    OPERATIONS["update_project"](project.context(), fields={"siteUrl": "https://a.example/posts/{slug}/"})


def test_links_between_posts_of_hugo_lead_to_their_pages(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "content/posts/wheat.md", "---\ntitle: Wheat\nslug: weat\n---\n")
    write(tmp_path, "content/posts/oats/index.md", "---\ntitle: Oats\n---\n")
    write(tmp_path, "content/notes/same.md", "---\ntitle: Same\nslug: one\n---\n")
    write(tmp_path, "content/posts/same.md", "---\ntitle: Same\nslug: other\n---\n")
    write(
        tmp_path,
        "content/posts/rye.md",
        '---\ntitle: Rye\n---\n[a](wheat.md#x) [b]({{< ref "wheat.md" >}}) [c]({{% relref "/posts/oats" %}}) '
        "[d](../posts/oats/index.md) [e][e] [f](gone.md) [g]({{< ref gone >}}) `{{< ref wheat >}}` "
        '[h]({{< ref "wheat.md#x" >}}) [i]({{< ref "notes/same" >}}) [j](same.md) [k]({{< ref "#x" >}})\n\n'
        '[e]: {{< ref "posts/wheat" >}}\n',
    )
    with_site(project)

    report = run(cli, project, tmp_path / "content")

    to = "https://a.example/posts"
    assert text_of(project, "rye") == (
        f"[a]({to}/weat/#x) [b]({to}/weat/) [c]({to}/oats/) [d]({to}/oats/) [e][e] [f](gone.md) "
        f"[g]({{{{< ref gone >}}}}) `{{{{< ref wheat >}}}}` [h]({to}/weat/#x) [i]({to}/one/) [j]({to}/other/) [k](#x)"
        f"\n\n[e]: {to}/weat/"
    )
    assert report["links"] == {
        "posts/rye.md": [{"line": 1, "what": what} for what in ("gone (no page known)", "gone.md")]
    }
    assert report["shortcodes"] == {"posts/rye.md": [{"line": 1, "what": "{{< ref >}}"}]}
    assert run(cli, project, tmp_path / "content")["unchanged"] == 5


def test_links_between_posts_of_jekyll_lead_to_their_pages_unless_two_have_the_name(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "_posts/2020-01-01-rye.md", "---\ntitle: Rye\n---\n")
    write(tmp_path, "_posts/2020-01-02-news.md", "---\ntitle: One\n---\n")
    write(tmp_path, "_posts/2021-01-02-news.md", "---\ntitle: Two\n---\n")
    write(
        tmp_path,
        "_posts/2022-01-01-all.md",
        "---\ntitle: All\n---\n[a]({% post_url 2020-01-01-rye %}) [b]({% link _posts/2020-01-01-rye.md %}) "
        "[c]({% post_url 2021-01-02-news %})\n",
    )
    with_site(project)

    report = run(cli, project, tmp_path / "_posts")

    assert [one["what"] for one in report["links"]["2022-01-01-all.md"]] == ["2021-01-02-news (no page known)"]
    rye = "https://a.example/posts/rye/"
    assert text_of(project, "all") == f"[a]({rye}) [b]({rye}) [c]({{% post_url 2021-01-02-news %}})"


def test_links_stay_as_they_are_without_the_address_of_the_site(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "rye.md", "---\ntitle: Rye\n---\n[a](wheat.md)\n")
    write(tmp_path, "wheat.md", "---\ntitle: Wheat\n---\n")

    assert list(run(cli, project, tmp_path)["links"]) == ["rye.md"]
    assert text_of(project, "rye") == "[a](wheat.md)"
    for text in (
        "[b](wheat.md)",
        "[a](/wheat/)",
        "[a]({{< ref wheat >}})",
        "[a]({% post_url wheat %})",
        "a {{< poll >}}",
    ):
        write(tmp_path, "rye.md", f"---\ntitle: Rye\n---\n{text}\n")
        shown = cli("import", "--project", project.id, tmp_path, "--update", "--dry-run").stderr
        assert ("The project has no siteUrl: " in shown) == ("poll" not in text)
    with_site(project)
    assert "siteUrl" not in cli("import", "--project", project.id, tmp_path, "--update").stderr


def test_a_name_of_two_files_means_the_one_at_that_path_or_in_the_same_folder(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    for section in ("posts", "guides", "guides/deep"):
        write(tmp_path, f"content/{section}/same.md", f"---\ntitle: Same\nslug: {section.replace('/', '-')}\n---\n")
    text = '[a]({{< ref "same" >}}) [b]({{< ref "/guides/same.md" >}}) [c]({{< relref "guides/same" >}}) [d](same.md)'
    write(tmp_path, "content/posts/near.md", f"---\ntitle: Near\n---\n{text}\n")
    write(tmp_path, "content/notes/far.md", f"---\ntitle: Far\n---\nText\n\n{text} [e](gone.md)\n")
    with_site(project)

    report = run(cli, project, tmp_path / "content")

    to, guides = "https://a.example/posts", "https://a.example/posts/guides/"
    assert text_of(project, "near") == f"[a]({to}/posts/) [b]({guides}) [c]({guides}) [d]({to}/posts/)"
    assert report["links"] == {
        "notes/far.md": [
            {"line": 3, "what": "same (ambiguous)"},
            {"line": 3, "what": "same.md (ambiguous)"},
            {"line": 3, "what": "gone.md"},
        ]
    }
    posts = run(cli, project, tmp_path / "content" / "posts", "--dry-run")
    assert posts["links"] == {}


def test_links_from_the_root_lead_to_pages_whose_address_a_file_had(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "content/posts/rye.md", "---\ntitle: Rye\naliases: [/2019/rye.html, old]\n---\n")
    write(tmp_path, "content/posts/Big Loaf/index.md", "---\ntitle: Loaf\n---\n")
    write(tmp_path, "content/guides/pinned.md", "---\ntitle: Pinned\nurl: /guides/pinned.html\n---\n")
    write(tmp_path, "content/guides/named.md", "---\ntitle: Named\nslug: other\n---\n")
    write(tmp_path, "content/a/twice.md", "---\ntitle: A\nslug: first\naliases: [/twice/]\n---\n")
    write(tmp_path, "content/b/twice.md", "---\ntitle: B\nslug: second\naliases: [/twice/]\n---\n")
    paths = ["/posts/rye/", "/posts/rye", "/posts/rye/index.html#x", "/2019/rye.html", "/posts/old/"]
    paths += ["/posts/big-loaf/", "/guides/pinned.html", "/guides/other/", "https://a.example/posts/rye/?x=1#y"]
    others = ["/about/", "/guides/named/", "/twice/", "//b.example/posts/rye/", "https://b.example/posts/rye/", "/"]
    text = " ".join(f"[{number}]({path})" for number, path in enumerate([*paths, *others]))
    text += ' <a href="/posts/rye/">x</a> `[no](/posts/rye/x)` <https://a.example/2019/rye.html> <rye>'
    write(tmp_path, "content/posts/all.md", f"---\ntitle: All\n---\n{text}\n")
    before = run(cli, project, tmp_path / "content", "--dry-run")
    with_site(project)

    report = run(cli, project, tmp_path / "content")

    rye, other = "https://a.example/posts/rye/", "https://a.example/posts/other/"
    pages = [rye, rye, f"{rye}#x", rye, rye, "https://a.example/posts/big-loaf/", "https://a.example/posts/pinned/"]
    pages += [other, f"{rye}?x=1#y", *others]
    expected = " ".join(f"[{number}]({path})" for number, path in enumerate(pages))
    assert text_of(project, "all") == f'{expected} <a href="{rye}">x</a> `[no](/posts/rye/x)` <{rye}> <rye>'
    assert len(before["rootLinks"]["posts/all.md"]) == 13
    left = [{"line": 1, "what": path} for path in ("/about/", "/guides/named/", "/twice/", "/")]
    assert report["rootLinks"] == {"posts/all.md": left}
    shown = cli("import", "--project", project.id, tmp_path / "content", "--update", "--dry-run")
    assert "from the site's root" not in shown.output
    assert run(cli, project, tmp_path / "content")["unchanged"] == 7


def test_a_path_from_the_root_never_means_a_file_beside_the_page(cli: Cli, project: Project, tmp_path: Path) -> None:
    text = "[a](/) [b](/#x) [c](/rye/) [d](https://a.example/) [e](https://a.example/rye/) [f](./)"
    write(tmp_path, "content/posts/trip/index.md", f"---\ntitle: Trip\n---\n{text}\n")
    write(tmp_path, "content/posts/rye.md", f"---\ntitle: Rye\n---\n{text}\n")
    with_site(project)

    report = run(cli, project, tmp_path / "content")

    for slug in ("trip", "rye"):
        assert text_of(project, slug) == text.replace("./", f"https://a.example/posts/{slug}/")
    left = [{"line": 1, "what": path} for path in ("/", "/#x", "/rye/", "https://a.example/rye/")]
    assert report["rootLinks"] == dict.fromkeys(("posts/rye.md", "posts/trip/index.md"), left)


def test_addresses_with_the_host_of_the_site_are_read_as_paths(cli: Cli, project: Project, tmp_path: Path) -> None:
    (tmp_path / "static" / "img").mkdir(parents=True)
    for seed, name in enumerate(("loaf", "wheat", "cover")):
        (tmp_path / "static" / "img" / f"{name}.png").write_bytes(a_picture(seed=seed))
    text = "[a](//a.example/posts/rye/#x) [b](https://a.example/feed/) [c](https://a.example/posts/known/) "
    text += "![d](https://A.example/img/loaf.png) [e](//a.example/img/wheat.png) ![f](https://a.example/no.png) "
    text += "![g](https://b.example/img/loaf.png)"
    write(tmp_path, "content/posts/rye.md", f"---\ntitle: Rye\ncover: https://a.example/img/cover.png\n---\n{text}\n")
    write(tmp_path, "content/posts/oats.md", "---\ntitle: Oats\ncover: https://a.example/no.png\n---\nText\n")
    with_site(project)

    report = run(cli, project, tmp_path / "content", "--site", tmp_path)

    found = text_of(project, "rye")
    assert found.startswith("[a](https://a.example/posts/rye/#x) [b](https://a.example/feed/) ")
    assert found.endswith("![f](https://a.example/no.png) ![g](https://b.example/img/loaf.png)")
    assert (found.count("(/media/"), "/cover.png" in documents_of(project)["rye"]["coverImageUrl"]) == (2, True)
    assert documents_of(project)["oats"]["coverImageUrl"] == "https://a.example/no.png"
    assert report["rootLinks"] == {"posts/rye.md": [{"line": 1, "what": "https://a.example/feed/"}]}
    why = "https://a.example/no.png (no such file in the folder; `--site` names the root of a site)"
    assert report["missing"] == {"posts/oats.md": [why], "posts/rye.md": [why]}
    assert run(cli, project, tmp_path / "content", "--site", tmp_path)["unchanged"] == 2


def test_a_page_beside_the_sections_of_hugo_does_not_follow_the_pattern(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "content/posts/rye.md", "---\ntitle: Rye\ndate: 2019-05-01\n---\n[a](/me/) [b](/2019/me/)\n")
    write(tmp_path, "content/me.md", "---\ntitle: Me\ndate: 2019-05-01\n---\nText\n")
    with_site(project)

    report = run(cli, project, tmp_path / "content", "--permalink", "/:year/:slug/")

    assert report["paths"] == {"/2019/rye/": "rye", "/me/": "me"}
    assert text_of(project, "rye") == "[a](https://a.example/posts/me/) [b](/2019/me/)"


def test_links_and_paths_follow_the_pattern_of_a_sites_permalinks(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "content/posts/rye.md", "---\ntitle: Rye\ndate: 2019-05-01T23:30:00-05:00\n---\n")
    write(tmp_path, "content/posts/pinned.md", "---\ntitle: Pinned\ndate: 2019-05-01\nurl: /pinned/\n---\n")
    text = "[a](/2019/05/posts/rye/) [b](/pinned/) [c](/2019/05/posts/pinned/) [d](/posts/rye/)"
    write(tmp_path, "content/posts/undated.md", f"---\ntitle: Undated\n---\n{text}\n")
    with_site(project)

    report = run(cli, project, tmp_path / "content", "--permalink", "/:year/:month/:section/:slug/")

    to = "https://a.example/posts"
    kept = "/2019/05/posts/pinned/"
    assert text_of(project, "undated") == f"[a]({to}/rye/) [b]({to}/pinned/) [c]({kept}) [d]({to}/rye/)"
    assert report["paths"] == {"/2019/05/posts/rye/": "rye", "/pinned/": "pinned"}
    for wrong in ("/:yaer/:slug/", ":slug", "/:year/"):
        assert cli("import", "--project", project.id, tmp_path, "--permalink", wrong).exit_code == 2


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("slug", "big-loaf own loaf"),
        ("title", "big-loaf the-spelt rye-bread"),
        ("filename", "rye spelt 2019-05-02-loaf"),
        ("contentbasename", "rye spelt 2019-05-02-loaf"),
        ("slugorfilename", "rye own loaf"),
        ("slugorcontentbasename", "rye own loaf"),
    ],
)
def test_a_pattern_has_slugs_as_hugo_makes_them(
    cli: Cli, project: Project, tmp_path: Path, key: str, path: str
) -> None:
    write(tmp_path, "content/rye.md", "---\ntitle: Big Loaf\n---\n")
    write(tmp_path, "content/spelt.md", "---\ntitle: The Spelt!\nslug: own\n---\n")
    write(tmp_path, "content/2019-05-02-loaf.md", "---\ntitle: Rye bread\nslug: loaf\n---\n")

    report = run(cli, project, tmp_path / "content", "--permalink", f"/x/:{key}/")

    expected = {f"/x/{name}/": slug for name, slug in zip(path.split(), ("rye", "own", "loaf"), strict=True)}
    assert report["paths"] == expected


def test_signs_in_titles_and_names_are_in_addresses_as_hugo_writes_them(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    titles = ["Don’t panic — yet", "Ärger…", "Fast – faster", "C++ and #1…", "½ a - b--c", "1/2 50% @ „Bäcker’s“"]
    for number, title in enumerate(titles):
        write(tmp_path, f"content/what’s on/{number}.md", f"---\ntitle: '{title}'\ndate: 2020-01-01\n---\nText\n")
    write(tmp_path, "content/posts/C++ – why?.md", "---\ntitle: C\n---\n[a](/2020/dont-panic-yet/)\n")
    with_site(project)

    plain = run(cli, project, tmp_path / "content", "--dry-run")
    report = run(cli, project, tmp_path / "content", "--permalink", "/:year/:slug/")

    assert [*plain["paths"]][:2] == ["/posts/c++-why/", "/whats-on/0/"]
    assert plain["paths"]["/posts/c++-why/"] == "c-why"
    names = ["dont-panic-yet", "ärger", "fast-faster", "c++-and-%231", "a-b--c", "1/2-50-@-bäckers"]
    assert report["paths"] == {f"/2020/{name}/": str(number) for number, name in enumerate(names)}
    assert text_of(project, "c-why") == "[a](https://a.example/posts/0/)"


def test_redirects_lead_from_the_pages_of_a_pattern_unless_they_end_with_the_slug(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    for name, front in (("loaf", "slug: big-loaf"), ("rye", "aliases: [/old/]"), ("oats", "aliases: [/loaf/]")):
        write(tmp_path, f"content/posts/{name}.md", f"---\ntitle: A\ndate: 2019-05-01\n{front}\n---\nText\n")
    options = ("--permalink", "/:year/:filename/", "--publish")

    report = run(cli, project, tmp_path / "content", *options)

    paths = {"/2019/loaf/": "big-loaf", "/2019/rye/": "rye", "/old/": "rye", "/2019/oats/": "oats", "/loaf/": "oats"}
    ends = "they end with the slug itself"
    assert report["paths"] == paths
    assert report["redirects"] == {
        "/2019/rye/": ends,
        "/2019/oats/": ends,
        "/loaf/": "`loaf` is a former slug of posts/loaf.md",
    }
    assert redirects_of(project) | {"loaf": ""} == {"loaf": "", "old": "rye"}
    assert run(cli, project, tmp_path / "content", *options)["unchanged"] == 3


def test_a_pattern_has_categories_and_no_dates_of_files(cli: Cli, project: Project, tmp_path: Path) -> None:
    for year in (2019, 2020):
        text = "<https://a.example/press/old-news/2020/x.html> https://a.example/press/old-news/2020/x.html."
        write(tmp_path, f"_posts/{year}-01-02-x.md", f"---\ntitle: A\ncategories: [Press, Old News]\n---\n{text}\n")
    with_site(project)

    report = run(cli, project, tmp_path / "_posts", "--permalink", "/:categories/:year/:title.html")

    assert report["paths"] == {
        "/press/old-news/2019/x.html": "x",
        "/press/old-news/2020/x.html": "2020-01-02-x",
    }
    assert report["redirects"] == {
        "/press/old-news/2020/x.html": "`x.html` is a former slug of 2019-01-02-x.md",
    }


def test_links_to_categories_lead_to_their_pages_and_their_former_paths_are_named(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    fields = {"siteUrl": "https://a.example/posts/{slug}/", "categoryUrl": "https://a.example/topics/{slug}/"}
    OPERATIONS["update_project"](project.context(), fields=fields)
    rest = Rest(an_app(project.store).test_client(), project.token())
    a_category(rest, name="All Gear", slug="gear")
    names = ("all gear", "Räder & Reifen", "Trips/Alps", "räder & reifen", "C", "C++")
    for number, name in enumerate(names):
        write(tmp_path, f"content/{number}.md", f"---\ntitle: A\ncategories: ['{name}', Second]\n---\nText\n")
    paths = [
        "/categories/all-gear/",
        "https://a.example/categories/r%C3%A4der--reifen/#x",
        "../../categories/trips/alps",
    ]
    paths += ["/categories/#all-gear", "/category/all-gear/", "/categories/second/", "/categories/", "/tags/all-gear/"]
    text = " ".join(f"[{number}]({path})" for number, path in enumerate(paths))
    write(tmp_path, "content/posts/all.md", f"---\ntitle: All\n---\n{text}\n")
    tried = run(cli, project, tmp_path / "content", "--dry-run")

    report = run(cli, project, tmp_path / "content")

    slugs = {"all-gear": "gear", "räder-reifen": "raeder-reifen", "trips/alps": "alps", "c": "c", "c++": "c-2"}
    assert report == tried
    assert report["categoryPaths"] == {f"/categories/{name}/": slug for name, slug in slugs.items()}
    to = [f"https://a.example/topics/{slug}/" for slug in ("gear", "raeder-reifen", "alps", "gear", "gear")]
    to[1] += "#x"
    left = paths[5:]
    assert text_of(project, "all") == " ".join(f"[{number}]({path})" for number, path in enumerate([*to, *left]))
    assert [one["what"] for one in report["rootLinks"]["posts/all.md"]] == left
    again = run(cli, project, tmp_path / "content")
    assert (again["unchanged"], again["categoryPaths"]) == (7, report["categoryPaths"])


def test_a_file_whose_namesake_has_a_slug_of_its_own_is_found(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "content/posts/b.md", "---\ntitle: B\n---\n")
    write(tmp_path, "content/notes/b.md", "---\ntitle: Note\nslug: bn\n---\n")
    text = '[a]({{< relref "/posts/b" >}}) [b]({{< ref "/notes/b.md" >}}) [c](b.md) [d](../b/) [e](/posts/b/)'
    write(tmp_path, "content/posts/a.md", f"---\ntitle: A\n---\n{text}\n")
    with_site(project)

    run(cli, project, tmp_path / "content")

    to = "https://a.example/posts"
    assert text_of(project, "a") == f"[a]({to}/b/) [b]({to}/bn/) [c]({to}/b/) [d]({to}/b/) [e]({to}/b/)"


def test_relative_links_lead_to_pages_and_are_listed_where_none_is_known(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "content/posts/wheat/index.md", "---\ntitle: Wheat\nslug: weat\n---\n")
    write(tmp_path, "content/posts/Big Loaf.md", "---\ntitle: Loaf\n---\n")
    write(tmp_path, "content/posts/chart.mdx", "---\ntitle: Chart\n---\n<Chart />\n")
    text = "[a](../weat/#x) [b](../big-loaf) [c](../../posts/weat/) [d](../wheat/) [e](#x) [f](mailto:a@b.example)"
    text += " [g](../chart/) [h](/posts/chart/) [i](./wheat) [j](dated/)"
    write(tmp_path, "content/posts/rye.md", f"---\ntitle: Rye\n---\n{text}\n")
    dated = "---\ntitle: Dated\ndate: 2019-05-01\n---\n[a](../../../posts/weat/) [b](../../05/dated/)\n"
    write(tmp_path, "content/posts/dated.md", dated)
    with_site(project)

    report = run(cli, project, tmp_path / "content", "--permalink", "/:year/:month/:slug/")

    to = "https://a.example/posts"
    left = "[d](../wheat/) [e](#x) [f](mailto:a@b.example) [g](../chart/) [h](/posts/chart/)"
    left += f" [i]({to}/weat/) [j]({to}/dated/)"
    assert text_of(project, "rye") == f"[a]({to}/weat/#x) [b]({to}/big-loaf/) [c]({to}/weat/) {left}"
    assert text_of(project, "dated") == f"[a]({to}/weat/) [b]({to}/dated/)"
    lines = [{"line": 1, "what": f"../{name}/"} for name in ("wheat", "chart")]
    assert report["links"] == {"posts/rye.md": lines}
    assert report["rootLinks"] == {"posts/rye.md": [{"line": 1, "what": "/posts/chart/"}]}


def test_references_are_links_however_they_are_written(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "_posts/2020-01-01-rye.md", "---\ntitle: Rye\n---\n")
    text = "[a]({{ site.baseurl }}{% post_url 2020-01-01-rye %}#x) "
    text += "[b]({{ site.url }}{{site.baseurl}}{% link _posts/2020-01-01-rye.md %})"
    text += ' [c]({{< ref path="/2020-01-01-rye.md" >}}) [d](<{{% relref path="2020-01-01-rye" lang="de" %}}>)'
    write(tmp_path, "_posts/2022-01-01-all.md", f"---\ntitle: All\n---\n{text}\n")
    with_site(project)

    report = run(cli, project, tmp_path / "_posts")

    rye = "https://a.example/posts/rye/"
    assert text_of(project, "all") == f"[a]({rye}#x) [b]({rye}) [c]({rye}) [d](<{rye}>)"
    assert report["shortcodes"] == {}


def test_pictures_that_links_lead_to_are_uploaded(cli: Cli, project: Project, tmp_path: Path) -> None:
    for seed, name in enumerate(("a.png", "big.png")):
        (tmp_path / name).write_bytes(a_picture(seed=seed))
    write(tmp_path, "a.md", "---\ntitle: A\n---\n[![A](a.png)](big.png) [gone](gone.png)\n")

    report = run(cli, project, tmp_path)

    assert text_of(project, "a").count("](/media/") == 2
    assert report["links"] == {}
    assert [one.partition(" ")[0] for one in report["missing"]["a.md"]] == ["gone.png"]
