"""The filter `text` of lists of documents, and the sentences that have its words (decisions, section 23)."""

from collections.abc import Collection, Mapping, Sequence

from app.core.context import Context
from app.core.store.bodies import Bodies
from app.core.text.words import search_words
from app.documents.store import Documents
from app.search.rules import Part, sentence_with
from app.search.store import SearchedTexts


def find_with_text(ctx: Context, text: str) -> Collection[str] | None:
    """Returns the ids of the documents whose present text has all words of a query; None for a query without words."""
    words = search_words(text)
    return ctx.store[SearchedTexts].find_with(ctx.project_id, words) if words else None


def sentences_with(ctx: Context, document_ids: Sequence[str], text: str) -> Mapping[str, Sequence[Part]]:
    """Returns the sentence of each document's text that has a word of a query, by id; of long texts none is shown."""
    documents = ctx.store[Documents].get_many(ctx.project_id, document_ids)
    contents = {one: content_id for one, row in documents.items() if (content_id := row.get("contentId"))}
    texts = ctx.store[Bodies].get_short_texts(ctx.project_id, contents.values())
    found = {one: sentence_with(texts.get(content_id, ""), text) for one, content_id in contents.items()}
    return {one: parts for one, parts in found.items() if parts}
