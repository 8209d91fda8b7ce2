"""Content that websites read over GraphQL and as feeds (contract: Delivery API; decisions, sections 7 and 15).

Needs `publications`, and `documents` for previews of what is not published.
"""
