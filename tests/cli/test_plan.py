"""`plan`: spreadsheets, YAML and JSON become documents, in one command that can be run again.

(decisions, section 14)
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app.core.store.store import Store
from app.features import ALL
from app.planning.commands import plan_files
from app.planning.commands.plan_files import read_plan
from app.planning.schemas import PlanFields
from app.planning.tables import UnreadablePlan
from tests.cli.conftest import Cli
from tests.databases import everything
from tests.make import OPERATIONS, Project, made

SCHEMA = ALL.schema_of(PlanFields)
TWO = [
    {"key": "rye", "title": "Rye; dark, and dense", "brief": {"keyword": "rye", "outline": "What\nHow"}, "ready": True},
    {"key": "oats", "title": 'The "whole" oat'},
]
"""What each of the tables below holds."""

ROWS = (
    ("key", "title", "brief.keyword", "brief.outline", "ready"),
    ("rye", "Rye; dark, and dense", "rye", "What\nHow", "TRUE"),
    ("oats", 'The "whole" oat', "", "", ""),
)


def table(delimiter: str = ",", end: str = "\r\n", *, quote_all: bool = False, inner: str = "\n") -> str:
    """Writes the rows as a spreadsheet does."""

    def cell(text: str) -> str:
        needed = quote_all or any(letter in text for letter in f'{delimiter}"\n')
        escaped = text.replace('"', '""').replace("\n", inner)
        return f'"{escaped}"' if needed else text

    return "".join(delimiter.join(map(cell, row)) + end for row in ROWS)


DIALECTS = {
    "google sheets": table().encode(),
    "numbers": table(end="\n").encode(),
    "excel, utf-8": table().encode("utf-8-sig"),
    "excel, semicolons": table(";").encode("utf-8-sig"),
    "excel, unicode text": table("\t").encode("utf-16"),
    "excel, macintosh": table(end="\r").encode(),
    "libreoffice, all quoted": table(end="\n", quote_all=True).encode(),
    "windows line breaks in cells": table(inner="\r\n").encode(),
    "tabs": table("\t", "\n").encode(),
    "big endian": b"\xfe\xff" + table().encode("utf-16-be"),
    "no line break at the end": table().rstrip().encode(),
    "empty rows and columns": b"".join(
        line + b",,\r\n" for line in (*table(inner=" ").replace("What How", "x").encode().splitlines(), b",,,,")
    ),
}


@pytest.mark.contract("decided-plans.csv")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_is_read_as_spreadsheets_write_it(tmp_path: Path, dialect: str) -> None:
    file = tmp_path / "plan.csv"
    file.write_bytes(DIALECTS[dialect])

    plan = read_plan(file, SCHEMA)

    expected = json.loads(json.dumps(TWO))
    if dialect == "empty rows and columns":
        expected[0]["brief"]["outline"] = "x"
    assert plan.pieces == expected


@pytest.mark.contract("decided-plans.csv")
def test_cells_become_lists_booleans_and_texts_and_an_empty_one_is_not_sent(tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    file.write_text(
        "key,title,ready,brief.internalLinks,brief.referenceUrls,brief.wordCount,dueDate\n"
        "1,Rye,yes,a | b|,https://a.example,800,2027-02-14\n"
        "2,,FALSE,,,,\n"
        "3,Rye,maybe,|,,,\n"
    )

    assert read_plan(file, SCHEMA).pieces == [
        {
            **{"key": "1", "title": "Rye", "ready": True, "dueDate": "2027-02-14"},
            "brief": {"internalLinks": ["a", "b"], "referenceUrls": ["https://a.example"], "wordCount": "800"},
        },
        {"key": "2", "ready": False},
        {"key": "3", "title": "Rye", "ready": "maybe", "brief": {"internalLinks": []}},
    ]


@pytest.mark.contract("decided-plans.csv")
@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("key,titel\n", ["line 1: `titel` is not a column; did you mean `title`?"]),
        (
            "key,due date,Word count,keywords\nrye,soon,800,rye\n",
            ["`dueDate`?", "`brief.wordCount`?", "`brief.keyword`?"],
        ),
        (
            "Plan for spring\n\nkey,title\nrye,Rye\n",
            ["line 1: `Plan for spring` is not a column; the columns are key, ", "line 1: there is no column `key`."],
        ),
        ("key,Brief Keyword,Brief word count\n", ["`brief.keyword`?", "`brief.wordCount`?"]),
        ("Key;keyword\n", ["line 1: `Key` is not a column; did you mean `key`?", "line 1: `keyword` is not", "`key`."]),
        ("key,title,title\n", ["line 1: the column `title` appears 2 times."]),
        ("title\n", ["line 1: there is no column `key`."]),
        ("", ["line 1: there is no column `key`."]),
        ("key,title\n1,Rye\n\n2,Rye, dark\n", ["line 4: has 3 cells, and the header 2: quote a cell with commas."]),
        ("key,\n1,\n2,x\n", ["line 3: has a cell in a column without a name."]),
        ('key,title\n1,"Rye\nbread"\n2,a,b\n', ["line 4: has 3 cells"]),
        ('key,title\n1,"Rye\n2,b\n', ["line 2: its quotes don't match"]),
        ('key,title\n1,"Rye" bread\n', ["line 2: its quotes don't match"]),
    ],
)
def test_a_table_with_unknown_or_doubled_columns_or_wide_rows_is_refused(
    tmp_path: Path, text: str, messages: list[str]
) -> None:
    file = tmp_path / "plan.csv"
    file.write_text(text)

    with pytest.raises(UnreadablePlan) as refused:
        read_plan(file, SCHEMA)

    lines = str(refused.value).splitlines()
    assert len(lines) == len(messages)
    assert [message for line, message in zip(lines, messages, strict=True) if message not in line] == []


YAML_BODY = """\
pieces:
  - key: rye
    title: Rye; dark, and dense
    brief: {keyword: rye, outline: "What\\nHow"}
    ready: true
  - {key: oats, title: The "whole" oat, dueDate: 2027-02-14}
"""
WITH_DATE = [TWO[0], TWO[1] | {"dueDate": "2027-02-14"}]


@pytest.mark.contract("decided-plans.files")
@pytest.mark.parametrize(
    ("name", "text", "atomic"),
    [
        ("plan.yaml", YAML_BODY, False),
        ("plan.yml", YAML_BODY + "atomic: true\n", True),
        ("plan.yaml", "\n".join(line.removeprefix("  ") for line in YAML_BODY.splitlines()[1:]), False),
        ("plan.json", json.dumps({"pieces": WITH_DATE, "atomic": True}), True),
        ("plan.JSON", "\ufeff" + json.dumps(WITH_DATE), False),
    ],
)
def test_yaml_and_json_hold_the_body_or_its_list_of_pieces(tmp_path: Path, name: str, text: str, atomic: bool) -> None:
    file = tmp_path / name
    file.write_text(text)

    plan = read_plan(file, SCHEMA)

    assert (plan.pieces, plan.atomic) == (WITH_DATE, atomic)


@pytest.mark.contract("decided-plans.files")
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("plan.xlsx", b"PK", "its name must end in .csv, .tsv, .txt, .yaml, .yml or .json"),
        ("plan.csv", "key,title\n1,Brötchen\n".encode("cp1252"), "not UTF-8"),
        ("plan.yaml", b"- key: [\n", "not valid YAML: line 2:"),
        ("plan.yaml", b"- &a {key: x}\n- *a\n", "line 2: an alias (*a) is not accepted"),
        ("plan.yaml", b"- !!python/object:os.system {}\n", "line 1: a tag"),
        ("plan.yaml", b"- 5: x\n", "The file holds what JSON can't: Dict key must be str."),
        ("plan.yaml", b"[" * 10_000, "levels"),
        ("plan.yaml", b"- key: x\n  note: 1" + b":59" * 1_000_000, "line 2: a number has at most 18 characters"),
        (
            "plan.yaml",
            b"- {key: x}\n- {" + b",".join(b"%d: x" % (number * (2**61 - 1)) for number in range(1, 100_000)) + b"}",
            "line 2: a number has at most 18 characters",
        ),
        ("plan.json", b"[" * 100_000, "not valid JSON"),
        ("plan.json", b'{"pieces": 5}', "must hold a list of pieces"),
        ("plan.json", b'"x"', "must hold a list of pieces"),
        ("plan.json", b'{"pieces": [], "atomic": "yes"}', "atomic: Must be true or false."),
        ("plan.json", b'[{"key": "x", "brief": {"keywrd": "x"}}]', "pieces[0].brief.keywrd: unknown field; did you"),
    ],
)
def test_a_file_that_is_no_plan_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)

    with pytest.raises(UnreadablePlan) as refused:
        read_plan(file, SCHEMA)

    assert message in str(refused.value)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_files, "MAX_FILE_BYTES", 10)
    file = tmp_path / "plan.csv"
    file.write_text("key,title\n1,Rye\n")

    with pytest.raises(UnreadablePlan, match="larger than"):
        read_plan(file, SCHEMA)


def written(folder: Path, pieces: list[dict[str, Any]]) -> Path:
    file = folder / "plan.json"
    file.write_text(json.dumps(pieces))
    return file


def documents(project: Project, **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = OPERATIONS["list_documents"](
        project.context(), fields={"limit": 100, "offset": 0, "sort": "title", **fields}
    ).body
    return found


@pytest.mark.needs_mongod
class TestCommand:
    @pytest.mark.contract("decided-plans.command")
    def test_it_prints_a_table_and_errors_by_line_and_exits_with_1(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        made(project.context(), "category", name="Bread", slug="bread")
        file = tmp_path / "plan.csv"
        file.write_text('key,title,category,dueDate\nrye,"Rye\nbread",bread,2027-02-14\noats, ,Cakes,soon\nrye,Rye,,\n')

        first = cli("plan", "--project", project.id, file)
        file.write_text("key,title,category\nrye,Rye,Bread\nspelt,Spelt,\n")
        second = cli("plan", "--project", project.id, file)

        rows = [line.split() for line in first.stdout.splitlines()]
        assert rows[0] == ["where", "key", "outcome", "id"]
        assert [row[:4] for row in rows[1:4]] == [
            ["line", "2", "rye", "created"],
            ["line", "4", "oats", "refused"],
            ["line", "5", "rye", "refused"],
        ]
        assert "3 pieces: 1 created, 0 updated, 0 unchanged, 2 refused." in first.stdout
        assert first.stderr.splitlines() == [
            "line 4 (oats): category: No category of this project has this name or slug.",
            "line 4 (oats): dueDate: Must be a calendar date, written YYYY-MM-DD.",
            "line 4 (oats): title: Must not be blank.",
            "line 5 (rye): key: An earlier piece of this plan has this key: give each piece its own.",
        ]
        assert (first.exit_code, second.exit_code) == (1, 0)
        assert "2 pieces: 1 created, 1 updated, 0 unchanged, 0 refused." in second.stdout

    @pytest.mark.contract("decided-plans.command")
    def test_a_wrong_type_anywhere_plans_nothing(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        pieces: list[dict[str, Any]] = [{"key": str(number), "title": "Rye"} for number in range(600)]
        pieces[2]["title"] = "x" * 301
        pieces[550]["ready"] = "maybe"

        refused = cli("plan", "--project", project.id, written(tmp_path, pieces))

        assert refused.stderr.splitlines() == [
            "piece 3 (2): title: Must be at most 300 characters.",
            "piece 551 (550): ready: Must be true or false.",
        ]
        assert (refused.exit_code, documents(project)) == (1, [])

    @pytest.mark.contract("decided-plans.command")
    def test_over_500_pieces_are_sent_in_batches_and_a_key_counts_once_in_the_file(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        pieces = [{"key": str(number), "title": "Rye"} for number in range(520)]
        file = written(tmp_path, [*pieces, {"key": "3", "title": "Another"}])

        first = json.loads(cli("plan", "--project", project.id, file, "--json").stdout)["pieces"]
        again = cli("plan", "--project", project.id, written(tmp_path, pieces))

        assert [one["key"] for one in first] == [*map(str, range(520)), "3"]
        assert {one["outcome"] for one in first[:520]} == {"created"}
        assert [error["field"] for error in first[520]["errors"]] == ["key"]
        assert "520 pieces: 0 created, 0 updated, 520 unchanged, 0 refused." in again.stdout

    @pytest.mark.contract("decided-plans.command")
    def test_atomic_plans_all_or_none_and_at_most_500(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        some = written(tmp_path, [{"key": "a", "title": "Rye"}, {"key": "b", "title": " "}])
        refused = cli("plan", "--project", project.id, some, "--atomic")
        many = written(tmp_path, [{"key": str(number), "title": "Rye"} for number in range(501)])
        too_many = cli("plan", "--project", project.id, many, "--atomic")

        assert refused.stderr.splitlines() == ["piece 2 (b): title: Must not be blank.", "No piece was planned."]
        assert (refused.exit_code, too_many.exit_code, documents(project)) == (1, 2, [])
        good = written(tmp_path, [{"key": "a", "title": "Rye"}])
        assert cli("plan", "--project", project.id, good, "--atomic").exit_code == 0

    @pytest.mark.contract("decided-plans.command")
    def test_a_dry_run_reports_what_the_plan_then_does(
        self, cli: Cli, store: Store, project: Project, tmp_path: Path
    ) -> None:
        file = written(tmp_path, [{"key": "a", "title": "Rye", "ready": True}, {"key": "b", "title": " "}])

        before = everything(store)
        dry = cli("plan", "--project", project.id, file, "--dry-run")
        as_json = json.loads(cli("plan", "--project", project.id, file, "--dry-run", "--json").stdout)
        assert everything(store) == before
        assert [piece["id"] for piece in as_json["pieces"]] == [None, None], "what is rolled back has no id"
        real = cli("plan", "--project", project.id, file)

        assert "Dry run: nothing was changed." in dry.stdout
        assert re.search(r"^piece 1 +a +created +-$", dry.stdout, re.MULTILINE)
        assert "2 pieces: 1 created, 0 updated, 0 unchanged, 1 refused." in dry.stdout
        assert (
            (dry.exit_code, dry.stderr)
            == (real.exit_code, real.stderr)
            == (1, "piece 2 (b): title: Must not be blank.\n")
        )


def test_the_first_hundred_problems_of_a_table_are_listed_and_the_rest_counted(
    cli: Cli, project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "plan.csv"
    file.write_text("key,title,titel\n" + "a,b,c,d\n" * 1_250)

    failed = cli("plan", "--project", project.id, file)

    lines = failed.stderr.splitlines()
    assert (failed.exit_code, len(lines), lines[-1]) == (1, 101, "And 1,151 more.")
    assert lines[0] == "line 1: `titel` is not a column; did you mean `title`?"
    assert lines[1].startswith("line 2: has 4 cells, and the header 3")
