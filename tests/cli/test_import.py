"""Importing markdown with front matter: by slug, by the rules of confirming, twice without a change."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.delivery.caches import read_redirects
from app.transfers.commands.front_matter import Unreadable, read_post
from tests.cli.conftest import Cli
from tests.make import OPERATIONS, Project

RUST_BLOG = Path(__file__).parents[3] / "shared" / "data" / "rust-blog" / "content"
BAD = {
    "No front matter": ("Hello", "no front matter"),
    "Front matter that does not end": ("---\ntitle: x\n", "does not end"),
    "Bad YAML": ("---\ntitle: [\n---\n", "is not valid YAML: line 3: "),
    "Bad TOML": ("+++\ntitle = \n+++\n", "is not valid TOML"),
    "A list for front matter": ("---\n- x\n---\n", "keys with values"),
    "No title": ("---\nslug: x\n---\n", "title: Is required."),
    "A title that is no text": ("+++\ntitle = ['x']\n+++\n", "title: Must be a string."),
    "A title that is a number": ("---\ntitle: 1984\n---\n", "title: Is a number, a date, or true or false"),
    "A title that is true": ("---\ntitle: yes\n---\n", "must be text: quote it."),
    "A number in the brief": ("---\ntitle: x\nbrief: {wordCount: 1200}\n---\n", "brief.wordCount: Is a number"),
    "A key that stands twice": ("---\ntitle: x\nslug: a\ntitle: y\n---\n", "line 4: the key 'title' stands twice"),
    "A key of the brief that stands twice": (
        "---\ntitle: x\nbrief:\n  notes: a\n  notes: b\n---\n",
        "line 5: the key 'notes' stands twice",
    ),
    "Published that is neither true nor false": (
        '---\ntitle: x\npublished: "false"\n---\n',
        "Its published must be true or false",
    ),
    "A title that is too long": (f"---\ntitle: {'x' * 301}\n---\n", "title: Must be at most 300 characters."),
    "A slug with a slash": ("---\ntitle: x\nslug: a/b\n---\n", "slug: "),
    "A status past drafting": ("---\ntitle: x\nstatus: published\n---\n", "status: Must be one of"),
    "A cover that is no address": (
        "---\ntitle: x\nimage: ftp://a.example/a.png\n---\n",
        "coverImageUrl: Must be an http",
    ),
    "A date that is none": ("---\ntitle: x\ndate: soon\n---\n", "Its date must be like 2027-01-31"),
    "A day that no month has": ("---\ntitle: x\ndate: '2026-11-31'\n---\n", "is no day: November has 30 days."),
    "An expiry date that is none": ("---\ntitle: x\nexpiryDate: soon\n---\n", "Its expiryDate must be like 2027-01-31"),
    "A draft that is neither true nor false": (
        '---\ntitle: x\ndraft: "true"\n---\n',
        "Its draft must be true or false",
    ),
    "A brief that is no table": ("---\ntitle: x\nbrief: yes\n---\n", "brief: Must be an object."),
    "A wrong word in the brief": ("---\ntitle: x\nbrief: {intent: idle}\n---\n", "brief.intent: Must be one of"),
    "A link to nobody": (f"---\ntitle: x\nbrief: {{internalLinks: ['{'0' * 24}']}}\n---\n", "brief.internalLinks[0]"),
    "An author that is a number": ("---\ntitle: x\nauthor: 7\n---\n", "authors[0]: Must be a string."),
    "An alias that is a number": ("---\ntitle: x\naliases: [7]\n---\n", "Its aliases must be paths"),
    "Too many aliases": (f"---\ntitle: x\naliases: {list(map(str, range(21)))}\n---\n", "aliases: Must have at most"),
    "A publication in the future": ("---\ntitle: x\npublishedAt: 2999-01-01\n---\n", "must not be in the future"),
    "A category that is too long": (f"---\ntitle: x\ncategory: {'x' * 201}\n---\n", "category: Must be at most"),
}


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def documents_of(project: Project) -> dict[str, dict[str, Any]]:
    ctx = project.context()
    fields = {"limit": 100, "offset": 0, "sort": "title"}
    return {one["slug"]: one for one in OPERATIONS["list_documents"](ctx, fields=fields).body}


def redirects_of(project: Project) -> dict[str, str]:
    """Returns the redirects that a website gets."""
    return {one.from_: one.to for one in read_redirects(project.context(), None)}


@pytest.mark.needs_mongod
class TestImporting:
    def run(self, cli: Cli, project: Project, folder: Path, *options: str) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(cli("import", "--project", project.id, folder, *options, "--json").stdout)
        return report

    @pytest.mark.contract("decided-commands.import")
    def test_front_matter_becomes_the_documents_fields(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        write(
            tmp_path,
            "Rye Bread@home.md",
            "---\ntitle: Rye\ndescription: Dark\nsubtitle: Sub\nexcerpt: Short\ncategories: [Our Breads, Other]\n"
            "tags: [rye, dark]\ncover: https://example.org/rye.png\nlayout: post\n"
            "brief: {audience: all, mood: x}\n---\n"
            "Hello *world*\n",
        )

        report = self.run(cli, project, tmp_path)

        assert (report["created"], report["refused"]) == (1, {})
        assert report["unknown"] == {"layout": 1, "brief.mood": 1}
        rye = documents_of(project)["rye-breadhome"]
        assert (rye["metaDescription"], rye["subtitle"], rye["excerpt"]) == ("Dark", "Sub", "Short")
        assert (rye["coverImageUrl"], rye["status"], rye["version"]) == ("https://example.org/rye.png", "drafting", 1)
        assert (rye["brief"]["keyword"], rye["brief"]["audience"], rye["wordCount"]) == ("rye", "all", 2)
        assert rye["createdBy"]["type"] == "system"
        [category] = OPERATIONS["list_categories"](project.context(), fields={"limit": 9, "offset": 0}).body
        assert (category["name"], category["slug"], category["id"]) == ("Our Breads", "our-breads", rye["categoryId"])

    @pytest.mark.contract("decided-commands.import")
    def test_categories_are_found_by_their_name_as_it_stands_or_their_slug_as_it_is_written(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        names = ("C", "C++", "C#", "🎉", "🎂", "Café", "Cafe")
        for number, name in enumerate((*names, "c", "CAFE\u0301", "c-3")):
            write(tmp_path, f"{number}.md", f"---\ntitle: x\ncategory: '{name}'\n---\n")

        assert self.run(cli, project, tmp_path)["created"] == 10
        assert self.run(cli, project, tmp_path)["unchanged"] == 10

        categories = OPERATIONS["list_categories"](project.context(), fields={"limit": 99, "offset": 0}).body
        named = {one["id"]: (one["name"], one["slug"]) for one in categories}
        filed = {int(slug): named[one["categoryId"]] for slug, one in documents_of(project).items()}
        assert [filed[number] for number in range(10)] == [
            *(("C", "c"), ("C++", "c-2"), ("C#", "c-3"), ("🎉", "untitled"), ("🎂", "untitled-2")),
            *(("Café", "cafe"), ("Cafe", "cafe-2"), ("C", "c"), ("Café", "cafe"), ("C#", "c-3")),
        ]

    @pytest.mark.parametrize(("text", "why"), BAD.values(), ids=BAD)
    @pytest.mark.contract("decided-commands.import-refused")
    def test_a_bad_file_is_named_with_why_and_stops_nothing_else(
        self, cli: Cli, project: Project, tmp_path: Path, text: str, why: str
    ) -> None:
        write(tmp_path, "bad.md", text)
        write(tmp_path, "good.md", "+++\ntitle = 'Good'\n+++\nx")

        result = cli("import", "--project", project.id, tmp_path)

        assert result.exit_code == 1
        assert "Refused: bad.md: " in result.stderr
        assert why in result.stderr
        assert list(documents_of(project)) == ["good"]

    def test_two_files_with_one_slug_make_one_document(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\n---\n")
        write(tmp_path, "b/index.md", "---\ntitle: B\nslug: a\n---\n")

        report = self.run(cli, project, tmp_path)

        assert report["created"] == 1
        assert list(report["refused"]) == ["b/index.md"]

    @pytest.mark.contract("decided-commands.import-again")
    @pytest.mark.contract("decided-provenance.imports")
    def test_a_file_is_a_persons_unless_it_says_generation(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\n---\nBy hand.\n")
        write(tmp_path, "b.md", "---\ntitle: B\ngeneration: {model: example-4, tool: x}\n---\nBy a model.\n")
        write(tmp_path, "c.md", "---\ntitle: C\ngeneration: {provider: x}\n---\nBy a model.\n")
        report = self.run(cli, project, tmp_path)

        assert report["unknown"] == {"generation.tool": 1}
        assert "generation.model: Is required." in report["refused"]["c.md"]
        kinds = {}
        for slug, document in documents_of(project).items():
            found = OPERATIONS["get_provenance"](project.context(), document["id"], fields={}).body
            kinds[slug] = [(by["kind"], by["model"]) for by in found["paragraphs"][0]["by"]]
        assert kinds == {"a": [("person", None)], "b": [("agent", "example-4")]}

        write(tmp_path, "a.md", "---\ntitle: A\ngeneration: {model: example-4}\n---\nBy a model.\n")
        self.run(cli, project, tmp_path, "--update")
        again = OPERATIONS["get_provenance"](project.context(), documents_of(project)["a"]["id"], fields={}).body
        assert (again["people"], again["agents"]) == (3, 3)

    @pytest.mark.contract("decided-commands.import-again")
    def test_a_second_run_changes_nothing_and_update_writes_what_changed(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\ncategory: One\n---\nFirst")
        write(tmp_path, "b.md", "---\ntitle: B\n---\nStays")
        self.run(cli, project, tmp_path)
        before = documents_of(project)

        assert self.run(cli, project, tmp_path)["unchanged"] == 2
        assert documents_of(project) == before

        write(tmp_path, "a.md", "---\ntitle: A2\ncategory: Two\n---\nSecond")
        listed = self.run(cli, project, tmp_path)
        assert listed["changed"] == {"a.md": ["category", "markdown", "title"]}
        assert documents_of(project) == before

        assert self.run(cli, project, tmp_path, "--update")["updated"] == 1
        after = documents_of(project)
        assert (after["a"]["title"], after["b"]) == ("A2", before["b"])
        assert self.run(cli, project, tmp_path)["unchanged"] == 2

    @pytest.mark.contract("decided-commands.import-refused")
    def test_an_update_that_breaks_rules_names_each_field_and_writes_none(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\nbrief: {keyword: rye}\n---\nx")
        self.run(cli, project, tmp_path)
        before = documents_of(project)
        write(
            tmp_path,
            "a.md",
            "---\ntitle: B\nimage: 'ftp://x'\nbrief: {intent: idle, referenceUrls: [x]}\n---\ny",
        )

        why = self.run(cli, project, tmp_path, "--update")["refused"]["a.md"]

        for problem in ("brief.intent: Must be one", "brief.referenceUrls[0]: Must be", "coverImageUrl: Must be"):
            assert problem in why
        assert documents_of(project) == before

    @pytest.mark.contract("decided-commands.import-refused")
    @pytest.mark.parametrize("changed", ["title: A\ncategory: New", "title: A\nbrief: {keyword: wheat}"])
    def test_an_update_that_the_documents_status_does_not_allow_writes_nothing(
        self, cli: Cli, project: Project, tmp_path: Path, changed: str
    ) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\nbrief: {keyword: rye}\n---\nx")
        self.run(cli, project, tmp_path)
        OPERATIONS["approve_document"](project.context(), documents_of(project)["a"]["id"], fields={})
        before = documents_of(project)
        write(tmp_path, "a.md", f"---\n{changed}\n---\ny")

        why = self.run(cli, project, tmp_path, "--update")["refused"]["a.md"]

        assert "The document is approved" in why
        assert documents_of(project) == before
        assert OPERATIONS["list_categories"](project.context(), fields={"limit": 9, "offset": 0}).body == []

    @pytest.mark.contract("decided-commands.import-publish")
    def test_publish_takes_what_is_dated_in_the_past_and_no_draft(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        write(tmp_path, "old.md", "---\ntitle: Old\ndate: 2020-01-02\n---\nx")
        write(tmp_path, "2019-03-04-named.md", "---\ntitle: Named\n---\nx")
        write(tmp_path, "path.md", "+++\ntitle = 'Path'\npath = '2018/05/06/Path'\n+++\nx")
        write(tmp_path, "draft.md", "---\ntitle: Draft\ndate: 2020-01-02\ndraft: true\n---\nx")
        write(tmp_path, "future.md", "---\ntitle: Future\ndate: 2999-01-02T09:00:00Z\n---\nx")
        write(tmp_path, "undated.md", "---\ntitle: Undated\n---\nx")
        write(tmp_path, "hidden.md", "---\ntitle: Hidden\ndate: 2020-01-02\npublished: false\n---\nx")
        write(tmp_path, "capital.md", "---\ntitle: Draft\ndate: 2020-01-02\nDraft: true\ndraft: false\n---\nx")
        write(tmp_path, "capital2.md", "+++\ntitle = 'Hidden'\ndate = 2020-01-02\nPublished = false\n+++\nx")
        write(tmp_path, "Drafts/folder.md", "---\ntitle: Folder\ndate: 2020-01-02\n---\nx")
        write(tmp_path, "_drafts/early.md", "---\ntitle: Early\ndate: 2020-01-02\n---\nx")
        write(tmp_path, "posts/drafts/2/early2.md", "---\ntitle: Early\ndate: 2020-01-02\ndraft: false\n---\nx")

        assert self.run(cli, project, tmp_path, "--publish")["published"] == 3

        live = {slug: one["publishedAt"] for slug, one in documents_of(project).items() if one["isPublished"]}
        assert live == {
            "old": "2020-01-02T00:00:00.000Z",
            "named": "2019-03-04T00:00:00.000Z",
            "path": "2018-05-06T00:00:00.000Z",
        }
        assert self.run(cli, project, tmp_path, "--publish")["published"] == 0
        assert self.run(cli, project, tmp_path / "_drafts", "--publish")["published"] == 0
        assert self.run(cli, project, tmp_path / "_drafts" / "early.md", "--publish")["published"] == 0

    @pytest.mark.parametrize(
        ("front", "why"),
        [
            ("date: 2020-01-02\npublishDate: 2999-01-01", "publishDate is in the future"),
            ("publishedAt: 2020-01-02\npublishdate: 2999-01-01", "publishDate is in the future"),
            ("date: 2020-01-02\nexpiryDate: 2021-01-01", "expiryDate is in the past"),
            ("date: 2020-01-02\nunpublishdate: 2021-01-01", "unpublishdate is in the past"),
            ("date: 2020-01-02\nheadless: true", "headless is true"),
            ("date: 2020-01-02\nbuild: {render: never}", "build.render is never"),
            ("date: 2020-01-02\n_build: {render: false}", "_build.render is false"),
            ("date: 2020-01-02\ndraft: true", "a draft"),
            ("date: 2999-01-02", "the date is in the future"),
            ("slug: a", "no date"),
            ("date: 2020-01-02\nexpiryDate: 2999-01-01\nheadless: false\nbuild: {render: always}", None),
            ("date: 2020-01-02\npublishDate: 2021-01-01", None),
        ],
    )
    def test_publish_lists_what_it_did_not_publish_and_why(
        self, cli: Cli, project: Project, tmp_path: Path, front: str, why: str | None
    ) -> None:
        write(tmp_path, "a.md", f"---\ntitle: A\n{front}\n---\nx")

        report = self.run(cli, project, tmp_path, "--publish")

        assert (report["created"], report["published"]) == (1, int(why is None))
        assert report["unpublished"] == ({"a.md": why} if why else {})
        shown = cli("import", "--project", project.id, tmp_path, "--publish").stdout
        assert (f"Not published: a.md: {why}" in shown) == (why is not None)

    def test_publish_takes_what_an_earlier_update_wrote(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\n---\none")
        self.run(cli, project, tmp_path, "--publish")
        write(tmp_path, "a.md", "---\ntitle: A\ndate: 2020-01-02\n---\ntwo")
        assert self.run(cli, project, tmp_path, "--update")["published"] == 0
        assert documents_of(project)["a"]["hasUnpublishedChanges"]

        assert self.run(cli, project, tmp_path, "--publish")["published"] == 1
        assert not documents_of(project)["a"]["hasUnpublishedChanges"]
        assert self.run(cli, project, tmp_path, "--publish")["published"] == 0

    @pytest.mark.contract("decided-import.authors")
    @pytest.mark.parametrize(
        ("front", "author", "others"),
        [
            ("author: ada lovelace", "Ada Lovelace", []),
            ("author: ADA@example.org", "Ada Lovelace", []),
            ("authors: [Somebody, Grace, Ada Lovelace]", "Grace", ["Somebody", "Ada Lovelace"]),
            ("authors: [ada@example.org, Ada Lovelace]", "Ada Lovelace", []),
            ("authors: [{name: Ada, email: ada@example.org, url: 'https://ada.example'}]", "Ada Lovelace", []),
            ("author: {name: Grace, email: grace@elsewhere.example}", "Grace", []),
            ("author: {email: c@example.org, name: Nobody}", None, ["Nobody"]),
            ("authors: [{email: c@example.org}, {name: ada lovelace}]", "Ada Lovelace", ["c@example.org"]),
            ("authors: [{url: x}]", None, []),
            ("author: Somebody", None, ["Somebody"]),
            ("author: Twin", None, ["Twin"]),
            ("author: ''", None, []),
        ],
    )
    def test_the_first_author_who_is_a_member_is_the_documents_and_the_others_are_named(
        self, cli: Cli, project: Project, tmp_path: Path, front: str, author: str | None, others: list[str]
    ) -> None:
        ctx = project.context()
        emails = {"Ada Lovelace": "ada@example.org", "Grace": "g@example.org", "Twin": "a@example.org"}
        members = [("Twin", "b@example.org"), *emails.items()]
        ids = {OPERATIONS["create_member"](ctx, fields={"name": n, "email": e}).body["id"]: n for n, e in members}
        write(tmp_path, "a.md", f"---\ntitle: A\n{front}\n---\nText")

        report = self.run(cli, project, tmp_path)

        assert report["refused"] == {}
        assert report["others"] == ({"a.md": others} if others else {})
        assert ids.get(documents_of(project)["a"]["authorId"]) == author
        assert report["unknown"] == ({"authors.url": 1} if "url" in front else {})
        assert self.run(cli, project, tmp_path)["unchanged"] == 1

    @pytest.mark.contract("decided-import.lost")
    def test_what_a_text_loses_in_html_is_named_unless_the_project_does_not_want_it(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        text = "Fine.\n\n<iframe src='https://a.example'></iframe>\n\n<p style='color:red'>x</p>"
        write(tmp_path, "a.md", f"---\ntitle: A\n---\n{text}")
        write(tmp_path, "b.md", "---\ntitle: B\n---\nFine.")
        losses = [(3, "The embedded <iframe> is removed"), (5, "The attribute `style`")]

        named = self.run(cli, project, tmp_path)["lost"]

        for one, (line, loss) in zip(named.pop("a.md"), losses, strict=True):
            assert (one["line"], one["what"].startswith(loss)) == (line, True)
        assert named == self.run(cli, project, tmp_path)["lost"] == {}
        OPERATIONS["update_project"](project.context(), fields={"checks": {"html_kept": "off"}})
        write(tmp_path, "c.md", f"---\ntitle: C\n---\n{text}")
        assert self.run(cli, project, tmp_path)["lost"] == {}

    @pytest.mark.contract("decided-import.aliases")
    def test_the_last_segments_of_aliases_redirect_to_the_document(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        paths = ["/2019/05/rye/", "https://old.example/Rye.html?x=1#y", "brot%C3%A9", "/a", "/2020/rye-bread"]
        write(tmp_path, "rye-bread.md", f"---\ntitle: Rye\naliases: {paths}\ndate: 2019-05-01\n---\nDark")
        write(tmp_path, "a.md", "---\ntitle: A\ndate: 2019-05-01\n---\nText")

        report = self.run(cli, project, tmp_path, "--publish")

        assert (report["refused"], report["published"]) == ({}, 2)
        assert redirects_of(project) == {"rye": "rye-bread", "Rye.html": "rye-bread", "broté": "rye-bread"}
        assert self.run(cli, project, tmp_path, "--publish")["unchanged"] == 2

    def test_an_author_and_an_alias_that_a_file_gets_later_are_delivered_at_once(
        self, cli: Cli, project: Project, tmp_path: Path
    ) -> None:
        OPERATIONS["create_member"](project.context(), fields={"name": "Ada"})
        write(tmp_path, "a.md", "---\ntitle: A\ndate: 2019-05-01\naliases: [old]\n---\nText")
        self.run(cli, project, tmp_path, "--publish")
        write(tmp_path, "a.md", "---\ntitle: A\ndate: 2019-05-01\nauthor: Ada\naliases: [older]\n---\nText")

        assert self.run(cli, project, tmp_path)["changed"] == {"a.md": ["aliases", "author"]}
        assert self.run(cli, project, tmp_path, "--update")["updated"] == 1

        assert redirects_of(project) == {"old": "a", "older": "a"}
        document = documents_of(project)["a"]
        assert (document["version"], document["authorId"] is None) == (1, False)
        assert self.run(cli, project, tmp_path)["unchanged"] == 1

    def test_published_at_is_the_date_of_a_publication(self, cli: Cli, project: Project, tmp_path: Path) -> None:
        write(tmp_path, "a.md", "---\ntitle: A\ndate: 2999-01-01\npublishedAt: 2019-05-01T10:00:00+02:00\n---\nText")

        assert self.run(cli, project, tmp_path, "--publish")["published"] == 1

        assert documents_of(project)["a"]["publishedAt"] == "2019-05-01T08:00:00.000Z"

    @pytest.mark.slow
    @pytest.mark.skipif(not RUST_BLOG.exists(), reason="the posts of the Rust blog are not beside this checkout")
    def test_the_rust_blog_comes_whole_and_a_second_time_changes_nothing(self, cli: Cli, project: Project) -> None:
        first = self.run(cli, project, RUST_BLOG)
        second = self.run(cli, project, RUST_BLOG)

        assert (first["created"], first["refused"]) == (387, {"releases/latest.md": "title: Is required."})
        assert (second["created"], second["unchanged"], second["changed"]) == (0, 387, {})


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("plain.md", "plain"),
        ("folder/index.md", "folder"),
        ("Rust-1.0@0.md", "rust-1.00"),
        ("naïve café.md", "naïve-café"),
        ("what? (really).md", "what-really"),
    ],
)
def test_a_file_that_names_no_slug_has_its_name(tmp_path: Path, name: str, slug: str) -> None:
    write(tmp_path, name, "---\ntitle: x\n---\n")

    assert read_post(tmp_path / name).fields["slug"] == slug


def test_a_file_that_is_not_utf_8_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"\xff\xfe")

    with pytest.raises(Unreadable, match="not UTF-8"):
        read_post(tmp_path / "x.md")


def test_an_empty_value_is_as_if_its_key_were_not_there(tmp_path: Path) -> None:
    empty = ("", "''", "'  '", "[]", "{}", "['']", "null")
    keys = (
        "title",
        "slug",
        "category",
        "tags",
        "image",
        "brief",
        "date",
        "draft",
        "published",
        "author",
        "aliases",
        "x",
    )
    read = []
    for value in empty:
        write(tmp_path, "x.md", "---\n" + "".join(f"{key}: {value}\n" for key in keys) + "---\nText\n")
        read.append(read_post(tmp_path / "x.md"))
    write(tmp_path, "x.md", "---\n---\nText\n")

    assert read == [read_post(tmp_path / "x.md")] * len(empty)
