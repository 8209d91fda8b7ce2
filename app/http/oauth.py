"""The authorization server: Authlib's, with its grants, on the operations that connect clients (decisions, section 16).

Authlib decides what a request of the protocol is and how it is answered. Ours are the clients, the store of what was
agreed to, and that challenges, redirect addresses and one resource are required. Where Authlib's functions are called
by a name that it chose, its manual says what each is for.
"""

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import (
    ClientMixin,
    InvalidRequestError,
    OAuth2Payload,
    OAuth2Request,
    grants,
)
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, Response, current_app, g, request
from werkzeug.datastructures import MultiDict

from app.http.callers import callers
from app.http.client_documents import ClientDocuments
from app.operations import oauth
from app.operations.context import Context, this_instant
from app.rules.oauth import DEFAULT_SCOPES, Client, is_document, known_scopes, leads_to
from app.rules.tokens import StoredCode, StoredToken
from app.settings import Settings
from app.store.store import Store
from app.vocabulary import Scope

ONCE = ("response_type", "state", "scope", "code_challenge", "code_challenge_method", "resource")
"""The parameters that a request has once, beside the client and the redirect address."""


class InvalidTargetError(OAuth2Error):
    """The token would be for another service (RFC 8707)."""

    error = "invalid_target"
    description = "This server gives tokens for its own resource alone: leave `resource` out."


class _Payload(OAuth2Payload):
    """The parameters of a request. Those that Authlib repeats in its messages have no character that these can't."""

    def __init__(self, data: MultiDict[str, str]) -> None:
        self._data = data

    @property
    def data(self) -> MultiDict[str, str]:
        return self._data

    @property
    def datalist(self) -> defaultdict[str, list[str]]:
        return defaultdict(list, self._data.lists())

    client_id = property(lambda self: self._plain("client_id"))
    response_type = property(lambda self: self._plain("response_type"))
    grant_type = property(lambda self: self._plain("grant_type"))
    redirect_uri = property(lambda self: self._plain("redirect_uri"))

    def _plain(self, name: str) -> str | None:
        value = self._data.get(name)
        return value and "".join(one if " " <= one <= "~" and one not in '"\\' else " " for one in value)


class _Request(OAuth2Request):
    """A request of the protocol: the query at the authorization endpoint, else the form.

    `PUBLIC_URL` says whether clients use https: the proxy that ends it speaks http to this server.
    """

    def __init__(self, issuer: str, data: MultiDict[str, str]) -> None:
        super().__init__(request.method, issuer + request.path, headers=request.headers)
        self.payload = _Payload(data)

    @property
    def args(self) -> MultiDict[str, str]:
        return request.args

    @property
    def form(self) -> MultiDict[str, str]:
        return request.form


class KnownClient(ClientMixin):
    """A client as Authlib asks it; at the token endpoint its id alone is known, which has to be that of its code."""

    def __init__(self, client_id: str, client: Client | None = None) -> None:
        self.id, self.client = client_id, client

    def get_default_redirect_uri(self) -> None:
        """Every request names its address."""

    def get_allowed_scope(self, scope: str | None) -> str | None:
        return " ".join(known_scopes(scope or DEFAULT_SCOPES)) or None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return self.client is not None and leads_to(self.client, redirect_uri)

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return True


@dataclass(frozen=True)
class Consent:
    """Somebody agrees: who, and to what."""

    ctx: Context
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class _Code:
    """A code as Authlib asks it."""

    agreed: StoredCode

    @property
    def code_challenge(self) -> str:
        return self.agreed["challenge"]

    def get_redirect_uri(self) -> str:
        return self.agreed["redirectUri"]

    def get_scope(self) -> str:
        return " ".join(self.agreed["scopes"])


@dataclass(frozen=True)
class _Refreshable:
    """A connection whose refresh token was sent, as Authlib asks it."""

    token: StoredToken
    sent: str

    def check_client(self, client: KnownClient) -> bool:
        return True  # it was found by the client

    def get_scope(self) -> str:
        return " ".join(self.token["scopes"])


class _Challenge(CodeChallenge):
    """Requires a challenge, and takes `S256` alone; requires that nothing is sent twice."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        sent = grant.request.payload
        if repeated := next((name for name in ONCE if len(sent.datalist[name]) > 1), None):
            raise InvalidRequestError(f"Send '{repeated}' once.")
        if not sent.data.get("code_challenge") or not sent.data.get("code_challenge_method"):
            raise InvalidRequestError("Send 'code_challenge', and 'code_challenge_method=S256'.")
        super().validate_code_challenge(grant, redirect_uri)
        _check_resource(sent)

    def get_authorization_code_challenge_method(self, authorization_code: _Code) -> str:
        return "S256"


class _CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    @staticmethod
    def validate_no_multiple_request_parameter(sent: _Request) -> None:
        """Refuses two clients or redirect addresses; `_Challenge` refuses other repetitions, once these are known."""
        for name in ("client_id", "redirect_uri"):
            if len(sent.payload.datalist[name]) > 1:
                raise InvalidRequestError(f"Send '{name}' once.")

    def save_authorization_code(self, code: None, sent: _Request) -> None:
        """`generate_authorization_code` has saved it."""

    def generate_authorization_code(self) -> str:
        sent, consent = self.request, self.request.user
        challenge, asked = sent.payload.data["code_challenge"], known_scopes(sent.scope)
        return oauth.agree(consent.ctx, sent.client.client, sent.payload.redirect_uri, challenge, asked, consent.fields)

    def validate_token_request(self) -> None:
        _check_resource(self.request.payload)
        super().validate_token_request()

    def query_authorization_code(self, code: str, client: KnownClient) -> _Code | None:
        agreed = oauth.take_code(_store(), code, client.id, _now())
        return agreed and _Code(agreed)

    def authenticate_user(self, authorization_code: _Code) -> _Code:
        return authorization_code  # whoever agreed was looked at as the code was taken

    def generate_token(self, **_options: Any) -> oauth.TokenAnswer:
        return oauth.create_connection(_store(), self.request.authorization_code.agreed, _now())

    def save_token(self, token: oauth.TokenAnswer) -> None:
        """`generate_token` has saved it."""

    def delete_authorization_code(self, authorization_code: _Code) -> None:
        """`query_authorization_code` has deleted it."""


class _RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def validate_token_request(self) -> None:
        _check_resource(self.request.payload)
        super().validate_token_request()

    def authenticate_refresh_token(self, refresh_token: str) -> _Refreshable | None:
        token = oauth.find_refreshable(_store(), refresh_token, self.request.client.id, _now())
        return token and _Refreshable(token, refresh_token)

    def authenticate_user(self, refresh_token: _Refreshable) -> _Refreshable:
        return refresh_token  # whoever agreed was looked at as the token was found

    def generate_token(self, **_options: Any) -> oauth.TokenAnswer:
        sent = self.request.refresh_token
        return oauth.refresh(_store(), sent.token, sent.sent, _now())

    def save_token(self, token: oauth.TokenAnswer) -> None:
        """`generate_token` has saved it."""

    def revoke_old_credential(self, refresh_token: _Refreshable) -> None:
        """The new ones stand in the old ones' place."""


class _Revocation(RevocationEndpoint):
    """Ends a connection, and always responds with 200."""

    def authenticate_endpoint_client(self, sent: _Request) -> None:
        """A client has no secret; whose the token is, is looked at with it."""

    def authenticate_token(self, sent: _Request, client: None) -> None:
        fields = sent.form
        oauth.end_connection(_store(), fields.get("token", ""), fields.get("client_id", ""), _now())


class _Issuer(IssuerParameter):
    """Adds `iss` to what is sent to a client's redirect address (RFC 9207)."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer

    def get_issuer(self) -> str:
        return self._issuer


class ConnectionServer(AuthorizationServer):
    """The authorization server of an app."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        super().__init__(app, self._find_client)
        self.issuer = settings.issuer
        self.resource = f"{settings.issuer}/mcp"
        self._documents = ClientDocuments(allow_local=settings.webhooks_allow_local)
        self._iss = _Issuer(settings.issuer)
        self.register_client_auth_method("none", lambda _, sent: _client_of(sent.payload.client_id))
        self.register_extension(self._iss)
        self.register_grant(_CodeGrant, [_Challenge()])
        self.register_grant(_RefreshGrant)
        self.register_endpoint(_Revocation)

    @cached_property
    def metadata(self) -> dict[str, object]:
        """What the authorization server says of itself (RFC 8414)."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/oauth/authorize",
            "token_endpoint": f"{self.issuer}/oauth/token",
            "revocation_endpoint": f"{self.issuer}/oauth/revoke",
            "registration_endpoint": f"{self.issuer}/oauth/register",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "client_id_metadata_document_supported": True,
            "authorization_response_iss_parameter_supported": True,
            "scopes_supported": self.resource_metadata["scopes_supported"],
        }

    @cached_property
    def resource_metadata(self) -> dict[str, object]:
        """What MCP says of itself as a protected resource (RFC 9728)."""
        return {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": known_scopes(" ".join(Scope)),
            "bearer_methods_supported": ["header"],
            "resource_name": "Content workflow",
        }

    def create_oauth2_request(self, _request: Any) -> OAuth2Request:
        if isinstance(_request, OAuth2Request):
            return _request
        return _Request(self.issuer, request.form if request.blueprint == "oauth" else request.args)

    def redirect_with(self, sent: Any, error: OAuth2Error) -> Response:
        """Returns the redirect of a refused request to its client."""
        response: Response = self.handle_error_response(sent, error)
        self._iss.add_issuer_parameter(self, response)
        return response

    def exchange(self, respond: Any) -> Response:
        """Returns what Authlib responds to a request, inside one transaction: what a secret gives, it gives once."""
        store, g.oauth_now = callers().store, this_instant()

        def work(store: Store) -> Response:
            g.oauth_store = store
            response: Response = respond()
            return response

        with store.deadline():
            return store.in_transaction(work)

    def _find_client(self, client_id: str) -> KnownClient | None:
        documented = is_document(client_id)
        client = self._documents.get(client_id) if documented else oauth.registered_client(callers().store, client_id)
        return None if client is None else KnownClient(client_id, client)


def connection_server() -> ConnectionServer | None:
    """Returns the app's authorization server; None where nobody can connect."""
    found: ConnectionServer | None = current_app.extensions.get("oauth")
    return found


def install(app: Flask, settings: Settings) -> None:
    """Gives the app its authorization server, where the settings allow connecting."""
    logging.getLogger("authlib").setLevel(logging.INFO)  # below that it logs tokens
    if settings.issuer:
        app.extensions["oauth"] = ConnectionServer(app, settings)


def _check_resource(sent: _Payload) -> None:
    server = connection_server()
    if any(server is None or one != server.resource for one in sent.datalist["resource"]):
        raise InvalidTargetError


def _client_of(client_id: str | None) -> KnownClient | None:
    return KnownClient(client_id) if client_id else None


def _store() -> Store:
    store: Store = g.oauth_store
    return store


def _now() -> Any:
    return g.oauth_now
