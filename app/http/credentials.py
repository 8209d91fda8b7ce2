"""The secrets that a request sends: a bearer token, or the session of the console in a cookie."""

import re

from flask import request

BEARER = re.compile(r"Bearer +([!-~]+)", re.IGNORECASE)
SESSION_COOKIE = "cw_session"
"""The cookie with the secret of a session; browsers send it only to the paths of the console."""
SESSION = re.compile(rf"(?:^|;[ \t]*){SESSION_COOKIE}=([!#-:<-~]*)")


def bearer_secret() -> str:
    """Returns the secret in the `Authorization` header; empty where there is none."""
    header = BEARER.fullmatch(request.environ.get("HTTP_AUTHORIZATION", ""))
    return header[1] if header else ""


def session_secret() -> str:
    """Returns the secret of the console session in the cookie; empty where there is none.

    It is read without parsing all cookies, as that takes milliseconds for a header of 8 KB.
    """
    cookie = SESSION.search(request.environ.get("HTTP_COOKIE", ""))
    return cookie[1] if cookie else ""
