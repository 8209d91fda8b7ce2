"""The pages about security name tests that are there, and every row of the OWASP API Security Top 10."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live import Handler, answering

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/security.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", (CHECKOUT / page).read_text("utf-8"))

    assert len(named) > 5
    assert [path for path, _ in named if not (CHECKOUT / path).exists()] == []
    functions = [(path, name) for path, name in named if name]
    assert [one for one in functions if f"def {one[1]}(" not in (CHECKOUT / one[0]).read_text("utf-8")] == []


def test_every_row_of_the_owasp_api_security_top_10_has_a_test() -> None:
    rows = re.findall(
        r"^\| API(\d+) .*\|.*\| .*`tests/.*` \|$", (CHECKOUT / "SECURITY.md").read_text("utf-8"), re.MULTILINE
    )

    assert rows == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-run.lock"])
def test_every_locked_package_has_hashes(lock: str) -> None:
    packages = re.split(r"\n(?=[\w.-]+(?:\[[\w,-]+\])?==)", "\n" + (CHECKOUT / lock).read_text("utf-8"))[1:]

    assert len(packages) > 40
    assert [one.split()[0] for one in packages if "--hash=sha256:" not in one] == []
    assert not re.search(r"^(-e|git\+|https?:)| @ ", "\n".join(packages), re.MULTILINE), "each comes from the index"


@pytest.mark.slow
@pytest.mark.parametrize(("vulnerable", "status"), [("", 0), ("flask", 1)])
def test_make_audit_looks_every_locked_package_up_and_fails_where_one_has_an_advisory(
    vulnerable: str, status: int
) -> None:
    """With a database of advisories of our own, in the format of OSV; `make audit` asks PyPI."""
    options = re.findall(
        r"^AUDIT := \$\(VENV\)/bin/pip-audit (.*)$", (CHECKOUT / "Makefile").read_text("utf-8"), re.MULTILINE
    )
    lock = (CHECKOUT / "requirements.lock").read_text("utf-8")
    locked = set(re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==[^;\n]*$", lock, re.MULTILINE))

    with _advisories_of(vulnerable) as (url, asked):
        command = [str(Path(sys.executable).with_name("pip-audit")), *shlex.split(options[0])]
        command += ["--requirement", str(CHECKOUT / "requirements.lock")]
        ended = subprocess.run(
            [*command, "--vulnerability-service", "osv", "--osv-url", url], capture_output=True, text=True, timeout=120
        )

    assert ended.returncode == status, ended.stderr
    assert vulnerable in ended.stdout
    assert len(locked) > 100
    assert locked <= asked


@contextmanager
def _advisories_of(vulnerable: str) -> Iterator[tuple[str, set[str]]]:
    """Serves one advisory, of all versions of a package; yields the address and the names that were asked for."""
    asked: set[str] = set()

    class Advisories(Handler):
        def do_POST(self) -> None:
            name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["package"]["name"]
            asked.add(name)
            ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}]}]
            affected = [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}]
            found = {"id": "TEST-1", "details": "A test.", "modified": "2027-01-01T00:00:00Z", "affected": affected}
            self.answer(json.dumps({"vulns": [found]} if name == vulnerable else {}).encode())

    with answering(Advisories) as address:
        yield f"{address}/v1/query", asked
