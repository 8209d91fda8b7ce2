"""The commands of README and docs run as a reader pastes them, and print what the pages show."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import orjson
import pytest

from tests.cli.running import CHECKOUT, Running, running
from tests.clients.js.package import built as built_client
from tests.images.pictures import a_picture
from tests.live import free_port

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARYING = re.compile(r"[0-9a-f]{24}|\d{4}-\d\d-\d\dT.*Z|(cw[md]|whsec)_.*")
"""Values that differ from run to run: ids, times, tokens."""
END = "--- end of a block ---"
LANGUAGES = ("sh", "shell", "json", "jsonc", "text", "ini", "python", "js", "ts", "http", "graphql", "mermaid")
"""What blocks are of. `shell` is for commands that don't end by themselves."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which `make dev` runs."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "content-workflow").symlink_to(Path(sys.executable).with_name("content-workflow"))
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (folder / "examples").symlink_to(CHECKOUT / "examples")
    with running(folder, "dev", "--port", str(free_port())) as server:  # another process may start one meanwhile
        assert_sourced(server)
        yield folder


def assert_sourced(server: Running) -> None:
    """Checks that `dev` prints the line that the pages tell readers to run, once the server answers."""
    assert server.url
    assert re.search(r"^  source \S+/\.mongod/dev/env$", server.said, re.MULTILINE)


def blocks(*pages: str) -> list[tuple[str, str]]:
    """Returns the language and the text of each block of pages."""
    return [(found[1], found[2]) for page in pages for found in BLOCK.finditer((CHECKOUT / page).read_text("utf-8"))]


def run(folder: Path, commands: list[str]) -> list[str]:
    """Runs blocks in one bash, in a folder; returns the output of each."""
    script = f"\necho; echo '{END}'\n".join(["set -eo pipefail", *commands])
    ended = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return ended.stdout.split(END)[1:]


def last_json(output: str) -> Any:
    """Returns the last JSON object that was printed; curl prints no line break after one."""
    lines = re.sub(r"(?<=[}\]])(?=\{)", "\n", output.strip()).splitlines()
    return orjson.loads(lines[-1])


def assert_shows(shown: Any, actual: Any, where: str = "") -> None:
    """Checks that everything that a page shows of a response is in it."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            assert key in actual, f"{where}.{key}"
            assert_shows(value, actual[key], f"{where}.{key}")
    elif isinstance(shown, list):
        assert len(shown) == len(actual), where
        for place, item in enumerate(shown):
            assert_shows(item, actual[place], f"{where}[{place}]")
    elif isinstance(shown, str) and VARYING.fullmatch(shown):
        assert VARYING.fullmatch(actual), where
    else:
        assert shown == actual, where


PAGES = [
    ("docs/cli.md",),
    ("README.md", "docs/getting-started.md"),
    ("docs/agents.md",),
    ("docs/api.md",),
    ("docs/review.md",),
    ("docs/planning.md", "examples/plan/README.md"),  # last: it adds documents to the demo
]


RUN = ["docs/checks.md"]
"""Pages whose commands run, and whose JSON shows no response to them."""
TRIED_BELOW = ["docs/delivery.md", "docs/images.md", "docs/webhooks.md", "examples/site/README.md"]
TRIED_ELSEWHERE = {
    "docs/deployment.md": "names hosts and containers of the reader's own",
    "docs/operations.md": "takes MongoDB's tools, and a deployment that is lost",
    "docs/reliability.md": "tests/chaos runs a minute of it",
    "CONTRIBUTING.md": "tests/surface/test_contributing.py adds its operation",
}
"""Pages with commands that this file does not run, and why."""
ALL_PAGES = sorted(
    str(page.relative_to(CHECKOUT))
    for place in ("*.md", "docs/*.md", "examples/*/*.md")
    for page in CHECKOUT.glob(place)
    if page.name != "CHANGELOG.md"
)


@pytest.mark.contract("decided-plans.example")
@pytest.mark.parametrize("pages", PAGES)
def test_the_commands_of_a_page_print_what_it_shows(demo: Path, pages: tuple[str, ...]) -> None:
    found = blocks(*pages)
    outputs = iter(run(demo, [text for language, text in found if language == "sh"]))

    output = ""
    for language, text in found:
        if language == "sh":
            output = next(outputs)
            assert "HttpApiDecodeError" not in output
        elif language == "json":
            assert_shows(orjson.loads(text), last_json(output))
        elif language == "text":
            assert text.strip() in output


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run(demo: Path, page: str) -> None:
    outputs = run(demo, [text for language, text in blocks(page) if language == "sh"])

    assert [output for output in outputs if not output.strip() or '"_tag"' in output] == []


def test_the_commands_of_the_page_on_delivery_answer_as_it_says_and_build_the_site(demo: Path) -> None:
    found = blocks("docs/delivery.md")
    outputs = run(demo, [text for language, text in found if language == "sh"])

    shown = next(text for language, text in found if language == "json")
    assert_shows(orjson.loads(shown), last_json(outputs[1]))
    assert all(json.get("errors") is None for json in map(last_json, outputs[1:2] + outputs[4:5]))
    assert 'title: "Flatbread in a dry pan"' in outputs[3]
    assert outputs[5].strip() == "/bread/rye.html /articles/rye/ 301\n/2019/%C5%BEito/ /articles/rye/ 301"
    assert (demo / "_redirects").read_text().count("\n") == 2
    assert "cache-control: private, max-age=0, must-revalidate" in outputs[6]
    assert (demo / "site" / "articles" / "flatbread-in-a-dry-pan" / "index.html").exists()


@pytest.mark.skipif(which("node") is None, reason="node was not found: it builds no site. Install Node.js 20.")
@pytest.mark.parametrize(
    "number", [pytest.param(0, marks=pytest.mark.clients, id="client"), pytest.param(1, id="fetch")]
)
def test_the_build_with_nodejs_reads_what_is_published(demo: Path, number: int) -> None:
    programs = [text for language, text in blocks("docs/delivery.md") if language == "js"]
    (demo / "build.mjs").write_text(programs[number])
    if number == 0 and not (demo / "node_modules").exists():
        (demo / "node_modules").mkdir()
        (demo / "node_modules" / "content-workflow-client").symlink_to(built_client())

    built, refused = run(
        demo,
        ["set -a; source .mongod/dev/env; node build.mjs", "SITE=cwd_wrong; node build.mjs 2>&1 && exit 1 || true"],
    )

    assert "flatbread-in-a-dry-pan" in built
    if number == 1:
        assert "[ 'flatbreads', 'flatbread-in-a-dry-pan' ]" in built
    assert "Error: " in refused
    assert "UNAUTHENTICATED" in refused


def test_the_agent_in_python_claims_a_brief(demo: Path) -> None:
    (program,) = (text for language, text in blocks("docs/agents.md") if language == "python")
    (demo / "agent.py").write_text(program)

    (output,) = run(demo, ["set -a; source .mongod/dev/env; .venv/bin/python agent.py"])

    assert "'state': 'claimed'" in output


def test_the_commands_of_the_example_site_build_it_and_its_preview(demo: Path) -> None:
    outputs = run(demo, [text for language, text in blocks("examples/site/README.md") if language == "sh"])

    assert [output.split()[-3:] for output in outputs[:1]] == [["articles", "in", "site/"]]
    drafts = set((demo / "preview" / "articles").iterdir())
    assert len(drafts) > 20
    assert any("A Dutch oven" in page.read_text() for page in (demo / "preview" / "articles").rglob("*.html"))


def test_the_commands_of_the_page_on_webhooks_make_one(demo: Path) -> None:
    (command,) = (text for language, text in blocks("docs/webhooks.md") if language == "sh")
    delete = 'curl -s -X DELETE "$BASE/webhooks/$ID" -H "Authorization: Bearer $OWNER"'
    shown = next(text for language, text in blocks("docs/webhooks.md") if language == "json")

    made = last_json(run(demo, [command])[0])

    assert_shows(orjson.loads(shown), made)
    run(demo, [f"source .mongod/dev/env; ID={made['id']}; {delete}"])


def test_the_command_of_the_page_on_pictures_uploads_one(demo: Path) -> None:
    (command,) = (text for language, text in blocks("docs/images.md") if language == "sh")
    (demo / "loaf.jpg").write_bytes(a_picture("JPEG"))

    uploaded = last_json(run(demo, [command])[0])

    assert (uploaded["name"], uploaded["alt"]) == ("Loaf", "A round loaf")
    assert "/media/" in uploaded["url"]


@pytest.mark.parametrize("page", ALL_PAGES)
def test_no_block_has_prompts_or_ids_to_replace(page: str) -> None:
    for language, text in blocks(page):
        assert language in LANGUAGES
        if language == "sh":
            assert not re.search(r"^\$ |[0-9a-f]{24}|cw[md]_|…", text, re.MULTILINE)


def test_every_page_with_commands_is_run() -> None:
    with_commands = {page for page in ALL_PAGES if any(language == "sh" for language, _ in blocks(page))}
    run_here = {*(page for pages in PAGES for page in pages), *RUN, *TRIED_BELOW}

    assert with_commands - run_here - TRIED_ELSEWHERE.keys() == set()
    assert run_here - with_commands == set()
