"""Sections of a document: an exact partition of its markdown, and edits that lose nothing (decisions, section 12)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import VersionConflict
from app.core.text.content import MAX_HEADINGS
from app.sections.rules import Edit, apply_edits, hash_of, partition

EMPTY_HASH = "e3b0c44298fc1c14"
"""The hash of no text, as the contract names it."""

PIECES = (
    *("# ", "## h", "\n", "\r\n", "\r", "text", "```", "~~~", "> ", "- ", "1. ", "===", "---", "    ", "\t", "<!--"),
    *("-->", "<div>", "</div>", "\n\n", "*a*", "|a|\n|-|\n", "[x]: y", "\u2028", "\x0b", "\x0c", "\\", "`", "&amp;"),
    *("#", "é", " ", "<h1>", "</h1>", "![a](b)", "<pre>", "<script>", "[^1]", "$$", ":::"),
)
"""What markdown is made of: headings of all kinds, and all that a heading can hide in."""

markdowns = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("", []),
        ("text only", [(0, 0, "", 1, "text only")]),
        ("# only", [(1, 1, "only", 1, "# only")]),
        ("intro\n\n# a\n\nb\n", [(0, 0, "", 1, "intro\n\n"), (1, 1, "a", 3, "# a\n\nb\n")]),
        ("# a\r## b\r\nc\n### d", [(1, 1, "a", 1, "# a\r"), (2, 2, "b", 2, "## b\r\nc\n"), (3, 3, "d", 4, "### d")]),
        ("Two\nlines\n===\nx", [(1, 1, "Two lines", 1, "Two\nlines\n===\nx")]),
        ("[a]: b\nTwo\n===\n", [(1, 1, "Two", 1, "[a]: b\nTwo\n===\n")]),
        ("a\n---\nb\n", [(1, 2, "a", 1, "a\n---\nb\n")]),
        ("```\n# code\n```\n", [(0, 0, "", 1, "```\n# code\n```\n")]),
        ("    # code\n", [(0, 0, "", 1, "    # code\n")]),
        ("> # quoted\n\n- # listed\n\n1. # too\n", [(0, 0, "", 1, "> # quoted\n\n- # listed\n\n1. # too\n")]),
        ("<div>\n# raw\n</div>\n", [(0, 0, "", 1, "<div>\n# raw\n</div>\n")]),
        ("<h1>raw</h1>\n", [(0, 0, "", 1, "<h1>raw</h1>\n")]),
        (
            "# *a* `b<c>` [d](e) &amp; <i>f</i> #\n",
            [(1, 1, "a b<c> d & f", 1, "# *a* `b<c>` [d](e) &amp; <i>f</i> #\n")],
        ),
        ("# ![alt *text*](u)\n", [(1, 1, "alt text", 1, "# ![alt *text*](u)\n")]),
        ("#\n# b", [(1, 1, "", 1, "#\n"), (2, 1, "b", 2, "# b")]),
        ("```\r# code\r```\r# b", [(0, 0, "", 1, "```\r# code\r```\r"), (1, 1, "b", 4, "# b")]),
        ("<div>\r# raw\r\r# b", [(0, 0, "", 1, "<div>\r# raw\r\r"), (1, 1, "b", 4, "# b")]),
        ("<!--\r# no\r-->\r# b", [(0, 0, "", 1, "<!--\r# no\r-->\r"), (1, 1, "b", 4, "# b")]),
        ("a\u2028# b\x0b# c\x0c# d", [(0, 0, "", 1, "a\u2028# b\x0b# c\x0c# d")]),
    ],
)
def test_each_heading_begins_a_section(markdown: str, expected: list[tuple[int, int, str, int, str]]) -> None:
    assert [(one.number, one.level, one.title, one.line, one.text) for one in partition(markdown)] == expected


@given(markdowns)
def test_the_sections_are_the_markdown_to_the_character(markdown: str) -> None:
    sections = partition(markdown)
    assert "".join(section.text for section in sections) == markdown
    assert all(section.text for section in sections)
    first = sections[0].number if sections else 0
    assert [section.number for section in sections] == list(range(first, first + len(sections)))


def test_an_address_in_a_text_moves_no_section() -> None:
    markdown = "https://a.example/__init__.py\n\n# B https://b.example/_c_/é\n\nd\n\n## E\n"

    assert [(one.title, one.line, one.text) for one in partition(markdown)] == [
        ("", 1, "https://a.example/__init__.py\n\n"),
        ("B https://b.example/_c_/é", 3, "# B https://b.example/_c_/é\n\nd\n\n"),
        ("E", 7, "## E\n"),
    ]


A, B, C = "# A\n\none\n\n", "## B\n\ntwo\n\n", "## C\n\nthree"
TEXT = A + B + C


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Edit(hash_of(B), "## B\n\nnew\n\n")], A + "## B\n\nnew\n\n" + C),
        ([Edit(hash_of(B), "## B\n\nnew")], A + "## B\n\nnew\n\n" + C),
        ([Edit(hash_of(B), "## B\n\nnew\n")], A + "## B\n\nnew\n\n" + C),
        ([Edit(hash_of(B), "")], A + C),
        ([Edit(hash_of(A), ""), Edit(hash_of(B), ""), Edit(hash_of(C), "")], ""),
        ([Edit(hash_of(C), "## D\n", insert_after=True)], TEXT + "\n\n## D\n"),
        (
            [Edit(hash_of(A), "x", insert_after=True), Edit(hash_of(A), "y", insert_after=True)],
            A + "x\n\ny\n\n" + B + C,
        ),
        ([Edit(hash_of(B), "new"), Edit(hash_of(B), "after", insert_after=True)], A + "new\n\nafter\n\n" + C),
        ([Edit(hash_of(A), "\nx\n\n")], "\nx\n\n" + B + C),
        ([], TEXT),
    ],
)
def test_edits_change_the_sections_that_they_name(edits: list[Edit], expected: str) -> None:
    assert apply_edits(TEXT, edits, 1) == expected


def test_of_sections_alike_the_number_chooses_and_else_the_first() -> None:
    same = "# S\n\n"
    text = same + "# T\n\n" + same
    assert apply_edits(text, [Edit(hash_of(same), "# U\n\n")], 1) == "# U\n\n# T\n\n" + same
    assert apply_edits(text, [Edit(hash_of(same), "# U\n\n", number=3)], 1) == same + "# T\n\n# U\n\n"
    with pytest.raises(VersionConflict):
        apply_edits(text, [Edit(hash_of(same), "x", number=2)], 1)


def test_new_pieces_end_their_lines_as_the_document_does() -> None:
    assert apply_edits("# A\r\n\r\none\r\n", [Edit(hash_of("# A\r\n\r\none\r\n"), "# B", insert_after=True)], 1) == (
        "# A\r\n\r\none\r\n\r\n# B"
    )


@given(markdowns, st.data())
def test_an_edit_leaves_every_other_section_as_it_was(markdown: str, data: st.DataObject) -> None:
    sections = partition(markdown)
    if not sections:
        return
    chosen = data.draw(st.sampled_from(sections))
    edited = apply_edits(markdown, [Edit(chosen.hash, "New text.", number=chosen.number)], 1)
    offset = sum(len(section.text) for section in sections[: sections.index(chosen)])
    assert edited.startswith(markdown[:offset])
    assert edited.endswith(markdown[offset + len(chosen.text) :])
    assert "New text." in edited


def test_past_the_ten_thousandth_heading_the_last_section_holds_the_rest() -> None:
    markdown = "Before.\n\n" + "# A\n" * (MAX_HEADINGS + 5)

    sections = partition(markdown)

    assert len(sections) == 1 + MAX_HEADINGS
    assert sections[-1].text == "# A\n" * 6
    assert "".join(section.text for section in sections) == markdown
