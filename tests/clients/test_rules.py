"""The OpenAPI document keeps the rules of those who read such documents by program."""

import json
import os
import subprocess
from pathlib import Path

import pytest


def test_the_document_is_valid_openapi_3_1(document: Path) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator  # takes two seconds, which few tests need

    written = json.loads(document.read_text())

    OpenAPIV31SpecValidator(written).validate()

    assert written["openapi"].startswith("3.1.")


@pytest.mark.clients
def test_redocly_recommends_nothing_else(document: Path, npm_tools: Path) -> None:
    quiet = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    lint = [npm_tools / "redocly", "lint", "--extends", "recommended", "--format", "json", document]

    ended = subprocess.run(lint, env=quiet, cwd=document.parent, capture_output=True, text=True)

    told = json.loads(ended.stdout[ended.stdout.index("{") :])
    assert ended.returncode == 0, ended.stderr
    assert told["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}, told["problems"]
