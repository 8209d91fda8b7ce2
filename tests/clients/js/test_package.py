"""The package for JavaScript is what npm and TypeScript expect, and reads the service that it is tested against."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from app.core.store.store import Store
from tests.clients.js.package import PACKAGE, built, packed, run
from tests.graphql_app.client import delivery_token
from tests.graphql_app.test_site import a_site

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]


def test_the_types_are_those_of_the_schema(tmp_path: Path) -> None:
    written, schema = built() / "src" / "schema.ts", tmp_path / "schema.ts"

    run(["node", "codegen.mjs", schema], PACKAGE)

    if os.environ.get("UPDATE_SNAPSHOTS"):
        run(["node", "codegen.mjs"], PACKAGE)
    assert written.read_text() == schema.read_text(), "Run `npm run codegen` in clients/js."


def test_the_package_is_built_outside_of_the_repository(tmp_path: Path) -> None:
    left_out = shutil.ignore_patterns("node_modules", "dist", ".tshy*", ".installing")
    folder = shutil.copytree(built(), tmp_path / "js", ignore=left_out)
    (folder / "node_modules").symlink_to(PACKAGE / "node_modules")

    run(["npm", "run", "build"], folder)

    assert (folder / "dist" / "schema.graphql").exists()
    assert (folder / "dist" / "esm" / "astro.js").exists()


def test_the_package_has_nothing_that_publint_and_arethetypeswrong_find_wrong(tmp_path: Path) -> None:
    file = packed(tmp_path)
    tools = PACKAGE / "node_modules" / ".bin"

    run([tools / "publint", "--strict", file], PACKAGE)
    run([tools / "attw", file, "--profile", "node16", "--exclude-entrypoints", "schema.graphql"], PACKAGE)

    with tarfile.open(file) as package:
        names = {name.removeprefix("package/") for name in package.getnames()}
        manifest = json.loads(package.extractfile("package/package.json").read())  # type: ignore[union-attr]
    assert {"LICENSE", "README.md", "dist/schema.graphql", "dist/esm/astro.js", "dist/commonjs/webhook.d.ts"} <= names
    assert {name for name in names if not name.startswith("dist/")} == {"LICENSE", "README.md", "package.json"}
    assert "dependencies" not in manifest


def test_the_types_allow_what_they_should_and_nothing_else() -> None:
    options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"]

    run([built() / "node_modules" / ".bin" / "tsc", *options, "test/types.ts"], PACKAGE)


@pytest.mark.needs_mongod
@pytest.mark.parametrize("name", ["client", "astro"])
def test_the_client_reads_the_service(store: Store, address: str, name: str) -> None:
    project = a_site(store, 105)
    tokens = {
        "SITE": delivery_token(project),
        "PREVIEW": delivery_token(project, drafts=True),
        "OWNER": project.token(),
    }
    secrets = {name: token.secret for name, token in tokens.items()}

    node_test(name, BASE=address, **secrets)


@pytest.mark.needs_mongod
def test_the_client_verifies_a_message_of_a_webhook(sent: dict[str, Any]) -> None:
    node_test("webhook", MESSAGE=json.dumps(sent))


def node_test(name: str, **environment: str) -> None:
    """Runs the tests of a file of the package."""
    command = ["node", "--test", "--test-timeout", "120000", f"test/{name}.test.mjs"]
    ended = subprocess.run(
        command, cwd=built(), env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stdout
