"""What the command line reads: markdown with front matter, plans, and exported projects, each changed a little."""

import json
import random
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner
from flask import Flask

from app.cli import calling, imports, plans
from app.core.context import Context, system
from app.core.errors import BadRequest
from app.core.store.store import Store
from app.core.vocabulary import Channel, TokenKind
from app.transfers.operations import check_import, export_project, import_project
from tests.bad_input.aftermath import unreadable
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import json_bytes, mutated_bytes, mutated_value
from tests.bad_input.scene import Scene, a_scene
from tests.make import a_project

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


PIECES = (
    *(b"!!timestamp", b"2027-13-45", b"2027-02-30T25:61:61Z", b"0000-00-00", b"9999-12-31T23:59:59.999999999-23:59"),
    *(b"!!set {a}", b"!!omap [a: 1]", b"!!binary x", b"!!float .nan", b"!!python/object:os.system {}", b"!<tag:x> y"),
    *(b"0b2", b"0o9", b"-.inf", b"1_0", b"190:20:30", b"=: x\n", b"? [a]\n: b\n", b"? {a: b}\n: c\n", b"- a\n", b"&a"),
    *(b"*a", b"<<: *a\n", b"|2-\n", b">+9\n", b'"\\x4"', b'"\\U00110000"', b'"\\ud800"', b"\xc2\x85", b"\t"),
    *(b"[[a]]\n", b"[a.b]\n", b"a.b = 1\na = 2\n", b"a = inf\n", b'a = """', b"a = '''", b"= 1\n"),
    *(b"a = 1979-05-27T07:32:00\n", b"title: [a, b]\n", b"title: {a: b}\n", b"title: 1.5\n", b"title: true\n"),
    *(b"title: 2027-01-01\n", b"tags: x\n", b"brief: x\n", b"brief: [1]\n", b"brief:\n  internalLinks: x\n"),
    *(b"categories: [[a]]\n", b"draft: 3\n", b"1: 2\n", b'"a""b', b'""', b",,,,,,,,,,", b"\r", b";", b"key,key\n"),
    *(b",\n", b"brief.", b"|", b"a|b|" * 40, b"atomic: 1\n", b"date: now\n", b"image: {}\n", b"%YAML 9.9\n"),
    *(b"\xe2\x80\xa8", b"ready", b"pieces:", b"key:", b'"key":', b"[", b"{"),
)
"""Pieces that mean something in YAML, TOML and CSV."""


@dataclass(frozen=True)
class File:
    """A file that a command reads."""

    name: str
    content: bytes


class _Command:
    """A command that reads a file into a project."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._folder = Path(tempfile.mkdtemp(prefix="bad-input-"))

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything."""
        self._store, self._scene = store, a_scene(store)

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return unreadable(self._app, self._scene)

    def _ran(self, command: Any, given: File, *options: str) -> Outcome:
        path = self._folder / given.name
        path.write_bytes(given.content)
        try:
            with patch.object(calling, "store", return_value=self._store):
                done = CliRunner().invoke(command, ["--project", self._scene.project.id, str(path), "--json", *options])
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
            content = _mutated(chance, content)
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
            content = _mutated(chance, content)
        return File(f"plan.{suffix}", content)

    def run(self, given: File) -> Outcome:
        """Plans a file."""
        return self._ran(plans.command, given)


class ExportedTarget:
    """`import` of the lines of an exported project."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything, and takes its lines."""
        self._store = store
        self._lines = list(export_project(store, a_scene(store).project.id))
        self._scene: Scene | None = None

    def make(self, chance: random.Random) -> list[bytes]:
        """Returns lines of an export, some of them changed a little."""
        lines = [*self._lines]
        for _ in range(chance.choice((1, 1, 2, 4))):
            place = chance.randrange(1, len(lines) - 1)
            lines[place] = self._changed(chance, json.loads(self._lines[place]))
        return lines

    def _changed(self, chance: random.Random, line: Any) -> bytes:
        text = json_bytes(chance, mutated_value(chance, line))
        text = mutated_bytes(chance, text) if chance.random() < 0.2 else text
        return text.replace(b"\n", b" ")

    def end(self) -> str | None:
        """Returns what can't be read of the project that the last lines that were not refused were imported into."""
        return unreadable(self._app, self._scene) if self._scene else None

    def run(self, given: list[bytes]) -> Outcome:
        """Imports lines into a project of their own."""
        project = a_project(self._store)
        ctx = Context(self._store, system(project.id, project.team_id), Channel.CLI)
        try:
            refused = check_import(ctx, given).refused
        except BadRequest:
            other = any(b'"export"' in line for line in given[1:])
            return Outcome(True, None if other else "No line says that the export has another format.", may_write=True)
        if any(not one.why or len(one.why) > 2_000 for one in refused):
            return Outcome(True, f"A refusal says nothing, or too much: {refused!r}"[:1_000])
        if not refused:
            import_project(ctx, given)
            self._scene = Scene(project, project.token(), project.token(kind=TokenKind.DELIVERY, drafts=True), {})
        return Outcome(bool(refused), may_write=True)


def _mutated(chance: random.Random, content: bytes) -> bytes:
    """Returns a file with a piece at the beginning of a line or of a value, or with any part changed."""
    if chance.random() < 0.5:
        return mutated_bytes(chance, content)
    place = chance.choice([found.end() for found in re.finditer(rb"^|[:=,] ?", content, re.MULTILINE)])
    end = content.find(b"\n", place) if chance.random() < 0.5 else place
    return content[:place] + chance.choice(PIECES) + content[max(place, end) :]
