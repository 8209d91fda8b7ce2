"""Styles, scripts and icons: addressed by a hash of them all, so that browsers cache them forever."""

import hashlib
from functools import cache
from pathlib import Path

from flask import Response, send_from_directory, url_for

from app.console.frame import console

FOLDER = Path(__file__).parent / "assets"
YEAR = 31_536_000


@cache
def digest() -> str:
    """Returns a hash of all assets: one for all, so that modules import each other by their plain names."""
    content = b"".join(file.name.encode() + file.read_bytes() for file in sorted(FOLDER.iterdir()))
    return hashlib.blake2b(content, digest_size=8).hexdigest()


@console.get("/assets/<version>/<name>")
def asset(version: str, name: str) -> Response:
    """Returns an asset; one of another version than this server's is not cached by browsers."""
    response = send_from_directory(FOLDER, name, conditional=False)
    current = version == digest()
    response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable" if current else "no-store"
    return response


@console.app_template_global("asset")
def address_of(name: str) -> str:
    """Returns the address of an asset."""
    return url_for("console.asset", version=digest(), name=name)
