"""Holds the table of the contract and the marks of the tests together, both ways.

The marks are read from the source of the tests, so it does not matter which of them run, or in how many processes.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.contract.rows import CONTRACT, DECIDED, ROWS

TESTS = Path(__file__).parents[1]
INSTALLED = {".venv", "node_modules"}
"""Folders of what the clients' tests install."""


@cache
def marks() -> tuple[tuple[str, str], ...]:
    """Returns (where, row id) for each row that a test says it proves."""
    return tuple(_marks())


def _marks() -> Iterator[tuple[str, str]]:
    for path in sorted(path for path in TESTS.rglob("test_*.py") if INSTALLED.isdisjoint(path.parts)):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for row in _named_by(node.decorator_list):
                    yield f"{path.relative_to(TESTS)}::{node.name}", row


def _named_by(decorators: list[ast.expr]) -> Iterator[str]:
    for decorator in decorators:
        for call in ast.walk(decorator):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.contract":
                yield from (ast.literal_eval(row) for row in call.args)


def test_no_two_rows_share_an_id() -> None:
    ids = Counter(row.id for row in (*CONTRACT, *DECIDED))

    assert [row for row, times in ids.items() if times > 1] == []


def test_every_mark_names_a_row() -> None:
    assert [mark for mark in marks() if mark[1] not in ROWS] == []


def test_every_row_is_proved_by_a_test() -> None:
    proved = {row for _, row in marks()}

    assert {id: row.says for id, row in ROWS.items() if id not in proved} == {}, "mark the tests that prove them"
