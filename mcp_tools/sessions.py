"""Session ids that carry the client's name, so that no server stores sessions.

Clients of the older protocol revisions send their name only in the handshake. They send the session id of the
handshake's response with each call, to any server. It is signed with the token, so it is valid for that token only.
"""

import secrets

from itsdangerous import BadData, URLSafeSerializer

SESSION_HEADER = "Mcp-Session-Id"


def session_id(client: str, secret: str) -> str:
    """Returns a new session id for a client that authenticated with a token's secret."""
    return _serializer(secret).dumps([client, secrets.token_hex(9)])


def client_name(session: str, secret: str) -> str:
    """Returns the name in a session id; empty for none, and for one of another token."""
    try:
        return str(_serializer(secret).loads(session)[0])
    except BadData:
        return ""


def _serializer(secret: str) -> URLSafeSerializer:
    return URLSafeSerializer(secret, salt="mcp-session")
