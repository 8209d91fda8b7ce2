"""The context of a request to the delivery API, for the view and the resolvers."""

from dataclasses import dataclass, field

import strawberry
from strawberry.http import GraphQLRequestData

from app.operations.context import Context
from app.operations.delivery import DeliveryQuery
from app.store.projects import Revision


@dataclass
class DeliveryContext:
    """One request."""

    ctx: Context
    revision: Revision
    """The project's delivery revision when the request began."""
    request_data: GraphQLRequestData
    query: DeliveryQuery = field(init=False)
    """What the resolvers ask; set for each try of the query."""


Info = strawberry.Info[DeliveryContext, None]
