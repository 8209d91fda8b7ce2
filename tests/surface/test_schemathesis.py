"""Requests made of the OpenAPI document, right and wrong ones: every answer is as documented, and none is a bug.

All of schemathesis's checks, in all its phases, on every operation. `SCHEMATHESIS_EXAMPLES=200` looks longer, and
`SCHEMATHESIS_SEED=2` elsewhere.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask

from tests.live import serving
from tests.make import Project, a_document, a_ready_brief

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(3_600)]

HERE = Path(__file__).parent
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "1")
SEED = os.environ.get("SCHEMATHESIS_SEED", "1")

OWN_TOKEN = "^/tokens/"
"""Where a run finds its own token among the project's and revokes it: a run of its own, the last thing it does."""


@pytest.mark.parametrize("part", [["--exclude-path-regex", OWN_TOKEN], ["--include-path-regex", OWN_TOKEN]])
def test_schemathesis_finds_nothing(app: Flask, project: Project, tmp_path: Path, part: list[str]) -> None:
    token = project.token("Schemathesis")
    for number in range(3):
        a_ready_brief(project.context(token), title=f"Ready {number}")
        a_document(project.context(token), title=f"Written {number}", markdown="Some words.")
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    environment["SCHEMATHESIS_HOOKS"] = str(HERE / "schemathesis_hooks.py")
    with serving(app) as address:
        run = [Path(sys.executable).with_name("schemathesis"), "--config-file", HERE / "schemathesis.toml", "run"]
        run += [f"{address}/openapi.json", "--header", f"Authorization: Bearer {token.secret}", *part]
        run += ["--checks", "all", "--mode", "all", "--max-examples", EXAMPLES, "--seed", SEED]
        run += ["--continue-on-failure", "--warnings", "off"]
        told = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True)

    assert told.returncode == 0, told.stdout + told.stderr
