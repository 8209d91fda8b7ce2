"""Html is made well nested before it is sanitised, with nothing lost of what its author may write."""

from __future__ import annotations

import pytest

from app.rules.nesting import well_nested
from app.rules.tags import MAX_VALUE

DEEP = 100


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a <b>b</b></p>", "<p>a <b>b</b></p>"),
        ("a &amp; &lt; b", "a &amp; &lt; b<!---->"),
        ("a < b <3", "a &lt; b &lt;3"),
        # end tags that are missing, too many, or crossed
        ("<b>a", "<b>a</b>"),
        ("a</b></p>", "a"),
        ("<b><i>a</b>b</i>", "<b><i>a</i></b>b"),
        # end tags that html lets authors leave out
        ("<ul><li>a<li>b</ul>c", "<ul><li>a</li><li>b</li></ul>c"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("<p>a<p>b<div>c</div></p>", "<p>a</p><p>b</p><div>c</div>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        ("<table><tr><th>a<td>b<tr><td>c</table>", "<table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>"),
        ("<table><colgroup><col><tr><td>a", "<table><colgroup><col></colgroup><tr><td>a</td></tr></table>"),
        ("<a>b<a>c", "<a>b</a><a>c</a>"),
        # what stands in a table outside its cells
        ("<table>a<tr><td>b</table>", "<table><td>a</td><tr><td>b</td></tr></table>"),
        ("<table><b>a</b><tr><td>b</table>", "<table><td><b>a</b></td><tr><td>b</td></tr></table>"),
        ("<table><tr><x>&amp;</table>", "<table><tr><td>&amp;<!----></td></tr></table>"),
        ("<table><tr>< a</table>", "<table><tr><td>&lt; a</td></tr></table>"),
        ("<table>\n<tr>\n<td>a</table>", "<table>\n<tr>\n<td>a</td></tr></table>"),
        # end tags that reach out of a cell or a table
        ("<div><table><tr><td></div>a</table></div>", "<div><table><tr><td>a</td></tr></table></div>"),
        ("<table><tr><td><table></td>a", "<table><tr><td><table><td>a</td></table></td></tr></table>"),
        # what is no tag, and tags that are not allowed
        ("a<!-- <b> -->b", "ab"),
        ("a<!-->b", "ab"),
        ("a<!-- b", "a"),
        ("a<!DOCTYPE b><?php c ?><![CDATA[d]]>e", "ae"),
        ("a<script>b</b</SCRIPT >c<style>d", "ac"),
        ("a<x-y>b</x-y><svg><title>c</title></svg>", "abc"),
        ("<B>a</B>", "<b>a</b>"),
        ("a<br/>b</br>c", "a<br>bc"),
        # attributes: one form of quotes, each once, only known ones
        ("<a href='b\"c' HREF=d title=e f>", '<a href="b&quot;c" title="e"></a>'),
        ("<a title = b>c", '<a title="b">c</a>'),
        ('<img alt="a > b" src=c>', '<img alt="a > b" src="c">'),
        ('<img alt="<script>" src=c>d', '<img alt="<script>" src="c">d'),
        ('<b title="<!--">a</b>b', '<b title="<!--">a</b>b'),
        ("<details open>a</details>", '<details open="">a</details>'),
        ('a <b title="b', 'a <b title=""></b>'),
        (f'<a title="{"a" * (MAX_VALUE + 1)}" href=b>', '<a href="b"></a>'),
    ],
)
def test_html_in_its_plain_form(html: str, expected: str) -> None:
    assert well_nested(html, DEEP) == expected


def test_what_lies_too_deep_keeps_its_text_and_leaves_the_rest_where_it_was() -> None:
    html = "<ul><li><b>a <i>b <u>c</u></i></b>d<br></li></ul><i>e</i>"

    assert well_nested(html, 3) == "<ul><li><b>a b c</b>d<br></li></ul><i>e</i>"
    assert well_nested(html, 1) == "<ul>a b cd<br></ul><i>e</i>"


def test_a_place_that_becomes_free_is_taken() -> None:
    assert well_nested("<ul><li>a<li>b</ul>", 2) == "<ul><li>a</li><li>b</li></ul>"


def test_a_text_with_many_references_is_divided() -> None:
    assert well_nested("&amp;" * 1_200, DEEP) == ("&amp;" * 500 + "<!---->") * 2 + "&amp;" * 200 + "<!---->"
