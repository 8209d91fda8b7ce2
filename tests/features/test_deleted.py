"""Deleting a feature's folder, and what names it in `app/features.py`, is all that it takes to remove the feature."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from app.features import ALL

ROOT = Path(__file__).parents[2]
SOURCES = ("app", "graphql_app", "mcp_tools")
CONTRACT = {"core", "projects", "categories", "publications", "documents", "intents", "briefs", "delivery"}
FEATURES = sorted(ALL.folders - CONTRACT)
IMPORTED = re.compile(r"(?:from|import) app\.(\w+)")
PROGRAM = """
from importlib import import_module
import click
from jinja2 import meta
from app import cli, server
from app.features import ALL
from app.rest.api import openapi_document
from app.features import ServerSettings
from graphql_app.schema import sdl
from mcp_tools.tools import tools_of

settings = ServerSettings(mongodb_uri="mongodb://nowhere/x", log_level="CRITICAL", public_url="https://x.example")
app = server.create_app(settings)
assert app.url_map.bind("x").match("/console/board") and openapi_document(settings, ALL) and sdl(ALL)
assert [*tools_of(ALL)] == [one.name for one in ALL.operations if one.tool] and [*ALL.jobs()]
for name in cli.main.list_commands(context := click.Context(cli.main)):
    cli.main.resolve_command(context, [name])
templates = {*app.jinja_env.list_templates(extensions=["html"])}
for name in templates:
    source = app.jinja_env.loader.get_source(app.jinja_env, name)[0]
    assert {*meta.find_referenced_templates(app.jinja_env.parse(source))} - {None} <= templates, name
    app.jinja_env.get_template(name)
print(*sorted(ALL.folders), sep="\\n")
"""
"""Makes everything that an application serves and prints the names of its folders."""


class Removal(ast.NodeTransformer):
    """Removes the imports of folders from a module, and what its tuples hold of them."""

    def __init__(self, folders: set[str]) -> None:
        self.folders = folders
        self.names: set[str] = set()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        if not self.is_of_folders(node.module or ""):
            return node
        self.names |= {one.asname or one.name for one in node.names}
        return None

    def visit_Tuple(self, node: ast.Tuple) -> ast.Tuple:
        node.elts = [one for one in node.elts if not any(map(self.names_them, ast.walk(one)))]
        return node

    def names_them(self, node: ast.AST) -> bool:
        """Returns whether a name or a text in the module is about the folders."""
        if isinstance(node, ast.Name):
            return node.id in self.names
        return isinstance(node, ast.Constant) and isinstance(node.value, str) and self.is_of_folders(node.value)

    def is_of_folders(self, module: str) -> bool:
        package, _, rest = module.partition(".")
        return package == "app" and rest.partition(".")[0] in self.folders


@cache
def imported_by(feature: str) -> set[str]:
    """Returns the features that a feature imports."""
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "app" / feature).rglob("*.py"))
    return {*IMPORTED.findall(sources)}.intersection(FEATURES) - {feature}


def with_dependents(feature: str) -> set[str]:
    """Returns a feature, and those that import it."""
    found = {feature}
    while more := {one for one in FEATURES if imported_by(one) & found} - found:
        found |= more
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "feature", [pytest.param(one, marks=[] if one == "review" else [pytest.mark.long]) for one in FEATURES]
)
def test_deleting_a_feature_takes_its_folder_and_its_lines_in_the_list(tmp_path: Path, feature: str) -> None:
    deleted = with_dependents(feature)
    for source in SOURCES:
        copytree(ROOT / source, tmp_path / source)
    for folder in deleted:
        rmtree(tmp_path / "app" / folder)
    lists = tmp_path / "app" / "features.py"
    lists.write_text(ast.unparse(Removal(deleted).visit(ast.parse(lists.read_text("utf-8")))), "utf-8")

    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert {*done.stdout.split()} - CONTRACT == {*FEATURES} - deleted
