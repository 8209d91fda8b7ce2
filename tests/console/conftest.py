"""People of a project in front of the console."""

from __future__ import annotations

import pytest
from flask import Flask

from app.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.make import Project


@pytest.fixture
def editor(app: Flask, project: Project) -> Visitor:
    """Somebody who is signed in and may do everything."""
    visitor = Visitor(app)
    visitor.sign_in(project.token("Ingrid"))
    return visitor


@pytest.fixture
def reader(app: Flask, project: Project) -> Visitor:
    """Somebody who is signed in and may only read."""
    visitor = Visitor(app)
    visitor.sign_in(project.token("A reader", scopes=[Scope.READ]))
    return visitor
