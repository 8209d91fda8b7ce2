"""A token's secret is shown only to callers who have all of its scopes (decisions, section 2)."""

import pytest

from app.core.vocabulary import Scope, TokenKind
from tests.make import Project
from tests.rest.client import Rest


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE, Scope.PUBLISH])
def test_a_token_is_not_rotated_by_one_that_may_do_less(rest: Rest, project: Project, scope: Scope) -> None:
    admin = rest.by(project.token(scopes=[Scope.ADMIN]))
    stronger = rest.by(project.token(scopes=[scope]))

    answer = admin.post(f"/tokens/{stronger.token.id}/rotate")

    assert answer.status_code == 403
    assert str(scope) in answer.json["message"]
    assert stronger.get("/nothing").status_code == 404, "its secret still works"


def test_a_token_is_rotated_by_one_that_may_do_as_much(rest: Rest, project: Project) -> None:
    script = project.token(scopes=[Scope.READ, Scope.WRITE])

    assert rest.post(f"/tokens/{script.id}/rotate").json["token"] != script.secret


def test_a_token_that_sees_drafts_is_made_and_rotated_by_one_that_may_read(rest: Rest, project: Project) -> None:
    admin = rest.by(project.token(scopes=[Scope.ADMIN]))
    preview = project.token(kind=TokenKind.DELIVERY, drafts=True)
    fields = {"name": "Preview", "kind": "delivery", "drafts": True}

    assert admin.post("/tokens", fields).status_code == 403
    assert admin.post(f"/tokens/{preview.id}/rotate").status_code == 403
    assert rest.post("/tokens", fields).status_code == 201
