"""The steps from each form of the database to the next, in order; `db migrate` runs those that a database lacks.

A step changes stored records by pymongo alone and imports no feature, as a feature can be left out. Its place in
`STEPS` is its version: the first one leads to form 2. Never change or remove one that was released; add yours at the
end.
"""

from app.migrations import authors, names

STEPS = (names.STEP, authors.STEP)
"""All steps, the first leads from form 1 to form 2."""
