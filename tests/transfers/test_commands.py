"""`export` and `import` of a whole project from the command line."""

import codecs
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import calling, main
from app.core.store.store import Store
from tests.make import Project, a_document, a_project

pytestmark = pytest.mark.needs_mongod


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, mongodb_uri: str) -> Iterator[CliRunner]:
    """The command line on the test's database."""
    monkeypatch.setenv("MONGODB_URI", mongodb_uri)
    monkeypatch.setenv("MONGODB_DATABASE", store.database.name)
    calling.store.cache_clear()
    yield CliRunner()
    calling.store().database.client.close()
    calling.store.cache_clear()


def test_a_project_goes_into_a_file_and_from_there_into_another(
    run: CliRunner, store: Store, project: Project, tmp_path: Path
) -> None:
    a_document(project.context(), title="Rye", markdown="Dark.")
    file, other = tmp_path / "project.ndjson", a_project(store)

    out = run.invoke(main, ["export", "--project", project.id, "--out", str(file)], catch_exceptions=False)
    there = run.invoke(main, ["import", "--project", other.id, str(file)], catch_exceptions=False)
    again = run.invoke(main, ["import", "--project", other.id, str(file)], catch_exceptions=False)

    assert (out.exit_code, there.exit_code, again.exit_code) == (0, 0, 1)
    assert list(tmp_path.iterdir()) == [file]
    assert "Imported: 1 document." in there.output
    assert again.stderr.startswith("Error: The project has documents; ")
    assert len(again.stderr.splitlines()) == 1


def test_the_settings_that_an_import_replaces_are_named(run: CliRunner, store: Store, tmp_path: Path) -> None:
    project, other = a_project(store, siteUrl="https://crust.example", name="Crust"), a_project(store, name="Crumb")
    file = tmp_path / "project.ndjson"
    run.invoke(main, ["export", "--project", project.id, "--out", str(file)], catch_exceptions=False)

    there = run.invoke(main, ["import", "--project", other.id, str(file)], catch_exceptions=False)

    assert "Settings of the project that were replaced: name, siteUrl." in there.output


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (slice(0, 1), "The export does not begin with"),
        (slice(3, 4), "The export had 4 lines before this one, and here are 3: some are missing."),
        (slice(4, 5), "The export does not end with"),
    ],
)
def test_an_export_that_lost_a_line_makes_the_exit_code_1(
    run: CliRunner, store: Store, project: Project, tmp_path: Path, lost: slice, why: str
) -> None:
    a_document(project.context(), title="Rye")
    file, other = tmp_path / "project.ndjson", a_project(store)
    lines = run.invoke(main, ["export", "--project", project.id]).stdout.splitlines(keepends=True)
    assert len(lines) == 5
    del lines[lost]
    file.write_text("".join(lines))

    out = run.invoke(main, ["import", "--project", other.id, str(file)])

    assert out.exit_code == 1
    assert why in out.stderr


def test_nothing_of_an_export_that_was_cut_short_is_imported_until_somebody_vouches_for_it(
    run: CliRunner, store: Store, project: Project, tmp_path: Path
) -> None:
    a_document(project.context(), title="Rye")
    file, other = tmp_path / "project.ndjson", a_project(store)
    lines = run.invoke(main, ["export", "--project", project.id]).stdout.splitlines(keepends=True)[:-1]
    file.write_text("".join(lines))

    refused = run.invoke(main, ["import", "--project", other.id, str(file)])
    there = run.invoke(main, ["export", "--project", other.id]).stdout
    assert '{"type":"end","lines":%d}' in refused.stderr
    file.write_text(f'{"".join(lines)}{{"type":"end","lines":{len(lines)}}}\n')

    assert "Rye" not in there
    assert run.invoke(main, ["import", "--project", other.id, str(file)]).exit_code == 0


def test_an_export_that_an_editor_on_windows_saved_again_is_the_same(
    run: CliRunner, store: Store, project: Project, tmp_path: Path
) -> None:
    a_document(project.context(), title="Rye", markdown="Dark.")
    file = tmp_path / "project.ndjson"
    lines = run.invoke(main, ["export", "--project", project.id]).stdout_bytes
    file.write_bytes(codecs.BOM_UTF8 + lines.replace(b"\n", b"\r\n"))

    there = run.invoke(main, ["import", "--project", a_project(store).id, str(file)])

    assert (there.exit_code, there.stderr) == (0, "")


def test_an_unknown_project_leaves_no_file(run: CliRunner, tmp_path: Path) -> None:
    file = tmp_path / "project.ndjson"

    out = run.invoke(main, ["export", "--project", "6650f0a1b2c3d4e5f6a7b8c9", "--out", str(file)])

    assert out.exit_code == 1
    assert not list(tmp_path.iterdir())


def test_an_export_is_not_written_through_a_link_beside_it(run: CliRunner, project: Project, tmp_path: Path) -> None:
    file, theirs = tmp_path / "project.ndjson", tmp_path / "theirs"
    theirs.write_text("theirs")
    Path(f"{file}.part").symlink_to(theirs)

    run.invoke(main, ["export", "--project", project.id, "--out", str(file)], catch_exceptions=False)

    assert (theirs.read_text(), file.is_symlink()) == ("theirs", False)
    assert file.read_bytes().startswith(b"{")


def test_an_export_that_can_not_be_written_says_why(run: CliRunner, project: Project, tmp_path: Path) -> None:
    out = run.invoke(main, ["export", "--project", project.id, "--out", str(tmp_path / "missing" / "project.ndjson")])

    assert (out.exit_code, out.stderr) == (
        1,
        f"Error: {tmp_path}/missing/project.ndjson can't be written: No such file or directory.\n",
    )


@pytest.mark.parametrize("option", ["--update", "--publish"])
def test_an_option_for_markdown_is_refused_with_an_exported_project(
    run: CliRunner, tmp_path: Path, option: str
) -> None:
    file = tmp_path / "project.NDJSON"
    file.write_text("")

    refused = run.invoke(main, ["import", "--project", "6650f0a1b2c3d4e5f6a7b8c9", option, str(file)])

    assert refused.exit_code == 2
    assert "--update and --publish are for markdown files" in refused.stderr


def test_a_refused_line_is_reported_and_makes_the_exit_code_1(run: CliRunner, project: Project, tmp_path: Path) -> None:
    file = tmp_path / "project.ndjson"
    file.write_text('{"type": "export", "version": 1}\n{"type": "member"}\n[]\n{"type": "end", "lines": 3}\n')

    out = run.invoke(main, ["import", "--project", project.id, str(file)])

    assert (out.exit_code, out.stdout) == (1, "Nothing was imported: correct the file, or write it again.\n")
    assert "Refused: line 2" in out.output
    assert "Refused: line 3" in out.output


def test_nothing_of_an_export_of_another_format_is_imported(
    run: CliRunner, store: Store, project: Project, tmp_path: Path
) -> None:
    a_document(project.context(), title="Rye")
    file, other = tmp_path / "project.ndjson", a_project(store)
    lines = run.invoke(main, ["export", "--project", project.id]).stdout
    file.write_text(lines.replace('"version":1', '"version":2', 1))

    out = run.invoke(main, ["import", "--project", other.id, str(file)])

    assert out.exit_code == 1
    assert "Error: The export is not of format 1: " in out.stderr
    assert "Rye" not in run.invoke(main, ["export", "--project", other.id]).stdout


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_a_record_is_refused(run: CliRunner, project: Project, tmp_path: Path, text: str) -> None:
    file = tmp_path / "project.ndjson"
    file.write_text(text)

    out = run.invoke(main, ["import", "--project", project.id, str(file)])

    assert out.exit_code == 1
    assert out.stderr.endswith(
        'Error: The export does not begin with {"type":"export",…}. '
        "Write it again with `content-workflow export` or `GET /export`.\n"
    )
