"""A document after calls in any order: complete, honestly tagged, changed once by each, and never shown to others."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from app.core.store.store import Store
from tests.documented import Documented, DocumentedRest
from tests.documents.steps import a_document, in_hours, incomplete
from tests.make import a_project
from tests.rest.client import Rest

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

CALLS: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    *(("POST", f"/brief/{move}", lambda one: None) for move in ("ready", "claim", "withdraw", "release")),
    *(("POST", f"/{move}", lambda one: None) for move in ("submit", "approve", "publish", "unpublish", "unschedule")),
    ("POST", "/schedule", lambda one: {"publishAt": in_hours()}),
    ("POST", "/request-changes", lambda one: {"note": "Shorter."}),
    ("POST", "/threads", lambda one: {"text": "Which rye?"}),
    ("PUT", "/content", lambda one: {"markdown": f"Rye {one['version']}", "baseVersion": one["version"]}),
    ("PATCH", "", lambda one: {"title": f"Rye {one['version']}"}),
    ("PATCH", "", lambda one: {"dueDate": "2027-01-31"}),
    ("PATCH", "/brief", lambda one: {"keyword": f"rye {one['version']}"}),
    ("DELETE", "", lambda one: None),
    ("POST", "/restore", lambda one: None),
]


def machine(app: Flask, store: Store, documented: Documented) -> type[RuleBasedStateMachine]:
    """Returns the machine that calls an application."""

    class Calls(RuleBasedStateMachine):
        @initialize()
        def begin(self) -> None:
            project, other = a_project(store), a_project(store)
            self.rest = DocumentedRest(app.test_client(), project.token(), documented)
            self.stranger = Rest(app.test_client(), other.token())
            self.path = f"/documents/{a_document(self.rest, brief={'keyword': 'rye'})['id']}"
            self.answer = self.rest.get(self.path)
            self.number = 0

        @rule(call=st.sampled_from(CALLS), if_match=st.booleans())
        def call(self, call: tuple[str, str, Callable[[dict[str, Any]], Any]], if_match: bool) -> None:
            before, (method, part, body) = self.answer, call
            self.number += 1
            headers = {"Idempotency_Key": str(self.number)}
            if if_match and "ETag" in before.headers:
                headers["If_Match"] = before.headers["ETag"]
            sent = body(before.json) if before.status_code == 200 else body({"version": 1})

            first = self.rest.call(method, self.path + part, sent, **headers)
            self.answer = self.rest.get(self.path)
            again = self.rest.call(method, self.path + part, sent, **headers)

            assert first.status_code < 500
            assert first.status_code != 412, "nothing changed since the ETag was read"
            if first.status_code < 400:
                assert (again.status_code, again.json) == (first.status_code, first.json)
                assert again.headers.get("ETag") == first.headers.get("ETag")
                assert self.rest.get(self.path).data == self.answer.data
            else:
                assert self.answer.data == before.data
            is_same_tag = self.answer.headers.get("ETag") == before.headers.get("ETag")
            assert (self.answer.data == before.data) == is_same_tag

        @invariant()
        def is_complete(self) -> None:
            if self.answer.status_code == 200:
                assert incomplete(self.answer.json) == []

        @invariant()
        def is_nobody_elses(self) -> None:
            assert self.stranger.get(self.path).status_code == 404

    return Calls


def test_calls_in_any_order_leave_a_document_complete(app: Flask, store: Store, documented: Documented) -> None:
    tried = settings(max_examples=12, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine(app, store, documented), settings=tried)
