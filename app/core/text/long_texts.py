"""What was computed of long texts, so that a request that needs it twice, and the next request, compute it once."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from app.core.store.shared_cache import SharedCache
from app.core.text.markdown import LONG

V = TypeVar("V")


def remembered(room: int, size_of: Callable[[Any], int]) -> Callable[[Callable[[str], V]], Callable[[str], V]]:
    """Returns a decorator of functions of a text: what they return for a long one is cached by the text's digest.

    Nobody changes what such a function returns.
    """

    def decorate(compute: Callable[[str], V]) -> Callable[[str], V]:
        cache: SharedCache[V] = SharedCache(room, size_of)

        @wraps(compute)
        def computed(markdown: str) -> V:
            if len(markdown) <= LONG:
                return compute(markdown)
            digest = hashlib.sha256(markdown.encode()).digest()
            if (known := cache.get(digest)) is not None:
                return known
            value = compute(markdown)
            cache.put(digest, value)
            return value

        return computed

    return decorate
