"""Published documents at addresses of their own, as markdown with front matter, html or JSON, and a table of contents.

Needs `delivery`. Other features add to it by `Feature.describe`: fields, front matter and definitions of footnotes.
(decisions, section 21)
"""
