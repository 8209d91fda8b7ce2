"""One message of a client as the house sees it: the context it is served in, and who its agent is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import mcp_types as t
from mcp.server.context import ServerRequestContext
from mcp.shared.message import SessionMessage

from app.errors import InternalError, Refusal
from app.operations.context import Context

log = logging.getLogger("content_workflow.mcp")

Message = ServerRequestContext[Any, Any]

NO_MESSAGE = SessionMessage(
    t.JSONRPCError(
        jsonrpc="2.0",
        id=None,
        error=t.ErrorData(code=t.PARSE_ERROR, message="A line must be one JSON-RPC message."),
    )
)
"""The answer to a line that can't be read."""

LONGEST_NAME = 100
"""As long as an agent's name may be where it is given to a token."""


@dataclass(frozen=True)
class Call:
    """Who calls, or why nobody does right now (`RateLimited`), and the id that the log knows the request by."""

    caller: Context | Refusal
    request_id: str
    agent: str = ""
    """The client's name where its handshake was another request."""

    def context(self, message: Message) -> Context:
        """Returns the context of a message: a token without an agent's name goes by the client's.

        Raises the refusal where nobody is served.
        """
        if isinstance(self.caller, Refusal):
            raise self.caller
        if self.caller.caller.agent:
            return self.caller
        client = message.session.client_params
        name = name_of(client.client_info.name) if client and client.client_info else self.agent
        return replace(self.caller, caller=replace(self.caller.caller, agent=name))

    def bug(self, where: str) -> InternalError:
        """Writes the exception at hand to the log and returns what the client may know of it."""
        log.exception("bug", extra={"requestId": self.request_id, "where": where})
        return InternalError(f"Something went wrong on our side. Report it with the request id {self.request_id}.")


Who = Callable[[Message], Call]
"""Tells who sent a message; over HTTP and stdio in different ways."""


def name_of(client: str) -> str:
    """Returns a client's name as records can keep it."""
    return "".join(letter for letter in client if letter.isprintable()).strip()[:LONGEST_NAME]
