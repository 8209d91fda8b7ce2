"""Signing in with an OpenID provider (decisions, section 16)."""

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from flask import Flask

from app.core.vocabulary import Scope
from app.projects.store import Members
from app.projects.token_store import Tokens
from tests.make import Project
from tests.oauth.conftest import connectable
from tests.oauth.flow import onward

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from oidc_provider_mock import User, run_server_in_thread

pytestmark = pytest.mark.needs_mongod

ADA = "ada@example.org"


@pytest.fixture
def people() -> dict[str, Any]:
    """The claims of people, by their subject."""
    return {
        "ada": {"email": ADA, "email_verified": True, "name": "Ada"},
        "unverified": {"email": ADA, "email_verified": False},
        "text": {"email": ADA, "email_verified": "true"},
        "silent": {"email": ADA},
        "none": {"email_verified": True},
        "blank": {"email": " ", "email_verified": True},
        "upper": {"email": ADA.upper(), "email_verified": True},
        "kelvin": {"email": "\u212aarl@example.org", "email_verified": True},
        "stranger": {"email": "eve@example.org", "email_verified": True},
    }


@pytest.fixture
def issuer(people: dict[str, Any]) -> Iterator[str]:
    """A provider that knows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        users = [User(sub=sub, claims=claims) for sub, claims in people.items()]
        with run_server_in_thread(user_claims=users) as server:
            yield f"http://localhost:{server.server_port}"


@pytest.fixture
def oidc_app(project: Project, issuer: str) -> Flask:
    """The application with that provider."""
    project.store.database.members.delete_many({})
    given = {"oidc_issuer": issuer, "oidc_client_id": "console", "oidc_client_secret": "secret"}
    return connectable(project.store, **given)


SignIn = Callable[..., Any]


@pytest.fixture
def sign_in(oidc_app: Flask) -> SignIn:
    """Signs somebody in at the provider, and returns the browser and what the console then shows."""

    def go(sub: str, to: str = "") -> Any:
        browser = oidc_app.test_client()
        there = browser.get(f"/console/oidc?to={to}")
        assert there.status_code == 302
        back = httpx.post(there.headers["Location"], data={"sub": sub})
        assert back.status_code == 302, back.text
        return browser, browser.get(back.headers["Location"].removeprefix("http://localhost"))

    return go


def add(project: Project, email: str | None = ADA, name: str = "Ada", role: str = "editor") -> str:
    """Adds a member."""
    from app.projects.members import create_member

    return str(create_member(project.context(), fields={"name": name, "email": email, "role": role}).body["id"])


@pytest.mark.contract("decided-oauth.oidc")
@pytest.mark.parametrize("sub", ["ada", "upper"])
def test_a_verified_address_of_a_member_signs_in(
    sign_in: SignIn, project: Project, sub: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("INFO", "content_workflow.oidc")
    member = add(project)
    browser, page = sign_in(sub, "/console/table")
    assert onward(page) == "/console/table"
    assert browser.get("/console/table").status_code == 200
    sign_in(sub)
    signed_in = [vars(line) for line in caplog.records if line.name == "content_workflow.oidc"]
    assert {(line["projectId"], line["memberId"]) for line in signed_in} == {(project.id, member)}
    made = [one for one in project.store[Tokens].list(project.id, limit=9, offset=0) if one.get("memberId")]
    assert [(one["memberId"], one["name"], one["scopes"]) for one in made] == [
        (member, "Ada", ["read", "write", "publish"])
    ]
    assert project.store[Members].list(project.id, limit=9, offset=0)[1:] == [], "no member is made"


@pytest.mark.contract("decided-oauth.oidc")
@pytest.mark.parametrize("sub", ["unverified", "text", "silent", "none", "blank", "kelvin", "stranger"])
def test_nobody_else_gets_in_and_the_log_says_why(
    sign_in: SignIn, project: Project, sub: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("WARNING", "content_workflow.oidc")
    add(project)
    add(project, None, "Nobody")
    add(project, "karl@example.org", "Karl")
    browser, page = sign_in(sub)
    assert page.status_code == 401
    (reason,) = {vars(line).get("reason") for line in caplog.records}
    assert reason == (
        "no member has the e-mail address" if sub in ("blank", "kelvin", "stranger") else "no verified e-mail address"
    )
    assert browser.get("/console/table").status_code == 303
    assert all(one.get("memberId") is None for one in project.store[Tokens].list(project.id, limit=9, offset=0))


def test_a_deleted_member_does_not_get_in(sign_in: SignIn, project: Project) -> None:
    from app.projects.members import delete_member

    delete_member(project.context(), add(project))
    assert sign_in("ada")[1].status_code == 401


def test_who_is_a_member_of_several_projects_chooses(sign_in: SignIn, project: Project) -> None:
    from tests.make import a_project

    other = a_project(project.store, name="The Crumb")
    add(project)
    wanted = add(other)
    browser, page = sign_in("ada")
    assert "The Crust" in page.text
    assert "The Crumb" in page.text
    assert browser.post("/console/oidc/project", data={"member": "0" * 24}).status_code == 303
    browser, _ = sign_in("ada")
    browser.post("/console/oidc/project", data={"member": wanted})
    assert "The Crumb" in browser.get("/console/calendar").text


def test_an_address_that_was_verified_long_ago_signs_nobody_in(
    sign_in: SignIn, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from itsdangerous import TimestampSigner

    from tests.make import a_project

    wanted = add(project)
    add(a_project(project.store, name="The Crumb"))
    browser, page = sign_in("ada")
    assert "The Crumb" in page.text
    an_hour_later = int(time.time()) + 3_601
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: an_hour_later)
    browser.post("/console/oidc/project", data={"member": wanted})
    assert browser.get("/console/table").status_code == 303


def test_another_browser_can_not_be_signed_in(sign_in: SignIn, oidc_app: Flask, project: Project) -> None:
    add(project)
    there = oidc_app.test_client().get("/console/oidc")
    back = httpx.post(there.headers["Location"], data={"sub": "ada"}).headers["Location"]
    victim = oidc_app.test_client()
    assert victim.get(back.removeprefix("http://localhost")).status_code == 401
    assert victim.get("/console/table").status_code == 303


def test_what_the_provider_refuses_is_said_and_logged_with_its_address(
    oidc_app: Flask, issuer: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("WARNING", "content_workflow.oidc")
    browser = oidc_app.test_client()
    browser.get("/console/oidc")
    assert browser.get("/console/oidc/callback?error=access_denied&state=x").status_code == 401
    assert browser.get("/console/oidc/callback?code=x&state=x").status_code == 401
    assert {vars(line)["issuer"] for line in caplog.records} == {issuer}


def test_changed_scopes_hold_from_the_next_sign_in_on(
    sign_in: SignIn, project: Project, issuer: str, oidc_app: Flask
) -> None:
    add(project)
    sign_in("ada")
    fewer = oidc_app.extensions["oidc"].model_copy(update={"oidc_scopes": ("read",)})
    oidc_app.extensions["oidc"] = fewer
    sign_in("ada")
    made = [one for one in project.store[Tokens].list(project.id, limit=9, offset=0) if one.get("memberId")]
    assert [(one["scopes"], one["revokedAt"] is None) for one in made] == [
        (["read", "write", "publish"], False),
        (["read"], True),
    ]


@pytest.mark.parametrize(
    ("role", "scopes"),
    [
        ("writer", ["read", "write"]),
        ("editor", ["read", "write", "publish"]),
        ("owner", ["read", "write", "publish", "admin"]),
    ],
)
def test_a_role_bounds_what_signing_in_permits(
    sign_in: SignIn, project: Project, oidc_app: Flask, role: str, scopes: list[str]
) -> None:
    add(project, role=role)
    oidc_app.extensions["oidc"] = oidc_app.extensions["oidc"].model_copy(update={"oidc_scopes": tuple(Scope)})
    sign_in("ada")
    [made] = [one for one in project.store[Tokens].list(project.id, limit=9, offset=0) if one.get("memberId")]
    assert made["scopes"] == scopes


def test_without_a_provider_there_is_no_such_page(oauth_app: Flask) -> None:
    browser = oauth_app.test_client()
    assert browser.get("/console/oidc").status_code == 404
    assert "Sign in with" not in browser.get("/console/sign-in").text


def test_the_settings_are_checked() -> None:
    from app.core.errors import SettingsError
    from app.settings import Settings

    given = {"MONGODB_URI": "mongodb://a/b", "OIDC_ISSUER": "https://id.example.com"}
    with pytest.raises(SettingsError, match=r"OIDC_CLIENT_ID.*must be set"):
        Settings.from_environment(given)
    whole = {**given, "OIDC_CLIENT_ID": "console", "OIDC_CLIENT_SECRET": "secret", "OIDC_SCOPES": "read write"}
    assert Settings.from_environment(whole).oidc_scopes == ("read", "write")
    with pytest.raises(SettingsError, match="OIDC_SCOPES"):
        Settings.from_environment({**whole, "OIDC_SCOPES": "read root"})
