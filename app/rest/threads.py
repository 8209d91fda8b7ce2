"""Routes of review threads and review links."""

from app.operations import review_links, threads
from app.rest.blueprint import Routes

routes = Routes("threads", __name__, "Remarks on a document's passages, with answers and suggestions.")

routes.serve("GET", "/documents/<id>/threads", threads.list_threads)
routes.serve("POST", "/documents/<id>/threads", threads.open_thread)
routes.serve("POST", "/documents/<id>/threads/<thread_id>/replies", threads.reply_to_thread)
routes.serve("POST", "/documents/<id>/threads/<thread_id>/resolve", threads.resolve_thread)
routes.serve("POST", "/documents/<id>/threads/<thread_id>/reopen", threads.reopen_thread)
routes.serve("POST", "/documents/<id>/threads/<thread_id>/accept", threads.accept_suggestion)
routes.serve("POST", "/documents/<id>/threads/<thread_id>/reject", threads.reject_suggestion)
routes.serve("GET", "/documents/<id>/review-links", review_links.list_review_links)
routes.serve("POST", "/documents/<id>/review-links", review_links.create_review_link)
routes.serve("DELETE", "/documents/<id>/review-links/<link_id>", review_links.delete_review_link)
