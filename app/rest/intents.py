"""Routes of drafts: the same for every kind."""

from app.operations import intents
from app.rest.blueprint import Routes
from app.vocabulary import Kind

routes = Routes("intents", __name__, "Drafts of documents, clusters and categories: created, completed and confirmed.")

for kind, create, update, record in (
    (Kind.DOCUMENT, intents.create_document_intent, intents.update_document_intent, "documents.getDocument"),
    (Kind.CLUSTER, intents.create_cluster_intent, intents.update_cluster_intent, "clusters.getCluster"),
    (Kind.CATEGORY, intents.create_category_intent, intents.update_category_intent, "categories.getCategory"),
):
    routes.serve("POST", f"/{kind}-intents", create, location=f"intents.get{kind.title()}Intent")
    routes.serve("GET", f"/{kind}-intents", intents.list_intents, kind=kind)
    routes.serve("GET", f"/{kind}-intents/<id>", intents.get_intent, kind=kind)
    routes.serve("PATCH", f"/{kind}-intents/<id>", update)
    routes.serve("DELETE", f"/{kind}-intents/<id>", intents.discard_intent, kind=kind)
    routes.serve("POST", f"/{kind}-intents/<id>/validate", intents.validate_intent, kind=kind)
    routes.serve("POST", f"/{kind}-intents/<id>/confirm", intents.confirm_intent, kind=kind, location=record)
