"""The search in texts in the console: the table, the board and the command palette show the words in their sentence."""

import pytest

from tests.console.visitor import Visitor
from tests.make import Project, a_document
from tests.search.test_search import indexed

pytestmark = pytest.mark.needs_mongod


@pytest.fixture
def editor(app, project: Project) -> Visitor:
    visitor = Visitor(app)
    visitor.sign_in(project.token("Ingrid"))
    return visitor


@pytest.fixture(autouse=True)
def loaves(project: Project) -> None:
    a_document(project.context(), title="One", markdown="# Loaf\n\nNot this. Rye & <b>dark</b> flour. Nor this.")
    a_document(project.context(), title="Two", markdown="Wheat")
    indexed(project)


@pytest.mark.parametrize("path", ["table", "board"])
def test_the_words_that_were_found_are_shown_in_their_sentence(editor: Visitor, path: str) -> None:
    page = editor.get(f"/console/{path}?text=DARK").text
    assert '<p class="sentence">Rye &amp; <mark>dark</mark> flour.</p>' in page
    assert ">One</a>" in page
    assert ">Two</a>" not in page
    assert 'name="text"' in page
    assert ">Two</a>" in editor.get(f"/console/{path}").text


def test_a_view_remembers_the_words(editor: Visitor) -> None:
    assert "text=dark" in editor.post("/console/table/views?text=dark", name="Dark").text


def test_the_palette_finds_words_of_texts(editor: Visitor) -> None:
    [found] = editor.get("/console/find?texts=1&q=dark").json
    assert (found["title"], found["sentence"]) == ("One", "Rye &amp; <mark>dark</mark> flour.")
    assert editor.get("/console/find?q=dark").json == [], "where titles alone are looked for"
    assert editor.get("/console/find?texts=1&q=" + "a" * 300).json == []
