"""The authorization server: Authlib's, with its grants, on the operations that connect clients (decisions, section 16).

Authlib decides what a request of the protocol is and how it is answered. This module adds the clients, the store of
consents, and the requirement of a challenge, a redirect address and one resource. Authlib calls the functions of its
grants by their names, which its manual explains.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import InvalidRequestError, OAuth2Request, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, Response, current_app, g, request
from werkzeug.datastructures import MultiDict

from app.core.context import this_instant
from app.core.errors import NotFound
from app.core.store.store import Store
from app.http.callers import callers
from app.oauth import operations as oauth
from app.oauth.client_documents import ClientDocuments
from app.oauth.rules import CONNECTABLE, Client, is_document, known_scopes
from app.settings import Settings

T = TypeVar("T")


class InvalidTargetError(OAuth2Error):
    """The token would be for another service (RFC 8707)."""

    error = "invalid_target"
    description = "This server gives tokens for its own resource alone: leave `resource` out."


class _Request(OAuth2Request):
    """A request of the protocol: the query at the authorization endpoint, else the form.

    `PUBLIC_URL` says whether clients use https, as the proxy that ends it speaks http to this server. Authlib repeats
    parameters in messages, which may have only some characters.
    """

    def __init__(self, issuer: str, data: MultiDict[str, str]) -> None:
        super().__init__(request.method, issuer + request.path, headers=request.headers)
        self.repeated = {name for name, values in data.lists() if len(values) > 1}
        self.payload = BasicOAuth2Payload(
            {name: value if name == "state" else _plain(value) for name, value in data.items()}
        )

    @property
    def form(self) -> MultiDict[str, str]:
        return request.form


def _plain(value: str) -> str:
    return "".join(one if " " <= one <= "~" and one not in '"\\' else " " for one in value)


@dataclass(frozen=True)
class _Granted:
    """Adapts a stored consent or connection, found by the client's id, to the interface that Authlib expects."""

    record: Any
    sent: str
    code_challenge_method = "S256"

    @property
    def code_challenge(self) -> str:
        return str(self.record["challenge"])

    def get_redirect_uri(self) -> str:
        return str(self.record["redirectUri"])

    def get_scope(self) -> str:
        return " ".join(self.record.get("token", self.record)["scopes"])

    def check_client(self, client: Client) -> bool:
        return True


class _Challenge(CodeChallenge):
    """Requires a challenge, and accepts only `S256`."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        _check(grant.request)
        sent = grant.request.payload.data
        if not sent.get("code_challenge") or not sent.get("code_challenge_method"):
            raise InvalidRequestError("Send 'code_challenge', and 'code_challenge_method=S256'.")
        super().validate_code_challenge(grant, redirect_uri)


class _TokenGrant:
    """Base of the grants: public clients, and operations that save what they return."""

    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    request: Any

    def validate_token_request(self) -> None:
        _check(self.request)
        if not self.request.payload.client_id:
            raise InvalidRequestError("Missing 'client_id' in request.")
        super().validate_token_request()  # type: ignore[misc]  # the grant's, which is inherited beside this

    def authenticate_user(self, granted: _Granted) -> _Granted:
        return granted

    def save_token(self, token: Mapping[str, Any]) -> None:
        """`generate_token` has saved it."""


class _CodeGrant(_TokenGrant, grants.AuthorizationCodeGrant):
    @staticmethod
    def validate_no_multiple_request_parameter(sent: _Request) -> None:
        """Refuses two clients or redirect addresses; `_Challenge` refuses what else is repeated, by a redirect."""
        if {"client_id", "redirect_uri"} & sent.repeated:
            raise InvalidRequestError("Send 'client_id' and 'redirect_uri' once.")

    def generate_authorization_code(self) -> str:
        sent, (ctx, fields) = self.request, self.request.user
        challenge, asked = sent.payload.data["code_challenge"], known_scopes(sent.scope)
        return oauth.agree(ctx, sent.client, sent.payload.redirect_uri, challenge, asked, fields)

    def save_authorization_code(self, code: str, sent: _Request) -> None:
        """`generate_authorization_code` has saved it."""

    def query_authorization_code(self, code: str, client: Client) -> _Granted | None:
        agreed = oauth.take_code(g.oauth_store, code, client.id, g.oauth_now)
        return agreed and _Granted(agreed, code)

    def delete_authorization_code(self, authorization_code: _Granted) -> None:
        """`query_authorization_code` has deleted it."""

    def generate_token(self, **_options: Any) -> Mapping[str, Any]:
        return oauth.create_connection(g.oauth_store, self.request.authorization_code.record, g.oauth_now)


class _RefreshGrant(_TokenGrant, grants.RefreshTokenGrant):
    def authenticate_refresh_token(self, refresh_token: str) -> _Granted | None:
        token = oauth.find_refreshable(g.oauth_store, refresh_token, self.request.client.id, g.oauth_now)
        return token and _Granted(token, refresh_token)

    def generate_token(self, **_options: Any) -> Mapping[str, Any]:
        granted = self.request.refresh_token
        return oauth.refresh(g.oauth_store, granted.record, granted.sent, g.oauth_now)

    def revoke_old_credential(self, refresh_token: _Granted) -> None:
        """Does nothing: the new secrets have replaced the old ones."""


class _Issuer(IssuerParameter):
    """Adds `iss` to what is sent to a client's redirect address (RFC 9207)."""

    def get_issuer(self) -> str:
        return connection_server().issuer


class ConnectionServer(AuthorizationServer):
    """The authorization server of an app."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        super().__init__(app, self._find_client)
        self.issuer = issuer = settings.issuer
        self.resource_metadata = {
            "resource": f"{issuer}/mcp",
            "authorization_servers": [issuer],
            "scopes_supported": CONNECTABLE,
            "bearer_methods_supported": ["header"],
            "resource_name": "Content workflow",
        }
        self.metadata = {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/oauth/authorize",
            "token_endpoint": f"{issuer}/oauth/token",
            "revocation_endpoint": f"{issuer}/oauth/revoke",
            "registration_endpoint": f"{issuer}/oauth/register",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "client_id_metadata_document_supported": True,
            "authorization_response_iss_parameter_supported": True,
            "scopes_supported": CONNECTABLE,
        }
        self._documents = ClientDocuments(allow_local=settings.webhooks_allow_local)
        self._iss = _Issuer()
        # With a code or a refresh token the client's id is compared; its document is not fetched again.
        self.register_client_auth_method("none", lambda _, sent: Client(sent.payload.client_id or ""))
        self.register_extension(self._iss)
        self.register_grant(_CodeGrant, [_Challenge()])
        self.register_grant(_RefreshGrant)

    def create_oauth2_request(self, sent: Any) -> OAuth2Request:
        return sent or _Request(self.issuer, request.form if request.blueprint == "oauth" else request.args)

    def redirect_with(self, error: OAuth2Error) -> Response:
        """Returns the redirect that sends a refused authorization request back to its client."""
        response: Response = self.handle_error_response(None, error)
        self._iss.add_issuer_parameter(self, response)
        return response

    def in_transaction(self, function: Callable[[], T]) -> T:
        """Calls a function inside one transaction, so that a secret is used only once."""
        store, g.oauth_now = callers().store, this_instant()

        def work(store: Store) -> T:
            g.oauth_store = store
            return function()

        return store.in_transaction(work)

    def _find_client(self, client_id: str) -> Client | None:
        if is_document(client_id):
            return self._documents.get(client_id)
        return oauth.registered_client(callers().store, client_id)


def connection_server() -> ConnectionServer:
    """Returns the app's authorization server; refuses with `NotFound` where nobody can connect."""
    if "oauth" not in current_app.extensions:
        raise NotFound("Clients can't be connected here: see PUBLIC_URL and OAUTH.")
    found: ConnectionServer = current_app.extensions["oauth"]
    return found


def install(app: Flask, settings: Settings) -> None:
    """Creates the app's authorization server, where the settings allow clients to connect."""
    logging.getLogger("authlib").setLevel(logging.INFO)  # below that it logs tokens
    if settings.issuer:
        app.extensions["oauth"] = ConnectionServer(app, settings)


def _check(sent: _Request) -> None:
    """Refuses repeated parameters, and another resource than this server's."""
    if sent.repeated:
        raise InvalidRequestError("Send each parameter once.")
    own = connection_server().resource_metadata["resource"]
    if sent.payload.data.get("resource", own) != own:
        raise InvalidTargetError
