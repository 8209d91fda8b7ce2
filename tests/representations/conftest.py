"""What the tests of representations share: the fixtures of the delivery API's."""

from tests.graphql_app.conftest import graphql, preview

__all__ = ["graphql", "preview"]
