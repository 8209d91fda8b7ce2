"""How a message names an operation: by its tool over MCP, by its route elsewhere (decisions, section 11)."""

from app.vocabulary import Channel

ROUTES = {
    "claim_brief": "POST /documents/:id/brief/claim",
    "claim_next_brief": "POST /briefs/claim",
    "get_brief": "GET /documents/:id/brief",
    "mark_brief_ready": "POST /documents/:id/brief/ready",
    "release_brief": "POST /documents/:id/brief/release",
    "submit_document": "POST /documents/:id/submit",
    "withdraw_brief": "POST /documents/:id/brief/withdraw",
    "write_content": "PUT /documents/:id/content",
}
"""The routes of the operations that messages name."""


def named(operation: str, channel: Channel) -> str:
    """Returns the name of an operation as callers of an interface know it, in backticks."""
    return f"`{operation if channel == Channel.MCP else ROUTES[operation]}`"
