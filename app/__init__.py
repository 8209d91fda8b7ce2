"""A content workflow service on MongoDB: the layers of the code.

Everything a caller can do is one *operation*; REST, MCP, GraphQL and the command line are interfaces to it.

    cli  server                     commands, and the one place where the parts are put together
    rest graphql_app mcp_tools      the interfaces, with the console, oauth and the worker beside them; none holds a
                                    rule of its own
    http                            what all interfaces on HTTP share: callers, limits, request ids, headers
    operations                      what can be done: one function a use case; catalogue.py lists those served
    store | responses               the only code that speaks MongoDB | what callers get back
    rules                           what is decided: pure functions and tables on plain data
    schemas                         what callers may send: the only place where a limit is written
    vocabulary errors settings      the closed word lists, the error table, the environment; documented.py says how
                                    declarations carry their documentation

The same file name means the same thing in each: `ls app/*/briefs.py` is the whole story of a brief.
Imports go down this list, never up; `make lint` checks it. This module imports nothing.
"""
