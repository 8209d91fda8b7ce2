"""The page on which a browser tries the delivery API; all that it loads is served by the service itself."""

from pathlib import Path

from flask import Response, render_template, send_from_directory

FILES = Path(__file__).parent / "explorer_files" / "served"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page() -> Response:
    """Returns the page. It has no token: its user pastes one."""
    html = render_template("delivery/explorer.html")
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store", "Vary": "Authorization, Accept"}
    return Response(html, content_type="text/html; charset=utf-8", headers=headers)


def explorer_file(name: str) -> Response:
    """Returns a file of the page."""
    response = send_from_directory(FILES, name)
    response.headers["Cache-Control"] = "private, no-cache"  # it has an ETag
    return response
