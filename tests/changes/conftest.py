"""What the tests of `changes` share: the fixtures of the delivery API's."""

from tests.graphql_app.conftest import graphql, watched, watched_server

__all__ = ["graphql", "watched", "watched_server"]
