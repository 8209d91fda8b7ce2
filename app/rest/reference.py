"""The reference of the API: `/openapi.json`, and `/docs` to read it, with all assets served by the service."""

from collections.abc import Callable
from pathlib import Path
from threading import Condition
from typing import Any

import flask_swagger_ui
import orjson
from cachetools import cached
from flask import Blueprint, Flask, Response, redirect, render_template, request, send_from_directory
from werkzeug import Response as BaseResponse

from app.http.errors import DOCS

SWAGGER_UI = Path(flask_swagger_ui.__file__).parent / "dist"
FILES = {
    "start.js": Path(__file__).parent / "reference_files",
    **dict.fromkeys(("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"), SWAGGER_UI),
}
"""The files that the page loads, each with its folder."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def serve_reference(app: Flask, openapi_document: Callable[[], dict[str, Any]], base_path: str) -> None:
    """Serves the OpenAPI document and the page that shows it, at the root and below the base path, without a token."""
    reference = Blueprint(DOCS, __name__, template_folder="templates")

    @cached({}, condition=Condition())  # else each of the first requests at once would build it, for a second
    def document() -> bytes:
        return orjson.dumps(openapi_document())

    @reference.get("/openapi.json")
    def openapi_json() -> Response:
        response = Response(document(), content_type="application/json")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    @reference.get("/docs")
    def page() -> BaseResponse:
        if request.path.endswith("/"):
            return redirect("../docs", 308)  # the page's links are relative
        html = render_template("reference/docs.html")
        return Response(html, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})

    @reference.get("/docs/<any({}):name>".format(",".join(f'"{name}"' for name in sorted(FILES))))
    def asset(name: str) -> Response:
        response = send_from_directory(FILES[name], name)
        response.headers["Cache-Control"] = "private, no-cache"  # it has an ETag
        return response

    app.register_blueprint(reference)
    if base_path:
        app.register_blueprint(reference, url_prefix=base_path, name="reference_at_the_base_path")
