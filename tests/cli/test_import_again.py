"""Importing a folder again after editors changed, renamed, unpublished or deleted what came of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.context import Context
from tests.cli.conftest import Cli
from tests.cli.test_import import documents_of, redirects_of, write
from tests.cli.test_sites import run
from tests.make import OPERATIONS, Project, a_document

IN_TRASH = {"skipped": {"a.md": "Its document is in the trash: restore that, or name another slug."}}

pytestmark = pytest.mark.needs_mongod


def rename(ctx: Context, document_id: str) -> None:
    OPERATIONS["update_document"](ctx, document_id, fields={"slug": "renamed"})


def rename_and_publish(ctx: Context, document_id: str) -> None:
    rename(ctx, document_id)
    OPERATIONS["publish_document"](ctx, document_id, fields={})


def describe(ctx: Context, document_id: str) -> None:
    OPERATIONS["update_document"](ctx, document_id, fields={"metaTitle": "Not done"})


def unpublish(ctx: Context, document_id: str) -> None:
    OPERATIONS["unpublish_document"](ctx, document_id)


def delete(ctx: Context, document_id: str) -> None:
    OPERATIONS["delete_document"](ctx, document_id)


def rename_and_delete(ctx: Context, document_id: str) -> None:
    rename_and_publish(ctx, document_id)
    delete(ctx, document_id)


@pytest.mark.contract("decided-commands.import-again")
@pytest.mark.parametrize(
    ("edit", "publishes", "listed"),
    [
        (rename, True, {"changed": {"a.md": ["slug"]}}),
        (rename, False, {"changed": {"a.md": ["slug"]}}),
        (rename_and_publish, True, {"changed": {"a.md": ["slug"]}}),
        (describe, True, {}),
        (unpublish, True, {"unpublished": {"a.md": "it was unpublished here"}}),
        (delete, True, IN_TRASH),
        (delete, False, IN_TRASH),
        (rename_and_delete, True, IN_TRASH),
    ],
)
def test_a_second_import_changes_nothing_whatever_editors_did(
    cli: Cli,
    project: Project,
    tmp_path: Path,
    edit: Callable[[Context, str], None],
    publishes: bool,
    listed: dict[str, Any],
) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\n---\nText")
    options = ("--publish",) * publishes
    run(cli, project, tmp_path, *options)
    edit(project.context(), documents_of(project)["a"]["id"])
    before, redirects = documents_of(project), redirects_of(project)

    report = run(cli, project, tmp_path, *options)

    assert {name: report[name] for name in ("changed", "unpublished", "skipped") if report[name]} == listed
    assert (report["created"], report["published"], report["refused"]) == (0, 0, {})
    assert (documents_of(project), redirects_of(project)) == (before, redirects)


def test_update_gives_a_renamed_document_the_slug_of_its_file_and_publishes_it_again(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\n---\nText")
    run(cli, project, tmp_path, "--publish")
    rename_and_publish(project.context(), documents_of(project)["a"]["id"])
    unpublish(project.context(), documents_of(project)["renamed"]["id"])

    report = run(cli, project, tmp_path, "--update", "--publish")

    assert (report["updated"], report["published"]) == (1, 1)
    assert redirects_of(project) == {"renamed": "a"}
    assert run(cli, project, tmp_path, "--publish")["unchanged"] == 1


def test_an_alias_and_the_first_slug_of_a_draft_of_the_console_match_no_file(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "b.md", "---\ntitle: B\naliases: [/old/a/]\n---\nText")
    run(cli, project, tmp_path)
    ctx = project.context()
    rename(ctx, a_document(ctx, title="C")["id"])
    write(tmp_path, "a.md", "---\ntitle: A\n---\nText")
    write(tmp_path, "c.md", "---\ntitle: C\n---\nText")

    assert run(cli, project, tmp_path)["created"] == 2
    assert set(documents_of(project)) == {"a", "b", "c", "renamed"}


def test_two_files_of_one_document_are_not_both_written(cli: Cli, project: Project, tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\n---\nText")
    run(cli, project, tmp_path)
    rename(project.context(), documents_of(project)["a"]["id"])
    write(tmp_path, "b.md", "---\ntitle: B\nslug: renamed\n---\nOther")

    report = run(cli, project, tmp_path, "--update")

    assert (report["updated"], list(documents_of(project))) == (1, ["a"])
    assert report["refused"] == {"b.md": "Its document is that of a.md, which had another slug: name another slug."}
