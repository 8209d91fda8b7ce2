"""Sources of a document: what its text cites, who compared them, and checks of quotations and numbers.

Needs `documents`, `checks`, `packets` and `provenance`. It adds checks, a gate of approve, the footnotes of rendered
texts, and the sources of publications. (decisions, section 22)
"""
