"""Restores prefixed names, of which trees have only namespaces."""

import re
from collections.abc import Mapping
from typing import Final
from xml.sax.saxutils import unescape

from xml5tree.tree.namespaces import UNDECLARED
from xml5tree.xml.prefixes import WELL_KNOWN_PREFIXES, XML_NAMESPACE, well_known

_DECLARATION: Final = re.compile(r"\sxmlns(?::([^\s=<>/\"']+))?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.ASCII)
_KNOWN: Final = {uri: prefix for prefix, uri in reversed(list(WELL_KNOWN_PREFIXES.items()))} | {XML_NAMESPACE: "xml"}
_ENTITIES: Final = {"&quot;": '"', "&apos;": "'"}


class Names:
    """Translates ``{uri}name`` into ``prefix:name``, or into ``name`` for the default namespace."""

    # The prefix is declared around the first record, or in the record; or else it is the well-known one.

    def __init__(self, namespaces: Mapping[str, str], *, local: bool) -> None:
        """Set the URIs of prefixes around the records, "" for the default one; `local` leaves prefixes out."""
        self._prefixes = {uri: prefix for prefix, uri in namespaces.items() if prefix}
        self._default = namespaces.get("", "")
        self._local = local
        self._of_elements: dict[str, str] = {}
        self._of_attributes: dict[str, str] = {}
        self._data = b""
        self._declared: dict[str, str] | None = None

    def begin(self, data: bytes) -> None:
        self._data = data
        self._declared = None

    def element(self, tag: str) -> str:
        if tag[:1] != "{":
            return tag
        return self._of_elements.get(tag) or self._written(tag, self._of_elements, self._default)

    def attribute(self, name: str) -> str:
        if name[:1] != "{":
            return name
        return self._of_attributes.get(name) or self._written(name, self._of_attributes, "")

    def _written(self, name: str, cache: dict[str, str], default: str) -> str:
        uri, _, local = name[1:].rpartition("}")
        if self._local or uri == default:
            written = local
        elif uri in self._prefixes:
            written = f"{self._prefixes[uri]}:{local}"
        else:
            return self._in_record(uri, local)
        if len(cache) < 10_000:  # bounds the memory
            cache[name] = written
        return written

    def _in_record(self, uri: str, local: str) -> str:
        """Return a name whose namespace is declared in the record, or nowhere."""
        if self._declared is None:
            found = _DECLARATION.findall(self._data.decode("utf-8", "replace"))
            self._declared = {
                unescape(double or single, _ENTITIES): prefix for prefix, double, single in reversed(found)
            }
        if uri.startswith(UNDECLARED):
            return f"{uri.removeprefix(UNDECLARED)}:{local}"
        prefix = self._declared.get(uri) or ("" if uri in self._declared else _KNOWN.get(well_known(uri), ""))
        return f"{prefix}:{local}" if prefix else local
