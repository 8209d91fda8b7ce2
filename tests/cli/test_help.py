"""The command line helps: with misspelt commands, with files of another command, and while it works."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner

from app.cli import main
from app.core.store.store import Store
from tests.make import a_project


@pytest.mark.contract("decided-plans.odds")
@pytest.mark.parametrize(("typed", "meant"), [("serv", "serve"), ("Plan", "plan"), ("improt", "import"), ("zzz", None)])
def test_a_misspelt_command_names_the_one_that_was_meant(typed: str, meant: str | None) -> None:
    refused = CliRunner().invoke(main, [typed])

    assert refused.exit_code == 2
    assert f"No such command {typed!r}." in refused.stderr
    assert (repr(meant) in refused.stderr) == (meant is not None)


@pytest.mark.contract("decided-plans.odds")
@pytest.mark.parametrize("name", ["plan.csv", "plan.yaml", "plan.json"])
def test_a_plan_is_not_imported_but_planned(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("key,title\n")

    refused = CliRunner().invoke(main, ["import", "--project", "x", str(file)])

    assert refused.exit_code == 2
    assert f"content-workflow plan --project x {file}" in refused.stderr


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-plans.odds")
def test_on_a_terminal_a_plan_shows_how_far_it_is(store: Store, mongodb_uri: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    file.write_text("key,title\na,A\nb,B\n")
    command = [sys.executable, "-c", "from app.cli import main; main()", "plan", "--project", a_project(store).id, file]
    environment = os.environ | {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name}
    parent, terminal = pty.openpty()

    subprocess.run(command, stderr=terminal, env=environment, timeout=60, check=True)

    shown = os.read(parent, 10_000).decode()
    os.close(parent)
    os.close(terminal)
    assert "Planning" in shown
    assert "2/2" in shown


@pytest.mark.contract("decided-plans.odds")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str) -> None:
    completion = get_completion_class(shell)
    assert completion is not None

    found = completion(main, {}, "content-workflow", "_CONTENT_WORKFLOW_COMPLETE").get_completions([], "pl")

    assert [item.value for item in found] == ["plan"]
