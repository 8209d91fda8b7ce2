"""How many there may be (contract: Limits; decisions, section 5)."""

DRAFTS_PER_TOKEN = 100
CLUSTERS_PER_PROJECT = 200
WEBHOOKS_PER_PROJECT = 20
