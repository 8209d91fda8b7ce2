"""The prompt that gives an agent a brief with everything that belongs to it."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mcp_types as t

from app.errors import NotFound
from app.operations.briefs import get_brief
from app.operations.clusters import get_cluster
from app.operations.context import Context
from app.operations.projects import get_project
from app.responses.briefs import BriefDetail
from app.rules.documents import OPEN
from app.schemas.checks import HEX_ID, WRONG_ID
from app.schemas.types import Schema, StrictString
from mcp_tools.arguments import load_known
from mcp_tools.results import UNTRUSTED

WRITE = "write_document_from_brief"

Arguments = Schema.from_dict({"documentId": StrictString(None, required=True)}, name="Arguments")
"""What the prompt takes."""

PROMPTS = [
    t.Prompt(
        name=WRITE,
        title="Write a document from its brief",
        description="A brief with its category, cluster and links, and how to deliver the text.",
        arguments=[t.PromptArgument(name="documentId", description="the document's id", required=True)],
    )
]

FIELDS = (
    ("keyword", "Keyword to rank for"),
    ("intent", "Search intent"),
    ("audience", "Audience"),
    ("wordCount", "Length"),
    ("outline", "Outline, a section a line"),
    ("notes", "Notes"),
)

WORK, STEPS = (Path(__file__).with_name(name).read_text().rstrip() for name in ("prompt.md", "steps.md"))

BOUNDARY_BYTES = 16
"""What nobody who writes a brief can guess: 128 bits."""

CLAIMS = {
    "none": "The brief is not offered yet: ask whether you may write it, then `mark_brief_ready` and `claim_brief`.",
    "ready": 'Call `claim_brief` with documentId "{id}", so that nobody else writes it. Go on only if that succeeds.',
    "claimed": "The brief is claimed; `Claimed by` above says by whom. Go on only if that is you.",
    "drafted": "The brief was written already: ask whether to write it again, then `mark_brief_ready` and "
    "`claim_brief`.",
}
CLOSED = (
    "The document is past drafting (`{status}`). Stop here, and say so: its brief can be offered and claimed again "
    "once the document is back in drafting."
)
"""In place of the steps, where the document's status allows no claim."""


def written(ctx: Context, arguments: Mapping[str, str]) -> list[t.PromptMessage]:
    """Returns the prompt's messages for a document.

    Refuses with `HttpApiDecodeError` when the id is missing or another argument is there, and with `NotFound`.
    """
    document_id = load_known(Arguments, arguments)["documentId"]
    if not HEX_ID.fullmatch(document_id):
        raise NotFound(WRONG_ID)
    detail = get_brief(ctx, document_id).body
    text = WORK.format(
        boundary=secrets.token_hex(BOUNDARY_BYTES),
        described=_described(ctx, detail),
        instructions=_instructions(detail),
    )
    return [t.PromptMessage(role="user", content=t.TextContent(type="text", text=text, _meta=UNTRUSTED))]


def _instructions(detail: BriefDetail) -> str:
    """Returns the steps from the claim to the submit, or where the document is past drafting, that there are none."""
    if detail["status"] not in OPEN:
        return CLOSED.format(status=detail["status"])
    brief = detail["brief"]
    claim = CLAIMS["none" if brief is None else brief["state"]].format(id=detail["id"])
    return STEPS.format(claim=claim, id=detail["id"], version=detail["version"])


def _described(ctx: Context, detail: BriefDetail) -> str:
    """Returns what people and agents wrote about a document."""
    brief: Mapping[str, Any] = detail["brief"] or {}
    parts = [f"Title: {detail['title']}", f"Project: {get_project(ctx).body['name']}"]
    parts += [f"{label}:\n{brief[name]}" for name, label in FIELDS if brief.get(name)]
    parts += [f"Due: {detail['dueDate']}"] if detail["dueDate"] else []
    if category := detail["category"]:
        parts.append(f"Category: {category['name']}\n{category['description']}".rstrip())
    if detail["clusterId"]:
        cluster = get_cluster(ctx, detail["clusterId"]).body
        keywords = f"\nKeywords: {', '.join(cluster['keywords'])}" if cluster["keywords"] else ""
        parts.append(f"Cluster: {cluster['name']}\n{cluster['description']}".rstrip() + keywords)
    if detail["internalLinks"]:
        links = "\n".join(f"- {link['title']} (slug `{link['slug']}`)" for link in detail["internalLinks"])
        parts.append(f"Link to these documents:\n{links}")
    if brief.get("referenceUrls"):
        parts.append("Sources:\n" + "\n".join(f"- {url}" for url in brief["referenceUrls"]))
    if holder := brief.get("claimedBy"):
        parts.append(f"Claimed by: {holder['agent'] or holder['name']}")
    return "\n\n".join(parts)
