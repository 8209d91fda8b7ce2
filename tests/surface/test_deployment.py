"""compose.yaml and the systemd unit of docs/deployment.md restrict what they start."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.settings import Settings

TOP = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((TOP / "compose.yaml").read_text("utf-8"))
SCRIPT = Path("examples/compose/make-secrets.sh")


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_container_is_restricted(name: str) -> None:
    service = COMPOSE["services"][name]

    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert int(service["stop_grace_period"].removesuffix("s")) >= 30  # docs/deployment.md: the service takes up to 25


@pytest.mark.parametrize(
    "image",
    [
        *re.findall(r"^FROM (\S+)", (TOP / "Dockerfile").read_text("utf-8"), re.MULTILINE),
        *sorted({service["image"] for service in COMPOSE["services"].values() if "image" in service}),
    ],
)
def test_every_image_is_named_by_its_digest(image: str) -> None:
    assert re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}", image)


def test_the_secrets_of_compose_are_made_once(tmp_path: Path) -> None:
    script = tmp_path / SCRIPT
    script.parent.mkdir(parents=True)
    shutil.copy(TOP / SCRIPT, script)
    files = [tmp_path / secret["file"] for secret in COMPOSE["secrets"].values()]

    subprocess.run([script], check=True)
    made = [file.read_text("utf-8") for file in files]
    subprocess.run([script], check=True)

    assert [file.read_text("utf-8") for file in files] == made
    assert {*files} == {*(tmp_path / "secrets").iterdir()}
    assert len({*made}) == 3
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert Settings.from_environment({"MONGODB_URI_FILE": str(tmp_path / "secrets" / "mongodb-uri")})
    assert {name for service in COMPOSE["services"].values() for name in service.get("secrets", ())} == {
        *COMPOSE["secrets"]
    }


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="asks systemd-analyze")
def test_systemd_finds_the_unit_of_the_docs_restricted(tmp_path: Path) -> None:
    page = (TOP / "docs/deployment.md").read_text("utf-8")
    unit = tmp_path / "content-workflow.service"
    unit.write_text(page.partition("```ini\n")[2].partition("```")[0])

    found = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
        capture_output=True,
        text=True,
        check=True,
    )

    level = re.search(r"exposure level for content-workflow.service: ([0-9.]+)", found.stdout)
    assert level
    assert float(level[1]) < 4
    assert found.stderr == ""  # nothing in it is unknown
