"""Twenty agents at work: every brief is drafted once, none is lost, none twice, also when agents die in the middle."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import httpx2
import mcp_types as t
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import Scope
from tests.http.servers import a_server
from tests.make import OPERATIONS, Project, Token, a_ready_brief, end_expired_claims

pytestmark = [pytest.mark.needs_mongod, pytest.mark.race, pytest.mark.slow, pytest.mark.long]

AGENTS, BRIEFS, DYING = 20, 100, 5

AGENT_SCOPES = (Scope.READ, Scope.WRITE)

LEASE = 60


@pytest.fixture(scope="module")
def servers(mongodb_uri: str, store: Store) -> Iterator[list[str]]:
    """Two server processes on one MongoDB."""
    with ExitStack() as running:
        yield [running.enter_context(a_server(mongodb_uri, store.database.name)) for _ in range(2)]


@dataclass
class Work:
    """What the agents report: who drafted which document, and what a dead one left behind."""

    drafted: list[tuple[str, str]] = field(default_factory=list)
    abandoned: list[str] = field(default_factory=list)
    all_died: asyncio.Event = field(default_factory=asyncio.Event)


async def _ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    body: dict[str, Any] = result.structured_content or {}
    return body if not result.is_error else {"refused": body["_tag"], **body}


async def _write(client: Client, name: str, claimed: dict[str, Any]) -> None:
    """Reads the brief, writes the document and submits it; each call is sent twice, as if an answer was lost."""
    document_id = claimed["id"]
    brief = await _ask(client, "get_brief", documentId=document_id)
    for tool, fields in (
        ("write_content", {"markdown": f"# {brief['title']}\n\nBy {name}.", "baseVersion": brief["version"]}),
        ("submit_document", {}),
    ):
        keyed = {"documentId": document_id, "idempotencyKey": f"{tool}-{document_id}-{claimed['brief']['claimedAt']}"}
        first = await _ask(client, tool, **keyed, **fields)
        again = await _ask(client, tool, **keyed, **fields)
        assert "refused" not in first, first
        assert again == first


async def _agent(name: str, url: str, secret: str, work: Work, dies: Callable[[str], None] | None) -> None:
    """Drains the briefs until none is ready; one that dies does so on its third, with the claim in its hands.

    The others go on to a fourth when all of these have died: there is a third for everybody, and an abandoned one is
    drafted by somebody.
    """
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(
            streamable_http_client(f"{url}/mcp", http_client=http), client_info=t.Implementation(name=name, version="1")
        ) as client,
    ):
        for turn in count(1):
            if turn == 4:
                await work.all_died.wait()
            claimed = await _ask(client, "claim_next_brief", leaseSeconds=LEASE, idempotencyKey=f"{name}-{turn}")
            if claimed.get("refused") == "NoBriefReady":
                return
            assert "refused" not in claimed, claimed
            if dies and turn == 3:
                await asyncio.to_thread(dies, claimed["id"])
                work.abandoned.append(claimed["id"])
                if len(work.abandoned) == DYING:
                    work.all_died.set()
                return
            await _write(client, name, claimed)
            work.drafted.append((claimed["id"], name))


def _drain(project: Project, servers: list[str]) -> Work:
    """Sets the agents to work, each with a token of its own, half of them on each server; the first ones die."""
    work = Work()
    tokens = [project.token(f"Agent {number}", scopes=AGENT_SCOPES) for number in range(AGENTS)]

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for number, token in enumerate(tokens):
                dies = partial(_run_the_lease_out, project, token) if number < DYING else None
                url = servers[number % len(servers)]
                group.create_task(_agent(f"agent-{number}", url, token.secret, work, dies))

    asyncio.run(main())
    return work


def _run_the_lease_out(project: Project, token: Token, document_id: str) -> None:
    """Has the claim of a dead agent end: as if the agent had last renewed it two leases ago."""
    long_ago = project.context(token, now=this_instant() - timedelta(seconds=2 * LEASE))
    OPERATIONS["renew_claim"](long_ago, document_id, fields={"leaseSeconds": LEASE})
    end_expired_claims(project.store)


def _assert_each_is_drafted_once(project: Project, work: Work, offered: set[str]) -> None:
    assert Counter(document_id for document_id, _ in work.drafted) == Counter(dict.fromkeys(offered, 1))
    writers = dict(work.drafted)
    ctx = project.context()
    for document_id in offered:
        document = OPERATIONS["get_document"](ctx, document_id).body
        assert (document["status"], document["brief"]["state"], document["version"]) == ("review", "drafted", 2)
        assert document["contentUpdatedBy"]["agent"] == writers[document_id]


@pytest.mark.contract("decided-mcp.drained")
def test_twenty_agents_draft_every_brief_once_also_those_of_agents_that_die(
    servers: list[str], project: Project
) -> None:
    ctx = project.context()
    offered = {a_ready_brief(ctx, title=f"Loaf {number}")["id"] for number in range(BRIEFS)}

    work = _drain(project, servers)

    assert len(work.abandoned) == DYING
    _assert_each_is_drafted_once(project, work, offered)
