"""Routes of tokens."""

from app.operations import reverts, tokens
from app.rest.blueprint import Routes

routes = Routes("tokens", __name__, "The tokens of the API.")

routes.serve("GET", "/tokens", tokens.list_tokens)
routes.serve("POST", "/tokens", tokens.create_token)
routes.serve("PATCH", "/tokens/<id>", tokens.update_token)
routes.serve("POST", "/tokens/<id>/rotate", tokens.rotate_token)
routes.serve("DELETE", "/tokens/<id>", tokens.revoke_token)
routes.serve("POST", "/tokens/<id>/revert", reverts.revert_token)
