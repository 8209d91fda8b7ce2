"""Raw html in markdown comes out well nested, with nothing lost of what its author may write."""

import pytest

from app.core.text.html import MAX_DEPTH, to_html
from tests.core.text.safe_html import depth_of

LINK = '<a href="http://www.a.example" rel="noopener">www.a.example</a>'


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("<p>a <b>b</b></p>", "<p>a <b>b</b></p>\n"),
        ("<div>a &amp; &lt; b</div>", "<div>a &amp; &lt; b</div>\n"),
        ("<div>a < b <3</div>", "<div>a &lt; b &lt;3</div>\n"),
        ("<div>`a` *b* [c](d) \\e ~~f~~</div>", "<div>`a` *b* [c](d) \\e ~~f~~</div>\n"),
        ("<div>é &eacute; <b>ü</b></div>", "<div>é é <b>ü</b></div>\n"),
        # end tags that are missing, too many, or crossed
        ("<div><b>a", "<div><b>a\n</b></div>"),
        ("a</b></i> b", "<p>a b</p>\n"),
        ("<div><b><i>a</b>b</i></div>", "<div><b><i>a</i></b>b</div>\n"),
        # end tags that html lets authors leave out
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>\n"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>\n"),
        ("<p>a<p>b<div>c</div>", "<p>a</p><p>b</p><div>c</div>\n"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>\n"),
        # what stands in a table outside its cells
        ("<table>a<tr><td>b</table>", "a<table><tbody><tr><td>b</td></tr></tbody></table>\n"),
        (
            "<table><b>a</b><tr><td>b</table>",
            "<table><tbody><tr><td><b>a</b></td></tr><tr><td>b</td></tr></tbody></table>\n",
        ),
        # what is no tag, and tags that are not allowed
        ("a<!-- <b> -->b", "<p>ab</p>\n"),
        ("a<?php c ?>b<![CDATA[d]]>e", "<p>abe</p>\n"),
        ("a<script>b<i></SCRIPT >c<style>d</style>e", "<p>ace</p>\n"),
        ("a<x-y>b</x-y><svg><title>c</title></svg>", "<p>abc</p>\n"),
        ("<B>a</B>", "<p><b>a</b></p>\n"),
        ("a<br/>b</br>c", "<p>a<br>bc</p>\n"),
        ("<plaintext>a\n\nb", "<p>a</p>\n<p>b</p>\n"),
        ("<form><input type=text> <input type=checkbox> <button>a</button></form>", "  a\n"),
        ("the <script> tag\n\nand more", "<p>the  tag</p>\n<p>and more</p>\n"),
        ("<script>let a = '</b>'\n<style></script>a", "a\n"),
        # bare addresses
        ("www.a.example <code>www.b.example</code>", f"<p>{LINK} <code>www.b.example</code></p>\n"),
        ("<div>www.a.example</div>", "<div>www.a.example</div>\n"),
        ("a <a href='/b'>www.a.example</a>", '<p>a <a href="/b" rel="noopener">www.a.example</a></p>\n'),
        ("a <a href='/b'>https://c.example</a>", '<p>a <a href="/b" rel="noopener">https://c.example</a></p>\n'),
        ("<img alt='www.a.example'>", '<img alt="www.a.example">\n'),
        # blocks of html around markdown
        ("<div>\n\n*a*\n\n</div>\n\nb", "<div>\n<p><em>a</em></p>\n</div>\n<p>b</p>\n"),
        ("> <div>a\n\nb", "<blockquote>\n<div>a\n</div></blockquote>\n<p>b</p>\n"),
        ("<script>\nlet a = `<p>`;\n</script>\n\nb", "\n<p>b</p>\n"),
        # attributes
        ('<img alt="a > b" src=c>d', '<p><img alt="a &gt; b" src="c">d</p>\n'),
        (f"<b title=a {' '.join(f'b{number}' for number in range(49))}>c</b>", '<p><b title="a">c</b></p>\n'),
        (f"<b title=a {' '.join(f'b{number}' for number in range(50))}>c</b>", "<p>c</p>\n"),
    ],
)
def test_what_raw_html_becomes(markdown: str, html: str) -> None:
    assert to_html(markdown) == html


def test_elements_nested_too_deep_lose_their_tags_but_no_text() -> None:
    deep = "<b>" * MAX_DEPTH + "a <i>b <u>c</u></i>" + "</b>" * MAX_DEPTH + "<i>d</i>"
    html = to_html(deep)

    assert "a b c" in html
    assert html.endswith("<i>d</i></p>\n")
    assert depth_of(html) <= MAX_DEPTH + 1


@pytest.mark.parametrize(("letter", "written"), [("&", "&amp;"), ("\xa0", "&nbsp;"), ("«", "«")])
def test_a_text_of_many_references_is_written_whole(letter: str, written: str) -> None:
    line, long = "x" + letter * 9, letter * 2_000

    assert to_html(f"{line}\n" * 300) == "<p>" + "\n".join(["x" + written * 9] * 300) + "</p>\n"
    assert to_html(f"`{long}`") == f"<p><code>{written * 2_000}</code></p>\n"
    assert to_html(f"![{long}](b)") == f'<p><img src="b" alt="{written * 2_000}"></p>\n'
