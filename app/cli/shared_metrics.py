"""The folder in which server processes and the worker share their counters, so that each can report those of all.

prometheus_client reads its name when it is imported, so this module does not import that library.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from app.settings import Settings

FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_metrics(settings: Settings) -> Iterator[None]:
    """Makes this process and those started inside the block share their counters, if metrics are served."""
    if not settings.serve_metrics or FOLDER in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="content-workflow-metrics-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
