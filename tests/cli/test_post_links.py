"""Links between files of an import lead to the pages of their documents, where the project has a `siteUrl`."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_import import write
from tests.cli.test_sites import run, text_of
from tests.make import OPERATIONS, Project

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
        '[h]({{< ref "wheat.md#x" >}}) [i]({{< ref "notes/same" >}}) [j](same.md)\n\n[e]: {{< ref "posts/wheat" >}}\n',
    )
    with_site(project)

    report = run(cli, project, tmp_path / "content")

    to = "https://a.example/posts"
    assert text_of(project, "rye") == (
        f"[a]({to}/weat/#x) [b]({to}/weat/) [c]({to}/oats/) [d]({to}/oats/) [e][e] [f](gone.md) "
        f"[g]({{{{< ref gone >}}}}) `{{{{< ref wheat >}}}}` [h]({to}/weat/#x) [i]({to}/one/) [j]({to}/other/)"
        f"\n\n[e]: {to}/weat/"
    )
    assert report["links"] == {"posts/rye.md": ["line 1 of the text: gone.md"]}
    assert report["shortcodes"] == {"posts/rye.md": ["line 1 of the text: {{< ref >}}"]}
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

    run(cli, project, tmp_path / "_posts")

    rye = "https://a.example/posts/rye/"
    assert text_of(project, "all") == f"[a]({rye}) [b]({rye}) [c]({{% post_url 2021-01-02-news %}})"


def test_links_stay_as_they_are_without_the_address_of_the_site(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "rye.md", "---\ntitle: Rye\n---\n[a](wheat.md)\n")
    write(tmp_path, "wheat.md", "---\ntitle: Wheat\n---\n")

    assert list(run(cli, project, tmp_path)["links"]) == ["rye.md"]
    assert text_of(project, "rye") == "[a](wheat.md)"
