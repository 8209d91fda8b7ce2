"""The preferences of a request (RFC 7240) that the service honors."""

from flask import request
from werkzeug.http import parse_list_header, parse_options_header

from app.documents.responses import MINIMAL

STRICT = "handling=strict"
RETURN_MINIMAL = f"return={MINIMAL}"


def prefers(preference: str) -> bool:
    """Returns whether the client prefers this, like `handling=strict`; of several values of one name the first counts.

    Names and values are compared without case.
    """
    header = request.environ.get("HTTP_PREFER")
    name, _, wanted = preference.partition("=")
    for one in parse_list_header(header) if header else ():
        sent, _, value = parse_options_header(one)[0].partition("=")
        if sent.strip().lower() == name:
            return value.strip(' "').lower() == wanted
    return False


def applied(*preferences: str) -> dict[str, str]:
    """Returns the header that says which preferences were honored; none where there are none."""
    return {"Preference-Applied": ", ".join(preferences)} if preferences else {}
