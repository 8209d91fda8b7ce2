"""The tests of the pages under the name that `land` calls; not part of the repository."""

from tests.surface.test_docs_site import *  # noqa: F403
