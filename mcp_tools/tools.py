"""The tools: one for each operation, made from its declaration, so that MCP and REST can't drift apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import marshmallow as ma
import mcp_types as t

from app.core.context import Context
from app.core.features import Features
from app.core.operation import Effect, Operation
from app.core.vocabulary import Scope
from mcp_tools.arguments import DRY_RUN, arguments_of, input_schema, read
from mcp_tools.results import UNTRUSTED, output_schema, result_of

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

    def call(self, ctx: Context, sent: Mapping[str, Any], *, minimal: bool = False) -> t.CallToolResult:
        """Runs the operation and returns its result, the `minimal` one of a write of a document.

        Raises `Forbidden` before it reads the arguments.
        """
        self.operation.permit(ctx)
        ids, fields, key, dry_run = read(self.operation, self.arguments, sent)
        ctx = replace(ctx, dry_run=True) if dry_run else ctx
        return result_of(self.operation, self.operation(ctx, *ids, fields=fields, key=key), minimal=minimal)

    def labelled(self, result: t.CallToolResult, sent: Mapping[str, Any]) -> t.CallToolResult:
        """Returns the result or the refusal of a call with its labels."""
        dry_run = {DRY_RUN: True} if sent.get(DRY_RUN) is True and not self.operation.reads else {}
        return result.model_copy(update={"meta": {**(result.meta or {}), **UNTRUSTED, **dry_run}})


def _tool(operation: Operation[Any], features: Features) -> Tool:
    arguments = arguments_of(operation, features)
    definition = t.Tool(
        name=operation.name,
        description=_description(operation, features),
        input_schema=input_schema(operation, arguments, features),
        output_schema=output_schema(operation, features),
        annotations=_hints(operation),
        _meta=UNTRUSTED,
    )
    return Tool(operation, arguments, definition)


def _description(operation: Operation[Any], features: Features) -> str:
    """Returns what an agent reads: what the tool does, and what to call next; refusals explain themselves."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in operation.description.split("\n\n"))
    other = operation.arguments_as if operation.arguments_as in features.by_name else ""
    sentences = re.split(r"(?<=\.) ", operation.next)
    following = " ".join(one for one in sentences if features.by_name.keys() >= {*TOOL_NAME.findall(one)})
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
def tools_of(features: Features) -> Mapping[str, Tool]:
    """Returns the tools of an application by name."""
    return {operation.name: _tool(operation, features) for operation in features.operations}


def tools_for(features: Features, scopes: frozenset[Scope], toolset: str) -> list[t.Tool]:
    """Returns the tools of a set that a token with these scopes may call."""
    offered = (tool for tool in tools_of(features).values() if tool.operation.is_in(toolset))
    return [tool.definition for tool in offered if tool.operation.scope in scopes]
