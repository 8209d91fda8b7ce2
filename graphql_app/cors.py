"""Which pages in a browser may read the delivery API: every origin by default (decisions, section 3)."""

from collections.abc import Sequence

from flask import Response, request

EXPOSED = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
DAY = "86400"


class Origins:
    """Adds CORS headers to responses; callers send a token and no cookie, so credentials are not allowed."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._allowed = allowed

    def allow(self, response: Response) -> Response:
        """Adds the headers with which a browser lets a page of an allowed origin read the response."""
        if "*" in self._allowed:
            response.headers.add("Access-Control-Allow-Origin", "*")
        else:
            response.vary.add("Origin")
            if (origin := request.headers.get("Origin", "")) not in self._allowed:
                return response
            response.headers.add("Access-Control-Allow-Origin", origin)
        response.headers.add("Access-Control-Expose-Headers", EXPOSED)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response.headers["Access-Control-Allow-Methods"] = ", ".join(sorted(response.allow)) or "GET, POST"
            wanted = request.headers.get("Access-Control-Request-Headers", "Authorization, Content-Type")
            response.headers["Access-Control-Allow-Headers"] = wanted
            response.headers["Access-Control-Max-Age"] = DAY
        return response
