"""Importing a folder again after editors changed, renamed, unpublished or deleted what came of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.context import Context
from tests.cli.conftest import Cli
from tests.cli.test_import import documents_of, redirects_of, write
from tests.cli.test_sites import run, text_of
from tests.make import OPERATIONS, Project, a_document

IN_TRASH = {"skipped": {"a.md": "Its document is in the trash: restore that, or name another slug."}}
RENAMED = {"renamed": {"a.md": "renamed"}}

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
        (rename, True, RENAMED),
        (rename, False, RENAMED),
        (rename_and_publish, True, RENAMED),
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

    assert {name: report[name] for name in ("changed", "unpublished", "skipped", "renamed") if report[name]} == listed
    assert (report["created"], report["published"], report["refused"]) == (0, 0, {})
    assert (documents_of(project), redirects_of(project)) == (before, redirects)


def test_update_leaves_a_renamed_document_its_slug_and_publishes_it_again(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\naliases: [/old/x/]\n---\nText")
    run(cli, project, tmp_path, "--publish")
    rename_and_publish(project.context(), documents_of(project)["a"]["id"])
    unpublish(project.context(), documents_of(project)["renamed"]["id"])
    write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\naliases: [/old/x/]\n---\nOther")

    report = run(cli, project, tmp_path, "--update", "--publish")

    assert (report["updated"], report["published"], report["renamed"]) == (1, 1, {"a.md": "renamed"})
    assert report["paths"] == {"/old/x/": "renamed"}
    assert redirects_of(project) == {"a": "renamed", "x": "renamed"}
    shown = cli("import", "--project", project.id, tmp_path, "--publish").stdout
    assert "Renamed here, which stays: a.md (renamed)\n" in shown
    assert run(cli, project, tmp_path, "--publish")["unchanged"] == 1


def test_a_file_that_became_a_draft_is_listed_while_its_document_stays_published(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\n---\nText")
    run(cli, project, tmp_path, "--publish")
    listed = {"a.md": "a draft; what was published before stays"}
    for text in ("Text", "Other"):
        write(tmp_path, "a.md", f"---\ntitle: A\ndate: 2020-01-02\ndraft: true\n---\n{text}")

        assert run(cli, project, tmp_path, "--update", "--publish")["unpublished"] == listed
    assert documents_of(project)["a"]["isPublished"]


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
    write(tmp_path, "a.md", "---\ntitle: A\n---\nAnother")
    write(tmp_path, "b.md", "---\ntitle: B\nslug: renamed\n---\nOther")

    report = run(cli, project, tmp_path, "--update")

    assert (report["updated"], text_of(project, "renamed"), len(documents_of(project))) == (1, "Another", 1)
    assert report["refused"] == {"b.md": "Its document is that of a.md, which had another slug: name another slug."}


def test_the_report_names_each_file_and_the_first_twenty_of_a_kind_in_text(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    files = [f"{number:02}.md" for number in range(23)]
    for file in files:
        write(tmp_path, file, "---\ntitle: A\ndate: 2020-01-02\n---\nText")
    tried = run(cli, project, tmp_path, "--publish", "--dry-run")
    shown = cli("import", "--project", project.id, tmp_path, "--publish", "--dry-run").stdout

    assert run(cli, project, tmp_path, "--publish") == tried
    assert tried["files"] == {"created": files, "updated": [], "published": files}
    assert f"Created: {', '.join(files[:20])}, and 3 more\n" in shown
    assert f"Published: {', '.join(files[:20])}, and 3 more\n" in shown
    assert "Updated:" not in shown

    write(tmp_path, "00.md", "---\ntitle: B\ndate: 2020-01-02\n---\nText")
    assert run(cli, project, tmp_path, "--update")["files"] == {"created": [], "updated": ["00.md"], "published": []}


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--update",), ("--update", "--dry-run")])
def test_what_was_changed_here_since_the_import_is_named(
    cli: Cli, project: Project, tmp_path: Path, options: tuple[str, ...]
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        write(tmp_path, name, "---\ntitle: A\n---\nText")
    run(cli, project, tmp_path)
    documents = documents_of(project)
    for slug in ("b", "c"):
        describe(project.context(), documents[slug]["id"])
    for name in ("a.md", "b.md"):
        write(tmp_path, name, "---\ntitle: B\n---\nText")

    shown = cli("import", "--project", project.id, tmp_path, *options, "--dry-run").stdout
    assert "Changed here since the import: b.md\n" in shown
    assert run(cli, project, tmp_path, *options)["edited"] == ["b.md"]


def test_a_category_that_update_creates_is_listed(cli: Cli, project: Project, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        write(tmp_path, name, "---\ntitle: A\ncategory: Trips/Alps\n---\nText")
    run(cli, project, tmp_path)
    ctx = project.context()
    alps = documents_of(project)["a"]["categoryId"]
    OPERATIONS["update_category"](ctx, alps, fields={"name": "Mountains"})

    listed = run(cli, project, tmp_path)
    assert (listed["categories"], listed["absent"]) == ([], ["Trips > Alps"])
    assert "No category here: Trips > Alps; if it was" in cli("import", "--project", project.id, tmp_path).stdout
    tried = run(cli, project, tmp_path, "--update", "--dry-run")
    assert tried["categories"] == run(cli, project, tmp_path, "--update")["categories"] == ["Trips > Alps"]
