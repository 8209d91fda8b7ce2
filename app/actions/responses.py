"""An action on a document, as callers see it."""

from typing import Annotated, Any, cast

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.errors import Error, Refusal
from app.core.operation import Operation


class Action(TypedDict):
    """An operation on a document, and why it would be refused now."""

    action: Annotated[str, doc("the operation, by the name of its tool", "submit_document")]
    method: Annotated[str, doc("the method of its route", "POST")]
    path: Annotated[str, doc("its path on the host", "/documents/6650f0a1b2c3d4e5f6a7b8c9/submit")]
    allowed: Annotated[bool, doc("whether a valid call would succeed now", True)]
    refusal: Annotated[Error | None, doc("the error that it would get; null where it is allowed", None)]


class ToolAction(TypedDict):
    """An operation on a document over MCP: a tool."""

    action: Annotated[str, doc("the tool")]
    allowed: Annotated[bool, doc("whether a valid call would succeed now")]
    refusal: Annotated[Error | None, doc("the error that it would get; null where it is allowed")]


def tool_action(action: Action) -> ToolAction:
    """Returns an operation without its route."""
    return {"action": action["action"], "allowed": action["allowed"], "refusal": action["refusal"]}


def action_record(one: Operation[Any], base_path: str, document_id: str, refusal: Refusal | None) -> Action:
    """Returns an operation with its path for a document, and the refusal that a call would get now."""
    method, path = one.address
    return {
        "action": one.name,
        "method": method,
        "path": base_path + path.replace(":id", document_id),
        "allowed": refusal is None,
        "refusal": None if refusal is None else cast(Error, refusal.body()),
    }
