"""How members are told: merged, masked, and refused where it can't work; tokens and what SMTP_URL may be."""

import email
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from bson import ObjectId

from app.core.context import this_instant
from app.core.errors import SettingsError
from app.core.store.store import Store
from app.notices.feature import MailSettings
from app.notices.mailer import Mailer
from app.notices.member_fields import NO_NOTICES
from app.notices.messages import mail_of
from app.notices.rules import NoticeLine
from app.notices.sender import ATTEMPT_SECONDS, LEASES
from app.notices.vocabulary import WaitKind
from app.outbound.message_client import Outcome
from tests.certificates import self_signed
from tests.documents.steps import ok, refused
from tests.live import free_port, quickest
from tests.make import an_app
from tests.notices.conftest import SENDER, Inboxes
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

URL = "https://hooks.slack.com/services/T0/B0/abcd"


def fields_of(body: dict[str, Any]) -> list[str]:
    return [one["field"] for one in body["errors"]]


@pytest.mark.contract("decided-notices.settings")
def test_notify_is_merged_and_shows_of_a_slack_the_last_four_characters(rest: Rest, store: Store) -> None:
    member = ok(rest.post("/members", {"name": "Ada", "email": "ada@example.org"}), 201)
    path = f"/members/{member['id']}"
    assert member["notify"] == NO_NOTICES

    told = ok(rest.patch(path, {"notify": {"slack": URL, "digest": "daily"}}))["notify"]
    assert told == {"email": False, "slack": "…abcd", "digest": "daily", "hour": 7}
    for same in ({"hour": 0}, {"slack": "…abcd"}):
        told |= {name: value for name, value in same.items() if name == "hour"}
        assert ok(rest.patch(path, {"notify": same}))["notify"] == told
    [row] = store.database.members.find({"_id": ObjectId(member["id"])})
    assert row["notify"]["slack"] == URL
    assert ok(rest.patch(path, {"notify": {"slack": None}}))["notify"] == {**told, "slack": None}


@pytest.mark.contract("decided-notices.settings")
def test_what_can_not_work_is_422(rest: Rest, store: Store) -> None:
    member = ok(rest.post("/members", {"name": "Ada"}), 201)
    path = f"/members/{member['id']}"
    for url in ("http://hooks.slack.com/x", "https://10.0.0.1/x", "https://hooks.slack.com:99999/x", "…wxyz", "slack"):
        assert fields_of(refused(rest.patch(path, {"notify": {"slack": url}}), "BadRequest")) == ["notify.slack"]
        assert fields_of(refused(rest.patch("/project", {"slack": url}), "BadRequest")) == ["slack"]
    assert fields_of(refused(rest.patch(path, {"notify": {"email": True}}), "BadRequest")) == ["notify.email"]
    assert fields_of(refused(rest.patch(path, {"notify": {"digest": "hourly"}}), "BadRequest")) == ["notify.digest"]
    refused(rest.patch(path, {"notify": {"hour": 24}}), "HttpApiDecodeError")
    refused(rest.patch(path, {"notify": None}), "HttpApiDecodeError")
    without_mail = Rest(an_app(store).test_client(), rest.token)
    told = without_mail.patch(path, {"email": "ada@example.org", "notify": {"email": True}})
    assert fields_of(refused(told, "BadRequest")) == ["notify.email"]
    assert "SMTP_URL" in told.text
    assert ok(rest.patch(path, {"email": "ada@example.org", "notify": {"email": True}}))["notify"]["email"]


@pytest.mark.contract("decided-notices.settings")
def test_the_projects_slack_is_masked_and_in_no_export(rest: Rest) -> None:
    assert ok(rest.patch("/project", {"slack": URL}))["slack"] == "…abcd"
    before = ok(rest.get("/project"))
    assert ok(rest.patch("/project", {"slack": "…abcd"})) == before
    assert ok(rest.patch("/project", {"slack": None}))["slack"] is None


@pytest.mark.contract("decided-notices.owners")
def test_a_calendar_is_made_in_the_console_alone(rest: Rest) -> None:
    assert fields_of(refused(rest.post("/tokens", {"name": "x", "kind": "calendar"}), "BadRequest")) == ["kind"]


@pytest.mark.contract("decided-notices.smtp")
@pytest.mark.parametrize(
    "url", ["mail.example.org", "http://mail.example.org", "smtp://", "smtp://ada:hush/hush@host", "smtp://host:0"]
)
def test_an_smtp_url_that_can_not_be_is_refused_without_being_shown(url: str) -> None:
    environment = {"MONGODB_URI": "mongodb://x/y", "SMTP_URL": url, "SMTP_FROM": "a@example.org"}

    with pytest.raises(SettingsError) as refusal:
        MailSettings.from_environment(environment)

    assert "SMTP_URL: must be like" in str(refusal.value)
    assert "hush" not in str(refusal.value)


@pytest.mark.contract("decided-notices.smtp")
def test_a_sender_is_needed_where_mail_is_sent() -> None:
    with pytest.raises(SettingsError, match="SMTP_FROM"):
        MailSettings.from_environment({"MONGODB_URI": "mongodb://x/y", "SMTP_URL": "smtp://host:25"})


class Passwords:
    """Notes who logs in, and lets one in."""

    def __init__(self) -> None:
        self.seen: list[tuple[bytes, bytes]] = []

    def __call__(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        self.seen.append((data.login, data.password))
        return AuthResult(success=data.password == b"p@ss/word", handled=False)  # the server answers


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed("localhost", tmp_path_factory.mktemp("tls"))


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate)
    return made


@pytest.fixture
def client_tls(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


def send(url: str, tls: ssl.SSLContext | None = None, seconds: float = 30, to: str = "ada@example.org") -> Outcome:
    line = NoticeLine(kind=WaitKind.REVIEW, documentId="0" * 24, title="Rye", by="", text="")
    message = mail_of([line], project="The Crust", public_url="", sender=SENDER, to=to, off="", at=this_instant())
    return Mailer(url, SENDER, tls).send(message, seconds)


@contextmanager
def serving(mails: Inboxes, tls: ssl.SSLContext | None = None, **options: Any) -> Iterator[int]:
    kind: Any = Controller
    server = kind(mails, hostname="127.0.0.1", port=free_port(), ssl_context=tls, **options)
    server.start()
    try:
        yield server.port
    finally:
        server.stop()


@pytest.mark.contract("decided-notices.smtp")
def test_smtps_is_tls_from_the_start_with_a_password_that_is_percent_encoded(
    mails: Inboxes, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    passwords = Passwords()
    with serving(mails, server_tls, authenticator=passwords, auth_require_tls=False) as port:
        url = f"smtps://ada%40example.org:p%40ss%2Fword@localhost:{port}"
        assert send(url, client_tls).succeeded
        assert send(url.replace("word", "ward"), client_tls).status_code == 535

    assert passwords.seen[0] == (b"ada@example.org", b"p@ss/word")
    assert len(mails.messages) == 1


@pytest.mark.contract("decided-notices.smtp")
def test_smtp_uses_starttls_where_it_is_offered_and_trusts_no_other_certificate(
    mails: Inboxes, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    with serving(mails, tls_context=server_tls, require_starttls=True) as port:
        url = f"smtp://localhost:{port}"
        assert send(url, client_tls).succeeded
        assert "SSLCertVerificationError" in str(send(url).error)
    assert len(mails.messages) == 1


def test_a_server_that_is_away_or_silent_is_an_outcome() -> None:
    port = free_port()
    away = send(f"smtp://ada:secret@localhost:{port}").error
    assert away == f"The mail server localhost:{port} refused it, or could not be used: ConnectionRefusedError."
    with socket.create_server(("127.0.0.1", 0)) as silent:
        message = EmailMessage()
        outcome = Mailer(f"smtp://127.0.0.1:{silent.getsockname()[1]}", SENDER).send(message, 0.2)
    assert "SMTPServerDisconnected" in str(outcome.error)
    assert outcome.seconds < 3


def wire(title: str, **other: str) -> str:
    """Returns an e-mail about a document as it is sent."""
    line = NoticeLine(kind=WaitKind.REVIEW, documentId="0" * 24, title=title, by="", text="")
    usual = {"project": "The Crust", "public_url": "https://cms.example.org", "sender": SENDER, "to": "a@example.org"}
    return mail_of([line], **{**usual, "off": "", **other}, at=this_instant()).as_bytes().decode()


@pytest.mark.contract("decided-notices.told")
@pytest.mark.parametrize(
    "encoded", ["=?utf-8?q?=0d=0aBcc:_eve@example.org?=", "=?utf-8?b?CkJjYzogZXZlQGV4YW1wbGUub3Jn?="]
)
def test_a_title_that_looks_like_an_encoded_word_adds_no_header(encoded: str) -> None:
    for sent in (wire(encoded), wire("Rye", project=encoded)):
        headers = sent.partition("\n\n")[0]
        assert "\nBcc" not in headers
        subject = email.message_from_string(sent, policy=policy.default)["Subject"]
        assert "utf-8?" in subject


@pytest.mark.contract("decided-notices.one-click")
def test_the_link_that_turns_email_off_is_one_that_mail_programs_can_read() -> None:
    off = f"https://cms.example.org/notices/off?key={'a' * 24}.{'b' * 24}.{'c' * 32}"

    assert f"\nList-Unsubscribe: <{off}>\n" in wire("Rye", off=off)


class Slowly:
    """A mail server that waits before it answers each command."""

    def __init__(self, seconds: float) -> None:
        self.listening, self._seconds = socket.create_server(("127.0.0.1", 0)), seconds
        self.url = f"smtp://127.0.0.1:{self.listening.getsockname()[1]}"

    def serve(self) -> None:
        connection, _ = self.listening.accept()
        with connection, connection.makefile("rb") as lines, suppress(OSError):
            connection.sendall(b"220 slow\r\n250")
            connection.sendall(b" slow\r\n")  # the answer to EHLO
            for line in lines:
                for byte in b"" if line[:4].lower() == b"ehlo" else b"250 in its own time\r\n":
                    time.sleep(self._seconds)
                    connection.sendall(bytes([byte]))


def test_a_server_that_answers_byte_by_byte_is_given_up_before_the_lease_ends() -> None:
    def give_up() -> None:
        server = Slowly(0.1)
        threading.Thread(target=server.serve, daemon=True).start()
        with server.listening:
            assert send(server.url, seconds=0.3).error

    assert quickest(give_up, 2 * 0.3 + 0.3, time.monotonic) < 2 * 0.3 + 0.3
    assert all(2 * ATTEMPT_SECONDS[slow] < LEASES[slow].total_seconds() for slow in (False, True))


@pytest.mark.contract("decided-notices.settings")
@pytest.mark.parametrize(
    "address", ["ada,eve@example.org", "Ada<eve@example.org", "ada@example.org;eve", "a\x01@x.org"]
)
def test_an_address_is_one_address(rest: Rest, address: str) -> None:
    assert fields_of(refused(rest.post("/members", {"name": "Ada", "email": address}), "BadRequest")) == ["email"]


@pytest.mark.contract("decided-notices.smtp")
def test_a_password_that_smtp_can_not_carry_is_an_outcome(mails: Inboxes) -> None:
    with serving(mails, authenticator=Passwords(), auth_require_tls=False) as port:
        assert "UnicodeEncodeError" in str(send(f"smtp://ada:h%C3%BCsh@localhost:{port}").error)


def test_an_address_with_letters_of_its_own_is_written_to(mails: Inboxes) -> None:
    with serving(mails) as port:
        assert send(f"smtp://localhost:{port}", to="jürgen@müller.example").succeeded
    assert mails.recipients == ["jürgen@müller.example"]
