"""Tasks that an agent does from what the tools, their schemas and their refusals say (`tasks.yaml`)."""

import pytest
from flask import Flask

from tests.evals.scripted import TASKS, Scripted, Task, holds
from tests.make import Project

SLACK = 0.8
"""A budget is at most so much larger than what a task takes, so that an answer that grows is seen."""

EACH_TASK = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task)


@EACH_TASK
@pytest.mark.needs_mongod
def test_an_agent_does_the_task_from_the_texts_alone(app: Flask, project: Project, task: Task) -> None:
    client = Scripted(app, project)
    client.prepare(task)

    for step in task.steps:
        client.do(step)

    for result in task.results:
        found = client.result(result)
        assert holds(found, client.filled(result["holds"])), (result, found)
    assert client.calls == task.calls
    assert SLACK * task.bytes <= client.bytes <= task.bytes, f"{client.bytes:,} bytes"


@EACH_TASK
def test_a_refusal_is_followed_by_one_call_that_succeeds(task: Task) -> None:
    own = [step for step in task.steps if step.get("by", "agent") == "agent"]

    assert not any("refused" in step and "refused" in next_step for step, next_step in zip(own, own[1:], strict=False))


def test_there_are_tasks_for_finding_planning_claiming_writing_and_each_refusal() -> None:
    refusals = {step["refused"] for task in TASKS for step in task.steps if "refused" in step}

    assert len(TASKS) >= 20
    assert len({task.task for task in TASKS}) == len(TASKS)
    assert refusals >= {
        *("BriefClaimed", "BriefNotReady", "NoBriefReady", "VersionConflict", "IntentInvalid", "HttpApiDecodeError"),
        *("BadRequest", "SlugTaken", "Forbidden"),
    }
