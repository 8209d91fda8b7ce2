"""The management REST API: route tables, a line a route, and what turns operations into them."""
