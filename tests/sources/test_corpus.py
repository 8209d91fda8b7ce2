"""The checks of quotations and numbers on a corpus, and how long they take (decisions, section 22)."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest

from app.sources.checks import Evidence, wrong_numbers, wrong_quotations
from app.sources.citations import Citations
from tests.live import quickest
from tests.sources.corpus import NUMBERS, QUOTATIONS, Group

Find = Callable[[Evidence], Iterator[object]]


def evidence(markdown: str, *excerpts: str) -> Evidence:
    sources: Any = {number: {"excerpt": one, "title": "A"} for number, one in enumerate(excerpts, 1)}
    return Evidence(sources, partial(Citations, markdown))


def judged(groups: Sequence[Group], find: Find) -> Iterator[tuple[str, bool, bool]]:
    """Yields each passage, whether it is wrong, and whether the check says so."""
    for group in groups:
        for is_wrong, passages in ((False, group.right), (True, group.wrong)):
            for passage in passages:
                found = next(iter(find(evidence(passage.replace("^", "[^s1]"), group.excerpt))), None)
                yield passage, is_wrong, found is not None


def measured(name: str, groups: Sequence[Group], find: Find) -> tuple[float, float, list[str]]:
    """Returns precision, recall and the passages that the check is wrong about; prints the figures."""
    outcomes = [*judged(groups, find)]
    right = sum(1 for _, is_wrong, said in outcomes if is_wrong and said)
    precision = right / sum(1 for _, _, said in outcomes if said)
    recall = right / sum(1 for _, is_wrong, _ in outcomes if is_wrong)
    print(f"{name}: {len(outcomes)} passages, precision {precision:.3f}, recall {recall:.3f}")
    return precision, recall, [passage for passage, is_wrong, said in outcomes if is_wrong != said]


def test_the_corpus_has_300_passages_half_of_them_right() -> None:
    groups = [*QUOTATIONS, *NUMBERS]

    assert sum(len(one.right) + len(one.wrong) for one in groups) >= 300
    assert all(len(one.right) == len(one.wrong) for one in groups)


@pytest.mark.contract("decided-sources.pure")
def test_quotations_are_judged_without_a_mistake() -> None:
    assert measured("quotations", QUOTATIONS, wrong_quotations) == (1.0, 1.0, [])


@pytest.mark.contract("decided-sources.pure")
def test_numbers_are_judged_with_few_mistakes() -> None:
    precision, recall, mistakes = measured("numbers", NUMBERS, wrong_numbers)

    assert recall >= 0.95, mistakes
    assert precision >= 0.9, mistakes


LONG = 400_000
BOMBS = {
    "prose": "The “quotation of five words here” has 12,500 of 45 % in it[^s1].\n\n",
    "one paragraph": "The “quotation of five words here” has 12,500 of 45 % in it[^s1]. ",
    "marks": "“„«",
    "spaces": " 1 ",
    "digits": "1",
    "groups": "1.234.",
    "pluses": "+1 (2) ",
    "left out": "“a […] b … c … d … e” ",
    "references": "[^s1][^S2]",
    "brackets": "[^s",
    "straight": '"a b c d e ',
    "quotes": "> a b c d e[^s1]\n\n",
}


@pytest.mark.contract("decided-sources.pure")
@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_long_text_takes_no_longer_than_one_twice_as_long_would_explain(name: str) -> None:
    def seconds(length: int) -> float:
        text = (BOMBS[name] * (length // len(BOMBS[name]) + 1))[:length]
        excerpts = ["a b c d e " * 2_000, *["x" * 20_000] * 9]

        def check() -> None:
            found = evidence(text, *excerpts)
            for one in (*wrong_quotations(found), *wrong_numbers(found)):
                assert one

        return quickest(check, 0)

    half, whole = seconds(LONG // 8), seconds(LONG // 4)
    print(f"{name}: {half:.2f} s for {LONG // 8:,} characters, {whole:.2f} s for {LONG // 4:,}")
    assert whole < 3 * half + 0.5
