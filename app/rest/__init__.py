"""The management REST API: blueprints, routes and the OpenAPI document, made from the operations' declarations."""
