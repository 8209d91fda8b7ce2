"""Projects, tokens, members, indexes and OpenAPI from the command line (decisions, section 10)."""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

import click
import pytest
from bson import ObjectId
from click.testing import CliRunner
from flask import Flask

from app.cli import COMMANDS, main
from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import Scope, TokenKind
from app.features import ALL
from app.projects.access import Access
from app.projects.invitations import accept_invitation
from app.projects.store import Projects
from tests.cli.conftest import Cli
from tests.make import Project, a_project

NOBODY = "0" * 24
FORM = f"The database has form {1 + len(ALL.steps)}."


@pytest.mark.needs_mongod
class TestProjects:
    @pytest.mark.contract("decided-commands.project")
    def test_a_project_is_made_and_listed(self, cli: Cli) -> None:
        made = json.loads(cli("project", "create", "--name", "Loaf", "--json").stdout)

        assert set(made) == {"id", "teamId", "name"}
        assert made["name"] == "Loaf"
        assert made["id"] in {one["id"] for one in json.loads(cli("project", "list", "--json").stdout)}

    @pytest.mark.parametrize(
        ("options", "named"),
        [(("--name", " "), "name:"), (("--name", "x" * 101), "name:"), (("--name", "x", "--team", "y"), "teamId:")],
    )
    def test_what_is_wrong_is_named(self, cli: Cli, options: tuple[str, ...], named: str) -> None:
        refused = cli("project", "create", *options)

        assert refused.exit_code == 1
        assert named in refused.stderr
        assert "Traceback" not in refused.output

    @pytest.mark.contract("decided-commands.project-set")
    @pytest.mark.parametrize(
        ("given", "value"),
        [
            ("reviewRequired=true", True),
            ("maxRounds=3", 3),
            ("claimLeaseSeconds=null", None),
            ("siteUrl=https://crumb.example/a=b/{slug}", "https://crumb.example/a=b/{slug}"),
            ("name=7", "7"),
            ("reviewRecord=required", "required"),
        ],
    )
    def test_a_setting_is_set(self, cli: Cli, project: Project, given: str, value: object) -> None:
        shown = json.loads(cli("project", "set", "--project", project.id, given, "--json").stdout)

        assert shown == {"id": project.id, given.partition("=")[0]: value}

    def test_levels_of_checks_are_set_with_other_settings_in_one_write(self, cli: Cli, project: Project) -> None:
        done = cli("project", "set", "--project", project.id, 'checks={"links": "error"}', "siteUrl=")

        assert done.exit_code == 0, done.output
        settings = project.store[Projects].settings(project.id)
        assert (settings["checks"]["links"], settings["siteUrl"]) == ("error", None)

    @pytest.mark.contract("decided-commands.project-set")
    @pytest.mark.parametrize(
        ("given", "code", "named"),
        [
            (["siteURL=x", "frozen=true"], 2, ["siteURL", "frozen", "siteUrl, "]),
            (["reviewRequired=yes"], 2, ["reviewRequired", "true"]),
            (["maxRounds"], 2, ["maxRounds", "NAME=VALUE"]),
            (["name=A", "name=B"], 2, ["name", "twice"]),
            (["maxRounds=0"], 1, ["maxRounds"]),
            (["claimLeaseSeconds=1", "fourEyes=1"], 1, ["claimLeaseSeconds", "fourEyes"]),
            (["siteUrl=ftp://x"], 1, ["siteUrl"]),
        ],
    )
    def test_settings_are_set_all_or_none(
        self, cli: Cli, project: Project, given: list[str], code: int, named: list[str]
    ) -> None:
        before = project.store[Projects].settings(project.id)
        refused = cli("project", "set", "--project", project.id, "reviewRequired=true", *given)

        assert refused.exit_code == code
        assert [one for one in named if one not in refused.stderr] == []
        assert project.store[Projects].settings(project.id) == before

    @pytest.mark.contract("decided-guards.freeze")
    def test_a_project_is_frozen_and_unfrozen(self, cli: Cli, project: Project, app: Flask) -> None:
        headers = {"authorization": f"Bearer {project.token().secret}"}
        commands = ("freeze", "--note", "Wrong prices."), ("unfreeze",), ("freeze", "--note", "x" * 501)
        codes, shown, printed, listed = [], [], [], list[str]()
        for name, *options in commands:
            done = cli("project", name, "--project", project.id, *options)
            codes.append(done.exit_code)
            printed.append(done.stdout)
            shown.append(app.test_client().get("/project", headers=headers).json["frozen"])
            rows = cli("project", "list").stdout.splitlines()
            listed.append(next(row for row in rows if row.startswith(project.id)))

        assert ["Wrong prices." in row for row in listed] == [True, False, False]
        assert codes == [0, 0, 1]
        assert (shown[0]["note"], shown[0]["by"]["type"]) == ("Wrong prices.", "system")
        assert printed[0].splitlines()[-1].endswith(f"at {shown[0]['at']}, by content-workflow")
        assert shown[1:] == [None, None]


@pytest.mark.needs_mongod
class TestTokens:
    @pytest.mark.parametrize(
        ("options", "kind", "scopes"),
        [
            ((), "management", ["read", "write", "publish"]),
            (("--agent", "writer-1"), "management", ["read", "write"]),
            (("--scope", "read", "--scope", "admin"), "management", ["read", "admin"]),
            (("--scope", "read,write", "--scope", "admin"), "management", ["read", "write", "admin"]),
            (("--delivery", "--drafts"), "delivery", []),
        ],
    )
    def test_a_token_has_the_scopes_asked_for_or_the_usual_ones(
        self, cli: Cli, project: Project, options: tuple[str, ...], kind: str, scopes: list[str]
    ) -> None:
        made = cli("token", "create", "--project", project.id, "--name", "me", *options, "--json")
        token = json.loads(made.stdout)

        assert token["token"].startswith("cwd_" if kind == "delivery" else "cwm_")
        assert (token["kind"], token["scopes"]) == (kind, scopes)

    @pytest.mark.parametrize("scopes", ["read,writes", "read,", ""])
    def test_a_scope_that_there_is_not_is_named_beside_others(self, cli: Cli, project: Project, scopes: str) -> None:
        wrong = cli("token", "create", "--project", project.id, "--name", "me", "--scope", scopes)

        assert wrong.exit_code == 2
        assert f"'{scopes.rpartition(',')[2]}' is not one of 'read', 'write'" in wrong.stderr

    @pytest.mark.contract("decided-commands.token")
    def test_a_made_token_opens_the_api_until_it_is_revoked(self, cli: Cli, project: Project, app: Flask) -> None:
        limits = ("--writes-per-hour", 5)
        made = json.loads(cli("token", "create", "--project", project.id, "--name", "me", *limits, "--json").stdout)
        assert made["budget"] == {"writesPerHour": 5, "publishesPerDay": None}
        assert "writesPerHour 5" in cli("token", "list", "--project", project.id).stdout
        headers = {"Authorization": f"Bearer {made['token']}"}
        assert app.test_client().get("/project", headers=headers).json["id"] == project.id

        revoked = json.loads(cli("token", "revoke", made["id"], "--json").stdout)

        assert revoked["revokedAt"]
        listed = json.loads(cli("token", "list", "--project", project.id, "--json").stdout)
        assert [(one["id"], one["revokedAt"]) for one in listed] == [(made["id"], revoked["revokedAt"])]
        assert "token" not in listed[0]

    def test_a_token_gets_a_new_secret_which_is_shown_this_once(self, cli: Cli, project: Project, app: Flask) -> None:
        made = json.loads(cli("token", "create", "--project", project.id, "--name", "me", "--json").stdout)

        others = a_project(project.store).id
        assert "has no such token" in cli("token", "rotate", made["id"], "--project", others).stderr
        ended = cli("token", "rotate", made["id"], "--project", project.id)

        secret = ended.stdout.split()[-1]
        assert "not shown again" in ended.stderr
        assert made["token"] not in ended.stdout
        statuses = [
            app.test_client().get("/project", headers={"Authorization": f"Bearer {one}"}).status_code
            for one in (made["token"], secret)
        ]
        assert statuses == [401, 200]

    def test_expires_in_counts_from_now(self, cli: Cli, project: Project) -> None:
        made = cli("token", "create", "--project", project.id, "--name", "me", "--expires-in", "90d", "--json")
        token = json.loads(made.stdout)
        lasts = datetime.fromisoformat(token["expiresAt"]) - datetime.fromisoformat(token["createdAt"])

        assert abs(lasts - timedelta(days=90)) < timedelta(seconds=1)

    def test_no_time_is_not_taken_for_no_end(self, cli: Cli, project: Project) -> None:
        refused = cli("token", "create", "--project", project.id, "--name", "me", "--expires-in", "0d")

        assert refused.exit_code == 1, refused.output
        assert "expiresAt" in refused.output

    @pytest.mark.parametrize("span", ["90", "d", "-1d", "1y", "1000000d"])
    def test_another_span_is_refused(self, cli: Cli, project: Project, span: str) -> None:
        refused = cli("token", "create", "--project", project.id, "--name", "me", "--expires-in", span)

        assert refused.exit_code == 2
        units = "s (seconds), m (minutes), h (hours), d (days) or w (weeks)"
        assert f"Write a whole number up to 9999 and a unit, {units}, like 12h or 90d." in refused.output

    @pytest.mark.parametrize(
        "command",
        [
            ("token", "revoke", NOBODY),
            ("token", "revoke", "no-id"),
            ("token", "rotate", NOBODY),
            ("token", "revoke", NOBODY, "--project", NOBODY),
            ("token", "list", "--project", NOBODY),
            ("member", "list", "--project", "no-id"),
        ],
    )
    def test_a_missing_record_is_one_line_and_exit_code_1(self, cli: Cli, command: tuple[str, ...]) -> None:
        refused = cli(*command)

        assert refused.exit_code == 1
        assert refused.stderr.startswith("Error: There is no ")


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-commands.member")
def test_members_are_added_and_listed(cli: Cli, project: Project) -> None:
    added = json.loads(
        cli("member", "add", "--project", project.id, "--name", "Ada", "--role", "owner", "--json").stdout
    )

    assert (added["name"], added["email"], added["role"]) == ("Ada", None, "owner")
    assert json.loads(cli("member", "list", "--project", project.id, "--json").stdout) == [added]
    assert added["id"] in cli("member", "list", "--project", project.id).stdout


def test_a_name_in_a_table_neither_controls_the_terminal_nor_begins_a_line(cli: Cli, project: Project) -> None:
    cli("member", "add", "--project", project.id, "--name", "A\x1b[2Jd\na", "--json")

    assert "A\ufffd[2Jd\ufffda" in cli("member", "list", "--project", project.id).stdout


def test_a_character_that_the_encoding_of_the_output_lacks_is_escaped(cli: Cli, project: Project) -> None:
    added = cli("member", "add", "--project", project.id, "--name", "\u6f22", charset="latin-1")

    assert (added.exit_code, "\\u6f22" in added.stdout) == (0, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
def test_output_to_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", "from app.cli import main; main()", "graphql-schema"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)

    assert (ended.returncode, ended.stderr) == (1, b"Error: The output can't be written: No space left on device.\n")


@pytest.mark.needs_mongod
class TestDatabase:
    @pytest.mark.contract("decided-commands.db")
    def test_init_makes_all_and_check_then_finds_nothing(self, fresh_store: Store, mongodb_uri: str) -> None:
        fresh_store.database.documents.drop()
        environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
        with_missing = self._run("db check", environment)
        assert with_missing.exit_code == 1
        assert "documents: the index" in with_missing.stdout
        assert "documents: the validator is missing." in with_missing.stdout
        assert with_missing.stderr == "`content-workflow db init` creates what is missing.\n"

        made = self._run("db init", environment)

        form, *created, last = made.stdout.splitlines()
        assert (made.exit_code, last) == (0, "All indexes and validators are as they should be.")
        assert form == with_missing.stdout.splitlines()[0] == FORM
        assert "Created documents: the validator." in created
        assert len(created) == len(with_missing.stdout.splitlines()[1:]), "it says all that it created"
        assert self._run("db check", environment).exit_code == 0

    def test_the_first_project_of_a_database_comes_with_all_indexes(self, store: Store, mongodb_uri: str) -> None:
        name = f"{store.database.name}_empty"
        environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": name}

        empty = self._run("db check", environment)
        made = [self._run("project create --name One --json", environment) for _ in range(2)]
        checked = self._run("db check", environment)
        store.database.client.drop_database(name)

        assert empty.exit_code == 1
        assert empty.stdout == f"{FORM}\nThe database is empty: every index and validator is missing.\n"
        assert [set(json.loads(one.output)) for one in made] == [{"id", "teamId", "name"}] * 2
        assert (checked.exit_code, checked.stdout) == (
            0,
            f"{FORM}\nAll indexes and validators are as they should be.\n",
        )

    def test_the_first_sign_in_comes_with_the_project(self, store: Store, mongodb_uri: str) -> None:
        environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name}
        command = "project create --name Signed --link --owner Ada --json"

        made = json.loads(self._run(command, environment | {"PUBLIC_URL": "https://content.example.com"}).stdout)
        secret = made["link"].removeprefix("https://content.example.com/console/join#")
        token = accept_invitation(store, secret, this_instant())
        owner = store.database.members.find_one({"projectId": ObjectId(made["id"])}) or {}

        assert set(made) == {"id", "teamId", "name", "link"}
        assert (owner["name"], owner["role"]) == ("Ada", "owner")
        assert Access(store).authenticate(token, TokenKind.MANAGEMENT, this_instant()).scopes == frozenset(Scope)

    def test_an_index_that_differs_is_reported_and_not_changed(self, fresh_store: Store, mongodb_uri: str) -> None:
        environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
        index = next(one for one in ALL.indexes if one.options.get("unique"))
        fresh_store.database[index.collection].drop_index(index.name)
        fresh_store.database[index.collection].create_index([("nobody", 1)], name=index.name)
        fresh_store.database[index.collection].create_index([("somebody", 1)], name="of_an_administrator")

        told = self._run("db init", environment)

        lines, remedy = told.stdout.splitlines(), "drop it, then run `content-workflow db init`."
        assert told.exit_code == 1
        assert f"{index.collection}: the index {index.name} has other keys or options: {remedy}" in lines
        assert any(line.endswith("is not one of the service's: drop it, unless somebody needs it.") for line in lines)

    def test_an_index_of_somebody_else_stops_no_deployment(self, fresh_store: Store, mongodb_uri: str) -> None:
        environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
        self._run("db init", environment)
        fresh_store.database.documents.create_index([("somebody", 1)], name="of_an_administrator")

        for command in ("db init", "db check"):
            told = self._run(command, environment)
            assert told.exit_code == 0
            assert told.stdout.startswith(
                f"{FORM}\ndocuments: the index of_an_administrator is not one of the service's"
            )

    def test_another_validator_is_named_with_what_replaces_it(self, fresh_store: Store, mongodb_uri: str) -> None:
        environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
        self._run("db init", environment)
        fresh_store.database.command("collMod", "documents", validator={"title": {"$exists": True}})

        told = self._run("db check", environment)

        replaced = "documents: the validator is another: `content-workflow db init` replaces it."
        assert told.stdout == f"{FORM}\n{replaced}\n"
        assert self._run("db init", environment).exit_code == 0

    def _run(self, command: str, environment: dict[str, str]):  # type: ignore[no-untyped-def]
        from app.cli import calling

        calling.store.cache_clear()
        result = CliRunner().invoke(main, command.split(), env=environment)
        if calling.store.cache_info().currsize:
            calling.store().database.client.close()
        calling.store.cache_clear()
        return result


def test_openapi_prints_the_document_and_asks_for_no_database() -> None:
    printed = CliRunner().invoke(main, ["openapi"], env={"MONGODB_URI": "", "MONGODB_URI_FILE": "/missing"})

    assert json.loads(printed.stdout)["openapi"].startswith("3.1")


@pytest.mark.parametrize("command", [("project", "list"), ("serve",), ("db", "check"), ("worker",)])
@pytest.mark.contract("decided-commands.serve")
def test_without_mongodb_uri_a_command_says_so(command: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(main, command, env={"MONGODB_URI": ""})

    assert refused.exit_code == 1
    assert (
        refused.stderr
        == "Error: MONGODB_URI is not set: it names the MongoDB replica set, like mongodb://host/NAME?replicaSet=rs0.\n"
    )


MODULES = {name: f"app.cli.{file}" for name, (file, _) in COMMANDS.items()}
MODULES |= {one.name: one.module for one in ALL.commands}


@pytest.mark.parametrize("command", MODULES)
def test_every_command_has_help(command: str) -> None:
    assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0


@pytest.mark.parametrize("name", MODULES)
def test_the_list_of_commands_has_the_first_paragraph_of_each_help(name: str) -> None:
    command: click.Command = import_module(MODULES[name]).command
    listed = main.get_command(click.Context(main), name)
    assert listed
    summary = listed.short_help

    assert cleandoc(command.help or "").partition("\n\n")[0].replace("\n", " ") == summary


LISTS = {
    "help": "main(['--help'], standalone_mode=False)",
    "completion": "print(*(one.value for one in main.shell_complete(Context(main), 'd')))",
}


@pytest.mark.parametrize("what", LISTS)
def test_the_list_of_commands_imports_none_of_them(what: str) -> None:
    script = f"import sys; from click import Context; from app.cli import main; {LISTS[what]}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    *printed, modules = done.stdout.splitlines()

    assert {"dev", "db"} <= set(" ".join(printed).split())
    unwanted = {"flask", "strawberry", "granian", "mcp", "app.cli.calling", *MODULES.values()}
    assert unwanted & set(modules.split()) == set()


MEMBERS = {"Ada Okafor": 0, "mateo@example.org": 0, "Mateo": 1, "Nobody": 1}
"""Whom an invitation may name, and how the command ends."""


@pytest.mark.needs_mongod
class TestInvitations:
    def test_a_member_is_invited_with_a_link_that_works_once(self, cli: Cli, app: Flask, project: Project) -> None:
        member = json.loads(cli("member", "add", "--project", project.id, "--name", "Mateo", "--json").stdout)
        invite = ("member", "invite", "--project", project.id, member["id"], "--scope", "read,write", "--json")
        link = json.loads(cli(*invite).stdout)["link"]
        address, _, secret = link.partition("#")
        assert address == "http://localhost:8000/console/join"

        answers = [app.test_client().post("/console/join", data={"invitation": secret}).status_code for _ in range(2)]
        assert answers == [200, 401]

    def test_a_link_that_would_work_for_too_long_is_refused(self, cli: Cli, project: Project) -> None:
        cli("member", "add", "--project", project.id, "--name", "Mateo")

        refused = cli("member", "invite", "--project", project.id, "Mateo", "--expires-in", "400d")

        assert refused.exit_code == 1
        assert "expiresIn" in refused.stderr

    def test_a_member_is_changed_and_removed_with_their_tokens(self, cli: Cli, app: Flask, project: Project) -> None:
        of, ada = ("--project", project.id), "ada@example.org"
        added = json.loads(cli("member", "add", *of, "--name", "Ada", "--email", ada, "--json").stdout)
        headers = {"Authorization": f"Bearer {project.token(memberId=ObjectId(added['id'])).secret}"}

        changed = json.loads(
            cli("member", "set", *of, ada, "--name", "Ada Okafor", "--role", "editor", "--json").stdout
        )
        nothing = cli("member", "set", *of, ada)
        removed = json.loads(cli("member", "remove", *of, "Ada Okafor", "--json").stdout)

        assert changed == {**added, "name": "Ada Okafor", "role": "editor"}
        assert (nothing.exit_code, "Name what to change" in nothing.stderr) == (2, True)
        assert removed == changed
        assert json.loads(cli("member", "list", *of, "--json").stdout) == []
        [token] = json.loads(cli("token", "list", *of, "--json").stdout)
        assert token["revokedAt"] is not None
        assert app.test_client().get("/briefs", headers=headers).status_code == 401
        assert "No member is called" in cli("member", "remove", *of, ada).stderr

    def test_a_member_is_named_by_name_address_or_id(self, cli: Cli, project: Project) -> None:
        for address in ("mateo@example.org", "another@example.org"):
            cli("member", "add", "--project", project.id, "--name", "Mateo", "--email", address)
        cli("member", "add", "--project", project.id, "--name", "Ada Okafor")
        invited = {who: cli("member", "invite", "--project", project.id, who) for who in (NOBODY, *MEMBERS)}

        assert {who: done.exit_code for who, done in invited.items()} == {NOBODY: 1, **MEMBERS}
        assert "no member with this id" in invited[NOBODY].stderr
        assert "No member is called 'Nobody'" in invited["Nobody"].stderr
        assert "Several members are called 'Mateo'" in invited["Mateo"].stderr
