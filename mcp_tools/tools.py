"""The tools: one for each operation, made from its declaration, so that MCP and REST can't drift apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import marshmallow as ma
import mcp_types as t

from app.core.context import Context
from app.core.features import Features
from app.core.operation import Effect, Operation
from app.core.vocabulary import ALL_TOOLS, Scope
from mcp_tools.arguments import DRY_RUN, arguments_of, either, input_schema, names_of, read
from mcp_tools.results import UNTRUSTED, labelled, output_schema, result_of

TOOL_NAME = re.compile("`([a-z]+(?:_[a-z]+)+)`")
"""A tool that a sentence names."""

HARD_TO_TAKE_BACK = (Scope.PUBLISH, Scope.ADMIN)
"""Scopes whose changes reach the public or revoke access, so that a client asks its user first."""


@dataclass(frozen=True)
class Tool:
    """An operation as agents see and call it."""

    operation: Operation[Any]
    arguments: type[ma.Schema]
    definition: t.Tool
    batch: Tool | None = None
    """The same for several records: called if one of its own arguments is sent."""

    def call(self, ctx: Context, sent: Mapping[str, Any], *, minimal: bool = False) -> t.CallToolResult:
        """Runs the operation and returns its result, the `minimal` one of a write of a document.

        Raises `Forbidden` before it reads the arguments.
        """
        if self.batch and (names_of(self.batch.arguments) - names_of(self.arguments)) & sent.keys():
            return self.batch.call(ctx, sent, minimal=minimal)
        self.operation.permit(ctx)
        ids, fields, key, dry_run = read(self.operation, self.arguments, sent)
        ctx = replace(ctx, dry_run=True) if dry_run else ctx
        return result_of(self.operation, self.operation(ctx, *ids, fields=fields, key=key), fields, minimal=minimal)

    def labelled(self, result: t.CallToolResult, sent: Mapping[str, Any]) -> t.CallToolResult:
        """Returns the result or the refusal of a call with its labels."""
        return labelled(result, dry_run=sent.get(DRY_RUN) is True and not self.operation.reads)


def _tool(operation: Operation[Any], features: Features, names: Set[str]) -> Tool:
    arguments = arguments_of(operation, features)
    definition = t.Tool(
        name=operation.name,
        title=operation.name.replace("_", " ").capitalize(),
        description=_description(operation, names),
        input_schema=input_schema(operation, arguments, features),
        output_schema=output_schema(operation),
        annotations=_hints(operation),
        _meta=UNTRUSTED,
    )
    batch = _tool(operation.batch, features, names) if operation.batch else None
    if batch:
        definition = definition.model_copy(
            update={"input_schema": either(definition.input_schema, batch.definition.input_schema)}
        )
    return Tool(operation, arguments, definition, batch)


def _description(operation: Operation[Any], names: Set[str]) -> str:
    """Returns what an agent reads: what the tool does, and what to call next; refusals explain themselves."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in operation.description.split("\n\n"))
    other = operation.arguments_as if operation.arguments_as in names else ""
    sentences = re.split(r"(?<=\.) ", operation.next)
    following = " ".join(one for one in sentences if names >= {*TOOL_NAME.findall(one)})
    parts = [*paragraphs, following, f"Arguments as in `{other}`." if other else ""]
    return "\n".join(filter(None, parts))


def _hints(operation: Operation[Any]) -> t.ToolAnnotations:
    """Returns what a client may tell its user before the tool is called.

    A hint is left out where the protocol says the same without it, or where it means nothing: all but one of a tool
    that only reads.
    """
    if operation.reads:
        return t.ToolAnnotations(read_only_hint=True)
    changes = operation.effect == Effect.CHANGES
    each_call_counts = operation.effect == Effect.CREATES or operation.each_call_counts
    return t.ToolAnnotations(
        destructive_hint=operation.effect == Effect.DESTROYS or (changes and operation.scope in HARD_TO_TAKE_BACK),
        idempotent_hint=bool(operation.id_names and not each_call_counts) or None,
    )


@cache
def tools_of(features: Features, toolset: str = ALL_TOOLS) -> Mapping[str, Tool]:
    """Returns the tools of a set by name."""
    offered = {one.name: one for one in features.operations if one.is_in(toolset)}
    return {name: _tool(operation, features, offered.keys()) for name, operation in offered.items()}


def tools_for(features: Features, scopes: frozenset[Scope], toolset: str) -> list[t.Tool]:
    """Returns the tools of a set that a token with these scopes may call."""
    tools = tools_of(features, toolset).values()
    return [tool.definition for tool in tools if tool.operation.scope in scopes]
