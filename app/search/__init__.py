"""Search in texts: which documents have some words in their present markdown (decisions, section 23).

It needs documents and events, and adds the filter `text` to lists of documents, in the console too.
"""
