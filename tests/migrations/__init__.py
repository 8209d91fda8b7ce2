"""Databases of earlier releases, and the steps that change their form."""
