"""Unified diffs: what `patch` makes of one is the newer text, byte for byte, and none takes long.

(decisions, section 5)
"""

import subprocess
import time
import tracemalloc
from pathlib import Path
from random import Random
from shutil import which

import pytest

from app.core.errors import BadRequest
from app.core.text.diffs import MOST_COMPARISONS, unified_diff
from app.documents.schemas import MAX_MARKDOWN
from tests.live import quickest

MOST_LINES = int(MOST_COMPARISONS**0.5)


def diff(old: str, new: str) -> str:
    return unified_diff(old, new, "version 1", "version 2")


def test_a_diff_has_the_form_that_every_tool_reads() -> None:
    assert diff("one\ntwo\nthree\n", "one\n2\nthree\n") == (
        "--- version 1\n+++ version 2\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    )


@pytest.mark.parametrize("text", ["", "one", "one\n", "\n" * 1_000])
def test_texts_that_are_the_same_have_an_empty_diff(text: str) -> None:
    assert diff(text, text) == ""


PAIRS = {
    "from nothing": ("", "one\ntwo\n"),
    "to nothing": ("one\ntwo\n", ""),
    "end of line gained": ("one\ntwo", "one\ntwo\n"),
    "end of line lost": ("one\ntwo\n", "one\ntwo"),
    "neither has an end of line": ("one\ntwo", "one\n2"),
    "carriage returns": ("one\r\ntwo\r\nthree\r\n", "one\r\n2\r\nthree\r\n"),
    "carriage returns gone": ("one\r\ntwo\r\n", "one\ntwo\n"),
    "a carriage return alone": ("one\rtwo\nthree\n", "one\rtwo\n3\n"),
    "line separators of Unicode": ("one\u2028two\u2029three\x85four\x0bfive\x0csix\nseven\n", "one\u2028two\nseven\n"),
    "lines that look like a diff": ("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "--- a\n+++ c\n@@ -1 +1 @@\n-y\n+x\n"),
    "far apart": ("".join(f"{n}\n" for n in range(100)), "".join(f"{n if n % 40 else 'x'}\n" for n in range(100))),
    "repetitions": ("a\nb\n" * 50, "a\nb\n" * 20 + "b\na\n" * 30),
    "astral": ("\U0001f35e\n\U0001f950\n", "\U0001f35e\n\U0001f956\n"),
}


def patched(tmp_path: Path, old: str, patch: str) -> str:
    """Returns what the program `patch` makes of a text."""
    target, diff_file = tmp_path / "text.md", tmp_path / "text.diff"
    target.write_bytes(old.encode())
    diff_file.write_bytes(patch.encode())
    subprocess.run(["patch", "--binary", "--quiet", str(target), str(diff_file)], check=True, timeout=20)
    return target.read_bytes().decode() if target.exists() else ""


@pytest.mark.skipif(which("patch") is None, reason="needs the program `patch`")
@pytest.mark.parametrize("pair", PAIRS)
def test_patch_makes_the_newer_text_of_the_older_one_and_the_diff(tmp_path: Path, pair: str) -> None:
    old, new = PAIRS[pair]

    assert patched(tmp_path, old, diff(old, new)) == new


@pytest.mark.skipif(which("patch") is None, reason="needs the program `patch`")
@pytest.mark.parametrize("seed", range(20))
def test_patch_makes_the_newer_text_whatever_the_two_are(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    old, new = ("".join(chance.choice("ab\n") for _ in range(chance.randrange(200))) for _ in range(2))

    assert old == new or patched(tmp_path, old, diff(old, new)) == new


def numbered(many: int, mark: str = "") -> list[str]:
    return [f"{mark}{number}\n" for number in range(many)]


def shuffled(lines: list[str]) -> list[str]:
    return Random(1).sample(lines, len(lines))


WORST = {
    "nothing in common": (numbered(MOST_LINES), numbered(MOST_LINES, "x")),
    "all moved": (numbered(MOST_LINES), shuffled(numbered(MOST_LINES))),
    "a few lines again and again": (["a\n", "b\n"] * (MOST_LINES // 2), ["b\n", "b\n", "a\n"] * (MOST_LINES // 3)),
    "few beside many": (numbered(1_300), numbered(MOST_COMPARISONS // 1_300, "x")),
    "as many lines as there may be": (["\n"] * MAX_MARKDOWN, ["x\n", *["\n"] * (MAX_MARKDOWN - 2)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("worst", WORST)
def test_the_longest_comparison_takes_under_two_seconds(worst: str) -> None:
    old, new = ("".join(lines) for lines in WORST[worst])

    def compare() -> None:
        assert diff(old, new)

    assert quickest(compare, 2, time.thread_time) < 2


@pytest.mark.slow
@pytest.mark.parametrize("worst", WORST)
def test_the_longest_comparison_takes_under_300_megabytes(worst: str) -> None:
    old, new = ("".join(lines) for lines in WORST[worst])
    tracemalloc.start()
    try:
        assert diff(old, new)
        assert tracemalloc.get_traced_memory()[1] + MOST_COMPARISONS / 8 < 300_000_000  # one bit a comparison in C
    finally:
        tracemalloc.stop()


def test_texts_too_long_and_too_different_are_refused_at_once() -> None:
    old, new = ("".join(numbered(MOST_LINES + 1, mark)) for mark in ("", "x"))

    def refuse() -> None:
        with pytest.raises(BadRequest):
            diff(old, new)

    assert quickest(refuse, 1, time.thread_time) < 1
