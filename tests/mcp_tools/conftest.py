"""Agents, of both eras of the protocol."""

import pytest
from flask import Flask

from app.core.vocabulary import Scope
from tests.make import Project
from tests.mcp_tools.client import ERAS, MODERN, Agent


@pytest.fixture
def agent(app: Flask, project: Project) -> Agent:
    """An agent of the newest revision, with a token that may do everything and names no agent."""
    return Agent(app.test_client(), project.token(), MODERN)


@pytest.fixture(params=ERAS)
def agent_of_era(request: pytest.FixtureRequest, app: Flask, project: Project) -> Agent:
    """The same, once for each era."""
    return Agent(app.test_client(), project.token(), request.param)


@pytest.fixture
def writer(agent: Agent, project: Project) -> Agent:
    """An agent that writes, with the set of tools for it and short answers."""
    token = project.token("Night writer", agent="writer-1", scopes=(Scope.READ, Scope.WRITE))
    return agent.by(token, toolset="writing", minimal=True)
