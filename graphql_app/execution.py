"""Strawberry extensions around the execution of a query: limits, one validation per text, one read of the data."""

import hashlib
import threading
from collections.abc import Iterator

import strawberry
from cachetools import LRUCache
from graphql import (
    DocumentNode,
    GraphQLError,
    NoSchemaIntrospectionCustomRule,
    get_operation_ast,
    get_variable_values,
    specified_rules,
    validate,
)
from graphql.validation.rules import overlapping_fields_can_be_merged
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext, ExecutionResult

from app.http.concurrency import hold_large
from app.http.errors import bug
from app.operations.delivery import DeliveryReader, shows_drafts
from graphql_app.context import DeliveryContext
from graphql_app.errors import INTERNAL, code_of, query_error
from graphql_app.limits import parse_query, without_repetitions
from graphql_app.schema import CONFIG, GRAPHQL_SCHEMA, Query
from graphql_app.selections import selections_of

MAX_ERRORS = 1
"""The most validation errors that are listed: for each, graphql-core looks for similar names in all types."""
CACHE_CHARACTERS = 300_000
"""How many characters of queries are cached; a syntax tree takes up to two hundred bytes a character."""
ENTRY_CHARACTERS = 500
"""What an entry takes beside its syntax tree, in characters."""

overlapping_fields_can_be_merged.MAX_COMPLEXITY_BUDGET = 5_000
"""graphql-core's own bound on its one rule that is quadratic; its default allows a quarter of a second. It has no
parameter for it, so this is for the whole process."""


PERSISTED = 10_000
"""How many queries of all projects are found by their hash."""


class QueryCache:
    """The queries that were valid, by the SHA-256 of their text; a project finds those that it sent itself by that."""

    def __init__(self) -> None:
        self._queries: LRUCache[str, tuple[str, DocumentNode]] = LRUCache(
            CACHE_CHARACTERS, getsizeof=lambda query: len(query[0]) + ENTRY_CHARACTERS
        )
        self._sent: LRUCache[tuple[str, str], bool] = LRUCache(PERSISTED)
        """The projects that sent them, each with the hash."""
        self._lock = threading.Lock()

    def get(self, sha256: str) -> DocumentNode | None:
        """Returns the syntax tree of a query, or None."""
        with self._lock:
            _, document = self._queries.get(sha256) or (None, None)
            return document

    def persisted(self, project_id: str, sha256: str) -> str | None:
        """Returns the text of a query that a project sent before, or None."""
        with self._lock:
            text, _ = self._queries.get(sha256) or (None, None)
            return text if self._sent.get((project_id, sha256)) else None

    def add(self, project_id: str, sha256: str, text: str, document: DocumentNode) -> None:
        """Adds a valid query that a project sent."""
        with self._lock:
            self._queries[sha256] = (text, document)
            self._sent[project_id, sha256] = True


class LimitQuery(SchemaExtension):
    """Refuses queries over a limit before they are validated, and validates a text once."""

    def __init__(self, queries: QueryCache, introspection: bool) -> None:
        self._queries = queries
        self._introspection = introspection

    def on_parse(self) -> Iterator[None]:
        """Parses the query, or takes it from the cache."""
        context = self.execution_context
        assert context.query
        self._sha256 = sha256_of(context.query)
        self._cached = self._queries.get(self._sha256)
        context.graphql_document = self._cached or parse_query(context.query)
        if get_operation_ast(context.graphql_document, context.context.request_data.operation_name) is None:
            message = "Name the operation to run in `operationName`: the document has none of that name, or several."
            raise query_error("OPERATION_RESOLUTION_FAILURE", message)
        yield

    def on_validate(self) -> Iterator[None]:
        """Validates a query that is not cached."""
        context = self.execution_context
        assert context.query
        assert context.graphql_document
        context.pre_execution_errors = self._errors(context.graphql_document) if self._cached is None else []
        if not context.pre_execution_errors:
            project_id = context.context.ctx.project_id
            self._queries.add(project_id, self._sha256, context.query, context.graphql_document)
        yield

    def _errors(self, document: DocumentNode) -> list[GraphQLError]:
        rules = specified_rules if self._introspection else (*specified_rules, NoSchemaIntrospectionCustomRule)
        simplified = without_repetitions(document)
        return validate(
            GRAPHQL_SCHEMA, simplified, rules, max_errors=MAX_ERRORS, hide_suggestions=not self._introspection
        )


class ReadSelections(SchemaExtension):
    """Reads what a query selects before it is executed, so that the reads do not grow with the records."""

    def __init__(self, reader: DeliveryReader) -> None:
        self._reader = reader

    def on_execute(self) -> Iterator[None]:
        """Reads the results of all fields of `Query` for their resolvers."""
        execution = self.execution_context
        request: DeliveryContext = execution.context
        document = execution.graphql_document
        assert document
        operation = get_operation_ast(document, request.request_data.operation_name)
        assert operation
        variables = get_variable_values(
            GRAPHQL_SCHEMA, operation.variable_definitions or (), dict(execution.variables or {}), MAX_ERRORS
        )
        if isinstance(variables, list):
            for error in variables:
                error.extensions = {"code": "BAD_USER_INPUT"}
            execution.result = ExecutionResult(data=None, errors=variables)
        else:
            selections = selections_of(
                document,
                operation,
                variables,
                lambda: len(self._reader.caches.categories(request.ctx, request.revision)),
            )
            request.shows_drafts = shows_drafts(request.ctx, selections)
            answer = self._reader.read(request.ctx, selections, request.revision, hold_large)
            request.results, request.counts = answer.results, answer.counts
        yield


class Schema(strawberry.Schema):
    """The schema as the server runs it."""

    def __init__(self, queries: QueryCache, reader: DeliveryReader, introspection: bool) -> None:
        extensions = [lambda: LimitQuery(queries, introspection), lambda: ReadSelections(reader)]
        super().__init__(Query, extensions=extensions, config=CONFIG)

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Logs internal errors; the others are the caller's."""
        for error in errors:
            if code_of(error) == INTERNAL:
                bug(error.original_error or error)


def sha256_of(query: str) -> str:
    """Returns the SHA-256 of a query's text in hex digits."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()
