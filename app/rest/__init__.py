"""The management REST API: route tables with one line per route, and the code that serves operations."""
