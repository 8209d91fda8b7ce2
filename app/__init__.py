"""A content workflow service on MongoDB: the map of the house.

Everything a caller can do is one *operation*; REST, MCP, GraphQL and the command line are doors to it.

    cli  server                     the outermost: commands, and the one place where parts are put together
    rest  graphql_app  mcp_tools    the doors, and the worker beside them; they translate, they decide nothing
    http                            what all doors on HTTP share: who calls, limits, request ids, headers
    operations                      what can be done: one function a use case, all listed in catalogue.py
    store | records                 how it is kept (the only code that speaks MongoDB) | what callers get back
    rules                           what is decided: pure functions and tables on plain data
    fields                          what callers may send: the only place where a limit is written
    vocabulary errors settings      the closed word lists, the error table, the environment read once

The same file name means the same thing in each: `ls app/*/briefs.py` is the whole story of a brief.
Imports go down this list, never up (`make lint` holds them to it). This module imports nothing.
"""
