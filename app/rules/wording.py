"""How a message names an operation: by its tool over MCP, its button in the console, its route elsewhere.

(decisions, section 11)
"""

from app.vocabulary import Channel

ROUTES = {
    "claim_brief": "POST /documents/:id/brief/claim",
    "claim_next_brief": "POST /briefs/claim",
    "get_work_packet": "GET /documents/:id/packet",
    "mark_brief_ready": "POST /documents/:id/brief/ready",
    "release_brief": "POST /documents/:id/brief/release",
    "submit_document": "POST /documents/:id/submit",
    "withdraw_brief": "POST /documents/:id/brief/withdraw",
    "write_content": "PUT /documents/:id/content",
}
"""The routes of the operations that messages name."""

BUTTONS = {
    "claim_brief": "Claim brief",
    "claim_next_brief": "Claim brief",
    "get_work_packet": "Brief",
    "mark_brief_ready": "Offer brief",
    "release_brief": "Release brief",
    "submit_document": "Submit for review",
    "withdraw_brief": "Withdraw brief",
    "write_content": "Write",
}
"""The same in the console."""


def named(operation: str, channel: Channel) -> str:
    """Returns the name of an operation as callers of an interface know it, marked as a name."""
    if channel == Channel.CONSOLE:
        return f'"{BUTTONS[operation]}"'
    return f"`{operation if channel == Channel.MCP else ROUTES[operation]}`"
