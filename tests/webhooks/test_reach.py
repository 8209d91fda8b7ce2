"""Where a webhook may reach: never the inside of the network, by whatever name, notation, redirect or trick."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import dns.resolver
import pytest

from app.outbound.ip_addresses import known_addresses, may_reach, wrong_url
from app.outbound.message_client import NO_ADDRESS, MessageClient, Outcome
from app.outbound.requests import resolve_host
from tests.certificates import self_signed
from tests.live import free_port
from tests.webhooks.receiver import Receiver, receiving

NAMES = {
    "inside.example": ["10.1.2.3"],
    "metadata.google.internal": ["169.254.169.254"],
    "both.example": ["93.184.215.14", "192.168.0.1"],
    "six.example": ["fd00::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "rebound.example": ["127.0.0.1"],
}
"""What names lead to, for the tests: none is looked up."""

INSIDE = (
    "https://127.0.0.1/",
    "https://127.8.9.10/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0x7F.0x0.0x0.0x1/",
    "https://127.0.0.1./",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST:8443/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://167772161/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://0xc0a80101/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://169.254.170.2/v2/credentials",
    "https://100.100.100.200/latest/meta-data/",
    "https://100.64.0.1/",
    "https://168.63.129.16/metadata",
    "https://192.0.0.192/opc/v2/",
    "https://198.18.0.1/",
    "https://192.0.2.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:a00:1::]/",
    "https://[2002:7f00:1::1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25lo]/",
    "https://[fec0::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/latest/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    "https://[100::1]/",
    "https://public.example@127.0.0.1/",
    "https://127.0.0.1#@public.example/",
    "https://①②⑦.⓪.⓪.①/",
    "https://inside.example/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://both.example/",
    "https://six.example/",
    "https://mapped.example/",
    "https://rebound.example:8443/",
    "http://93.184.215.14/",
)
"""URLs that lead inside, or send over plain http."""


def resolve(host: str, seconds: float) -> list[str]:
    """Resolves names by the table, and addresses as the service does."""
    return NAMES.get(host) or known_addresses(host)


@pytest.mark.contract("decided-webhooks.inside")
@pytest.mark.parametrize("url", INSIDE)
def test_nothing_is_sent_to_the_inside(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connected(*_: object, **__: object) -> None:
        pytest.fail("a connection was made")

    monkeypatch.setattr(socket, "create_connection", connected)

    outcome = MessageClient(allow_local=False, resolve=resolve).send(url, {}, b"{}")

    assert outcome == Outcome(None, NO_ADDRESS, 0)


def test_the_table_is_long_enough() -> None:
    assert len(set(INSIDE)) >= 40


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("8.8.8.8", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("::ffff:93.184.215.14", True),
        ("64:ff9b::93.184.215.14", True),
        ("2002:5db8:d70e::1", True),
        ("172.15.255.255", True),
        ("172.32.0.0", True),
        ("100.63.255.255", True),
        ("100.128.0.0", True),
        ("172.31.255.255", False),
        ("2001:1::1", False),
        ("4000::1", False),
    ],
)
def test_the_border_runs_where_the_registries_say(address: str, public: bool) -> None:
    assert may_reach(address, "https", allow_local=False) is public
    assert may_reach(address, "http", allow_local=True) is False


@pytest.mark.contract("decided-webhooks.local")
@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_reached_only_where_that_is_allowed(address: str) -> None:
    assert [may_reach(address, scheme, allowed) for scheme in ("http", "https") for allowed in (False, True)] == [
        *(False, True, False, True)
    ]


@pytest.mark.parametrize(
    "url", [url for url in INSIDE if ".example" not in url.partition("#")[0] and "google" not in url]
)
def test_a_url_that_is_plainly_inside_is_refused_when_it_is_written(url: str) -> None:
    if "①" not in url:  # digits that only a look-up makes plain
        assert wrong_url(url, allow_local=False) is not None


@pytest.mark.parametrize("url", ["https://hooks.example.org/x?a=1", "https://8.8.8.8:8443/", "https://bücher.example/"])
def test_a_url_outside_is_taken(url: str) -> None:
    assert wrong_url(url, allow_local=False) is None
    assert wrong_url(url.replace("https", "http"), allow_local=False) == "Must be an https URL."


@pytest.mark.contract("decided-webhooks.pinned")
def test_a_name_that_changes_its_address_is_looked_up_once_and_reached_where_it_was_judged(receiver: Receiver) -> None:
    answers = [["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"]]
    asked: list[str] = []

    def changing(host: str, seconds: float) -> list[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    outcome = MessageClient(allow_local=True, resolve=changing).send(
        f"http://hooks.example:{receiver.port}/a%20b/ü?q=ü", {"webhook-id": "1"}, b"{}"
    )

    assert outcome.succeeded, outcome
    assert asked == ["hooks.example"]
    headers, _ = receiver.requests[0]
    assert headers["host"] == f"hooks.example:{receiver.port}"
    assert headers[":path"] == "/a%20b/%C3%BC?q=%C3%BC"


def test_a_name_that_turns_inside_between_two_messages_is_refused(receiver: Receiver) -> None:
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    sender = MessageClient(allow_local=True, resolve=lambda *_: next(answers))
    url = f"http://hooks.example:{receiver.port}/"

    assert sender.send(url, {}, b"{}").succeeded
    assert sender.send(url, {}, b"{}").error == NO_ADDRESS
    assert len(receiver.requests) == 1


@pytest.mark.contract("decided-webhooks.redirects")
def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    with receiving() as inside:
        receiver.statuses, receiver.headers = [307], {"Location": inside.url}

        outcome = MessageClient(allow_local=True).send(receiver.url, {}, b"{}")

        assert (outcome.status_code, outcome.error) == (307, "The response had status 307.")
        assert inside.requests == []


@contextmanager
def speaking(data: bytes, *, for_ever: bool = False) -> Iterator[int]:
    """Answers one connection with bytes, once or until the other side has enough; yields the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def speak() -> None:
        with listener, listener.accept()[0] as connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(data)
            while for_ever:
                connection.sendall(data)

    thread = threading.Thread(target=speak)
    thread.start()
    yield listener.getsockname()[1]
    thread.join()


def sent_to(port: int, seconds: float = 30) -> Outcome:
    return MessageClient(allow_local=True, attempt_seconds=seconds).send(f"http://127.0.0.1:{port}/", {}, b"{}")


def test_an_answer_without_end_is_read_only_so_far() -> None:
    with speaking(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 65_536, for_ever=True) as port:
        assert sent_to(port).succeeded


NO_HTTP = "The connection was closed early, or the response was not valid HTTP."


@pytest.mark.parametrize(
    "part", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", b"\r\n"]
)
def test_informational_responses_without_end_are_read_only_so_far(part: bytes) -> None:
    with speaking(part * 500, for_ever=True) as port:
        began = time.thread_time()
        outcome = sent_to(port, seconds=60)

        assert outcome.error in ("The response had no status within 64 KiB.", NO_HTTP)
        assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    ("data", "for_ever"),
    [(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 10_000, True), (b"SSH-2.0-OpenSSH_9.2\r\n", False)],
    ids=["headers without end", "another protocol"],
)
def test_what_is_no_http_is_a_failure(data: bytes, for_ever: bool) -> None:
    with speaking(data, for_ever=for_ever) as port:
        assert sent_to(port).error == NO_HTTP


def test_an_answer_that_comes_byte_by_byte_is_given_up_when_the_time_is_over() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()
    pauses = 0

    def drip() -> None:
        nonlocal pauses
        with listener, listener.accept()[0] as connection:
            for _ in range(1_000):
                pauses += 1
                try:
                    connection.sendall(b"H")
                except OSError:
                    return
                if over.wait(0.02):
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    outcome = sent_to(listener.getsockname()[1], seconds=0.3)
    over.set()
    thread.join()

    assert outcome.error == "The receiver did not respond within 0.3 seconds."
    assert pauses < 100, "two seconds, and more on a machine that holds up both sides"


def test_a_receiver_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        outcome = sent_to(listener.getsockname()[1], seconds=0.2)

    assert outcome.error == "The receiver did not respond within 0.2 seconds."


def test_a_refused_connection_is_the_error_of_the_attempt() -> None:
    assert sent_to(free_port()).error == "The connection was refused."


def test_a_name_whose_servers_do_not_respond_is_given_up_with_the_same_error_and_no_time() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], silent.getsockname()[1]
        client = MessageClient(allow_local=False, resolve=partial(resolve_host, resolver=resolver), attempt_seconds=0.4)
        began = time.monotonic()

        outcome = client.send("https://hooks.example/", {}, b"{}")

    assert outcome == Outcome(None, NO_ADDRESS, 0)
    assert time.monotonic() - began < 5, "a resolver itself waits for 5 seconds, twice"


@pytest.mark.parametrize(
    "url", ["https://a..example/", "https://" + "a" * 64 + ".example/", "https://" + "a." * 130 + "example/"]
)
def test_a_host_that_no_dns_can_hold_has_no_address(url: str) -> None:
    assert MessageClient(allow_local=False).send(url, {}, b"{}") == Outcome(None, NO_ADDRESS, 0)


@pytest.mark.parametrize("host", ["localhost", "hooks.localhost", "LOCALHOST.", "127.1"])
def test_localhost_needs_no_dns(receiver: Receiver, host: str) -> None:
    assert MessageClient(allow_local=True).send(f"http://{host}:{receiver.port}/", {}, b"{}").succeeded


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for hooks.example that nobody vouches for, with its key."""
    return self_signed("hooks.example", tmp_path_factory.mktemp("tls"))


def test_tls_is_checked_against_the_name_though_the_connection_goes_to_an_address(certificate: Path) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))

    def to(name: str, tls: ssl.SSLContext | None) -> Outcome:
        sender = MessageClient(allow_local=True, resolve=lambda *_: ["127.0.0.1"], tls=tls)
        return sender.send(f"https://{name}:{receiver.port}/", {}, b"{}")

    with receiving(server) as receiver:
        assert to("hooks.example", trusting).succeeded
        assert (to("other.example", trusting).error or "").startswith("TLS failed")
        assert (to("hooks.example", None).error or "").startswith("TLS failed")
