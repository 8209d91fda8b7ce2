"""What the environment may say, and which database it names (decisions, section 10)."""

import itertools
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dns.resolver
import httpx
import orjson
import pytest
from click.testing import CliRunner
from pymongo import MongoClient

from app.cli import calling, main
from app.cli.mongod import find_mongod
from app.core.store.store import Store
from app.features import ServerSettings, connect
from app.settings import Settings, SettingsError
from tests import live
from tests.cli.running import running, until
from tests.live import free_port, until_listening

URI = "mongodb://127.0.0.1:27017/"
WRONG = {
    "MONGODB_URI": "http://user:secret@host",
    "MONGODB_DATABASE": "a.b",
    "DEADLINE_SECONDS": "0",
    "BASE_PATH": "api/",
    "PUBLIC_URL": "foo",
    "RATE_LIMIT_PER_MINUTE": "-1",
    "FAILED_AUTH_LIMIT_PER_MINUTE": "many",
    "TRUSTED_PROXIES": "10.0.0.0/8, x",
    "SERVE_MCP": "maybe",
    "MCP_ALLOWED_HOSTS": "https://content.example.com/",
    "DELIVERY_ALLOWED_ORIGINS": "https://one.example, https://two.example/",
    "DELIVERY_CACHE_CONTROL": "public\nX-Injected: 1",
    "EVENTS_KEPT_DAYS": "9999999",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318",
    "LOG_LEVEL": "loud",
}


def test_every_wrong_variable_has_a_line_of_its_own_and_no_secret_is_shown() -> None:
    refused = CliRunner().invoke(main, ["project", "list"], env=WRONG)

    lines = refused.stderr.removeprefix("Error: ").splitlines()
    assert refused.exit_code == 1
    assert {line.split(":")[0].split(" ")[0] for line in lines} == set(WRONG)
    assert len(lines) == len(WRONG)
    assert "secret" not in refused.output


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"PUBLIC_URI": "x"}, ["PUBLIC_URI is not a setting: did you mean PUBLIC_URL?"]),
        ({"TRUSTED_PROXY": "x"}, ["TRUSTED_PROXY is not a setting: did you mean TRUSTED_PROXIES?"]),
        ({"LOGLEVEL": "x"}, ["LOGLEVEL is not a setting: did you mean LOG_LEVEL?"]),
        ({"PUBLIC_URI": "x", "PUBLIC_URL": "y"}, ["PUBLIC_URI is not a setting: did you mean PUBLIC_URL?"]),
        ({"PATH": "x", "DATABASE_URL": "x", "HOST": "x", "PORT": "x", "SERVER_NAME": "x", "public_url": "x"}, []),
    ],
)
def test_a_variable_that_is_nearly_a_setting_is_named(given: dict[str, str], meant: list[str]) -> None:
    assert Settings.misspelt({"MONGODB_URI": URI, **given}) == meant


def test_a_missing_setting_comes_with_the_variable_that_is_nearly_it() -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment({"MONGODB_URL": URI})

    assert str(refused.value).endswith("MONGODB_URL is not a setting: did you mean MONGODB_URI?")


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("MONGODB_URI", "http://host", "MONGODB_URI: must begin with mongodb:// or mongodb+srv://."),
        ("SERVE_MCP", "maybe", "SERVE_MCP is 'maybe': Input should be a valid boolean"),
        ("DEADLINE_SECONDS", "ten", "DEADLINE_SECONDS is 'ten': Input should be a valid integer"),
        ("DEADLINE_SECONDS", "10000", "DEADLINE_SECONDS is '10000': Input should be less than or equal to 3600."),
        ("DEADLINE_SECONDS", "9" * 5000, "exceeded maximum size."),
        ("RATE_LIMIT_PER_MINUTE", "-1", "RATE_LIMIT_PER_MINUTE is '-1': Input should be greater than or equal to 0."),
        ("DELIVERY_CACHE_CONTROL", "a\nb", "String should match pattern"),
        ("DELIVERY_CACHE_CONTROL", "caf\udce9", "must be text in UTF-8."),
        ("DEADLINE_SECONDS", "1\udce9", "must be text in UTF-8."),
        ("METRICS_TOKEN", "caf\udce9", "METRICS_TOKEN: must be text in UTF-8."),
        ("MONGODB_DATABASE", "caf\udce9", "must be text in UTF-8."),
        ("MONGODB_URI", "mongodb://host/caf\udce9", "MONGODB_URI: must be text in UTF-8."),
        ("PUBLIC_URL", "https://content example.com", "must be an http or https URL"),
        ("PUBLIC_URL", "https://content.example.com:0", "must be an http or https URL"),
        ("PUBLIC_URL", "https://content.example.com:99999", "Port out of range 0-65535."),
        ("LOG_LEVEL", "loud", "Input should be 'DEBUG', 'INFO', 'WARNING', 'ERROR' or 'CRITICAL'."),
    ],
)
def test_a_wrong_value_is_said_with_what_it_has_to_be(variable: str, value: str, line: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment({"MONGODB_URI": URI, variable: value})

    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_secret_from_a_file_may_end_with_a_line_break() -> None:
    read = Settings.from_environment({"MONGODB_URI": f"{URI}\n", "METRICS_TOKEN": " secret\n", "BASE_PATH": " \n"})

    assert (read.mongodb_uri, read.metrics_token, read.base_path) == (URI, "secret", "")


SECRETS = ("MONGODB_URI", "OIDC_CLIENT_SECRET", "METRICS_TOKEN", "SMTP_URL")


def test_each_secret_can_be_in_a_file(tmp_path: Path) -> None:
    usual = {"OIDC_ISSUER": "https://id.example", "OIDC_CLIENT_ID": "us", "SMTP_FROM": "us@example.org"}
    values = {"MONGODB_URI": URI, "OIDC_CLIENT_SECRET": "hunter2", "METRICS_TOKEN": "a b", "SMTP_URL": "smtp://host"}
    for name, value in values.items():
        (tmp_path / name).write_text(f"{value}\n")
    environment = usual | {f"{name}_FILE": str(tmp_path / name) for name in values}

    read = ServerSettings.from_environment(environment)

    assert {name: getattr(read, name.lower()) for name in SECRETS} == values
    assert [name.upper() for name, field in ServerSettings.model_fields.items() if not field.repr] == [*SECRETS]
    assert ServerSettings.misspelt(environment) == []


def test_serve_names_each_secret_whose_file_can_not_be_used(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    given = {
        "MONGODB_URI_FILE": "/missing",
        "OIDC_CLIENT_SECRET_FILE": str(tmp_path),
        "METRICS_TOKEN_FILE": str(tmp_path / "empty"),
        "SMTP_URL": "smtp://user:hunter2@host",
        "SMTP_URL_FILE": str(tmp_path / "latin"),
    }

    refused = CliRunner().invoke(main, ["serve"], env={"MONGODB_URI": "", **given})
    encoded = CliRunner().invoke(main, ["serve"], env={"MONGODB_URI": URI, "SMTP_URL_FILE": str(tmp_path / "latin")})

    assert refused.exit_code == encoded.exit_code == 1
    assert refused.stderr.splitlines() == [
        "Error: MONGODB_URI: the file of MONGODB_URI_FILE, '/missing', can't be read: No such file or directory.",
        f"OIDC_CLIENT_SECRET: the file of OIDC_CLIENT_SECRET_FILE, '{tmp_path}', can't be read: Is a directory.",
        f"METRICS_TOKEN: the file of METRICS_TOKEN_FILE, '{tmp_path}/empty', is empty.",
        "SMTP_URL: SMTP_URL_FILE is set too: set one of them.",
    ]
    assert encoded.stderr.splitlines()[0] == "Error: SMTP_URL: must be text in UTF-8."


@pytest.mark.parametrize(
    ("path", "database", "name"),
    [
        ("", "", "content_workflow"),
        ("?replicaSet=rs0", "", "content_workflow"),
        ("magazine?replicaSet=rs0", "", "magazine"),
        ("magazine", "other", "other"),
        ("", "other", "other"),
    ],
)
@pytest.mark.contract("decided-commands.database")
def test_the_uri_names_the_database_and_mongodb_database_overrides_it(path: str, database: str, name: str) -> None:
    store = connect(URI + path, database)

    assert store.database.name == name
    store.database.client.close()


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        (f"{URI}admin", "must not be admin"),
        (f"{URI}a%20b", "Bad database name"),
        ("mongodb://", "hostname"),
        ("mongodb://host:port/", "Port"),
        ("mongodb://user:p@ss@host/", "escaped"),
        ("mongodb://host/?tls=true&tlsCAFile=/missing.pem", "/missing.pem"),
        ("mongodb://host/?replicaSat=rs0", "Unknown option: replicasat. Did you mean one of (replicaset"),
        ("mongodb://host/?tls=yes", "The value of tls must be 'true' or 'false'"),
    ],
)
def test_a_uri_that_can_not_be_used_is_one_line(uri: str, why: str) -> None:
    with pytest.raises(SettingsError) as refused:
        connect(uri)

    assert str(refused.value).startswith("MONGODB_URI: ")
    assert why in str(refused.value)


@pytest.mark.parametrize("form", ["mongodb://u:{}@h/n", "mongodb://{}@h1,h2/n?w=1", "mongodb+srv://u:{}@h.invalid/n"])
def test_a_password_that_is_not_escaped_is_not_repeated(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise dns.resolver.NXDOMAIN

    monkeypatch.setattr(dns.resolver, "resolve", unknown)
    said = set()
    for one, other in itertools.product("/?#@:%&[,. ", repeat=2):
        uri = form.format(f"one{one}middle{other}end-of-it")
        try:
            connect(Settings.from_environment({"MONGODB_URI": uri}).mongodb_uri).database.client.close()
        except SettingsError as refused:
            said.add(str(refused))

    parts = ("middle", "end-of-it")
    assert [line for line in said if any(map(line.__contains__, parts)) or not line.startswith("MONGODB_URI: ")] == []
    assert any("percent-encoded" in line for line in said)


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-commands.database")
def test_two_names_on_one_mongodb_share_nothing(mongodb_uri: str, store: Store) -> None:
    names = [f"{store.database.name}_a", f"{store.database.name}_b"]
    for name in names:
        calling.store.cache_clear()
        uri = mongodb_uri.replace("/?", f"/{name}?")
        CliRunner().invoke(main, ["project", "create", "--name", name], env={"MONGODB_URI": uri})
        calling.store().database.client.close()
    calling.store.cache_clear()

    found = [[row["name"] for row in store.database.client[name].projects.find()] for name in names]
    for name in names:
        store.database.client.drop_database(name)
    assert found == [[name] for name in names]


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URI of a mongod that is not a member of a replica set."""
    folder, port = tmp_path_factory.mktemp("standalone"), free_port()
    options = ["--port", str(port), "--dbpath", str(folder), "--bind_ip", "127.0.0.1", "--nounixsocket"]
    process = subprocess.Popen([find_mongod(), *options], stdout=subprocess.DEVNULL)
    try:
        until_listening(port, process)
        yield f"mongodb://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)


def test_a_port_for_metrics_that_is_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        refused = CliRunner().invoke(main, ["worker", "--metrics-port", str(port)], env={"MONGODB_URI": URI})

    assert (refused.exit_code, refused.stderr.splitlines()[-1]) == (
        1,
        f"Error: Can't serve metrics on port {port}: Address already in use.",
    )


@pytest.mark.needs_mongod
@pytest.mark.parametrize("command", [("project", "list"), ("db", "check"), ("worker",)])
def test_a_wrong_password_of_mongodb_is_one_line_that_does_not_repeat_it(
    mongodb_uri: str, command: tuple[str, ...]
) -> None:
    calling.store.cache_clear()
    uri = mongodb_uri.replace("://", "://somebody:hunter2@")

    refused = CliRunner().invoke(main, command, env={"MONGODB_URI": uri})

    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].startswith("Error: MongoDB refuses the service's user: check the name")
    assert "hunter2" not in refused.output


def test_a_mongodb_that_can_not_be_reached_is_refused_with_the_reason() -> None:
    calling.store.cache_clear()
    uri = "mongodb://somebody:hunter2@127.0.0.1:1/?replicaSet=rs0"

    refused = CliRunner().invoke(main, ["db", "check"], env={"MONGODB_URI": uri, "DEADLINE_SECONDS": "1"})

    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1] == (
        "Error: MongoDB can't be reached: check MONGODB_URI, and that it runs and has a primary. "
        "(127.0.0.1:1: [Errno 111] Connection refused)"
    )


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URI of a replica set that has the users `reader` and `nobody`, without a user's name in it."""
    folder, port = tmp_path_factory.mktemp("secured"), free_port()
    key = folder / "key"
    key.write_text("a" * 40)
    key.chmod(0o600)
    options = ["--port", str(port), "--dbpath", str(folder), "--bind_ip", "127.0.0.1", "--nounixsocket"]
    options += ["--replSet", "secured", "--keyFile", str(key)]
    process = subprocess.Popen([find_mongod(), *options], stdout=subprocess.DEVNULL)
    try:
        until_listening(port, process)
        with MongoClient[dict[str, Any]]("127.0.0.1", port, directConnection=True) as first:
            members = [{"_id": 0, "host": f"127.0.0.1:{port}"}]
            first.admin.command("replSetInitiate", {"_id": "secured", "members": members})
            live.until(lambda: first.admin.command("hello")["isWritablePrimary"])
            first.admin.command("createUser", "root", pwd="x", roles=["root"])
        with MongoClient[dict[str, Any]](
            "127.0.0.1", port, username="root", password="x", directConnection=True
        ) as root:
            for name, role in {"reader": "read", "writer": "readWrite"}.items():
                roles = [{"role": role, "db": "content_workflow"}]
                root.admin.command("createUser", name, pwd="x", roles=roles)
            root.admin.command("createUser", "nobody", pwd="x", roles=[])
            root.content_workflow.create_collection("documents")
        yield f"mongodb://{{}}127.0.0.1:{port}/?replicaSet=secured&authSource=admin"
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.needs_mongod
@pytest.mark.slow
class TestAccess:
    """A mongod with access control, and users with fewer roles than the service needs."""

    @pytest.mark.parametrize(
        ("user", "command", "said"),
        [
            ("reader:wrong@", ("db", "check"), "MongoDB refuses the service's user"),
            ("nobody:x@", ("db", "check"), "MongoDB denies the service access"),
            ("", ("db", "check"), "MongoDB denies the service access"),
            ("reader:x@", ("worker",), "on content_workflow to execute command insert"),
            ("writer:x@", ("db", "init"), "on content_workflow to execute command collMod"),
        ],
    )
    def test_what_a_user_lacks_is_one_line(self, secured: str, user: str, command: tuple[str, ...], said: str) -> None:
        calling.store.cache_clear()

        refused = CliRunner().invoke(main, command, env={"MONGODB_URI": secured.format(user)})

        assert (refused.exit_code, refused.stderr.count("Error: ")) == (1, 1)
        assert said in refused.stderr.splitlines()[-1]

    @pytest.mark.parametrize(
        ("user", "said", "reason"),
        [
            ("nobody:x@", "MongoDB denies the service access", "not authorized on content_workflow to execute command"),
            ("nobody:wrong@", "MongoDB refuses the service's user", "Authentication failed"),
        ],
    )
    def test_serve_is_not_ready_for_a_user_without_rights_and_the_log_says_that_alone(
        self, secured: str, tmp_path: Path, user: str, said: str, reason: str
    ) -> None:
        port = free_port()
        with running(tmp_path, "serve", "--port", str(port), MONGODB_URI=secured.format(user)) as server:
            until_listening(port, server.process)
            ready = [httpx.get(f"http://127.0.0.1:{port}/ready", timeout=30) for _ in range(4)]
            until(lambda: f'"log":"content_workflow.worker","message":"{said}' in server.said, server)

        lines = [orjson.loads(line) for line in server.said.splitlines()]
        denied = [line for line in lines if line["message"].startswith(said)]
        assert {(one.status_code, one.json()["_tag"]) for one in ready} == {(503, "ServiceUnavailable")}
        assert {line["log"].removeprefix("content_workflow.") for line in denied} == {"serve", "worker", "errors"}
        assert all(reason in line["reason"] for line in denied)
        assert not [line for line in lines if line["message"] == "database unreachable"]

    def test_serve_logs_that_its_user_may_not_write(self, secured: str, tmp_path: Path) -> None:
        port = free_port()
        options = {"MONGODB_URI": secured.format("reader:x@"), "LOG_LEVEL": "ERROR"}
        with running(tmp_path, "serve", "--port", str(port), "--no-worker", **options) as server:
            until(lambda: "to execute command insert" in server.said, server)


@pytest.mark.needs_mongod
@pytest.mark.slow
class TestStandalone:
    @pytest.mark.parametrize(
        "command",
        [
            ("project", "list"),
            ("db", "init"),
            ("db", "check"),
            ("worker",),
            ("mcp",),
            ("purge",),
            ("import", "--project", "0" * 24, "."),
            ("dev",),
        ],
    )
    @pytest.mark.contract("decided-commands.standalone")
    def test_every_command_refuses_it_in_one_line(
        self, standalone: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for name in ("PUBLIC_URL", "WEBHOOKS_ALLOW_LOCAL"):  # which `dev` sets
            monkeypatch.setenv(name, "")
        calling.store.cache_clear()

        environment = {"MONGODB_URI": standalone, "CONTENT_WORKFLOW_TOKEN": "cwm_x"}
        refused = CliRunner().invoke(main, command, env=environment)

        last = refused.stderr.splitlines()[-1]
        assert refused.exit_code == 1
        assert last.startswith("Error: This MongoDB has no transactions")
        assert "--replSet" in last

    @pytest.mark.contract("decided-commands.standalone")
    def test_serve_starts_logs_the_line_and_is_not_ready(self, standalone: str, tmp_path: Path) -> None:
        port = free_port()
        with running(tmp_path, "serve", "--port", str(port), MONGODB_URI=standalone) as server:
            until_listening(port, server.process)
            until(lambda: "This MongoDB has no transactions" in server.said, server)
            ready = httpx.get(f"http://127.0.0.1:{port}/ready", timeout=30)
            health = httpx.get(f"http://127.0.0.1:{port}/health", timeout=30)

        assert (ready.status_code, ready.json()["_tag"]) == (503, "ServiceUnavailable")
        assert "--replSet" in ready.json()["message"]
        assert health.status_code == 200
        assert "Traceback" not in server.said
