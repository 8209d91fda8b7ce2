"""Long responses, which are generated in parts."""

from collections.abc import Iterable
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Response, request
from werkzeug.wsgi import FileWrapper

IN_MEMORY = 1024 * 1024
"""How many bytes of a response stay in memory; the whole of a longer one is in a file."""
PART = 64 * 1024


def fill(response: Response, parts: Iterable[bytes]) -> None:
    """Writes the whole of a long body to a file before any of it is sent, so that no error truncates the response."""
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(SpooledTemporaryFile(IN_MEMORY))
        for part in parts:
            file.write(part)
        stack.pop_all()
    response.content_length = file.tell()
    if request.method == "HEAD":  # nobody would close the file, as nobody reads it
        file.close()
        return
    file.seek(0)
    response.response = FileWrapper(file, PART)
