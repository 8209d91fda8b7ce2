"""What events add to other folders."""

from app.core.features import Feature
from app.events.vocabulary import EVENT_TYPES

FEATURE = Feature("events", closed_lists={"EventType": EVENT_TYPES})
