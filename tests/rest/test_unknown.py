"""Names that a route does not know: listed in `Ignored-Fields`, or refused (decisions, section 11)."""

from typing import Any

import pytest
from http_sf import parse

from tests.documented import DocumentedRest
from tests.make import Project, a_document
from tests.rest.client import Rest

STRICT = {"Prefer": "handling=strict"}
NEAR = "did-you-mean"


def ignored(response: Any) -> list[tuple[str, str | None]]:
    """Returns the names in `Ignored-Fields`, each with the known name that is near."""
    listed: Any = parse(response.headers["Ignored-Fields"].encode(), tltype="list")
    return [(name, parameters.get(NEAR)) for name, parameters in listed]


@pytest.mark.contract("decided-unknown.listed", "decided-unknown.form", "decided-unknown.near")
def test_a_success_lists_the_names_that_were_ignored_with_the_name_that_is_near(api: DocumentedRest) -> None:
    sent = {"titel": "Rye", "brief": {"keywrd": "rye", "notes": "", "x": 1}, "title": "Rye", "layout": "wide"}

    begun = api.post("/document-intents?dry=1&Limit=2", sent)

    assert begun.status_code == 201
    assert begun.headers["Ignored-Fields"] == (
        '"titel";did-you-mean="title", "brief.keywrd";did-you-mean="keyword", "brief.x", "layout", "?dry", "?Limit"'
    )
    assert "Preference-Applied" not in begun.headers


@pytest.mark.contract("decided-http.unknown-query")
@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/documents?search=rye", [("?search", None)]),
        ("/documents?Limit=2&category_id=none&limit=1", [("?Limit", "limit"), ("?category_id", "categoryId")]),
        (
            "/documents?limt=1&sort=title&srt=title&page=1&page=2",
            [("?limt", "limit"), ("?srt", "sort"), ("?page", None)],
        ),
        ("/project?limit=1", [("?limit", None)]),
        ("/document-intents?kind=cluster", [("?kind", None)]),
        ("/briefs?=5", [("?", None)]),
        ("/briefs?state=ready&stat", [("?stat", "state")]),
        ("/briefs?lim=1", [("?lim", None)]),
        ("/briefs?LIMIT=1&off-set=2", [("?LIMIT", "limit"), ("?off-set", "offset")]),
    ],
)
def test_each_unknown_parameter_of_a_query_is_listed_once(
    api: DocumentedRest, path: str, names: list[tuple[str, str | None]]
) -> None:
    response = api.get(path)

    assert response.status_code == 200
    assert ignored(response) == names


@pytest.mark.contract("decided-unknown.near")
def test_a_name_that_belongs_into_the_other_part_of_the_request_is_near(api: DocumentedRest) -> None:
    sent = {"pieces": [{"key": "rye", "title": "Rye", "dryRun": True}], "dry_run": True}

    planned = api.post("/plan?pieces=1", sent)
    refused = api.post("/plan?pieces=1", sent, **STRICT)

    assert ignored(planned) == [("pieces[0].dryRun", None), ("dry_run", "dryRun"), ("?pieces", "pieces")]
    assert [issue["message"] for issue in refused.json["issues"] if "[" not in issue["path"]] == [
        "Unknown field; did you mean the query parameter `dryRun`?",
        "Unknown query parameter; did you mean the field of the body `pieces`?",
    ]


@pytest.mark.contract("decided-unknown.form")
def test_at_most_twenty_names_are_listed_each_cut_and_encoded(api: DocumentedRest) -> None:
    sent = {'a"b\\c%d': 1, "Brot für alle": 1, "tab\tnewline\n": 1, "x" * 300: 1, "ü" * 101: 1}
    sent |= {f"more{number}": 1 for number in range(30)}

    response = api.post("/cluster-intents?last=1", sent)

    assert response.status_code == 201
    names = [name for name, _ in ignored(response)]
    assert names[:5] == ['a"b\\c%25d', "Brot f%C3%BCr alle", "tab%09newline%0A", "x" * 100, "%C3%BC" * 100]
    assert names[5:] == [f"more{number}" for number in range(15)]
    assert ignored(api.get(f"/project?{'y' * 300}=1")) == [("?" + "y" * 99, None)]


@pytest.mark.contract("decided-unknown.form")
def test_the_list_is_short_enough_for_any_proxy_however_long_its_names_are_when_encoded(api: DocumentedRest) -> None:
    plain = {f"{number:02}{'x' * 200}": 1 for number in range(30)}
    encoded = {f"{number:02}{'🍞' * 200}": 1 for number in range(30)}

    in_ascii = api.post("/cluster-intents", plain)
    beyond = api.post("/cluster-intents", encoded)

    assert [name for name, _ in ignored(in_ascii)] == [name[:100] for name in plain][:20]
    assert [name for name, _ in ignored(beyond)] == [f"{number:02}{'%F0%9F%8D%9E' * 98}" for number in range(2)]
    for response in (in_ascii, beyond):
        assert sum(len(f"{name}: {value}\r\n") for name, value in response.headers) < 4_000


def test_nothing_is_listed_where_nothing_was_ignored_or_nothing_was_done(api: DocumentedRest, project: Project) -> None:
    document = a_document(project.context())
    read = api.get(f"/documents/{document['id']}")

    for response in (
        read,
        api.get("/documents?limit=5&sort=title&q=rye"),
        api.get(f"/documents/{document['id']}?x=1", **{"If-None-Match": read.headers["ETag"]}),
        api.get("/documents/6650f0a1b2c3d4e5f6a7b8c9?x=1"),
        api.get("/documents?limit=x&y=1"),
        api.post("/cluster-intents", {"keywords": 1, "x": 1}),
    ):
        assert "Ignored-Fields" not in response.headers


@pytest.mark.contract("decided-unknown.no-body")
def test_a_body_that_an_operation_does_not_take_is_not_read(api: DocumentedRest, project: Project) -> None:
    document = a_document(project.context(), brief={"keyword": "rye"})

    ready = api.post(f"/documents/{document['id']}/brief/ready", {"titel": 1}, **STRICT)

    assert ready.status_code == 200
    assert "Ignored-Fields" not in ready.headers


@pytest.mark.contract("decided-unknown.strict")
def test_strict_handling_refuses_unknown_names_beside_everything_else_that_is_wrong(api: DocumentedRest) -> None:
    sent = {"titel": "Rye", "title": 5, "brief": {"keywrd": "rye"}}

    refused = api.post("/document-intents?search=1", sent, **STRICT)

    assert (refused.status_code, refused.json["_tag"]) == (400, "HttpApiDecodeError")
    assert refused.json["issues"] == [
        {"path": "brief.keywrd", "message": "Unknown field; did you mean `keyword`?"},
        {"path": "search", "message": "Unknown query parameter; known here: `dryRun`."},
        {"path": "titel", "message": "Unknown field; did you mean `title`?"},
        {"path": "title", "message": "Must be a string."},
    ]
    assert refused.headers["Preference-Applied"] == "handling=strict"
    assert "Ignored-Fields" not in refused.headers
    assert api.get("/document-intents").json == []


@pytest.mark.contract("decided-unknown.strict")
@pytest.mark.parametrize(
    "prefer",
    [
        "handling=strict",
        "respond-async, Handling=strict; why, wait=10",
        'handling="strict"',
        "handling=strict, handling=lenient",
    ],
)
def test_a_success_under_strict_handling_says_so(api: DocumentedRest, prefer: str) -> None:
    listed = api.get("/documents?limit=5", Prefer=prefer)

    assert listed.status_code == 200
    assert listed.headers["Preference-Applied"] == "handling=strict"
    assert api.get("/documents?limt=5", Prefer=prefer).status_code == 400


@pytest.mark.parametrize(
    "prefer", ["", "handling=lenient", "handling", "strict", "handling=lenient, handling=strict", '"']
)
def test_any_other_preference_is_ignored(api: DocumentedRest, prefer: str) -> None:
    listed = api.get("/documents?limt=5", Prefer=prefer)

    assert listed.status_code == 200
    assert ignored(listed) == [("?limt", "limit")]
    assert "Preference-Applied" not in listed.headers


@pytest.mark.parametrize(
    "path", ["/project", "/webhooks", "/cluster-intents", "/documents/{id}", "/documents/{id}/outline"]
)
def test_any_route_refuses_unknown_parameters_under_strict_handling(
    api: DocumentedRest, project: Project, path: str
) -> None:
    path = path.format(id=a_document(project.context())["id"])

    refused = api.get(f"{path}?search=1", **STRICT)

    assert refused.status_code == 400
    assert refused.json["issues"] == [{"path": "search", "message": "Unknown query parameter; known here: none."}]


def test_of_many_unknown_fields_a_hundred_are_named_and_the_rest_counted(api: DocumentedRest) -> None:
    sent = {f"a{number}": number for number in range(50_000)} | {"keywords": 5}

    refused = api.post("/cluster-intents?b=1", sent, **STRICT)

    assert (refused.status_code, len(refused.json["issues"]), refused.json["more"]) == (400, 100, 49_902)


@pytest.mark.contract("decided-unknown.replay")
@pytest.mark.needs_mongod
def test_a_replay_lists_the_names_of_its_own_request(rest: Rest) -> None:
    key = {"Idempotency-Key": "once"}

    first = rest.post("/cluster-intents", {"name": "Bread", "namee": "x"}, **key)
    again = rest.post("/cluster-intents?y=1", {"name": "Bread"}, **key)
    strict = rest.post("/cluster-intents", {"name": "Bread"}, **key, **STRICT)
    refused = rest.post("/cluster-intents", {"name": "Bread", "namee": "x"}, **key, **STRICT)

    assert ignored(first) == [("namee", "name")]
    for replay in (again, strict):
        assert (replay.status_code, replay.json) == (201, first.json)
        assert replay.headers["Idempotency-Replayed"] == "true"
    assert ignored(again) == [("?y", None)]
    assert strict.headers["Preference-Applied"] == "handling=strict"
    assert refused.status_code == 400


def test_a_parameter_that_takes_one_value_and_comes_twice_is_named(rest: Rest) -> None:
    refused = rest.get(
        "/documents?limit=1&limit=2&offset=x&status=idea&status=x&dueBefore=2027-01-31&dueBefore=2027-02-28"
    )

    assert {issue["path"]: issue["message"].split(",")[0] for issue in refused.json["issues"]} == {
        "limit": "Was sent more than once.",
        "dueBefore": "Was sent more than once.",
        "offset": "Must be an integer.",
        "status": "Must be one of idea",
    }
