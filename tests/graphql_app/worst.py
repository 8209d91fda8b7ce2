"""The worst queries of 20 KB and less that anybody came up with, by what is wrong with them."""

MANY = 240


def _doubled(name: str, times: int) -> str:
    """Returns a chain of a field in which each link is there twice."""
    chain = "id"
    for _ in range(times):
        chain = f"{name}{{{chain}}}" * 2
    return chain


def _fragments(many: int, on: str, body: str) -> str:
    """A chain of fragments in which each spreads the next one, as `body` says with `%s`, up to an id."""
    chain = "".join(f"fragment F{n} on {on} {{ {body.replace('%s', f'...F{n + 1}')} }}" for n in range(many))
    return chain + f"fragment F{many} on {on} {{ id }}"


REFUSED: dict[str, tuple[str, str]] = {
    "deep": ("QUERY_TOO_DEEP", "{documents{" + "category{" * 8 + "id" + "}" * 10),
    "very deep": ("QUERY_TOO_DEEP", "{documents{" + "category{" * MANY + "id" + "}" * (MANY + 2)),
    "deep lists": ("QUERY_TOO_DEEP", "{documents(limit:" + "[" * MANY + "1" + "]" * MANY + "){id}}"),
    "deep by fragments": ("QUERY_TOO_DEEP", "{category(id:1){...F0}}" + _fragments(70, "Category", "category{%s}")),
    "a tree of fragments": (
        "QUERY_TOO_COSTLY",
        "{category(id:1){...F0}}" + _fragments(50, "Category", "category{%s} category{%s}"),
    ),
    "a doubled chain of fragments": ("QUERY_TOO_COSTLY", "{documents{...F0}}" + _fragments(85, "Document", "%s %s")),
    "a tree of aliases": (
        "QUERY_TOO_COSTLY",
        "{documents(limit:100){...F0}}fragment F0 on Document{category{...F1}}"
        + "".join(
            f"fragment F{n} on Category{{a{n}:category{{...F{n + 1}}}b{n}:category{{...F{n + 1}}}}}"
            for n in range(1, 6)
        )
        + "fragment F6 on Category{id}",
    ),
    "a tree of wide fragments": (
        "QUERY_TOO_COSTLY",
        "{category(id:1){...F0}}"
        + "".join(
            f"fragment F{n} on Category{{{'... {id} ' * 22}a{n}:category{{...F{n + 1}}}b{n}:category{{...F{n + 1}}}}}"
            for n in range(6)
        )
        + "fragment F6 on Category{"
        + "id " * 50
        + "}",
    ),
    "each field of each field's type of each type": (
        "QUERY_TOO_COSTLY",
        "{__schema{...T}}fragment T on __Schema{" + "".join(f"a{n}:types{{...A}}" for n in range(5)) + "}"
        "fragment A on __Type{" + "".join(f"b{n}:fields{{type{{...B}}}}" for n in range(5)) + "}"
        "fragment B on __Type{" + "".join(f"c{n}:fields{{...L}}" for n in range(5)) + "}"
        "fragment L on __Field{name description args{name} type{name kind}}",
    ),
    "far pages": (
        "QUERY_TOO_COSTLY",
        "{" + "".join(f"a{n}:documents(limit:1 offset:50000){{id}}" for n in range(15)) + "}",
    ),
    "far pages and one before the first": (
        "QUERY_TOO_COSTLY",
        "{"
        + "".join(f"a{n}:documents(limit:1 offset:100000){{id}}" for n in range(13))
        + "documents(offset:-2000000000){id}}",
    ),
    "aliases": ("TOO_MANY_ALIASES", "{" + "".join(f"a{n}:documents{{id}}" for n in range(16)) + "}"),
    "many aliases": ("TOO_MANY_ALIASES", "{" + "".join(f"a{n}:documents{{id}}" for n in range(160)) + "}"),
    "tokens": ("TOO_MANY_TOKENS", "{documents{" + "id " * 1_000 + "}}"),
    "many brackets": ("GRAPHQL_PARSE_FAILED", "{" * 20_000),
    "commas": ("GRAPHQL_PARSE_FAILED", "," * 20_000),
    "comments": ("TOO_MANY_TOKENS", "#\n" * 10_000),
    "a long string": ("GRAPHQL_PARSE_FAILED", '{document(id:"' + "\\u00e9" * 3_300),
    "a long block string": ("GRAPHQL_PARSE_FAILED", '{document(id:"""' + "\n " * 9_900),
    "a long name": ("GRAPHQL_VALIDATION_FAILED", "{" + "d" * 20_000 + "}"),
    "quotes": ("GRAPHQL_PARSE_FAILED", '"' * 20_001),
    "escaped quotes": ("GRAPHQL_PARSE_FAILED", '"\\' * 10_000),
    "a long number": ("BAD_USER_INPUT", "{documents(limit:" + "9" * 20_000 + "){id}}"),
    "bytes": ("QUERY_TOO_LARGE", "{documents{id}}" + " " * 20_480),
    "bytes and not characters": ("QUERY_TOO_LARGE", "{documents{id}}#" + "é" * 10_240),
    "megabytes": ("QUERY_TOO_LARGE", "{documents{id}}" + "#" * 200_000),
    "a circle": ("GRAPHQL_VALIDATION_FAILED", "{documents{...A}}fragment A on Document{...A}"),
    "a wide circle": (
        "GRAPHQL_VALIDATION_FAILED",
        "{documents{...A}}fragment A on Document{" + "...B " * 200 + "}fragment B on Document{" + "...A " * 200 + "}",
    ),
    "a long circle": (
        "GRAPHQL_VALIDATION_FAILED",
        "{documents{...F0}}" + _fragments(100, "Document", "%s") + "fragment F101 on Document{...F0}",
    ),
    "unknown fields": ("GRAPHQL_VALIDATION_FAILED", "{" + " ".join(f"documentz{n}" for n in range(950)) + "}"),
    "conflicting fields": (
        "GRAPHQL_VALIDATION_FAILED",
        "{" + "".join(f"documents(limit:{n}){{id}}" for n in range(110)) + "}",
    ),
    "unused variables": (
        "GRAPHQL_VALIDATION_FAILED",
        "query(" + "".join(f"$a{n}:Int" for n in range(240)) + "){documents{id}}",
    ),
    "wide": ("GRAPHQL_VALIDATION_FAILED", "{documents{" + "id " * 990 + "}}"),
    "repeated lists": ("GRAPHQL_VALIDATION_FAILED", "{" + "documents{id}" * 245 + "}"),
    "repeated lists of repeated fields": (
        "GRAPHQL_VALIDATION_FAILED",
        "{" + ("documents{" + "id " * 40 + "}") * 20 + "}",
    ),
    "repeated chains": ("GRAPHQL_VALIDATION_FAILED", "{documents{" + _doubled("category", 6) + "}}"),
    "repeated directives": ("GRAPHQL_VALIDATION_FAILED", "{documents{id" + "@include(if:true)" * 140 + "}}"),
    "deep introspection": (
        "GRAPHQL_VALIDATION_FAILED",
        "{__schema{types{fields{type{" + "fields{type{" * 15 + "name" + "}}" * 15 + "}}}}}",
    ),
    "unused fragments": (
        "GRAPHQL_VALIDATION_FAILED",
        "{documents{id}}" + "".join(f"fragment F{n} on Document{{id}}" for n in range(140)),
    ),
    "costly pages": (
        "QUERY_TOO_COSTLY",
        "{" + "".join(f"a{n}:documents(limit:100){{category{{category{{category{{id}}}}}}}}" for n in range(15)) + "}",
    ),
    "costly chains": (
        "QUERY_TOO_COSTLY",
        "{documents(limit:100){"
        + "".join(f"a{n}:category{{category{{category{{category{{id}}}}}}}}" for n in range(15))
        + "}}",
    ),
}
"""Each with the code that it is refused with."""

ALLOWED: dict[str, str] = {
    "wide": "{documents{" + "id " * 51 + "}}",
    "repeated lists": "{" + "documents{id}" * 51 + "}",
    "a chain of fragments": "{documents{...F0}}" + _fragments(85, "Document", "%s"),
    "a short doubled chain of fragments": "{documents{...F0}}" + _fragments(7, "Document", "%s %s"),
    "operations": "".join(f"query A{n}{{documents{{...F}}}}" for n in range(100)) + "fragment F on Document{id}",
    "a deep page": "{documents{" + "category{" * 6 + "id" + "}" * 8,
    "many aliases": "{" + "".join(f"a{n}:documents{{id}}" for n in range(15)) + "}",
}
"""What looks as bad and is within the limits: it is answered, in a time that is as short."""
