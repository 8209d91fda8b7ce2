"""What `make release` changes and refuses; the package itself is tried by `make dist`."""

import json
from pathlib import Path

import pytest

from release.__main__ import CLIENT, Refused, check_bill, number, pinned, with_section, with_version

DIGEST = f"sha256:{'0a' * 32}"
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Rye.\n\n## [1.0.0] - 2026-01-01\n\n- Bread.\n"


def test_what_is_unreleased_becomes_the_section_of_the_version() -> None:
    assert with_section(CHANGELOG, "1.1.0", "2026-12-01") == CHANGELOG.replace(
        "## [Unreleased]\n", "## [Unreleased]\n\n## [1.1.0] - 2026-12-01\n"
    )


@pytest.mark.parametrize(
    ("changelog", "version"),
    [(CHANGELOG.replace("- Rye.\n", ""), "1.1.0"), (CHANGELOG, "1.0.0"), ("# None\n", "1.1.0")],
)
def test_a_release_needs_a_section_of_its_own(changelog: str, version: str) -> None:
    with pytest.raises(Refused):
        with_section(changelog, version, "2026-12-01")


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0rc1", "01.0.0", ""])
def test_a_version_is_three_numbers(version: str) -> None:
    with pytest.raises(Refused):
        number(version)


def test_the_image_is_pinned_in_each_stage_and_stays_pinned() -> None:
    dockerfile = "FROM python:3.13 AS build\nRUN true\nFROM python:3.13\n"
    with pytest.raises(Refused, match="does not pin python:3.13"):
        pinned(dockerfile, "")

    done = pinned(dockerfile, DIGEST)

    assert done == f"FROM python:3.13@{DIGEST} AS build\nRUN true\nFROM python:3.13@{DIGEST}\n"
    assert pinned(done, "") == done
    assert pinned(done, DIGEST.replace("0a", "0b")) == done.replace("0a", "0b")


@pytest.mark.parametrize(
    ("changes", "is_refused"),
    [({}, False), ({"version": "1.0.0"}, True), ({"licenses": []}, True), ({"name": "another"}, True)],
)
def test_a_bill_of_materials_has_the_version_and_licences(
    tmp_path: Path, changes: dict[str, object], *, is_refused: bool
) -> None:
    ours = {"name": "content-workflow", "version": "1.1.0", "licenses": [{"license": {"id": "MIT"}}], **changes}
    bill = tmp_path / "bill.json"
    bill.write_text(json.dumps({"components": [ours]}))

    if is_refused:
        with pytest.raises(Refused):
            check_bill(bill, "1.1.0")
    else:
        check_bill(bill, "1.1.0")


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_the_client_for_javascript_has_the_version_and_nothing_else_changes(name: str) -> None:
    manifest = (CLIENT / name).read_text("utf-8")
    present = json.loads(manifest)["version"]

    done = with_version(manifest, "98.7.6")

    assert done == manifest.replace(f'"version": "{present}"', '"version": "98.7.6"', 2 if "lock" in name else 1)
    assert done.count('"98.7.6"') == (2 if "lock" in name else 1)
