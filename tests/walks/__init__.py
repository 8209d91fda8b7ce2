"""Walks over everything that there is: every operation, over every interface."""
