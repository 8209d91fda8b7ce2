"""How a message names an operation: by its tool over MCP, its button in the console, its route elsewhere.

(decisions, section 11)
"""

from app.vocabulary import Channel

NAMES = {
    "claim_brief": ("POST /documents/:id/brief/claim", "Claim brief"),
    "claim_next_brief": ("POST /briefs/claim", "Claim brief"),
    "get_work_packet": ("GET /documents/:id/packet", "Brief"),
    "list_threads": ("GET /documents/:id/threads", "Threads"),
    "mark_brief_ready": ("POST /documents/:id/brief/ready", "Offer brief"),
    "release_brief": ("POST /documents/:id/brief/release", "Release brief"),
    "reply_to_thread": ("POST /documents/:id/threads/:threadId/replies", "Reply"),
    "submit_document": ("POST /documents/:id/submit", "Submit for review"),
    "withdraw_brief": ("POST /documents/:id/brief/withdraw", "Withdraw brief"),
    "write_content": ("PUT /documents/:id/content", "Write"),
}
"""The routes and the buttons of the operations that messages name."""


def named(operation: str, channel: Channel) -> str:
    """Returns the name of an operation as callers of an interface know it, marked as a name."""
    route, button = NAMES[operation]
    if channel == Channel.CONSOLE:
        return f'"{button}"'
    return f"`{operation if channel == Channel.MCP else route}`"
