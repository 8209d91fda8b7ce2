"""Clients generated from the OpenAPI document take a brief from draft to claimed, and get a typed error."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.http.streams import NDJSON
from app.images.vocabulary import ImageType
from tests.clients.test_examples import PAGE, PLANNED, answering, error
from tests.make import Project

pytestmark = [pytest.mark.clients, pytest.mark.needs_mongod]

HERE = Path(__file__).parent
WITHOUT_PROXIES = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
EXPECTED = {
    "ready": "ready",
    "listed": True,
    "claimed": "claimed",
    "status": "drafting",
    "refused": {"status": 409, "by": "Night writer", "at": True},
}


def test_a_typescript_client_drives_the_api_and_gets_a_typed_error(
    project: Project, address: str, document: Path, npm_tools: Path, tmp_path: Path
) -> None:
    for name in ("drive.mts", "tsconfig.json"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "page.mts").write_text("declare const process: any;\n" + on_the_page("ts"))
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    run([npm_tools / "openapi-typescript", document, "--output", "api.d.ts"], tmp_path)
    run([npm_tools / "tsc", "--project", "tsconfig.json"], tmp_path)

    said = run(["node", "drive.mjs", address, project.token("Night writer").secret], tmp_path)

    assert said == EXPECTED
    assert "outcome: 'created'" in printed(["node", "page.mjs"], tmp_path, BASE=address, OWNER=project.token().secret)


def test_a_python_client_drives_the_api_and_gets_a_typed_error(
    project: Project, address: str, document: Path, tmp_path: Path
) -> None:
    names = ["project_name_override: content-workflow-client", "package_name_override: content_workflow_client"]
    files = [f"  {media_type}: application/octet-stream" for media_type in ("text/csv", NDJSON, *ImageType)]
    settings = [*names, "content_type_overrides:", *files, "post_hooks: []"]
    (tmp_path / "settings.yaml").write_text("\n".join(settings))
    shutil.copy(HERE / "drive.py", tmp_path)
    generator = Path(sys.executable).with_name("openapi-python-client")
    generate = [generator, "generate", "--path", document, "--config", "settings.yaml", "--meta", "none"]
    run([*generate, "--fail-on-warning"], tmp_path)
    models = {file.stem for file in (tmp_path / "content_workflow_client" / "models").iterdir()}
    assert {"brief_state", "document_status", "scope"} <= models
    assert [name for name in models if re.search(r"type_\d|_\d|_items?_item", name)] == []

    mypy, cache = Path(sys.executable).with_name("mypy"), HERE.parents[1] / ".mypy_cache" / "client"
    printed([mypy, "--strict", "--cache-dir", cache, "content_workflow_client"], tmp_path)

    said = run([sys.executable, "drive.py", address, project.token("Night writer").secret], tmp_path)

    assert said == EXPECTED

    (tmp_path / "page.py").write_text(on_the_page("python"))
    said = printed([sys.executable, "page.py"], tmp_path, BASE=address, OWNER=project.token().secret)
    assert re.fullmatch(r"rye created\nspelt refused category: No category .*\n", said)
    broken = [(500, error("InternalError")), (503, PAGE), (200, json.dumps(PLANNED).encode())]
    with answering(*broken, retry_after="Wed, 21 Oct 2015 07:28:00 GMT") as (busy, keys):
        assert printed([sys.executable, "page.py"], tmp_path, BASE=busy, OWNER="cwm_x") == "rye created\n"
    assert (len(keys), len(set(keys))) == (3, 1)


def on_the_page(language: str) -> str:
    """Returns the program in a language that `docs/api.md` shows."""
    page = (HERE.parents[1] / "docs" / "api.md").read_text("utf-8")
    (program,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(program)


def run(command: list[Any], folder: Path) -> Any:
    """Runs a program and returns the JSON that it printed, if any."""
    said = printed(command, folder)
    return json.loads(said) if said.startswith("{") else None


def printed(command: list[Any], folder: Path, **environment: str) -> str:
    """Runs a program and returns what it printed."""
    ended = subprocess.run(command, cwd=folder, env=WITHOUT_PROXIES | environment, capture_output=True, text=True)
    assert ended.returncode == 0, f"{command[0]}: {ended.stdout}{ended.stderr}"
    return ended.stdout
