"""The metadata documents, and the endpoints of tokens, of registration and of revocation (decisions, section 16)."""

from flask import Blueprint, Flask, Response, g, request
from flask.typing import ResponseReturnValue

from app.core.context import this_instant
from app.core.errors import HttpApiDecodeError
from app.http.bodies import loads_object
from app.http.callers import callers, client_address
from app.http.cors import allow_origins
from app.oauth import server
from app.oauth.operations import end_connection, register_client
from app.oauth.server import connection_server
from app.settings import Settings

MAX_BODY = 64 * 1024

routes = Blueprint("oauth", __name__)


def install(app: Flask, settings: Settings) -> None:
    """Serves them where the settings allow clients to connect."""
    server.install(app, settings)
    if "oauth" in app.extensions:
        app.register_blueprint(routes)
        app.config["WITH_OWN_LIMITS"].add(routes.name)


@routes.before_request
def bound_body() -> None:
    """Refuses long bodies, as forms are parsed in one piece, and reads the body before the view's deadline begins."""
    request.max_content_length = MAX_BODY
    request.get_data()


@routes.after_request
def allow_any_origin(response: Response) -> Response:
    """Lets pages of any origin read the responses: these endpoints use no cookies."""
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return allow_origins(response, "*")


@routes.get("/.well-known/oauth-protected-resource/mcp")
@routes.get("/.well-known/oauth-protected-resource")
def protected_resource() -> ResponseReturnValue:
    """Returns the metadata of `/mcp` as a protected resource."""
    return connection_server().resource_metadata


@routes.get("/.well-known/oauth-authorization-server")
def authorization_server() -> ResponseReturnValue:
    """Returns the metadata of the authorization server."""
    return connection_server().metadata


@routes.post("/oauth/token")
def token() -> Response:
    """Exchanges a code, or a refresh token, for new secrets."""
    server = connection_server()
    response: Response = server.in_transaction(server.create_token_response)
    return response


@routes.post("/oauth/revoke")
def revoke() -> ResponseReturnValue:
    """Ends the connection of a token; whether there was one is in no response (RFC 7009)."""
    token, client_id = request.form.get("token", ""), request.form.get("client_id", "")
    connection_server().in_transaction(lambda: end_connection(g.oauth_store, token, client_id, g.oauth_now))
    return {}


@routes.post("/oauth/register")
def register() -> ResponseReturnValue:
    """Registers a client that has no document of its own."""
    now = this_instant()
    try:
        metadata = loads_object(request.get_data(cache=False), request)
        client = register_client(callers().store, metadata, client_address(), now)
    except HttpApiDecodeError as refusal:
        return _metadata_error(refusal), 400
    return {
        "client_id": client.id,
        "client_id_issued_at": int(now.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        **({"client_uri": client.uri} if client.uri else {}),
    }, 201


def _metadata_error(refusal: HttpApiDecodeError) -> dict[str, str]:
    """Returns the errors of a client's metadata in the format of RFC 7591."""
    at_addresses = any(path.startswith("redirect_uris") for path, _ in refusal.details)
    error = "invalid_redirect_uri" if at_addresses else "invalid_client_metadata"
    return {"error": error, "error_description": " ".join(refusal.lines)}
