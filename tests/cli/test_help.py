"""The command line helps: with misspelt commands, with files of another command, and while it works."""

from pathlib import Path

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner

from app.cli import main, progress


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


@pytest.mark.contract("decided-plans.odds")
def test_without_a_terminal_progress_is_a_line_every_few_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 2.5, 2.5, 3.0, 5.0, 5.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))

    with progress.progress("Planning", "pieces", 1_200) as advance:
        for _ in range(4):
            advance(300)

    shown = capsys.readouterr()
    assert (shown.out, shown.err.splitlines()) == (
        "",
        ["Planning: 600 of 1,200 pieces", "Planning: 1,200 of 1,200 pieces"],
    )


@pytest.mark.contract("decided-plans.odds")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str) -> None:
    completion = get_completion_class(shell)
    assert completion is not None

    found = completion(main, {}, "content-workflow", "_CONTENT_WORKFLOW_COMPLETE").get_completions([], "pl")

    assert [item.value for item in found] == ["plan"]
