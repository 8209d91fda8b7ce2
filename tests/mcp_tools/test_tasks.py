"""Tasks that an agent does from what the tools, their schemas and their refusals say (`tasks.py`)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator

from app.vocabulary import Scope
from tests.make import OPERATIONS, Project, a_ready_brief, made
from tests.mcp_tools.client import Agent
from tests.mcp_tools.tasks import TASKS, Step, Task

EACH_TASK = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)


class Scripted:
    """A client that knows nothing but what it has read, and counts what it calls and reads."""

    def __init__(self, app: Flask, project: Project) -> None:
        writer = (Scope.READ, Scope.WRITE)
        self._callers = {
            "agent": Agent(app.test_client(), project.token("Agent", agent="writer-1", scopes=writer)),
            "other": Agent(app.test_client(), project.token("Other", agent="writer-2", scopes=writer)),
            "editor": Agent(app.test_client(), project.token("Editor")),
        }
        self._project = project
        agent = self._callers["agent"]
        self._tools = {tool["name"]: tool for tool in agent.ask("tools/list")["tools"]}
        self._read = [agent.ask("server/discover")["instructions"]]
        self._read += [tool["description"] for tool in self._tools.values()]
        self._refusal = ""
        self.known: dict[str, Any] = {}
        self.calls = self.bytes = 0

    def prepare(self, task: Task) -> None:
        """Creates what the project holds before the task."""
        ctx = self._project.context()
        self.known["given"] = []
        for kind, fields in task.given:
            fields = self.filled(fields)
            record = a_ready_brief(ctx, **fields) if kind == "ready" else made(ctx, kind, **fields)
            self.known["given"].append(record)

    def do(self, step: Step) -> None:
        """Makes the call of a step, once what was read says that it is the one to make."""
        arguments = self.filled(step.arguments)
        if step.by == "script":  # a person's script over REST, whom a claim does not bind
            ids = [arguments.pop(name) for name in OPERATIONS[step.tool].path]
            OPERATIONS[step.tool](self._project.context(), *ids, fields=arguments)
            return
        if step.by != "agent":
            self._callers[step.by].call(step.tool, **arguments)
            return
        if step.refused != "Forbidden":
            self._expect_from_the_texts(step, arguments)
        result = self._callers["agent"].ask("tools/call", {"name": step.tool, "arguments": arguments})
        body: dict[str, Any] = result["structuredContent"]
        self.calls += 1
        self.bytes += len(json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode())
        assert body.get("_tag", "") == step.refused, body
        self._refusal = json.dumps(body, ensure_ascii=False) if step.refused else ""
        if step.saved:
            self.known[step.saved] = body

    def _expect_from_the_texts(self, step: Step, arguments: dict[str, Any]) -> None:
        assert step.because
        assert any(step.because in text for text in (*self._read, self._refusal)), f"nothing says {step.because!r}"
        assert step.tool in self._tools
        if not step.refused:
            Draft202012Validator(self._tools[step.tool]["inputSchema"]).validate(arguments)

    def result(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Returns what the project's owner reads."""
        return self._callers["editor"].call(tool, **self.filled(arguments))

    def filled(self, value: Any) -> Any:
        """Returns a value with what earlier answers gave in place of `$name.path`."""
        if isinstance(value, dict):
            return {name: self.filled(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        found: Any = self.known
        for part in value[1:].split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found


def _holds(actual: Any, expected: Any) -> bool:
    """Tells whether an answer has what is expected of it; it may have more keys."""
    if isinstance(expected, dict):
        return all(name in actual and _holds(actual[name], one) for name, one in expected.items())
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(_holds, actual, expected))
    return bool(actual == expected)


@EACH_TASK
@pytest.mark.needs_mongod
def test_an_agent_does_the_task_from_the_texts_alone(app: Flask, project: Project, task: Task) -> None:
    client = Scripted(app, project)
    client.prepare(task)

    for step in task.steps:
        client.do(step)

    for tool, arguments, expected in task.results:
        assert _holds(client.result(tool, arguments), client.filled(expected)), (tool, expected)
    assert client.calls <= task.calls
    assert client.bytes <= task.bytes, f"{client.bytes:,} bytes"


def test_there_are_tasks_for_finding_planning_claiming_writing_and_each_refusal() -> None:
    refusals = {step.refused for task in TASKS for step in task.steps}

    assert len(TASKS) >= 20
    assert len({task.name for task in TASKS}) == len(TASKS)
    assert refusals >= {
        *("BriefClaimed", "BriefNotReady", "NoBriefReady", "VersionConflict", "IntentInvalid", "HttpApiDecodeError"),
        *("BadRequest", "SlugTaken", "Forbidden"),
    }
