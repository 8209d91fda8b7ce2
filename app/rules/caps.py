"""The most records of each kind in a project (contract: Limits; decisions, section 5)."""

DRAFTS_PER_TOKEN = 100
CLUSTERS_PER_PROJECT = 200
CATEGORIES_PER_PROJECT = 2_000
WEBHOOKS_PER_PROJECT = 20
