"""Publications: of each document a snapshot that is written when it is published (decisions, sections 5 and 7).

Needs `core`. `documents` writes publications, `delivery` reads them.
"""
