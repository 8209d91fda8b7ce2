"""No function only passes its arguments on, and nothing private of a library is imported."""

import ast
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[2]
SOURCES = [path for folder in ("app", "graphql_app", "mcp_tools") for path in sorted((TOP / folder).rglob("*.py"))]

NEEDED = {
    ("mcp_tools/over_http.py", "send"): "ASGI demands a coroutine",
    ("app/review/store.py", "add_many"): "makes a method that only collections call public",
    ("app/sources/store.py", "add_many"): "makes a method that only collections call public",
    ("app/review/store.py", "get_many"): "makes a method that only collections call public",
}


def pass_on(path: Path) -> Iterator[str]:
    """Yields the functions of a file that do nothing but call another one with the arguments that they were given."""
    for one in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) or one.decorator_list:
            continue
        body = [line for line in one.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
        given = [each.arg for each in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs)]
        given = [name for name in given if name not in ("self", "cls")]
        call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return | ast.Expr) else None
        if isinstance(call, ast.Call) and given and isinstance(call.func, ast.Name | ast.Attribute):
            sent = [*call.args, *(keyword.value for keyword in call.keywords)]
            if [each.id if isinstance(each, ast.Name) else None for each in sent] == given:
                yield one.name


def test_no_function_only_passes_its_arguments_on() -> None:
    found = {(str(path.relative_to(TOP)), name) for path in SOURCES for name in pass_on(path)}
    assert found == set(NEEDED)


def test_nothing_is_imported_whose_name_begins_with_an_underscore() -> None:
    """Ruff's SLF001 sees the use of a private attribute, and no import."""
    found = [
        (str(path.relative_to(TOP)), name)
        for path in SOURCES
        for one in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(one, ast.Import | ast.ImportFrom)
        for name in (*(alias.name for alias in one.names), getattr(one, "module", None) or "")
        if name != "__future__" and any(part.startswith("_") for part in name.split("."))
    ]

    assert found == []
