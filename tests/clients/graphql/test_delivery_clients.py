"""The delivery API passes the audit of GraphQL over HTTP, and clients that others wrote read a site through it."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXTransport

from app.cli import main
from tests.clients.test_clients import run
from tests.make import Token

pytestmark = [pytest.mark.clients, pytest.mark.needs_mongod]

HERE = Path(__file__).parent


@pytest.fixture
def schema() -> str:
    """The schema, as the command line prints it."""
    return CliRunner().invoke(main, ["graphql-schema"]).output


def test_the_audit_of_graphql_over_http_passes_whole(reader: Token, address: str, graphql_tools: Path) -> None:
    results = run(["node", "audit.mjs", address, reader.secret], HERE)["results"]

    assert len(results) > 50
    assert [result for result in results if result["status"] != "ok"] == []


def test_a_typescript_client_reads_a_site_with_generated_types(
    reader: Token, address: str, graphql_tools: Path, schema: str, tmp_path: Path
) -> None:
    (tmp_path / "schema.graphql").write_text(schema)
    for name in ("codegen.mjs", "drive.mts", "package.json"):
        shutil.copy(HERE / name, tmp_path)
    shutil.copytree(HERE / "queries", tmp_path / "queries")
    shutil.copy(HERE.parent / "tsconfig.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(graphql_tools)
    run(["node", "codegen.mjs"], tmp_path)
    run([graphql_tools / ".bin" / "tsc", "--project", "tsconfig.json", "--skipLibCheck"], tmp_path)

    queries = [(HERE / "queries" / f"{name}.graphql").read_text() for name in ("page", "article", "preview")]
    said = run(["node", "drive.mjs", address, reader.secret, *queries], tmp_path)

    assert said == {
        "titles": ["Spelt", "Rye"],
        "category": "Bread",
        "html": "<p>Spelt is <em>good</em>.</p>\n",
        "refused": "FORBIDDEN",
    }


def test_a_python_client_reads_a_site_and_checks_its_queries_with_the_schema(reader: Token, address: str) -> None:
    headers = {"Authorization": f"Bearer {reader.secret}"}
    transport = HTTPXTransport(f"{address}/graphql", headers=headers, trust_env=False)
    page = gql("query($limit: Int) { documents(limit: $limit) { title category { name } } }")
    page.variable_values = {"limit": 1}

    with Client(transport=transport, fetch_schema_from_transport=True) as session:
        found = session.execute(page)
        with pytest.raises(TransportQueryError) as raised:
            session.execute(gql("{ documents(includeDrafts: true) { id } }"))

    assert found == {"documents": [{"title": "Spelt", "category": {"name": "Bread"}}]}
    assert raised.value.errors[0]["extensions"]["code"] == "FORBIDDEN"
    assert session.client.schema.type_map.keys() >= {"Document", "Category", "CoverImage"}
