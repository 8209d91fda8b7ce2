"""Lets pages of other origins read responses (CORS): without credentials, as callers send a token and no cookie."""

from collections.abc import Collection

from flask import Response, request

USUAL_HEADERS = "Authorization, Content-Type, MCP-Protocol-Version"
DELIVERY_HEADERS = "ETag, Ignored-Fields, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
"""The headers of the delivery API that pages of other origins can read."""
DAY = 86_400


def allow_origins(response: Response, allowed: Collection[str], exposed: str = "") -> Response:
    """Adds the headers with which browsers let pages of the `allowed` origins (`*`: all) read a response."""
    if "*" in allowed:
        response.access_control_allow_origin = "*"
    else:
        response.vary.add("Origin")
        if request.origin not in allowed:
            return response
        response.access_control_allow_origin = request.origin
    if exposed:
        response.headers["Access-Control-Expose-Headers"] = exposed
    if request.method == "OPTIONS" and request.access_control_request_method:
        wanted = request.headers.get("Access-Control-Request-Headers", USUAL_HEADERS)
        response.headers["Access-Control-Allow-Headers"] = wanted
        response.headers["Access-Control-Allow-Methods"] = ", ".join(sorted(response.allow)) or "GET, POST"
        response.access_control_max_age = DAY
    return response
