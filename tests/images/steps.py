"""An editor's steps with pictures."""

from dataclasses import dataclass
from typing import Any

from werkzeug.test import TestResponse

from app.core.vocabulary import TokenKind
from tests.graphql_app.client import GraphQL
from tests.images.pictures import a_picture
from tests.make import Project
from tests.rest.client import Rest


@dataclass(frozen=True)
class Pictures:
    """Steps by one person."""

    rest: Rest
    project: Project

    def upload(self, data: bytes | None = None, *, alt: str = "", name: str = "Loaf.jpg", seed: int = 0) -> Any:
        """Uploads a picture and returns its record."""
        response = self.rest.client.post(
            "/images",
            query_string={"alt": alt, "name": name},
            data=a_picture(seed=seed) if data is None else data,
            content_type="image/png",
            headers={"Authorization": f"Bearer {self.rest.token.secret}"},
        )
        assert response.status_code in (200, 201), response.text
        return response.json

    def document(self, markdown: str = "", **fields: Any) -> str:
        """Makes a document with a text, and returns its id."""
        draft = self.rest.post("/document-intents", {"title": "Bread", "status": "drafting", "markdown": "x"}).json
        made = self.rest.post(f"/document-intents/{draft['id']}/confirm").json["document"]
        if fields:
            assert self.rest.patch(f"/documents/{made['id']}", fields).status_code == 200
        self.write(made["id"], markdown)
        return str(made["id"])

    def write(self, document_id: str, markdown: str) -> None:
        """Writes a document's text."""
        version = self.rest.get(f"/documents/{document_id}").json["version"]
        body = {"markdown": markdown or "Words.", "baseVersion": version}
        response = self.rest.put(f"/documents/{document_id}/content", body)
        assert response.status_code == 200, response.text

    def publish(self, document_id: str) -> None:
        """Publishes a document."""
        response = self.rest.post(f"/documents/{document_id}/publish")
        assert response.status_code == 200, response.text

    def delivered(self, document_id: str, fields: str, *, drafts: bool = False) -> Any:
        """Returns fields of a document as a website gets them."""
        token = self.project.token(kind=TokenKind.DELIVERY, drafts=drafts)
        query = "query ($id: ID!) { document(id: $id) { %s } }" % fields  # noqa: UP031
        return GraphQL(self.rest.client, token).data(query, {"id": document_id})["document"]

    def media(self, image: Any, query: str = "", **headers: str) -> TestResponse:
        """Asks for a picture without a token."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        path = "/media/" + image["url"].partition("/media/")[2] + query
        return self.rest.client.get(path, headers=sent, buffered=True)
