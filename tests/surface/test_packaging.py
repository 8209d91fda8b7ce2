"""The package declares what it imports, and has the files that it reads."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder
from twine.commands.check import check

CHECKOUT = Path(__file__).parents[2]
OURS = {"app", "graphql_app", "mcp_tools", "wsgi"}


def imported(file: Path) -> set[str]:
    """Returns the packages that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - OURS - sys.stdlib_module_names


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = [*project["dependencies"], *project["optional-dependencies"]["otel"]]
    declared = {re.split(r"[<>=;\[ ]", one)[0].lower().replace("_", "-") for one in requirements}
    distributions = packages_distributions()
    files = [CHECKOUT / "wsgi.py", *(file for folder in OURS for file in (CHECKOUT / folder).rglob("*.py"))]

    missing = {
        package: str(file.relative_to(CHECKOUT))
        for file in files
        for package in imported(file)
        if package != "opentelemetry"  # a namespace of many distributions
        and not declared & {name.lower().replace("_", "-") for name in distributions.get(package, ())}
    }

    assert missing == {}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The package, built."""
    [built] = WheelBuilder(str(CHECKOUT)).build(directory=str(tmp_path_factory.mktemp("dist")), versions=["standard"])
    return built


def test_a_package_index_takes_the_wheel_and_shows_its_readme(wheel: str) -> None:
    assert not check([wheel], strict=True), "what `twine check --strict` says is in the output"


def test_the_wheel_has_the_templates_and_assets_of_the_console(wheel: str) -> None:
    packed = set(ZipFile(wheel).namelist())
    folders = [CHECKOUT / "app" / "console" / "templates" / "console", *CHECKOUT.glob("app/*/assets")]
    read = {str(file.relative_to(CHECKOUT)) for folder in folders for file in folder.iterdir()}

    assert read <= packed
    assert not {name for name in packed if "node_modules" in name}


def test_the_container_is_built_from_files_that_make_the_same_package(wheel: str, tmp_path: Path) -> None:
    lines = (CHECKOUT / ".dockerignore").read_text("utf-8").splitlines()
    for name in (line[1:] for line in lines if line.startswith("!")):
        if (CHECKOUT / name).is_dir():
            copytree(CHECKOUT / name, tmp_path / name, ignore=ignore_patterns("__pycache__", "node_modules"))
        else:
            copy(CHECKOUT / name, tmp_path / name)
    [built] = WheelBuilder(str(tmp_path)).build(directory=str(tmp_path / "dist"), versions=["standard"])

    assert set(ZipFile(built).namelist()) == set(ZipFile(wheel).namelist())
