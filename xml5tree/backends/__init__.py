"""The native parsers that build trees from markup."""

from functools import cache

from xml5tree.backends.base import Backend, Events, FeedParser, PullParser

__all__ = ["Backend", "Events", "FeedParser", "PullParser", "find_backend"]


def find_backend(name: str) -> Backend:
    """Return the backend of a name; raise `ValueError` if there is none, `ImportError` without its library."""
    if name not in {"etree", "lxml"}:
        raise ValueError(f'unknown backend {name!r}; known are "etree" and "lxml"')
    return _import_backend(name)


@cache
def _import_backend(name: str) -> Backend:
    if name == "etree":
        from xml5tree.backends.etree import ElementTreeBackend

        return ElementTreeBackend()
    from xml5tree.backends.lxml import LxmlBackend

    return LxmlBackend()
