"""What OAuth adds to the records and operations of others."""

from app.core.features import Feature
from app.oauth.rules import ConnectionKeys, refuse_rotation
from app.oauth.store import access_ends
from app.projects.token_responses import Token

FEATURE = Feature("oauth", responses={Token: ConnectionKeys}, secret_ends=access_ends, refuse_rotation=refuse_rotation)
