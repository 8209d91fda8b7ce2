"""Who wrote each paragraph: tables, and random histories by five actors against an oracle (decisions, section 18)."""

import random
import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.provenance.rules import (
    MOST_PARAGRAPHS,
    ancestry,
    digests_of,
    dump_origins,
    load_origins,
    origins_after,
    paragraphs_of,
    versions_in,
)
from tests.live import quickest

HISTORIES = 10_000
ACTORS = ("Ada", "Ben", "agent-1", "agent-2", "agent-3")


def written_after(origins: list[int], before: str, after: str, version: int) -> list[int]:
    """Returns the origins of a text that a version wrote, from the text before it and its origins."""
    return origins_after(origins, digests_of(before), digests_of(after), version)


def by(*texts: str) -> list[list[int]]:
    """Returns from which versions each paragraph of the last text comes."""
    origins: list[int] = []
    for version, (before, after) in enumerate(pairwise(("", *texts)), 1):
        origins = written_after(origins, before, after, version)
    return [versions_in(one) for one in origins]


@pytest.mark.parametrize(
    ("markdown", "paragraphs"),
    [
        ("", []),
        ("\n \n\t\n", []),
        ("One.", [(1, "One.")]),
        ("\n\nOne. \ntwo\t\n\n\nThree.", [(3, "One.\ntwo"), (7, "Three.")]),
        ("One.\r\n\r\nTwo.\rtwo\r\rThree.", [(1, "One."), (3, "Two.\ntwo"), (6, "Three.")]),
        ("# Title\nOne.", [(1, "# Title\nOne.")]),
        ("```\na\n\nb\n```", [(1, "```\na\n\nb\n```")]),
        ("Before:\n```\na\n\nb\n```\nafter\n\nNext.", [(1, "Before:\n```\na\n\nb\n```\nafter"), (9, "Next.")]),
        ("~~~~\n```\n\n~~~\n\n~~~~~\n\nNext.", [(1, "~~~~\n```\n\n~~~\n\n~~~~~"), (8, "Next.")]),
        ("```` a `b` ````\n\nNext.", [(1, "```` a `b` ````"), (3, "Next.")]),
        ("- ```sh\n  ls\n\n  pwd\n  ```\n\nNext.", [(1, "- ```sh\n  ls\n\n  pwd\n  ```"), (7, "Next.")]),
        ("> ```\n> ls\n>\n> pwd\n\nNext.\n\nLast.", [(1, "> ```\n> ls\n>\n> pwd"), (6, "Next."), (8, "Last.")]),
        ("```\nnever closed\n\nNext.\n\n", [(1, "```\nnever closed\n\nNext.")]),
    ],
)
def test_paragraphs_stand_between_blank_lines_outside_of_fenced_code(
    markdown: str, paragraphs: list[tuple[int, str]]
) -> None:
    assert paragraphs_of(markdown) == paragraphs


@pytest.mark.parametrize(
    ("texts", "origins"),
    [
        (["A\n\nB"], [[1], [1]]),
        (["A\n\nB", "A\n\nB\n\nC"], [[1], [1], [2]]),
        (["A\n\nB", "A\n\nB2"], [[1], [2, 1]]),
        (["A\n\nB", "A\n\nB2", "A\n\nB3"], [[1], [3, 2, 1]]),
        (["A\n\nB\n\nC", "C\n\nA\n\nB"], [[1], [1], [1]]),
        (["A\n\nB", "B"], [[1]]),
        (["A\n\nB", "A\n\nX\n\nB"], [[1], [2], [1]]),
        (["A\n\nB", "A\n\nB", "A  \r\n\r\nB\r\n"], [[1], [1]]),
        (["A", "A\n\nA"], [[1], [2]]),
        (["A\n\nB\n\nA", "A"], [[1]]),
        (["A\n\nB\n\nC\n\nD", "A\n\nX\n\nY\n\nD", "A\n\nZ\n\nD"], [[1], [3, 2, 1], [1]]),
        (["A\n\nX\n\nB\n\nM", "A\n\nM\n\nY\n\nB"], [[1], [1], [2, 1], [1]]),
        (["X\n\nA", "A\n\nY"], [[1], [2]]),
        (["A", "", "A"], [[3]]),
    ],
)
def test_what_stood_there_keeps_its_origins_and_what_replaces_names_both(
    texts: list[str], origins: list[list[int]]
) -> None:
    assert by(*texts) == origins


def test_a_correction_within_fenced_code_is_one_of_the_whole_block() -> None:
    assert by("A\n\n```\na\n\nb\n```", "A\n\n```\na\n\nc\n```") == [[1], [2, 1]]


@given(st.lists(st.integers(1, 2**70), max_size=40))
def test_stored_origins_are_read_back(origins: list[int]) -> None:
    assert load_origins(dump_origins(origins)) == origins


@given(st.text("ab \t\r\n`~>", max_size=200))
def test_paragraphs_hold_all_that_is_no_space(markdown: str) -> None:
    found = paragraphs_of(markdown)

    assert "".join("".join(one.text for one in found).split()) == "".join(markdown.split())
    assert all(one.text and one.text == one.text.strip("\n") for one in found)
    assert [one.line for one in found] == sorted({one.line for one in found})


@pytest.mark.parametrize(
    ("contents", "of_last"),
    [
        ({1: "a"}, [("a", 1)]),
        ({1: "a", 2: "a", 3: "b"}, [("a", 1), ("b", 3)]),  # a new title
        ({1: "a", 2: "b", 3: "c", 4: "b", 5: "d"}, [("a", 1), ("b", 2), ("d", 5)]),  # a restore
        ({1: "a", 2: "b", 3: "a"}, [("a", 1)]),
        ({1: "a", 2: None, 3: "b"}, [("b", 3)]),
        ({1: None, 2: "a", 3: None, 4: "a", 5: "b"}, [("a", 2), ("b", 5)]),
        ({4: "b", 2: "a"}, [("a", 2), ("b", 4)]),
    ],
)
def test_a_text_goes_back_to_those_that_were_there_before_it(
    contents: dict[int, str | None], of_last: list[tuple[str, int]]
) -> None:
    last = contents[max(contents)]
    assert last is not None
    assert ancestry(contents, last) == of_last


def test_a_text_of_only_paragraphs_has_no_more_than_are_kept() -> None:
    markdown = "\n\n".join(map(str, range(MOST_PARAGRAPHS + 50)))

    found = paragraphs_of(markdown)

    assert len(found) == MOST_PARAGRAPHS
    assert found[-1].text.split() == [str(MOST_PARAGRAPHS - 1 + n) for n in range(51)]


def test_a_version_of_the_longest_text_takes_no_quarter_second() -> None:
    before = "\n\n".join(f"Paragraph {n} " + "of a long text " * 25 for n in range(5_000))
    after = before.replace("Paragraph 2500 ", "Section 2500 ")
    origins = origins_after([], [], digests_of(before), 1)

    def compute() -> None:
        assert origins_after(origins, digests_of(before), digests_of(after), 2)[2500] == 0b110

    assert quickest(compute, 0.25, time.thread_time) < 0.25


# Random histories


class Oracle:
    """The same rules told differently: by the words of the contract, with lists of versions and their authors."""

    def __init__(self) -> None:
        self.paragraphs: list[tuple[str, list[tuple[int, str]]]] = []

    @staticmethod
    def divided(markdown: str) -> list[str]:
        """Returns the paragraphs of a text, whose fences all are ``` in a line of their own."""
        lines = [line.rstrip(" \t") for line in re.split(r"\r\n|\r|\n", markdown)]
        code = [sum(one == "```" for one in lines[:place]) % 2 for place in range(len(lines))]
        marked = "\n".join("\0" if not line and inside else line for line, inside in zip(lines, code, strict=True))
        return [part.strip("\n") for part in re.split(r"\n{2,}", marked) if part.strip("\n")]

    def write(self, markdown: str, version: int, author: str) -> None:
        """Writes a version."""
        old, new = self.paragraphs, self.divided(markdown)
        taken: dict[int, int] = {}
        for place, text in enumerate(new):
            free = [n for n, (earlier, _) in enumerate(old) if earlier == text and n not in taken.values()]
            if free:
                taken[place] = free[0]
        written = []
        for place, text in enumerate(new):
            if place in taken:
                written.append((text, old[taken[place]][1]))
                continue
            left = max((n for n in taken if n < place), default=None)
            right = min((n for n in taken if n > place), default=None)
            gone = self._gone(taken, 0 if left is None else taken[left] + 1, 1)
            gone |= self._gone(taken, len(old) - 1 if right is None else taken[right] - 1, -1)
            earlier = {one for n in gone for one in old[n][1]}
            written.append((text, [(version, author), *sorted(earlier - {(version, author)}, reverse=True)]))
        self.paragraphs = written

    def _gone(self, taken: dict[int, int], place: int, step: int) -> set[int]:
        """Returns the run of places that nothing took, from one on, in a direction."""
        found = set()
        while 0 <= place < len(self.paragraphs) and place not in taken.values():
            found.add(place)
            place += step
        return found


def changed(dice: random.Random, paragraphs: list[str], versions: list[list[str]]) -> list[str]:
    """Returns paragraphs after one to three random changes."""
    found = [*paragraphs]
    for _ in range(dice.randint(1, 3)):
        place = dice.randrange(len(found) + 1)
        kind = dice.choice(("edit", "edit", "insert", "delete", "move", "repeat", "restore", "code"))
        if kind == "insert" or not found:
            found.insert(place, dice.choice(("Flour.", f"New {dice.random()}.", "# Title\nText.")))
            continue
        place = min(place, len(found) - 1)
        if kind == "edit":
            found[place] = f"{found[place].removesuffix('```').rstrip()} {dice.randint(0, 9)}." + (
                "\n```" if found[place].endswith("```") else ""
            )
        elif kind == "delete":
            del found[place]
        elif kind == "move":
            found.insert(dice.randrange(len(found)), found.pop(place))
        elif kind == "repeat":
            found.insert(dice.randrange(len(found) + 1), found[place])
        elif kind == "restore" and versions:
            found = [*dice.choice(versions)]
        elif kind == "code":
            found.insert(place, f"Run:\n```\nls {dice.randint(0, 2)}\n\npwd\n```")
    return found


def text_of(dice: random.Random, paragraphs: list[str]) -> str:
    """Returns paragraphs as a text, with line ends, spaces and blank lines of all kinds."""
    text = ("\n" * dice.randint(2, 4)).join(paragraphs)
    if dice.random() < 0.3:
        text = re.sub("\n", lambda _: dice.choice(("\n", " \n", "\t\n")), text)
    return text.replace("\n", dice.choice(("\n", "\n", "\r\n", "\r")))


@pytest.mark.contract("decided-provenance.histories")
@pytest.mark.parametrize("seed", range(10))
def test_in_random_histories_nobody_is_named_for_what_others_wrote_and_no_agent_is_left_out(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(HISTORIES // 10):
        oracle, origins, before, paragraphs = Oracle(), [], "", []
        versions: list[list[str]] = []
        authors: dict[int, str] = {}
        for version in range(1, dice.randint(3, 9)):
            paragraphs = changed(dice, paragraphs, versions)
            versions.append(paragraphs)
            authors[version], after = dice.choice(ACTORS), text_of(dice, paragraphs)
            origins = written_after(load_origins(dump_origins(origins)), before, after, version)
            oracle.write(after, version, authors[version])
            before = after
            named = [[(one, authors[one]) for one in versions_in(origin)] for origin in origins]
            assert named == [who for _, who in oracle.paragraphs], (before, after)


@pytest.mark.parametrize("seed", range(4))
def test_who_edits_a_paragraph_in_its_place_is_named_beside_all_who_did_before(seed: int) -> None:
    """The truth is known here from what was done, not from the texts."""
    dice = random.Random(seed)
    for _ in range(250):
        truth: list[tuple[str, list[int]]] = [(f"Paragraph {n}.", [1]) for n in range(dice.randint(3, 8))]
        before = "\n\n".join(text for text, _ in truth)
        origins = origins_after([], [], digests_of(before), 1)
        for version in range(2, 12):
            place = dice.randrange(len(truth))
            text, who = truth[place]
            truth[place] = (f"{text} Edit {version}.", [version, *who])
            if dice.random() < 0.3:
                moved = dice.choice([n for n in range(len(truth)) if n != place])
                after = "\n\n".join(one for one, _ in truth)
                origins = written_after(origins, before, after, version)
                before = after
                truth.insert(dice.randrange(len(truth)), truth.pop(moved))
            after = "\n\n".join(one for one, _ in truth)
            origins = written_after(origins, before, after, version)
            before = after

            assert [versions_in(one) for one in origins] == [who for _, who in truth]
