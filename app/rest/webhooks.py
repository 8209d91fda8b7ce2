"""Routes of webhooks."""

from app.operations import webhooks
from app.rest.blueprint import Routes

routes = Routes("webhooks", __name__, "Changes in the project, sent to a URL.")

routes.serve("GET", "/webhooks", webhooks.list_webhooks)
routes.serve("POST", "/webhooks", webhooks.create_webhook, location="webhooks.getWebhook")
routes.serve("GET", "/webhooks/<id>", webhooks.get_webhook)
routes.serve("PATCH", "/webhooks/<id>", webhooks.update_webhook)
routes.serve("DELETE", "/webhooks/<id>", webhooks.delete_webhook)
routes.serve("POST", "/webhooks/<id>/rotate-secret", webhooks.rotate_webhook_secret)
routes.serve("POST", "/webhooks/<id>/test", webhooks.test_webhook)
routes.serve("GET", "/webhooks/<id>/deliveries", webhooks.list_webhook_deliveries)
routes.serve("POST", "/webhooks/<id>/deliveries/<delivery_id>/redeliver", webhooks.redeliver_webhook)
