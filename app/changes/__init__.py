"""Reading a whole website while it is edited: what changed since a cursor, and documents by their ids or slugs.

Needs `delivery`, whose documents it returns. It adds fields to the delivery API. (decisions, section 21)
"""
