"""A content workflow service on MongoDB: a folder for each thing that it does.

Everything a caller can do is one *operation*. REST, MCP, GraphQL, console and command line are interfaces to it.

    core                            what all folders stand on: operations, errors, schemas, the store, text
    projects categories publications documents intents briefs delivery
                                    the contract (docs/contract/service.md), each on those before it
    events webhooks sections checks guards review provenance planning transfers insights notices oauth packets
    actions                         the features: each can be left out
    outbound                        requests to addresses that projects name, for the features that send them
    http                            what all interfaces on HTTP share: callers, limits, request ids, headers
    rest console cli                the interfaces, with graphql_app and mcp_tools beside `app`
    features server                 the lists that say what an application has, and the one place that puts it together

In a folder the files are named for their layer: schemas (what callers send), rules (pure decisions), store (MongoDB),
operations (use cases), responses (what callers get). Imports go to what stands above, never below (`make lint`). This
module imports nothing.
"""
