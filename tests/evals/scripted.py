"""The tasks of `tasks.yaml`, and a client that does them with what the tools' texts say and nothing else."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from flask import Flask
from jsonschema_rs import Draft202012Validator

from app.core.vocabulary import Scope
from tests.make import OPERATIONS, Project, a_ready_brief, made
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

REFERENCE = re.compile(r"\$([a-z]+(?:\.\w+)*)")


@dataclass(frozen=True)
class Task:
    """What a person asks of an agent; the comment in `tasks.yaml` says what each part is."""

    task: str
    asks: str
    steps: list[dict[str, Any]]
    results: list[dict[str, Any]]
    calls: int
    bytes: int
    given: tuple[dict[str, Any], ...] = ()


TASKS = [Task(**task) for task in yaml.safe_load((Path(__file__).with_name("tasks.yaml")).read_text())["tasks"]]


class Scripted:
    """A client that knows nothing but what it has read, and counts what it calls and reads."""

    def __init__(self, app: Flask, project: Project) -> None:
        writer = (Scope.READ, Scope.WRITE)
        self._callers = {
            "agent": Agent(app.test_client(), project.token("Agent", agent="writer-1", scopes=writer)),
            "other": Agent(app.test_client(), project.token("Other", agent="writer-2", scopes=writer)),
            "editor": Agent(app.test_client(), project.token("Editor")),
        }
        self._app, self._project = app, project
        agent = self._callers["agent"]
        self._tools = {tool["name"]: tool for tool in agent.ask("tools/list")["tools"]}
        self._texts = [agent.ask("server/discover")["instructions"]]
        self._texts += [tool["description"] for tool in self._tools.values()]
        self._refusal = ""
        self._known: dict[str, Any] = {}
        self.calls = self.bytes = 0

    def prepare(self, task: Task) -> None:
        """Creates what the project holds before the task."""
        ctx = self._project.context()
        self._known["given"] = []
        for [(kind, fields)] in map(dict.items, task.given):
            fields = self.filled(fields)
            record = a_ready_brief(ctx, **fields) if kind == "ready" else made(ctx, kind, **fields)
            self._known["given"].append(record)

    def do(self, step: dict[str, Any]) -> None:
        """Makes the call of a step; the agent's own, once what it read says that it is the one to make."""
        name, arguments = step["call"], self.filled(step.get("with", {}))
        match step.get("by", "agent"):
            case "agent":
                self._call(step, name, arguments)
            case "script":
                operation = OPERATIONS[name]
                operation(self._project.context(), *map(arguments.pop, operation.id_names), fields=arguments)
            case other:
                self._callers[other].call(name, **arguments)

    def _call(self, step: dict[str, Any], name: str, arguments: dict[str, Any]) -> None:
        if step.get("refused") != "Forbidden":  # whose tool is not listed
            self._expect_from_the_texts(step, name, arguments)
        result = self._callers["agent"].ask("tools/call", {"name": name, "arguments": arguments})
        body = result["structuredContent"]
        self.calls += 1
        self.bytes += len(json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode())
        assert body.get("_tag") == step.get("refused"), body
        assert holds(body, self.filled(step.get("answers", {})))
        self._refusal = json.dumps(body, ensure_ascii=False) if "refused" in step else ""
        self._known[step.get("save", "last")] = body

    def _expect_from_the_texts(self, step: dict[str, Any], name: str, arguments: dict[str, Any]) -> None:
        because = step["because"]
        assert any(because in text for text in (*self._texts, self._refusal)), f"no text says {because!r}"
        if "refused" not in step:
            Draft202012Validator(self._tools[name]["inputSchema"]).validate(arguments)

    def result(self, result: dict[str, Any]) -> Any:
        """Returns what REST answers afterwards."""
        caller = Rest(self._app.test_client(), self._callers[result.get("by", "editor")].token)
        return caller.get(self.filled(result["get"])).json

    def filled(self, value: Any) -> Any:
        """Returns a value with what earlier answers hold in place of `$name.path`."""
        if isinstance(value, dict):
            filled = {name: self.filled(one) for name, one in value.items()}
            return filled["repeat"] * filled["times"] if filled.keys() == {"repeat", "times"} else filled
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if not isinstance(value, str):
            return value
        if whole := REFERENCE.fullmatch(value):
            return self._looked_up(whole[1])
        return REFERENCE.sub(lambda found: str(self._looked_up(found[1])), value)

    def _looked_up(self, path: str) -> Any:
        found: Any = self._known
        for part in path.split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found


def holds(actual: Any, expected: Any) -> bool:
    """Tells whether an answer has what is expected of it; it may have more keys."""
    if isinstance(expected, dict):
        return all(name in actual and holds(actual[name], one) for name, one in expected.items())
    if isinstance(expected, list):
        return len(actual) == len(expected) and all(map(holds, actual, expected))
    return bool(actual == expected)
