"""Routes of who wrote what, of the records of reviews, and of what is disclosed."""

from app.operations import provenance
from app.responses.provenance import disclosures_csv
from app.rest.blueprint import Routes

routes = Routes("provenance", __name__, "Who wrote a text, who answers for it, and what is disclosed of it.")

routes.serve("GET", "/documents/<id>/provenance", provenance.get_provenance)
routes.serve("GET", "/documents/<id>/review-record", provenance.get_review_record)
routes.serve("GET", "/disclosures", provenance.list_disclosures, as_csv=disclosures_csv)
