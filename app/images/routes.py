"""`/media/`: pictures for whoever has their address (decisions, section 20)."""

import re
from http import HTTPStatus

from flask import Blueprint, Flask, Response, request
from flask.typing import ResponseReturnValue
from werkzeug.http import parse_range_header

from app.core.errors import NotFound
from app.http.callers import callers
from app.images.media import MediaFile, find_file, read_parts
from app.images.rules import KEY
from app.settings import Settings

HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}
NO_PICTURE = "No such picture, or it has no such width."

routes = Blueprint("media", __name__)


def install(app: Flask, settings: Settings) -> None:
    """Serves pictures."""
    app.register_blueprint(routes)


@routes.get("/media/<key>/<name>")
@routes.get("/media/<key>")
def picture(key: str, name: str = "") -> ResponseReturnValue:
    """Responds with a picture, in one of its widths with `?w=`; with a part of it where the request has a range."""
    file = _file(key)
    headers = {**HEADERS, "Content-Type": file.type, "ETag": f'"{file.tag}"'}
    if request.if_none_match.contains_weak(file.tag):
        return Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
    start, stop, status = _range(file)
    if status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        headers |= {"Content-Range": f"bytes */{file.bytes}", "Cache-Control": "no-store"}
        return Response(status=status, headers=headers)
    if status == HTTPStatus.PARTIAL_CONTENT:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{file.bytes}"
    headers["Content-Length"] = str(stop - start)
    parts = read_parts(callers().store, file, start, stop) if request.method == "GET" else ()
    return Response(parts, status, headers)


def _file(key: str) -> MediaFile:
    """Returns the file that is asked for. Refuses with `NotFound`."""
    widths = request.args.getlist("w")
    is_known = re.fullmatch(KEY, key) and (not widths or re.fullmatch(r"[1-9]\d{1,4}", widths[0], re.ASCII))
    file = find_file(callers().store, key, int(widths[0]) if widths else None) if is_known else None
    if file is None:
        raise NotFound(NO_PICTURE)
    return file


def _range(file: MediaFile) -> tuple[int, int, HTTPStatus]:
    """Returns the part that is asked for: all of it without a range, with several, or with one of another file."""
    whole = 0, file.bytes, HTTPStatus.OK
    condition = request.headers.get("If-Range")
    if "Range" not in request.headers or (condition is not None and condition != f'"{file.tag}"'):
        return whole
    wanted = parse_range_header(request.headers["Range"])
    if wanted is None or wanted.units != "bytes" or len(wanted.ranges) != 1:
        return whole
    found = wanted.range_for_length(file.bytes)
    if found is None:
        return 0, 0, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    start, stop = found
    return start, stop if stop is not None else file.bytes, HTTPStatus.PARTIAL_CONTENT
