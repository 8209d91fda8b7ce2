"""The official library for JavaScript verifies messages, with both secrets for a day after a rotation."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.clients.npm import installed
from tests.live import free_port, until_listening
from tests.webhooks.test_documentation import BODY, REFUSED, SECRET, signed, snippet

pytestmark = [pytest.mark.clients, pytest.mark.needs_mongod]

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def library() -> None:
    """The library that package-lock.json names."""
    installed(HERE, "webhooks are not verified with the library for JavaScript")


def verify(message: dict[str, Any], secret: str) -> subprocess.CompletedProcess[str]:
    given = json.dumps({**message, "secret": secret})
    return subprocess.run(["node", "verify.mjs"], cwd=HERE, input=given, capture_output=True, text=True)


@pytest.mark.contract("decided-webhooks.libraries", "decided-webhooks.rotation")
@pytest.mark.usefixtures("library")
def test_the_library_for_javascript_verifies_a_message_with_the_new_and_the_old_secret(sent: dict[str, Any]) -> None:
    for secret in sent["secrets"]:
        verified = verify(sent, secret)

        assert verified.returncode == 0, verified.stderr
        assert json.loads(verified.stdout) == json.loads(sent["body"])


@pytest.mark.usefixtures("library")
def test_the_receiver_in_the_documentation_takes_a_signed_message_and_answers_401_to_others() -> None:
    port = free_port()
    environment = {**os.environ, "WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    command = ["node", "--input-type=module", "--eval", snippet("js")]
    with subprocess.Popen(command, cwd=HERE, env=environment, stdout=subprocess.PIPE) as process:
        try:
            until_listening(port, process)
            url, body = f"http://127.0.0.1:{port}/content", BODY.encode()
            statuses = [httpx.post(url, content=body, headers=headers).status_code for headers in REFUSED.values()]
            accepted = httpx.post(url, content=body, headers=signed(SECRET)).status_code
        finally:
            process.terminate()
        assert process.stdout is not None
        printed = process.stdout.read()

    assert (accepted, statuses) == (204, [401] * len(REFUSED))
    assert printed == b"document.published 6650f0a1b2c3d4e5f6a7b8d0\n"
