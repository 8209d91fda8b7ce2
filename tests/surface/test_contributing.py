"""The worked example of CONTRIBUTING.md: what it changes is all that a new operation needs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.make import Project, a_document

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ("app", "graphql_app", "mcp_tools")
STEP = re.compile(r"In `(?P<file>app/[\w/]+\.py)`:\n\n   ```python\n(?P<code>.*?)   ```\n", re.DOTALL)
OPERATIONS = "OPERATIONS: tuple[Operation[Any], ...] = (\n"

CALL = """
import json, os, sys
from app.server import create_app
from app.features import ALL, ServerSettings, connect
from mcp_tools.tools import tools_of

uri, database, secret, document = sys.argv[1:]
settings = ServerSettings(mongodb_uri=uri, log_level="CRITICAL")
client = create_app(settings, connect(uri, database)).test_client()
path = f"/documents/{document}/postpone"
called = client.post(path, json={"days": 7}, headers={"Authorization": f"Bearer {secret}"})
wrong = client.post(path, json={"days": 0}, headers={"Authorization": f"Bearer {secret}"})
documented = client.get("/openapi.json").json["paths"]["/documents/{id}/postpone"]["post"]
print(json.dumps({
    "called": [called.status_code, called.json],
    "wrong": [wrong.status_code, wrong.json],
    "documented": documented,
    "tool": tools_of(ALL)["postpone_document"].definition.input_schema,
}))
"""


def test_the_worked_example_is_all_that_a_new_operation_needs(
    project: Project, mongodb_uri: str, tmp_path: Path
) -> None:
    steps = list(STEP.finditer((CHECKOUT / "CONTRIBUTING.md").read_text()))
    assert len(steps) <= 5
    for package in PACKAGES:
        shutil.copytree(CHECKOUT / package, tmp_path / package)  # with what is compiled
    for step in steps:
        change(tmp_path / step["file"], dedent(step["code"]))
    token = project.token()
    document = a_document(project.context(token), title="Rye", dueDate="2027-02-14")

    arguments = [mongodb_uri, project.store.database.name, token.secret, document["id"]]
    ended = subprocess.run(
        [sys.executable, "-c", CALL, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)

    assert found["called"][0] == 200
    assert found["called"][1]["dueDate"] == "2027-02-21"
    assert (found["wrong"][0], found["wrong"][1]["issues"][0]["path"]) == (400, "days")
    assert found["documented"]["operationId"] == "postponeDocument"
    assert found["documented"]["summary"] == "Move a document's due date by some days"
    assert found["documented"]["requestBody"]["content"]["application/json"]["example"] == {"days": 7}
    assert {"200", "400", "404", "412", "422"} <= found["documented"]["responses"].keys()
    assert set(found["tool"]["properties"]) == {"documentId", "days", "dryRun", "idempotencyKey"}


def change(file: Path, code: str) -> None:
    """Writes the code of a step: a file of its own, or its lines in the lists of `app/features.py`."""
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_text(code)
        return
    text = file.read_text()
    line = re.search(r"^OPERATIONS: .*\.\.\.,\n(    \w+\.\w+,\n)\)", code, re.DOTALL | re.MULTILINE)
    assert line
    imports = "".join(f"{one}\n" for one in code.splitlines() if one.startswith("from "))
    file.write_text(text.replace(OPERATIONS, imports + OPERATIONS + line[1]))
