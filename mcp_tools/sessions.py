"""Session ids that hold nothing but the client's name, so that no server has to remember a session.

Clients of the older protocol revisions name themselves in the handshake alone; the id that the handshake answers with
comes back with each of their calls, to whichever server. It is signed with the token, so it holds for that token only.
"""

import base64
import hmac
import secrets

_NONCE, _SIGNATURE = 9, 16


def session_id(client: str, secret: str) -> str:
    """Returns a fresh session id for a client that handed in a token's secret."""
    said = secrets.token_bytes(_NONCE) + client.encode()
    return base64.urlsafe_b64encode(_signature(said, secret) + said).decode().rstrip("=")


def client_of(session: str, secret: str) -> str:
    """Returns the name in a session id; empty for none, and for one of another token."""
    try:
        raw = base64.urlsafe_b64decode(session + "=" * (-len(session) % 4))
        signature, said = raw[:_SIGNATURE], raw[_SIGNATURE:]
        return said[_NONCE:].decode() if hmac.compare_digest(signature, _signature(said, secret)) else ""
    except ValueError:
        return ""


def _signature(said: bytes, secret: str) -> bytes:
    return hmac.digest(secret.encode(), said, "sha256")[:_SIGNATURE]
