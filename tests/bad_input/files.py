"""What the command line reads: markdown with front matter, plans, and exported projects, each changed a little."""

from __future__ import annotations

import json
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner
from flask import Flask

from app.cli import calling, imports, plans
from app.operations.context import Context, system
from app.operations.transfers import ProjectImport, export_project
from app.store.collection import new_id
from app.store.store import Store
from app.vocabulary import Channel
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import json_bytes, mutated_bytes, mutated_value
from tests.bad_input.scene import a_scene

POSTS = (
    b"""---
title: Rye
slug: rye
date: 2020-01-31
description: Dark
tags: [rye, bread]
category: Bread
---
# Rye

Dark.
""",
    b"""---
title: 'Flour: white'
status: idea
draft: true
brief:
  keyword: flour
  internalLinks: []
  outline: |
    One
---
""",
    b"""+++
title = "Crumb"
date = 2020-01-31T09:00:00Z
categories = ["Bread"]
[brief]
keyword = "crumb"
+++
Text
""",
    b"""---
? title
: Crust
image: https://example.org/a.png
other: {a: [1, 2.5, null, ~, 0x1f, 1:30, 2020-01-31]}
...
---
Text
""",
)
PLANS = {
    "csv": b"""key,title,brief.keyword,brief.referenceUrls,dueDate,ready
a,Rye,rye,https://example.org|https://example.com,2027-02-14,true
b,"Flo
ur",,,,no
""",
    "tsv": b"key\ttitle\tstatus\tcategory\nc\tCrumb\tidea\tBread\n",
    "yaml": b"""pieces:
  - key: d
    title: Dough
    dueDate: 2027-02-14
    brief: {keyword: dough, outline: One}
    ready: true
atomic: false
""",
    "json": b'[{"key": "e", "title": "Egg", "brief": {"keyword": "egg"}}, {"key": "f", "markdown": "# Fig"}]',
}


@dataclass(frozen=True)
class File:
    """A file that a command reads."""

    name: str
    content: bytes


class _Command:
    """A command that reads a file into a project."""

    def __init__(self, app: Flask) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bad-input-"))

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything."""
        self._store, self._project = store, a_scene(store).project

    def _ran(self, command: Any, given: File, *options: str) -> Outcome:
        path = self._folder / given.name
        path.write_bytes(given.content)
        try:
            with patch.object(calling, "store", return_value=self._store):
                done = CliRunner().invoke(command, ["--project", self._project.id, str(path), "--json", *options])
        finally:
            path.unlink()
        return Outcome(done.exit_code != 0, self._problem(done), may_write=True)

    def _problem(self, done: Any) -> str | None:
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        if done.exit_code not in (0, 1) or "Traceback" in done.output:
            return f"The command ended with {done.exit_code}: {done.output[:500]!r}"
        return None if done.output.strip() else "The command says nothing."


class FrontMatterTarget(_Command):
    """`import` of markdown with front matter."""

    def make(self, chance: random.Random) -> File:
        """Returns a post that is near to a right one."""
        content = chance.choice(POSTS)
        for _ in range(chance.choice((1, 1, 2, 4))):
            content = mutated_bytes(chance, content)
        return File(chance.choice(("post.md", "2020-01-31-rye.md", "é.markdown")), content)

    def run(self, given: File) -> Outcome:
        """Imports a file."""
        return self._ran(imports.command, given, "--update", "--publish")


class PlanTarget(_Command):
    """`plan` of a table, YAML or JSON."""

    def make(self, chance: random.Random) -> File:
        """Returns a plan that is near to a right one."""
        suffix = chance.choice(sorted(PLANS))
        content = PLANS[suffix]
        if suffix == "json" and chance.random() < 0.7:
            content = json_bytes(chance, mutated_value(chance, json.loads(content)))
        for _ in range(chance.choice((0, 1, 1, 2, 4))):
            content = mutated_bytes(chance, content)
        return File(f"plan.{suffix}", content)

    def run(self, given: File) -> Outcome:
        """Plans a file."""
        return self._ran(plans.command, given)


class ExportedTarget:
    """`import` of the lines of an exported project."""

    def __init__(self, app: Flask) -> None:
        pass

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything, and takes its lines."""
        self._store, self._project = store, a_scene(store).project
        self._lines = [json.loads(line) for line in export_project(store, self._project.id)]

    def make(self, chance: random.Random) -> list[bytes]:
        """Returns lines of an export: some that are near to right ones, and one that is right."""
        return [*(self._line(chance) for _ in range(chance.choice((1, 1, 2, 4)))), json.dumps(_member()).encode()]

    def _line(self, chance: random.Random) -> bytes:
        line = mutated_value(chance, chance.choice(self._lines))
        if isinstance(line, dict) and "id" in line and chance.random() < 0.5:
            line["id"] = new_id()
        text = json_bytes(chance, line)
        text = mutated_bytes(chance, text) if chance.random() < 0.2 else text
        return text.replace(b"\n", b" ")

    def run(self, given: list[bytes]) -> Outcome:
        """Imports lines, and exports the project with what it has now."""
        ctx = Context(self._store, system(self._project.id, self._project.team_id), Channel.CLI)
        taking = ProjectImport(ctx)
        list(taking.take(given))
        refused = {one.number for one in taking.done.refused}
        if len(given) in refused:
            return Outcome(True, "A good line was refused.")
        if any(not one.why or len(one.why) > 2_000 for one in taking.done.refused):
            return Outcome(True, f"A refusal says nothing, or too much: {taking.done.refused!r}"[:1_000])
        for line in export_project(self._store, self._project.id):
            json.loads(line)
        return Outcome(bool(refused), may_write=True)


def _member() -> dict[str, Any]:
    name = new_id()
    created = {"createdAt": "2027-01-31T09:00:00.000Z"}
    return {"type": "member", "id": name, "name": name, "email": None, "role": "writer", "deletedAt": None, **created}
