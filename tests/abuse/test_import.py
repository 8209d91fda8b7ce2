"""Files and lines made to harm `import`: each is refused by name with why, and the good ones beside them are imported.

The command runs in a process of its own with little memory, against the mongod of the other attacks.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.db import prepare
from app.core.store.store import Store
from app.features import connect
from tests.make import OPERATIONS, Project, a_project

Database = tuple[Store, dict[str, str]]

ADDRESS_SPACE = 1024 * 1024 * 1024
SECONDS = 20
LEVELS = 100_000

ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)
)
MERGES = "m0: &m0 {x0: 1, y0: 1}\n" + "".join(
    f"m{level}: &m{level}\n  <<: [{', '.join([f'*m{level - 1}'] * 9)}]\n" for level in range(1, 9)
)

FRONT_MATTER: dict[str, tuple[str, str]] = {
    "YAML aliases": (f"---\n{ALIASES}title: *a9\n---\n", "alias"),
    "YAML aliases in a key that is printed": (f"---\n{ALIASES}title: x\ndate: *a7\n---\n", "alias"),
    "YAML merges": (f"---\n{MERGES}title: x\n---\n", "<<"),
    "a YAML merge without an alias": ("---\ntitle: x\n<<: {slug: y}\n---\n", "<<"),
    "a YAML list in a list": (f"---\ntitle: {'[' * LEVELS}\n---\n", "levels"),
    "a YAML mapping in a mapping": (f"---\ntitle: {'{a: ' * 1_000}{'}' * 1_000}\n---\n", "levels"),
    "YAML of many megabytes": (f"---\ntitle: x\nnote: {'x, ' * 10_000_000}\n---\n", "MB"),
    "front matter that is too long": (f"---\ntitle: x\nnote: {'x' * 400_000}\n---\n", "characters"),
    "a YAML tag": ("---\ntitle: !!int ''\n---\n", "tag"),
    "a YAML float beyond all floats": (f"---\ntitle: x\nnote: {'1:' * 400}1.5\n---\n", "is not valid YAML"),
    "a TOML array in an array": (f"+++\ntitle = {'[' * LEVELS}\n+++\n", "levels"),
    "a TOML table in a table": (f"+++\ntitle = {'{a = ' * 5_000}1{'}' * 5_000}\n+++\n", "levels"),
    "a TOML key of many parts": (f"+++\ndate.{'a.' * 50_000}b = 1\n+++\n", "levels"),
    "a TOML key of quoted parts": ("+++\n" + '"\\"" . ' * 10_000 + "b = 1\n+++\n", "levels"),
    "TOML tables of many parts": ("+++\n" + "".join(f"[{'a.' * 40}b{n}]\n" for n in range(100)) + "+++\n", "levels"),
    "a date before all dates": ("---\ntitle: x\ndate: 0001-01-01T00:00:00+23:00\n---\n", "date"),
    "a very long date": (f"---\ntitle: x\ndate: '{'9' * 100_000}'\n---\n", "date"),
    "a number of 5,000 digits as the date": (f"---\ntitle: x\ndate: 0x{'f' * 5_000}\n---\n", "a number"),
    "a TOML number of 5,000 digits as the date": (f"+++\ntitle = 'x'\ndate = 0x{'f' * 5_000}\n+++\n", "date"),
    "a TOML number of 5,000 digits for true": (f"+++\ntitle = 'x'\ndraft = [0x{'f' * 5_000}]\n+++\n", "draft"),
    "a YAML number in base 60": (f"---\ntitle: x\nnote: 1{':59' * 40_000}\n---\n", "a number"),
    "a very long title": (f"---\ntitle: {'x' * 100_000}\n---\n", "title"),
    "thousands of wrong links": (f"---\ntitle: x\nbrief: {{internalLinks: [{'x, ' * 40_000}x]}}\n---\n", "Links"),
    "a title of terminal commands": ('---\ntitle: x\nstatus: "\\e]0;owned\\a"\n---\n', "status"),
}  # fmt: skip


@pytest.fixture(scope="module")
def database(own_mongod: tuple[str, int]) -> Iterator[Database]:
    """A database of these tests, and the environment in which a command uses it."""
    uri, _ = own_mongod
    store = connect(uri, "abuse_import")
    prepare(store)
    yield store, {"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name}
    store.database.client.drop_database(store.database.name)
    store.database.client.close()


def run_import(database: Database, project: Project, path: Path) -> subprocess.CompletedProcess[str]:
    """Imports a path in a process with little memory; what it writes has to be short."""
    command = [Path(sys.executable).with_name("content-workflow"), "import", "--project", project.id, path, "--json"]
    done = subprocess.run(
        command,
        env={**os.environ, **database[1], "MALLOC_ARENA_MAX": "2"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE)),
    )
    assert done.returncode == 1, done.stderr[-2_000:]
    assert "Traceback" not in done.stderr, done.stderr[-2_000:]
    assert len(done.stdout) < 100_000
    return done


def titles(project: Project) -> set[str]:
    fields = {"limit": 100, "offset": 0, "sort": "title"}
    return {one["title"] for one in OPERATIONS["list_documents"](project.context(), fields=fields).body}


def test_front_matter_made_to_harm_is_refused_with_why_and_stops_nothing_else(
    database: Database, tmp_path: Path
) -> None:
    project = a_project(database[0])
    for number, (text, _) in enumerate(FRONT_MATTER.values()):
        (tmp_path / f"{number}.md").write_text(text, "utf-8")
    (tmp_path / "good.md").write_text("---\ntitle: Good\n---\nText", "utf-8")

    refused = json.loads(run_import(database, project, tmp_path).stdout)["refused"]

    unnamed = {
        what: refused.get(f"{number}.md", "imported")
        for number, (what, (_, why)) in enumerate(FRONT_MATTER.items())
        if why not in refused.get(f"{number}.md", "")
    }
    assert unnamed == {}
    assert max(map(len, refused.values())) < 2_500
    assert titles(project) == {"Good"}


def test_a_link_out_of_the_folder_is_refused_and_one_inside_it_is_imported(database: Database, tmp_path: Path) -> None:
    project = a_project(database[0])
    folder, secret = tmp_path / "posts", tmp_path / "secret.md"
    folder.mkdir()
    secret.write_text("---\ntitle: Secret\n---\nText", "utf-8")
    (folder / "good.md").write_text("---\ntitle: Good\nslug: good\n---\nText", "utf-8")
    (folder / "out.md").symlink_to(secret)
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "nowhere.md").symlink_to(folder / "missing.md")
    (folder / "other").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.md")
    (folder / "inside.md").symlink_to(folder / "good.md")

    refused = json.loads(run_import(database, project, folder).stdout)["refused"]

    assert "leads out of the folder" in refused["out.md"]
    assert set(refused) == {"out.md", "loop.md", "nowhere.md", "pipe.md", "inside.md"}
    assert "has the slug 'good' too" in refused["inside.md"]
    assert titles(project) == {"Good"}
