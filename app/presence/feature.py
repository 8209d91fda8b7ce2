"""The storage of open texts."""

from app.core.features import Feature
from app.presence.store import STORAGE

FEATURE = Feature("presence", storage=STORAGE)
