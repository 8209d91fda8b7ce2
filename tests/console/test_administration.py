"""The administration in the console: settings, members, tokens, webhooks; each through its operation."""

import re
from datetime import timedelta
from html import unescape

import pytest
from bson import ObjectId
from flask import Flask

from app.checks.vocabulary import CheckName
from app.core.context import Context, this_instant
from app.core.errors import Forbidden
from app.core.schemas.loading import cached_schema
from app.core.times import wire_time
from app.core.vocabulary import Scope
from app.features import ALL
from app.projects.invitations import invite_member
from app.projects.schemas import ProjectChanges
from app.webhooks.store import Leases
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document, a_project

TEXT = "Flour and water.\n"


@pytest.fixture
def member(project: Project) -> dict[str, str]:
    """A member of the project."""
    found: dict[str, str] = OPERATIONS["create_member"](project.context(), fields={"name": "Mateo Ruiz"}).body
    return found


@pytest.fixture
def webhook(project: Project) -> dict[str, str]:
    """A webhook of the project."""
    fields = {"url": "https://hooks.example.org/content"}
    found: dict[str, str] = OPERATIONS["create_webhook"](project.context(), fields=fields).body
    return found


def settings(project: Project) -> dict[str, object]:
    """Returns the settings of a project."""
    found: dict[str, object] = OPERATIONS["get_project"](project.context()).body
    return found


def token(project: Project, id: str) -> dict[str, object]:
    """Returns a token of a project."""
    found = OPERATIONS["list_tokens"](project.context(), fields={"limit": 100, "offset": 0}).body
    return next(one for one in found if one["id"] == id)


def hidden(page: str) -> dict[str, str]:
    """Returns the key of the first form that makes something."""
    found = re.search(r'name="_key" value="([^"]+)"', page)
    assert found
    return {"_key": found[1]}


def listed(ctx: Context, kind: str) -> list[dict[str, str]]:
    """Returns the tokens or webhooks of a project."""
    operation = OPERATIONS[f"list_{kind}"]
    fields = {"limit": 100, "offset": 0} if operation.query else None
    found: list[dict[str, str]] = operation(ctx, **({"fields": fields} if fields else {})).body
    return found


def secret_of(page: str) -> str:
    """Returns the secret that a page shows."""
    return unescape(re.findall(r'class="code secret" tabindex="0">([^<]+)<', page)[0])


def test_settings_are_changed_one_by_one(editor: Visitor, project: Project) -> None:
    sent = {"name": "The Crumb", "was.name": "The Crust", "claimLeaseSeconds": "3600", "was.claimLeaseSeconds": ""}
    checks = {"check.length": "error", "was.check.length": "warning", "check.links": "off"}
    page = editor.post("/console/administration", fourEyes="yes", guidelines="Be *brief*.", **sent, **checks)

    assert "The settings are saved" in page.text
    after = settings(project)
    assert (after["name"], after["claimLeaseSeconds"], after["fourEyes"]) == ("The Crumb", 3600, True)
    assert (after["checks"], after["guidelines"]) == ({"length": "error", "links": "off"}, "Be *brief*.")
    off = {"was.fourEyes": "yes", "check.length": "warning", "was.check.length": "error", "check.links": "warning"}
    editor.post("/console/administration", **off, **{"was.check.links": "off"})
    after = settings(project)
    assert (after["name"], after["fourEyes"], after["checks"]) == ("The Crumb", False, {})


def test_a_setting_without_a_control_of_its_own_has_one_that_follows_from_its_schema(
    editor: Visitor, project: Project
) -> None:
    path, form = "/console/administration", editor.get("/console/administration").text

    assert re.findall(r'name="(?!was\.)(maxRounds|reviewRecord|fourEyes)"', form) == [
        "fourEyes",
        "reviewRecord",
        "maxRounds",
    ]
    editor.post(path, **{"maxRounds": "3", "was.maxRounds": ""})
    assert settings(project)["maxRounds"] == 3
    for wrong in ("99", "many", "9" * 5_000):
        refused = editor.post(path, **{"maxRounds": wrong, "was.maxRounds": "3"})
        assert (refused.status_code, 'id="e-maxRounds"' in refused.text) == (400, True)
    editor.post(path, **{"maxRounds": "", "was.maxRounds": "3"})
    assert settings(project)["maxRounds"] is None


def test_each_setting_of_a_project_can_be_set(editor: Visitor, project: Project) -> None:
    path, hook = "/console/administration", "https://hooks.slack.example/services/T0/B0/secret"
    form = editor.get(path).text
    named = set(re.findall(r'name="(?:check\.\w+|(\w+))"', form))

    assert cached_schema(ALL.schema_of(ProjectChanges)).fields.keys() - named == {"checks"}
    assert {*re.findall(r'name="check\.(\w+)"', form)} == {*CheckName}
    editor.post(path, **{"slack": hook, "was.slack": "", "imageHosts": "a.example\nb.example", "was.imageHosts": ""})
    masked = settings(project)["slack"]
    assert (masked, settings(project)["imageHosts"]) == ("…cret", ["a.example", "b.example"])
    kept = {"slack": masked, "was.slack": masked}
    editor.post(path, **kept, **{"imageHosts": "", "was.imageHosts": "a.example\nb.example"})
    assert (settings(project)["slack"], settings(project)["imageHosts"]) == (masked, [])


def test_levels_that_were_set_elsewhere_stay_when_another_is_saved(editor: Visitor, project: Project) -> None:
    levels = {"model_slips": "error", "html_kept": "off"}
    OPERATIONS["update_project"](project.context(), fields={"checks": levels})
    form = editor.get("/console/administration").text
    sent = dict(re.findall(r'name="(was\.check\.\w+)" value="(\w+)"', form))
    sent |= {name.removeprefix("was."): level for name, level in sent.items()}

    editor.post("/console/administration", **sent | {"check.length": "off"})

    assert settings(project)["checks"] == levels | {"length": "off"}


@pytest.mark.parametrize(
    ("typed", "seconds", "shown"),
    [
        ("8 hours", 28_800, "8 hours"),
        ("90m", 5_400, "90 minutes"),
        ("1 Day", 86_400, "1 day"),
        ("100 seconds", 100, "100 seconds"),
        ("2 MIN", 120, "2 minutes"),
        ("120", 120, "2 minutes"),
        ("", None, ""),
    ],
)
def test_the_time_after_which_claims_expire_is_a_number_and_a_unit(
    editor: Visitor, project: Project, typed: str, seconds: int | None, shown: str
) -> None:
    page = editor.post("/console/administration", claimLeaseSeconds=typed, **{"was.claimLeaseSeconds": "1 hour"})

    assert settings(project)["claimLeaseSeconds"] == seconds
    assert re.findall('id="f-claimLeaseSeconds"[^>]* value="([^"]*)"', page.text) == [shown]


@pytest.mark.parametrize("typed", ["soon", "5 ſ", "1 month", "2 millennia", "1.5 hours", "40 hours", "5", "999999999d"])
def test_a_time_that_is_none_is_refused_in_the_units_of_the_field(editor: Visitor, typed: str) -> None:
    page = editor.post("/console/administration", claimLeaseSeconds=typed, **{"was.claimLeaseSeconds": ""})

    assert page.status_code == 400
    message = re.findall('id="e-claimLeaseSeconds"[^>]*>(?:<svg.*?</svg><span>)?([^<]+)', page.text)
    assert message == ["Must be a whole number of days, hours, minutes or seconds, from 1 minute to 1 day."]


def test_problems_of_settings_are_shown_beside_the_fields(editor: Visitor) -> None:
    sent = {"siteUrl": "nowhere", "claimLeaseSeconds": "soon", "was.siteUrl": "", "was.claimLeaseSeconds": ""}
    for wrong in ({"siteUrl": "nowhere"}, {"claimLeaseSeconds": "soon"}, {"claimLeaseSeconds": "5"}):
        refused = editor.post("/console/administration", **(sent | {"siteUrl": "", "claimLeaseSeconds": ""} | wrong))
        (name,) = wrong
        assert refused.status_code in (400, 422)
        assert f'id="e-{name}"' in refused.text
        assert f'value="{wrong[name]}"' in refused.text


def test_a_frozen_project_says_so_on_every_page(uncached: Flask, project: Project) -> None:
    admin, writer = Visitor(uncached), Visitor(uncached)
    admin.sign_in(project.token("Ingrid"))
    writer.sign_in(project.token("Writer", scopes=[Scope.READ, Scope.WRITE]))
    document = a_document(project.context())
    admin.post("/console/administration/freeze", note="Wrong <prices>.")

    assert "Wrong &lt;prices&gt;." in writer.get("/console/board").text
    refused = writer.post(f"/console/documents/{document['id']}/fields", title="New", **{"was.title": ""})
    assert "frozen" in refused.text
    assert "can be written to again" in admin.post("/console/administration/unfreeze").text
    assert settings(project)["frozen"] is None


def test_headers_of_a_webhook_are_lines_and_their_values_are_not_shown(
    editor: Visitor, project: Project, webhook: dict[str, str]
) -> None:
    path = f"/console/administration/webhooks/{webhook['id']}"
    fields = {"url": webhook["url"], "description": "", "enabled": "yes"}
    page = editor.post(path, **fields, headers="Authorization: Bearer c2Vj:cmV0\r\n\r\nX-Site: crust")

    assert "The webhook is saved" in page.text
    assert "\nAuthorization: …\nX-Site: …</textarea>" in page.text
    assert "c2Vj" not in page.text
    editor.post(path, **fields, headers="Authorization: …")
    stored = project.store.database.webhooks.find_one({"_id": ObjectId(webhook["id"])}) or {}
    assert stored["headers"] == [{"name": "Authorization", "value": "Bearer c2Vj:cmV0"}]
    assert "leave it out" in editor.post(path, **fields, headers="Host: a.example").text


def test_members_are_added_changed_and_removed(editor: Visitor, project: Project) -> None:
    page = editor.post("/console/administration/members", name="Hannah", email="h@example.org", role="editor")
    id = page.request.path.rpartition("/")[2]
    path = f"/console/administration/members/{id}"
    editor.post(path, name="Hannah Okafor", email="", **{"was.name": "Hannah", "was.email": "h@example.org"})
    record = OPERATIONS["get_member"](project.context(), id).body
    assert (record["name"], record["email"], record["role"]) == ("Hannah Okafor", None, "editor")
    about = {"slug": "hannah-o", "bio": "Bakes.", "imageUrl": "https://crust.example/h.jpg"}
    editor.post(path, **about, **{"was.slug": "hannah", "was.bio": "", "was.imageUrl": ""})
    assert about.items() <= OPERATIONS["get_member"](project.context(), id).body.items()
    shown = editor.get(path).text
    assert 'value="hannah-o"' in shown
    assert "\nBakes.</textarea>" in shown

    wrong = editor.post(path, name="", email="nobody", slug="", **{"was.name": "Hannah", "was.slug": "hannah-o"})
    assert wrong.status_code == 422
    assert {"e-name", "e-email", "e-slug"} <= set(re.findall(r'id="(e-\w+)"', wrong.text))
    assert editor.post("/console/administration/members", name=" ").status_code == 422
    assert "is removed" in editor.post(f"{path}/remove").text


def test_an_invited_member_signs_in_with_what_the_invitation_allows(
    app: Flask, editor: Visitor, project: Project, member: dict[str, str]
) -> None:
    path = f"/console/administration/members/{member['id']}/invite"

    def access() -> str:
        row = editor.get("/console/administration/members").text.partition("Mateo Ruiz</a>")[2]
        return row.partition('data-label="Console">')[2].partition("<")[0]

    assert access() == "Not invited"
    data = {"_csrf": editor.csrf, "scopes": ["read", "write"], "days": "7"}
    page = editor.client.post(path, data=data).text
    assert re.search(r"<h1>The invitation of Mateo Ruiz</h1>\n<p>Send .* until \d\d \w+ \d{4}", page)
    link = secret_of(page)
    assert access() == "Invited"
    joined = app.test_client().post("/console/join", data={"invitation": link.partition("#")[2]})

    assert access() == "Joined"
    assert link.startswith("http://localhost/console/join#")
    found = OPERATIONS["list_tokens"](project.context(), fields={"limit": 100, "offset": 0}).body
    assert ("Mateo Ruiz", ["read", "write"]) in [(one["name"], one["scopes"]) for one in found]
    assert secret_of(joined.text).startswith("cwm_")


@pytest.mark.parametrize("wrong", [{"scopes": "", "days": "7"}, {"scopes": "read", "days": "4000"}])
def test_an_invitation_without_scopes_or_end_is_refused(
    editor: Visitor, member: dict[str, str], wrong: dict[str, str]
) -> None:
    page = editor.post(f"/console/administration/members/{member['id']}/invite", **wrong)
    assert "Say what they may do" in page.text


def test_nobody_invites_without_admin_or_with_more_than_they_may(project: Project, member: dict[str, str]) -> None:
    editor = project.context(project.token(scopes=[Scope.READ, Scope.WRITE]))
    admin = project.context(project.token(scopes=[Scope.ADMIN]))
    with pytest.raises(Forbidden):
        invite_member(editor, member["id"], fields={"scopes": ["read"]})
    with pytest.raises(Forbidden):
        invite_member(admin, member["id"], fields={"scopes": ["read"]})
    assert invite_member(admin, member["id"], fields={"scopes": ["admin"]})


def test_a_token_is_made_with_a_budget_and_its_secret_shown_once(editor: Visitor, project: Project) -> None:
    data = {"name": "Night writer", "kind": "management", "agent": "writer-1", "scopes": ["read", "write"]}
    more = {"writesPerHour": "100", "publishesPerDay": "", "expiresAt": "2099-01-31T09:00", "_csrf": editor.csrf}
    page = editor.client.post("/console/administration/tokens", data=data | more)
    id = re.findall(r'/administration/tokens/(\w{24})"', page.text)[0]

    made = token(project, id)
    assert (made["agent"], made["scopes"], made["expiresAt"]) == (
        "writer-1",
        ["read", "write"],
        "2099-01-31T09:00:00.000Z",
    )
    assert made["budget"] == {"writesPerHour": 100, "publishesPerDay": None}
    assert page.headers["Cache-Control"] == "no-store"
    secret = secret_of(page.text)
    assert secret not in editor.get(f"/console/administration/tokens/{id}").text
    assert Visitor(editor.app).client.post("/console/sign-in", data={"token": secret}).status_code == 303


@pytest.mark.needs_mongod
@pytest.mark.parametrize(
    ("page", "form", "fields"),
    [
        ("tokens", "tokens", {"name": "Night writer", "scopes": "read"}),
        ("tokens/{token}", "tokens/{token}/rotate", {}),
        ("webhooks", "webhooks", {"url": "https://hooks.example.org/x"}),
        ("webhooks/{hook}", "webhooks/{hook}/rotate", {}),
    ],
)
def test_two_clicks_make_one_secret_and_the_second_says_so(
    editor: Visitor, project: Project, page: str, form: str, fields: dict[str, str]
) -> None:
    ctx = project.context()
    hook = OPERATIONS["create_webhook"](ctx, fields={"url": "https://hooks.example.org/y"}).body["id"]
    ids = {"token": project.token("Script").id, "hook": hook}
    key = hidden(editor.get("/console/administration/" + page.format(**ids)).text)
    before = len(listed(ctx, "tokens")) + len(listed(ctx, "webhooks"))

    pages = [editor.post("/console/administration/" + form.format(**ids), **fields, **key) for _ in range(2)]

    assert [page.status_code for page in pages] == [200, 200]
    assert secret_of(pages[0].text)
    assert "sent twice and done once" in pages[1].text
    assert 'class="code secret"' not in pages[1].text
    after = len(listed(ctx, "tokens")) + len(listed(ctx, "webhooks"))
    assert after - before == ("rotate" not in form)


def test_the_list_of_webhooks_shows_which_fails(editor: Visitor, project: Project, webhook: dict[str, str]) -> None:
    leases, now = project.store[Leases], this_instant()
    leases.wake(project.id, webhook["id"], now)
    assert "Failing since" not in editor.get("/console/administration/webhooks").text
    leases.record_failure(project.id, webhook["id"], now)
    assert "Failing since" in editor.get("/console/administration/webhooks").text


@pytest.mark.needs_mongod
def test_two_clicks_send_one_test(editor: Visitor, webhook: dict[str, str]) -> None:
    path = f"/console/administration/webhooks/{webhook['id']}"
    key = re.search(rf'action="{path}/test".*?name="_key" value="([^"]+)"', editor.get(path).text, re.DOTALL)
    assert key
    for _ in range(2):
        page = editor.post(f"{path}/test", _key=key[1])

    assert page.text.count('scope="row">webhook.test<') == 1


def test_a_site_gets_a_token_of_its_own_kind(editor: Visitor, project: Project) -> None:
    page = editor.post("/console/administration/tokens", name="Site", kind="delivery", scopes="read", drafts="yes")
    assert secret_of(page.text).startswith("cwd_")


def test_problems_of_a_token_are_shown_beside_the_fields(editor: Visitor, project: Project) -> None:
    path = "/console/administration/tokens"
    refused = editor.post(path, name=" ", scopes="read", writesPerHour="10", expiresAt="2020-01-31T09:00")
    assert refused.status_code == 422
    assert 'id="e-name"' in refused.text
    assert "Must be in the future" in refused.text
    assert 'id="e-budget.writesPerHour"' in editor.post(path, name="x", scopes="read", writesPerHour="many").text


def test_a_token_is_renamed_given_a_budget_rotated_and_revoked(editor: Visitor, project: Project) -> None:
    mine = project.token("Script")
    path = f"/console/administration/tokens/{mine.id}"
    editor.post(path, name="Nightly", writesPerHour="", publishesPerDay="3")
    assert token(project, mine.id)["budget"] == {"writesPerHour": None, "publishesPerDay": 3}
    editor.post(path, name="Nightly", writesPerHour="", publishesPerDay="")
    assert token(project, mine.id)["budget"] is None
    assert '<td data-label="Budget">No limit</td>' in editor.get("/console/administration/tokens").text
    assert editor.post(path, name="Nightly", writesPerHour="0", publishesPerDay="").status_code == 400

    assert secret_of(editor.post(f"{path}/rotate").text) != mine.secret
    assert "Nightly is revoked" in editor.post(f"{path}/revoke").text
    assert token(project, mine.id)["revokedAt"]
    assert "/rotate" not in editor.get(path).text
    assert editor.get(f"/console/administration/tokens/{'0' * 24}").status_code == 404
    assert editor.get(f"/console/administration/tokens/{a_project(project.store).token().id}").status_code == 404


@pytest.mark.needs_mongod
def test_undoing_a_tokens_work_is_shown_first_and_then_done(editor: Visitor, project: Project) -> None:
    agent = project.token("Night writer", agent="writer-1")
    ctx = project.context()
    document = a_document(ctx, title="Rye <bread>", markdown=TEXT)
    made = a_document(project.context(agent), title="Its own")
    since = wire_time(ctx.now - timedelta(minutes=1))
    OPERATIONS["write_content"](project.context(agent), document["id"], fields={"markdown": "Bad.", "baseVersion": 1})
    path = f"/console/administration/tokens/{agent.id}/revert"

    tried = editor.post(path, since=since)
    assert "Undo 1 document<" in tried.text
    assert "Rye &lt;bread&gt;" in tried.text
    assert "The token made it" in tried.text
    assert version(project, document) == 2

    done = editor.post(path, since=since, confirmed="yes")
    assert "Version 1 again, as version 3" in done.text
    assert (version(project, document), version(project, made)) == (3, 1)
    assert "30 days back" in editor.post(path, since="2020-01-01T00:00").text


def test_a_webhook_is_made_changed_tried_rotated_and_deleted(editor: Visitor, project: Project) -> None:
    fields = {"url": "https://hooks.example.org/x", "description": "The site", "events": "document.published"}
    page = editor.post("/console/administration/webhooks", **fields)
    assert secret_of(page.text).startswith("whsec_")
    (hook,) = OPERATIONS["list_webhooks"](project.context()).body
    path = f"/console/administration/webhooks/{hook['id']}"

    editor.post(path, url=fields["url"], description="")
    changed = OPERATIONS["get_webhook"](project.context(), hook["id"]).body
    assert (changed["events"], changed["description"], changed["enabled"]) == ([], "", False)
    assert secret_of(editor.post(f"{path}/rotate").text).startswith("whsec_")
    tested = editor.post(f"{path}/test")
    assert "webhook.test" in tested.text
    (delivery,) = re.findall(r'name="delivery" value="(\w+)"', tested.text)
    assert "is being sent again" in editor.post(f"{path}/redeliver", delivery=delivery).text
    assert "webhook.test" not in editor.get(f"{path}?status=failed").text
    assert editor.post(f"{path}/redeliver", delivery="nonsense").status_code == 404
    assert "is deleted" in editor.post(f"{path}/delete").text


def test_problems_of_a_webhook_are_shown_beside_the_fields(editor: Visitor, webhook: dict[str, str]) -> None:
    wrong = {"url": "ftp://nowhere", "events": "document.invented"}
    for path in ("webhooks", f"webhooks/{webhook['id']}"):
        refused = editor.post(f"/console/administration/{path}", **wrong)
        assert refused.status_code == 422
        assert 'id="e-url"' in refused.text


def test_who_is_no_administrator_is_neither_offered_any_of_it_nor_can(
    app: Flask, project: Project, member: dict[str, str], webhook: dict[str, str]
) -> None:
    visitor, mine = Visitor(app), project.token("Script")
    visitor.sign_in(project.token("Editor", scopes=[Scope.READ, Scope.WRITE, Scope.PUBLISH]))
    assert "/console/administration" not in visitor.get("/console/board").text

    hook, person, one = f"webhooks/{webhook['id']}", f"members/{member['id']}", f"tokens/{mine.id}"
    sent = {"name": "Mine", "was.name": "x", "scopes": "read", "days": "7", "url": "https://a.example", "since": "x"}
    for path in (
        *("", "/freeze", "/unfreeze", "/members", f"/{person}", f"/{person}/remove", f"/{person}/invite", "/tokens"),
        *(f"/{one}", f"/{one}/rotate", f"/{one}/revoke", f"/{one}/revert", "/webhooks", f"/{hook}", f"/{hook}/test"),
        *(f"/{hook}/rotate", f"/{hook}/delete"),
    ):
        answer = visitor.post(f"/console/administration{path}", **sent)
        assert "needs a token with the scope <code>admin</code>" in unescape(answer.text), path
    for path in ("", "/members", f"/{person}", "/tokens", f"/{one}", "/webhooks", f"/{hook}"):
        assert visitor.get(f"/console/administration{path}").status_code == 403
    assert settings(project)["name"] == "The Crust"


def version(project: Project, document: dict[str, str]) -> int:
    """Returns the version of a document."""
    found: int = OPERATIONS["get_document"](project.context(), document["id"]).body["version"]
    return found


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("writer", ["read", "write"]), ("editor", ["read", "write", "publish"]), ("owner", [str(one) for one in Scope])],
)
def test_who_is_invited_may_do_what_the_role_is_for(editor: Visitor, role: str, allowed: list[str]) -> None:
    page = editor.post("/console/administration/members", name="Hannah", role=role)

    assert "Invite them here" in page.text
    assert re.findall('name="scopes" value="(\\w+)" checked', page.text) == allowed
    roles = editor.get("/console/administration/members").text
    assert "publishes nothing" in roles
    assert ">Invite<" in roles


def test_a_group_of_checks_is_set_at_once(editor: Visitor, project: Project) -> None:
    sent = {"group.Form of the text": "error", "was.group.Form of the text": "warning", "check.length": "off"}
    editor.post("/console/administration", **sent, **{"was.check.length": "warning"})
    links, slips = ("links", "html_kept"), ("placeholders", "model_slips", "repeated_paragraphs")
    form = ("heading_levels", "image_alt", *links, *slips)
    assert settings(project)["checks"] == {"length": "off", **dict.fromkeys(form, "error")}

    page = editor.get("/console/administration").text
    assert re.findall('name="was.group.([^"]+)" value="([^"]*)"', page) == [
        ("Being found", "warning"),
        ("What the brief asks for", ""),
        ("What is cited", "warning"),
        ("Form of the text", "error"),
    ]
