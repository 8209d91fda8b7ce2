"""Core that all other folders build on: operations and their context, errors, schemas, the store, text.

It knows no document, brief or token; those are in the folders beside it, which import it and are never imported here.
"""
