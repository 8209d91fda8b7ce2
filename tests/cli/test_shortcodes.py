"""Shortcodes of Hugo and tags of Jekyll: in markdown where that can say them, else as text and listed."""

from pathlib import Path

import pytest

from app.transfers.commands.generators import code_in, without_attributes
from app.transfers.commands.shortcodes import translated
from tests.cli.conftest import Cli
from tests.cli.test_import import write
from tests.cli.test_sites import run, text_of
from tests.images.pictures import a_picture
from tests.make import Project


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ('{{< figure src="a.png" alt="A [loaf]" title="Rye" >}}', r'![A \[loaf\]](a.png "Rye")'),
        ('{{< figure src="a b.png" caption="Very *dark*" />}}', "![Very dark](<a b.png>)\\\nVery *dark*"),
        (
            '{{% img\n  src="a.png"\n  link="/b (c)/"\n  alt="x \\" y"\n  attr=Ada attrlink="https://a.example" %}}',
            '[![x " y](a.png)](</b (c)/>)\\\n[Ada](https://a.example)',
        ),
        ("{% include figure.html image_path=\"/a.png\" alt='x' %}", "![x](/a.png)"),
        ("{% include figure.html src=page.image %}", None),
        ('{{< figure alt="no picture" >}}', None),
        ("{{< youtube w7Ft2ymGmfc >}}", "<https://www.youtube.com/watch?v=w7Ft2ymGmfc>"),
        ('{{< vimeo id="55073825" title="A film" >}}', "[A film](https://vimeo.com/55073825)"),
        ('{% include video id="x" provider="youtube" %}', "<https://www.youtube.com/watch?v=x>"),
        (
            '{{< gist spf13 7896402 "a.go" >}} {% gist ada/1 %}',
            "<https://gist.github.com/spf13/7896402> <https://gist.github.com/ada/1>",
        ),
        ('{{< tweet user="ada" id="1" >}}', "<https://x.com/i/status/1>"),
        ("{{< youtube >}}", None),
        (
            '{{< highlight go "linenos=table" >}}\nx := "```"\n\n  y\n{{< / highlight >}}',
            '````go\nx := "```"\n\n  y\n````',
        ),
        ("- a\n\n  {% highlight ruby %}\n  x\n  {% endhighlight %}", "- a\n\n  ```ruby\n  x\n  ```"),
        ('In {{< highlight go "hl_inline=true" >}}x{{< /highlight >}} line', "In `x` line"),
        ("{{< highlight go >}} without end", None),
        (
            '{{< details summary="A & b" >}}\nIn {{< youtube x >}}\n{{< /details >}}\nAfter',
            "<details>\n<summary>A &amp; b</summary>\n\nIn <https://www.youtube.com/watch?v=x>\n\n</details>\n\nAfter",
        ),
        ("{{% notice tip %}}\nOne\n\n- two\n{{% /notice %}}", "> [!TIP]\n> One\n>\n> - two\n"),
        ('{{< callout type="danger" title="Hot" >}}x{{< /callout >}}', "> [!CAUTION]\n> **Hot**\n>\n> x\n"),
        ("{{< warning >}}x{{< /warning >}}", "> [!WARNING]\n> x\n"),
        ('{{< notice tip "My own" >}}x{{< /notice >}}', "> [!TIP]\n> **My own**\n>\n> x\n"),
        ('{{< admonition info "Own" false >}}x{{< /admonition >}}', "> [!NOTE]\n> **Own**\n>\n> x\n"),
        ('{{% note "Own" %}}x{{% /note %}}', "> [!NOTE]\n> **Own**\n>\n> x\n"),
        ('{{< alert "twitter" >}}x{{< /alert >}}', "> [!NOTE]\n> x\n"),
        ("> [!NOTE]+ Open\n> a\n\n> > [!TIP]-\n> > b", "> [!NOTE] Open\n> a\n\n> > [!TIP]\n> > b"),
        ("> [!NOTE] +1\n\n```\n> [!NOTE]+ Open\n```", None),
        ("a {{/* not shown * */}}b {% comment %}nor\nthis{% endcomment %}c", "a b c"),
        ('{{</* figure src="x" */>}}', '`{{< figure src="x" >}}`'),
        ("```\n{{%/* notice */%}}\n{{< figure src=x >}}\n```", "```\n{{% notice %}}\n{{< figure src=x >}}\n```"),
        (
            "## The gate {#gate}\n# Rye & oats! {#rye--oats}\n# {#x}",
            '## <a id="gate"></a>The gate\n# Rye & oats!\n# {#x}',
        ),
        ("{{< rawhtml >}}<b>x</b>{{< /rawhtml >}}{{% lead %}}y{{% /lead %}}", "<b>x</b>y"),
        ("{{< mermaid >}}\nA{{x}} --> B\n{{< /mermaid >}}", "```mermaid\nA{{x}} --> B\n```"),
        ('{{< quote author="Ada" source="Notes" >}}\nx\n{{< /quote >}}', "> x\n>\n> — Ada, Notes\n"),
        ("{{% blockquote %}}x\n\ny{{% /blockquote %}}", "> x\n>\n> y\n"),
        ("a {::comment}not\nthis{:/comment} b `{::comment}` {::comment}", "a  b `{::comment}` {::comment}"),
        ('{{< myshort foo="bar" >}}x{{< /myshort >}} {{< param "x" >}}', None),
    ],
)
def test_tags_become_what_markdown_has_for_them(written: str, markdown: str | None) -> None:
    assert translated(written, set(), is_of_jekyll=False) == (written if markdown is None else markdown)


def test_only_posts_of_jekyll_have_raw_tags_in_code() -> None:
    raw = "{% raw %}{{ x }}{% endraw %}"

    assert translated(f"{raw}\n```\n{raw}\n```", set(), is_of_jekyll=True) == "{{ x }}\n```\n{{ x }}\n```"
    assert translated(f"{raw} `{raw}`", set(), is_of_jekyll=False) == f"{{{{ x }}}} `{raw}`"


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "part",
    [
        "{{< details >}}",
        "{::comment}",
        "{{/*",
        "{{</* ",
        "# a {#",
        '{{< figure src="',
        "{{< x `",
        '{{< figure \\"',
        "{% raw %}",
    ],
)
def test_tags_without_end_are_read_in_seconds(part: str) -> None:
    assert translated(part * 80_000, set(), is_of_jekyll=False)


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "part", [f"<a{' ' * 50_000}", "<a" + " markdown=1" * 36_000, "<a b ", "[](x){", "{::a", "{% toc ", "# {a="]
)
def test_attributes_without_end_are_read_in_seconds(part: str) -> None:
    for is_of_jekyll in (True, False):
        assert without_attributes(part * (400_000 // len(part)), is_of_jekyll=is_of_jekyll)[0]


@pytest.mark.timeout(30)
def test_a_long_line_of_mdx_is_read_at_once() -> None:
    assert code_in("rye " * 100_000) is None
    assert code_in("Rye.\n" + "rye " * 100_000 + "<Loaf />\n{x}") == f"line 2 of the text: {'rye ' * 20}"


@pytest.mark.needs_mongod
def test_pictures_of_shortcodes_are_uploaded_and_what_is_left_is_listed(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(
        tmp_path,
        "_posts/2020-01-01-a.md",
        '---\ntitle: A\n---\n{{< figure src="a.png" alt="A loaf" >}}\n'
        '{% include figure.html src="{{ site.baseurl }}/a.png" caption="C" %}\n\n'
        "{% highlight sh %}\n{{ site.baseurl }}/x\n{% endhighlight %}\n{{< poll 1 >}}\n",
    )
    (tmp_path / "_posts/a.png").write_bytes(a_picture())
    (tmp_path / "a.png").write_bytes(a_picture())

    report = run(cli, project, tmp_path / "_posts", "--site", tmp_path)

    assert (report["missing"], report["shortcodes"]) == (
        {},
        {"2020-01-01-a.md": [{"line": 8, "what": "{{< poll >}}"}]},
    )
    text = text_of(project, "a")
    assert text.startswith("![A loaf](/media/")
    assert text.count("](/media/") + text.count("](</media/") == 2
    assert text.endswith("```sh\n{{ site.baseurl }}/x\n```\n{{< poll 1 >}}")
    assert run(cli, project, tmp_path / "_posts", "--site", tmp_path)["unchanged"] == 1


@pytest.mark.needs_mongod
def test_arguments_that_markdown_has_no_place_for_are_listed(cli: Cli, project: Project, tmp_path: Path) -> None:
    figure = '{{< figure src="https://a.example/a.png" title="T" alt="A" Width="300" class=right >}}'
    code = '{{< highlight go "hl_lines=2 4,linenos=table" >}}\nx {{< figure height=1 >}}\n{{< /highlight >}}'
    write(
        tmp_path, "a.md", f"---\ntitle: A\n---\n{figure}\n\n{{{{< details >}}}}{figure}{{{{< /details >}}}}\n\n{code}\n"
    )
    write(tmp_path, "b.md", "---\ntitle: B\n---\n`{{< figure src=x width=1 >}}` {{< figure width=1 >}}\n")

    report = run(cli, project, tmp_path)

    names = ("figure width", "figure class", "highlight hl_lines", "highlight linenos")
    assert report["attributes"] == dict.fromkeys(names, 1)


@pytest.mark.needs_mongod
def test_attributes_in_posts_of_jekyll_are_left_out_and_listed(cli: Cli, project: Project, tmp_path: Path) -> None:
    text = '* TOC\n{:toc}\n\n## A {#a}\n{: .b}\n\n[x](https://a.example){:target="_blank"} y\n\n* z\n{: .c}\n`{: .not}`'
    text += '\n\n<div markdown="1">\n## In\n</div>\n'
    text += "{::nomarkdown}x{:/} [f]({% link /b/x.pdf %}) [g]({% link _posts/x.md %})"
    for name in "ab":
        write(tmp_path, f"_posts/2020-01-01-{name}.md", f"---\ntitle: A\n---\n{text}\n")

    report = run(cli, project, tmp_path / "_posts")

    assert report["attributes"] == {
        **{"{:toc}": 2, "{: .b}": 2, '{:target="_blank"}': 2, "{: .c}": 2, "{::nomarkdown}": 2, "{:/}": 2}
    }
    assert {one["what"] for found in report["shortcodes"].values() for one in found} == {"{% link %}"}
    assert text_of(project, "a") == "## A\n\n\n[x](https://a.example) y\n\n* z\n\n`{: .not}`" + (
        "\n\n<div>\n\n## In\n</div>\nx [f](/b/x.pdf) [g]({% link _posts/x.md %})"
    )
    shown = cli("import", "--project", project.id, tmp_path / "_posts").stdout
    assert "Attributes, and places of contents, that were left out, with the number of files: {: .b} (2), " in shown


@pytest.mark.needs_mongod
@pytest.mark.parametrize("folder", ["content", "_posts"])
@pytest.mark.parametrize(
    "place",
    ["{{< toc >}}", "{{%toc levels=2%}}", "{{< table-of-contents />}}", "[TOC]", "[[toc]]", "[[_TOC_]]", "<!-- toc -->"]
    + ["{% toc %}", "{% include toc.html html=content %}", "{{TOC}}"],
)
def test_the_place_of_a_table_of_contents_is_left_out_and_listed(
    cli: Cli, project: Project, tmp_path: Path, folder: str, place: str
) -> None:
    kept = f"Write {place} so: `[TOC]`\n\n```\n{place}\n```"
    write(tmp_path, f"{folder}/a.md", f"---\ntitle: A\n---\nBefore\n\n{place}\n\n{kept}\n\n- a\n\n  {place} \n")

    report = run(cli, project, tmp_path / folder)

    assert report["attributes"] == {place: 1}
    assert text_of(project, "a") == f"Before\n\n\n\n{kept}\n\n- a"
