"""The filter that a search in texts adds to lists of documents, and its storage."""

from app.core.features import Feature
from app.documents.schemas import DocumentQuery
from app.search.operations import find_with_text
from app.search.schemas import WithText
from app.search.store import STORAGE, delete_text

FEATURE = Feature(
    "search",
    schemas={DocumentQuery: WithText},
    filters={"text": find_with_text},
    storage=STORAGE,
    purge=delete_text,
)
