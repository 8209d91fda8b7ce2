"""Other software against our server: the conformance suite, the inspector, the TypeScript clients."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.store.store import Store
from app.features import ALL
from mcp_tools.tools import tools_of
from tests.clients.npm import installed
from tests.http.servers import CHECKOUT, a_server
from tests.make import Project, a_document, a_project, a_ready_brief

TOOLS = tools_of(ALL)

pytestmark = [pytest.mark.clients, pytest.mark.needs_mongod, pytest.mark.slow]

CLIENTS = CHECKOUT / "tests" / "clients" / "mcp"

SCENARIOS = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")
"""The conformance suite's scenarios that ask nothing but the protocol; the others call tools of a test server."""


@pytest.fixture(scope="session")
def node() -> Path:
    """The folder with the clients, installed from the lock file."""
    installed(CLIENTS, "the conformance suite and the clients of MCP are not tried", "--ignore-scripts")
    return CLIENTS


project = pytest.fixture(scope="module")(a_project)
"""A project that these tests share, as one server process adds one token."""


@pytest.fixture(scope="module")
def server(mongodb_uri: str, store: Store, project: Project) -> Iterator[tuple[str, str]]:
    """A server process on which every caller is let in, and the token that it adds."""
    token = project.token().secret
    with a_server(mongodb_uri, store.database.name, target="tests.mcp_tools.let_in:app", LET_IN_TOKEN=token) as url:
        yield f"{url}/mcp", token


def _run(node: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", *command], cwd=node, capture_output=True, text=True, check=False, timeout=120)


def test_the_conformance_suite_passes(node: Path, server: tuple[str, str], tmp_path: Path) -> None:
    url, _ = server

    outcomes = {}
    for scenario in SCENARIOS:
        ran = _run(node, "node_modules/.bin/conformance", "server", "--url", url, "--scenario", scenario)
        outcomes[scenario] = (ran.returncode, ran.stdout[-1_500:] + ran.stderr[-1_500:] if ran.returncode else "")

    assert outcomes == dict.fromkeys(SCENARIOS, (0, ""))


def _inspect(node: Path, url: str, token: str, *asked: str) -> dict[str, Any]:
    inspector = "node_modules/.bin/mcp-inspector-cli"
    ran = _run(
        node, inspector, "--cli", url, "--transport", "http", "--header", f"Authorization: Bearer {token}", *asked
    )
    assert ran.returncode == 0, ran.stderr[-2_000:]
    answer: dict[str, Any] = json.loads(ran.stdout[ran.stdout.index("{") :])
    return answer


def test_the_inspector_lists_and_calls_tools(node: Path, server: tuple[str, str], project: Project) -> None:
    url, token = server
    document = a_document(project.context())

    listed = _inspect(node, url, token, "--method", "tools/list")
    called = _inspect(
        node,
        url,
        token,
        "--method",
        "tools/call",
        "--tool-name",
        "get_document",
        "--tool-arg",
        f"documentId={document['id']}",
    )

    assert [tool["name"] for tool in listed["tools"]] == list(TOOLS)
    assert called["structuredContent"]["title"] == document["title"]


@pytest.mark.parametrize("library", ["client", "sdk"])
def test_a_typescript_client_does_an_agents_whole_job(
    node: Path, server: tuple[str, str], project: Project, library: str
) -> None:
    url, token = server
    a_ready_brief(project.context(), title="Rye")

    ran = _run(node, "job.mjs", library, url, token)

    assert ran.returncode == 0, ran.stderr[-2_000:]
    met = json.loads(ran.stdout)
    assert "Keyword to rank for:\nsourdough" in met.pop("prompt")
    assert met == {
        "tools": len(TOOLS),
        "agent": f"typescript-{library}",
        "read": "# Rye\n\nFlour, water, salt and time.\n",
        "status": "review",
        "state": "drafted",
        "refusal": "NoBriefReady",
    }
