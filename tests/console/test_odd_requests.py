"""Headers and cookies that no browser sends are no bug of the console."""

import base64

import pytest
from flask import Flask

from tests.console.visitor import Visitor
from tests.make import Project

pytestmark = pytest.mark.needs_mongod


@pytest.mark.parametrize(
    "origin", ["http://[", "http://]", "//[::1", "http://[v1.x]:80", "null", "", "http://localhost:x"]
)
def test_an_origin_that_is_no_address_is_another_site_to_the_console(app: Flask, project: Project, origin: str) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token())

    response = visitor.client.post("/console/plan", data={"_csrf": visitor.csrf}, headers={"Origin": origin})

    assert response.status_code == 403


@pytest.mark.parametrize("notice", ["[]", '["ok"]', '"Saved."', "5", "null", "true", '[["ok", 1]]', "{}", "{"])
def test_a_cookie_that_holds_no_notice_is_ignored(app: Flask, project: Project, notice: str) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token())
    visitor.client.set_cookie("cw_notice", base64.urlsafe_b64encode(notice.encode()).decode(), path="/console")

    assert visitor.get("/console/board").status_code == 200
