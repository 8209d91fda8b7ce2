"""Session ids that carry the client's name, so that no server stores sessions.

Clients of the older protocol revisions send their name in the handshake alone. They send the session id of the
handshake's response with each call, to any server. It is signed with the token, so it is valid for that token only.
"""

import base64
import hmac
import secrets

SESSION_HEADER = "Mcp-Session-Id"
_NONCE, _SIGNATURE = 9, 16


def session_id(client: str, secret: str) -> str:
    """Returns a new session id for a client that authenticated with a token's secret."""
    payload = secrets.token_bytes(_NONCE) + client.encode()
    return base64.urlsafe_b64encode(_signature(payload, secret) + payload).decode().rstrip("=")


def client_name(session: str, secret: str) -> str:
    """Returns the name in a session id; empty for none, and for one of another token."""
    try:
        raw = base64.urlsafe_b64decode(session + "=" * (-len(session) % 4))
        signature, payload = raw[:_SIGNATURE], raw[_SIGNATURE:]
        return payload[_NONCE:].decode() if hmac.compare_digest(signature, _signature(payload, secret)) else ""
    except ValueError:
        return ""


def _signature(payload: bytes, secret: str) -> bytes:
    return hmac.digest(secret.encode(), payload, "sha256")[:_SIGNATURE]
