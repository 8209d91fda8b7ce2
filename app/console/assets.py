"""Styles, scripts and icons: addressed by a hash of them all, so that browsers cache them forever."""

import gzip
import hashlib
import mimetypes
from functools import cache
from pathlib import Path

from flask import Response, abort, request, send_from_directory, url_for

from app.console.frame import console

FOLDER = Path(__file__).parent / "assets"
YEAR = 31_536_000


@cache
def digest() -> str:
    """Returns a hash of all assets: one for all, so that modules import each other by their plain names."""
    content = b"".join(file.name.encode() + file.read_bytes() for file in sorted(FOLDER.iterdir()))
    return hashlib.blake2b(content, digest_size=8).hexdigest()


@cache
def zipped(name: str) -> bytes:
    """Returns an asset compressed."""
    return gzip.compress((FOLDER / name).read_bytes(), mtime=0)


@console.get("/assets/<version>/<name>")
def asset(version: str, name: str) -> Response:
    """Returns an asset; one of another version than this server's is not cached by browsers."""
    if name not in {file.name for file in FOLDER.iterdir()}:
        abort(404)
    if request.accept_encodings["gzip"] > 0:
        kind, _ = mimetypes.guess_type(name)
        response = Response(zipped(name), mimetype=kind, headers={"Content-Encoding": "gzip"})
    else:
        response = send_from_directory(FOLDER, name)
    response.vary.add("Accept-Encoding")
    current = version == digest()
    response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable" if current else "no-store"
    return response


@console.app_template_global("asset")
def address_of(name: str) -> str:
    """Returns the address of an asset."""
    return url_for("console.asset", version=digest(), name=name)
