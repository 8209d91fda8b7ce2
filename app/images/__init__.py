"""Pictures of a project, kept in MongoDB (GridFS), and delivered in several widths (decisions, section 20).

Needs `documents` and `publications`, whose texts and covers name pictures, and Pillow. It adds the routes of `/images`,
the public addresses under `/media/`, what html and covers have of own pictures, a job that removes files without a
record, and `purge --images`.
"""
