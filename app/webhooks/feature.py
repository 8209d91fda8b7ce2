"""What webhooks adds to other folders."""

from app.core.features import Feature, by_class_name
from app.webhooks.vocabulary import DeliveryStatus

FEATURE = Feature("webhooks", closed_lists=by_class_name(DeliveryStatus))
