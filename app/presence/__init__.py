"""Who has a text open where it is written, so that two people don't begin unawares.

Needs `documents`. It adds a line to *Write* in the console. A page that has a text open says so every few seconds; one
that says nothing any more is forgotten by itself. No operation, no event: nothing of it is part of a document.
"""
