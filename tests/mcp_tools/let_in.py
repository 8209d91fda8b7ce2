"""The application with a token added to every request, for software that can be given none."""

import os
from collections.abc import Iterable
from typing import Any

import wsgi


def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Serves a request as if it had come with the token in LET_IN_TOKEN."""
    environ["HTTP_AUTHORIZATION"] = f"Bearer {os.environ['LET_IN_TOKEN']}"
    return wsgi.app(environ, start_response)
