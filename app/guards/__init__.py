"""Guard rails: four eyes, budgets, the freeze of a project, undoing the work of a token (decisions, section 13).

Needs `documents` and `projects`. It adds gates of publishing and of every write.
"""
