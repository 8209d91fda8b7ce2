"""What tests of pictures share."""

from typing import Any

import pytest

from tests.images.steps import Pictures
from tests.make import Project
from tests.rest.client import Rest


@pytest.fixture
def pictures(rest: Rest, project: Project) -> Any:
    """A project's pictures and documents, as an editor handles them."""
    return Pictures(rest, project)
