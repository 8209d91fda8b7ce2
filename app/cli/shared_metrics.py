"""The folder in which server processes and the worker count together, so that any of them tells of all.

It has to be named before the metrics library is imported, which this module therefore does not do.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from app.settings import Settings

FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_metrics(settings: Settings) -> Iterator[None]:
    """Has this process, and those that are started inside, share their counts, where metrics are wanted."""
    if not settings.serve_metrics or FOLDER in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="content-workflow-metrics-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
