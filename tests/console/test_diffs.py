"""A unified diff as two columns: which lines stand beside each other, and which words differ."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.console.diffs import ADDED, MOST_LINES, REMOVED, SAME, Row, changed_words, marked_changes, side_by_side
from app.core.text.diffs import unified_diff
from app.core.text.html import to_html
from tests.live import quickest

OLD = "# Rye\n\nFlour and water.\n-- a rule\nFeed it.\n"


def shown(rows: list[Row]) -> list[tuple[str, str | None, str | None]]:
    """Returns rows as text, with what differs in square brackets."""
    return [(row.kind, marked(row, row.old, REMOVED), marked(row, row.new, ADDED)) for row in rows if row.kind != "gap"]


def marked(row: Row, line: int | None, how: str) -> str | None:
    """Returns a line of one text with its number."""
    parts = (f"[{text}]" if kind == how else text for kind, text in row.parts if kind in (SAME, how))
    return None if line is None else f"{line} {''.join(parts)}"


@pytest.mark.parametrize(
    ("new", "changed"),
    [
        (OLD, []),
        (OLD.replace("water", "milk"), [("changed", "3 Flour and [water].", "3 Flour and [milk].")]),
        (OLD.replace("-- a rule\n", ""), [("removed", "4 -- a rule", None)]),
        (OLD.replace("Feed", "++ one\nFeed"), [("added", None, "5 ++ one")]),
        (OLD.rstrip("\n"), [("changed", "5 Feed it.", "5 Feed it.")]),
        ("", [("removed", f"{number} {line}", None) for number, line in enumerate(OLD.splitlines(), 1)]),
    ],
)
def test_lines_that_changed_stand_beside_each_other(new: str, changed: list[tuple[str, str, str]]) -> None:
    rows = shown(side_by_side(unified_diff(OLD, new, "old", "new")))

    assert [row for row in rows if row[0] != "same"] == changed


def test_a_very_long_line_is_compared_whole_in_bounded_time() -> None:
    old, new = "a b " * 100_000, "b a " * 100_000
    [row] = [row for row in side_by_side(unified_diff(old, new, "old", "new")) if row.kind == "changed"]

    assert row.parts == [(REMOVED, old), (ADDED, new)]


def test_long_lines_that_all_differ_are_compared_quickly() -> None:
    old = "\n".join(f"{number}{'.' * 590}" for number in range(240))
    new = "\n".join(f"{number},{'.' * 590}" for number in range(240))
    diff = unified_diff(old, new, "old", "new")

    def compare() -> None:
        assert {row.kind for row in side_by_side(diff)[1:]} == {"changed"}

    assert quickest(compare, 3) < 3, "a second on a processor of its own"


def test_lines_of_a_very_long_comparison_are_shown_as_changed_whole() -> None:
    old, new = "\n".join(["a. " * 190] * 600), "\n".join(["b, " * 190] * 600)

    rows = side_by_side(unified_diff(old, new, "old", "new"))

    assert {row.kind for row in rows[1:]} == {"changed"}
    assert {kind for row in rows for kind, _ in row.parts} == {REMOVED, ADDED}


def test_a_comparison_of_many_lines_shows_the_first_and_says_that_there_are_more() -> None:
    rows = side_by_side(unified_diff("x", "a\n" * 100_000, "old", "new"))

    assert [row.kind for row in rows] == ["gap", "changed", *["added"] * (MOST_LINES - 4), "more"]


def test_a_comparison_of_as_many_lines_as_are_shown_is_whole() -> None:
    rows = side_by_side(unified_diff("", "a\n" * (MOST_LINES - 1), "old", "new"))

    assert [row.kind for row in rows] == ["gap"] + ["added"] * (MOST_LINES - 1)


def test_words_that_changed_stand_together() -> None:
    assert changed_words("Throw half away, and feed it.", "Keep 50 g of it, and feed it.") == [
        ("removed", "Throw half away"),
        ("added", "Keep 50 g of it"),
        ("same", ", and feed it."),
    ]
    assert changed_words("", "Rye") == [("added", "Rye")]
    assert changed_words("Rye", "Rye") == [("same", "Rye")]


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("# Rye\n", "# Rye bread\n", "<h1 id=\"rye-bread\">Rye[+ bread]</h1>"),
        ("- Flour\n- Water\n", "- Flour\n- Salt\n- Water\n", "<li>Flour</li> <li>[+Salt]</li> <li>Water</li>"),
        ("One.\n\nTwo.\n", "One.\n", "<p>One.</p> <p>[-Two.]</p>"),
        ("See [it](/a) now, too.", "See [it](/b) now, too.", 'See [-it]<a href="/b">[+it]</a> now, too.'),
        ("It is *very* good.", "It is **very** good.", "<p>It is <strong>very</strong> good.</p>"),
        ("Salt & water.", "Salt & milk.", "<p>Salt &amp; [-water][+milk].</p>"),
        ("All of this is other.", "Nothing remains.", "<p>[-All of this is other.]</p> <p>[+Nothing remains.]</p>"),
        ("```\na = 1\n```", "```\na = 2\n```", "<pre><code>a = [-1 ][+2 ]</code></pre>"),
        ("a|b\n-|-\nc|d\n", "a|b\n-|-\nc|e\n", "<td>c</td> <td>[-d][+e]</td>"),
        ("a|b\n-|-\n5|c d\n", "a|b\n-|-\nc d|5\n", "<tr> <td>[-5][+c d]</td> <td>[-c d][+5]</td> </tr>"),
        ("a|b\n-|-\nc|d\n", "|a|\n|-|\n|d|\n", "<tr> <td>[-c]</td> <td>[-d]</td> </tr> <tr> <td>[+d]</td> </tr>"),
        ("|a|\n|-|\n|d|\n\nEnd.", "End.", "<table> <thead> <tr> <th>[-a]</th> </tr> </thead> <tbody> <tr> <td>["),
        ("x" * 6000, "y" * 6000, f"<p>[-{'x' * 6000}]</p> <p>[+{'y' * 6000}]</p>"),
    ],
)  # fmt: skip
def test_changes_are_marked_in_the_text(old: str, new: str, marked: str) -> None:
    found = marked_changes(to_html(old), to_html(new), "2026-11-25") or ""
    for element, sign in (("del", "-"), ("ins", "+")):
        found = found.replace(f'<{element} datetime="2026-11-25">', f"[{sign}").replace(f"</{element}>", "]")
    assert marked in " ".join(found.split()).replace(' rel="noopener"', "")


def test_a_text_of_very_many_blocks_is_not_marked() -> None:
    assert marked_changes("<p>a</p>\n" * 6000, "<p>b</p>\n" * 6000, "") is None


TEXTS = st.text(alphabet="ab \n*#>-`[]()|&<1.", max_size=80)


@given(TEXTS, TEXTS)
def test_a_marked_text_has_the_words_of_the_newer_one_beside_what_was_removed(old: str, new: str) -> None:
    after = to_html(new)
    marked = marked_changes(to_html(old), after, "") or ""
    without = re.sub(r'<del datetime="">[^<]*</del>', "", marked)
    assert re.sub(r"<[^>]*>|\s", "", without) == re.sub(r"<[^>]*>|\s", "", after)


@pytest.mark.parametrize("line", ["[" * 5000, "*" * 5000, "`" * 4999 + "a", "- " * 2500, "_a" * 2500, "&amp;" * 900])
def test_lines_that_are_all_marks_are_compared_quickly(line: str) -> None:
    before, after = to_html(line + " a"), to_html(line + " b")

    assert quickest(lambda: marked_changes(before, after, ""), 3) < 3, "a tenth of that on a processor of its own"
