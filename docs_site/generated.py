"""Pages of the docs, and parts of them, from the code: errors, settings, checks, commands, routes, tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import click
from pydantic.fields import FieldInfo

from app.briefs import rules as briefs
from app.cli import main
from app.core.actors import SYSTEM
from app.core.calls import Call
from app.core.errors import Refusal
from app.core.operation import Operation
from app.core.vocabulary import ALL_TOOLS, TOOLSETS, BriefState, Channel
from app.core.vocabulary import DocumentStatus as Status
from app.documents import statuses
from app.documents.record import NO_CLAIM, OPEN, Decision, StoredDocument
from app.features import ALL, CHECKS, ServerSettings
from app.rest.api import blueprints_of
from app.rest.response_schemas import response_schema
from docs_site.screens import screens_page
from graphql_app.schema import sdl
from mcp_tools.tools import tools_of

TOOLS = tools_of(ALL)

DOCS = Path(__file__).parent.parent / "docs"

ERRORS_HEAD = """\
# Errors

Every error is JSON with `_tag`, which names it, and `message`, which says what to do (below is the usual one); over MCP
it is the structured content of a result with `isError`. A refused request changes nothing. `/openapi.json` describes
the further keys.
[Retrying a write](api.md#retrying-a-write) says after which to send a request again. An error without `_tag` comes from
a proxy. (`python -m docs_site` writes this page.)

"""


def errors_page(_: str) -> str:
    """Returns the page of errors, by status: for each its usual message, and the names of its further keys."""
    refusals = sorted(Refusal.__subclasses__(), key=lambda one: one.status)
    by_status = groupby(refusals, key=lambda one: one.status)
    return ERRORS_HEAD + "\n".join(f"## {status}\n\n{''.join(map(_error, some))}" for status, some in by_status)


def _error(refusal: type[Refusal]) -> str:
    keys = response_schema(refusal.Keys)["properties"] if refusal.Keys else ()
    further = f" Keys: {_code(keys)}." if keys else ""
    return f"- **{refusal.__name__}**: {refusal.message}{further}\n"


def _paragraph(text: str | None) -> str:
    return " ".join((text or "").split())


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


SETTINGS_HEAD = """\
# Configuration

`content-workflow` reads the environment once, at start, and refuses to start with a wrong value. An empty variable
counts as not set; white space around a value is ignored. (`python -m docs_site` writes this page.)

A variable marked with (file) may be in a file, as Docker and systemd have secrets: instead of `SMTP_URL` set
`SMTP_URL_FILE` to its path.

`TMPDIR` has feeds over 1 MB while they are sent, what an export reads, and the body of an import, up to 2 GB: have it
on a disk where projects are large, as `/tmp` of `compose.yaml` is memory. Metrics are in `/dev/shm`.

| Variable | Default | Meaning |
|---|---|---|
"""


def settings_page(_: str) -> str:
    """Returns the page of settings: for each variable its default and its meaning."""
    return SETTINGS_HEAD + "".join(
        f"| `{setting.validation_alias}`{'' if setting.repr else ' (file)'} "
        f"| {_default(setting)} | {setting.description} |\n"
        for setting in ServerSettings.model_fields.values()
    )


def _default(setting: FieldInfo) -> str:
    if setting.is_required():
        return "required"
    default = setting.default
    if isinstance(default, bool):
        return f"`{int(default)}`"
    if isinstance(default, tuple):
        default = ",".join(default)
    return f"`{default}`" if default != "" else ""


PART = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def with_parts(page: str) -> str:
    """Returns a page with its generated parts as the code has them."""
    return PART.sub(lambda found: f"<!-- generated: {found[1]} -->\n{PARTS[found[1]]()}<!-- end -->", page)


DERIVED = {
    "unschedule": "the status before it was scheduled, drafting where that was published and it was unpublished since",
    "unpublish": "the same status, drafting where that is published",
}
"""Where the operations lead whose status depends on the document; Mermaid ends a statement at a semicolon."""


def status_diagram() -> str:
    """Returns the statuses of a document and the operations between them, in Mermaid's notation.

    The editable statuses are one node, since `PATCH` moves a document freely among them. An operation that leaves
    every status is a note.
    """
    nodes = {status: "open" if status in OPEN else str(status) for status in Status}
    arrows: dict[tuple[str, str], list[str]] = {}
    notes = []
    for move in statuses.MOVES:
        if not isinstance(move.enters, Status):
            notes.append(f"{move.name}: to {DERIVED[move.name]}")
            continue
        if len(move.leaves) >= len(Status) - 1:
            notes.append(f"{move.name}: from every status to {move.enters}")
            continue
        for status in (*move.leaves, *move.if_changed):
            is_partly = status in OPEN and not set(OPEN) <= set(move.leaves)
            name = f"{move.name} (from {status})" if is_partly else move.name
            names = arrows.setdefault((nodes[status], nodes[move.enters]), [])
            if name not in names:
                names.append(name)
    lines = [
        "stateDiagram-v2",
        f'    state "{" / ".join(OPEN)}" as open',
        "    [*] --> open",
        *(f"    {one} --> {other}: {', '.join(names)}" for (one, other), names in arrows.items() if one != other),
        "    scheduled --> published: at its time",
        "    note right of open",
        *(f"        {note}" for note in notes),
        "    end note",
    ]
    return "\n".join(lines) + "\n"


BRIEF_MOVES: dict[str, Callable[[StoredDocument, Call], Decision]] = {
    "ready": briefs.mark_brief_ready,
    "claim": briefs.claim_brief,
    "renew": briefs.renew_claim,
    "withdraw": briefs.withdraw_brief,
    "release": briefs.release_brief,
}


def _moved(rule: Callable[[StoredDocument, Call], Decision]) -> Iterator[tuple[str, str]]:
    """Yields from which state of a brief a rule leads where, for the holder of a claim."""
    call = Call({**SYSTEM, "id": "0" * 24}, Channel.REST, datetime.now(UTC))
    for state in BriefState:
        claim = {"claimedBy": call.actor, "claimedAt": call.now} if state == BriefState.CLAIMED else NO_CLAIM
        document = {"status": Status.DRAFTING, "version": 1, "slug": "", "brief": {"state": state, **claim}}
        with suppress(Refusal):
            decision = rule(cast(StoredDocument, document), call)
            if decision.events:
                yield state, decision.document["brief"]["state"]


def brief_diagram() -> str:
    """Returns the states of a brief and the operations between them, in Mermaid's notation."""
    finishing = ", ".join(move.name for move in statuses.MOVES if move.finishes)
    arrows = [f"    {one} --> {other}: {name}" for name, rule in BRIEF_MOVES.items() for one, other in _moved(rule)]
    return "\n".join(
        ["stateDiagram-v2", "    [*] --> none", *arrows, "    claimed --> ready: lease expires"]
        + [f"    claimed --> drafted: {finishing}", ""]
    )


def checks_list() -> str:
    """Returns the checks of a document, each with when it fails."""
    return "".join(f"- `{check.name}`: {_paragraph(check.find.__doc__)}\n" for check in CHECKS)


def _commands(group: click.Group, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yields every command below a group, with the names that call it."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        _, command, _ = group.resolve_command(ctx, [name])
        if isinstance(command, click.Group):
            yield from _commands(command, *path, name)
        elif command:
            yield (*path, name), command


def _mermaid(diagram: str) -> str:
    return f"```mermaid\n{diagram}```\n"


PARTS: dict[str, Callable[[], str]] = {
    "statuses": lambda: _mermaid(status_diagram()),
    "briefs": lambda: _mermaid(brief_diagram()),
    "checks": checks_list,
}
"""The generated parts of pages that are otherwise written by hand."""

COMMITTED: dict[Path, Callable[[str], str]] = {
    DOCS / "errors.md": errors_page,
    DOCS / "configuration.md": settings_page,
    DOCS / "screens.md": screens_page,
    **{DOCS / name: with_parts for name in ("documents.md", "checks.md")},
}
"""Generated pages, and pages with generated parts, that are committed, so that they can be read without the site."""


def rest_page() -> str:
    """Returns the routes of the management API, by subject."""
    lines = [
        "# REST routes",
        "",
        "A running server shows each with its fields, limits, errors and examples at `/docs`, and describes them for "
        "generators at `/openapi.json`. [The API over HTTP](../api.md) says what holds on every route.",
        "",
    ]
    for routes in blueprints_of(ALL):
        lines += [
            f"## {routes.name.capitalize()}",
            "",
            routes.description,
            "",
            "| Route | Scope | What it does |",
            "|---|---|---|",
        ]
        lines += [
            f"| `{route.method} {route.path}` | `{route.operation.scope}` | {route.operation.summary} |"
            for route in routes.served
        ]
        lines.append("")
    return "\n".join(lines)


def tools_page() -> str:
    """Returns the tools of MCP, as agents read them."""
    lines = [
        "# MCP tools",
        "",
        "What an agent reads of each tool, beside the schema of its arguments. [Agents](../agents.md) says how to "
        "connect one, and how they work.",
        "",
        "| Set of tools | Tools |",
        "|---|---|",
        *(f"| `{name}` | {_code(_tools_of(name))} |" for name in TOOLSETS if name != ALL_TOOLS),
        "",
    ]
    for name, tool in TOOLS.items():
        lines += [
            f"## {name}",
            "",
            f"Scope `{tool.operation.scope}`. {tool.definition.description}",
            "",
            *_arguments(tool.operation),
        ]
    return "\n".join(lines)


def _tools_of(toolset: str) -> Iterator[str]:
    return (name for name, tool in TOOLS.items() if tool.operation.is_in(toolset))


def _arguments(operation: Operation[Any]) -> Iterator[str]:
    properties = TOOLS[operation.name].definition.input_schema.get("properties", {})
    if properties:
        yield "| Argument | What it is |"
        yield "|---|---|"
        for name, schema in properties.items():
            yield f"| `{name}` | {str(schema.get('description', '')).replace('|', chr(92) + '|')} |"
        yield ""


def graphql_page() -> str:
    """Returns the schema of the delivery API."""
    return f"# GraphQL schema\n\n[Delivery](../delivery.md) says how to use it.\n\n```graphql\n{sdl(ALL)}```\n"


def commands_page() -> str:
    """Returns the help of every command."""
    lines = ["# Commands", "", "What `--help` prints. [The command line](../cli.md) has examples.", ""]
    for path, command in _commands(main):
        ctx = click.Context(command, info_name=" ".join(("content-workflow", *path)), terminal_width=100)
        lines += [f"## {' '.join(path)}", "", "```text", command.get_help(ctx), "```", ""]
    return "\n".join(lines)


MADE: dict[str, Callable[[], str]] = {
    "reference/rest.md": rest_page,
    "reference/tools.md": tools_page,
    "reference/graphql.md": graphql_page,
    "reference/commands.md": commands_page,
}
"""Pages that are made with the site."""
