"""The reference of the API: `/openapi.json`, and `/docs` to read it, with all assets served by the service."""

import gzip
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import flask_swagger_ui
import orjson
from flask import Blueprint, Flask, Response, redirect, request, send_from_directory
from werkzeug import Response as BaseResponse

from app.http.errors import DOCS

ASSETS = Path(flask_swagger_ui.__file__).parent / "dist"
FILES = {"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"}

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Content workflow: API reference</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""

START = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
  docExpansion: "list",
});
"""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def serve_reference(app: Flask, openapi_document: Callable[[], dict[str, Any]], base_path: str) -> None:
    """Serves the OpenAPI document and the page that shows it, at the root and below the base path, without a token."""
    reference = Blueprint(DOCS, __name__)

    building = Lock()

    @cache
    def built() -> tuple[bytes, bytes]:
        plain = orjson.dumps(openapi_document())
        return plain, gzip.compress(plain, mtime=0)

    def document() -> tuple[bytes, bytes]:
        with building:  # else each of the first requests at once would build it, for a second
            return built()

    @reference.get("/openapi.json")
    def openapi_json() -> Response:
        plain, zipped = document()
        accepts_gzip = request.accept_encodings.quality("gzip") > 0
        response = Response(zipped if accepts_gzip else plain, content_type="application/json")
        if accepts_gzip:
            response.content_encoding = "gzip"
        response.vary.add("Accept-Encoding")
        response.set_etag(hashlib.sha256(plain).hexdigest(), weak=True)
        response.make_conditional(request)
        return response

    @reference.get("/docs")
    def page() -> BaseResponse:
        if request.path.endswith("/"):
            return redirect("../docs", 308)  # the page's links are relative
        return Response(PAGE, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY})

    @reference.get("/docs/start.js")
    def start() -> Response:
        return Response(START, content_type="text/javascript")

    @reference.get("/docs/<any({}):name>".format(",".join(f'"{name}"' for name in sorted(FILES))))
    def asset(name: str) -> Response:
        response = send_from_directory(ASSETS, name)
        response.headers["Cache-Control"] = "private, no-cache"  # it has an ETag
        return response

    app.register_blueprint(reference)
    if base_path:
        app.register_blueprint(reference, url_prefix=base_path, name="reference_at_the_base_path")
