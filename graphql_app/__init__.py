"""The delivery API: read-only GraphQL at `/graphql`, and the feeds of a site at `/delivery` (decisions, section 7)."""
