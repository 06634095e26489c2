"""Namespace bindings in scope: document's and markup's.

The bindings of the *document* decide what a name means, those of the *markup* how it can be written: a prefix may have
been replaced, a declaration dropped, an element closed early. Both have one stack per prefix, so that many prefixes and
deep nesting cost little (D-125).
"""

from typing import Final, NamedTuple

from xml5tree.xml.prefixes import FAMILIES, XML_NAMESPACE

#: The beginnings of the namespace names of all families.
_BEGINNINGS: Final = tuple({beginning for family in FAMILIES.values() for beginning in family})


class Binding(NamedTuple):
    """The binding of a prefix of the document.

    `uri` is the namespace name, None if undeclared; `written` is the prefix to write; `digest` stands for a name that
    was too long to be declared again, or is None.
    """

    uri: str | None
    written: str
    digest: str | None = None


_NO_NAMESPACE: Final = Binding("", "")


class Scopes:
    """The bindings in scope; equal namespace names are one object. `version` grows with each change."""

    def __init__(self) -> None:
        self._uris = _Uris()
        self._document: dict[str, list[Binding]] = {}
        self._written: dict[str, list[str]] = {"": [""], "xml": [XML_NAMESPACE]}
        self._fresh: set[str] = set()  # prefixes written that take the place of others
        self._fresh_start = 0  # the least number that was free for the first of them,
        self._fresh_number = 0  # and the next one to try
        self._of_families = dict.fromkeys(_BEGINNINGS, 0)  # how many bindings of the document are of each family
        self.version = 0

    # The document

    def bind(self, prefix: str, uri: str | None, written: str) -> Binding:
        """Bind a prefix in the document, up to `unbind`; None undeclares it."""
        binding = Binding(None if uri is None else self._uris.take(uri), written)
        self._document.setdefault(prefix, []).append(binding)
        self._count(uri, 1)
        self.version += 1
        return binding

    def unbind(self, prefix: str) -> None:
        stack = self._document[prefix]
        uri = stack.pop().uri
        if not stack:  # so that the prefixes in scope can be listed in a time that does not grow with the others
            del self._document[prefix]
        if uri is not None:
            self._uris.give_back(uri)
            self._count(uri, -1)
        self.version += 1

    def _count(self, uri: str | None, number: int) -> None:
        if uri is not None and uri.startswith(_BEGINNINGS):
            for beginning in _BEGINNINGS:
                if uri.startswith(beginning):
                    self._of_families[beginning] += number

    def has_family(self, prefix: str) -> bool:
        """Return whether the family of a prefix is in scope, or it needs none (D-116)."""
        return prefix not in FAMILIES or any(self._of_families[beginning] for beginning in FAMILIES[prefix])

    def binding(self, prefix: str) -> Binding:
        """Return the binding of a prefix in the document; at first, names without one are in no namespace."""
        stack = self._document.get(prefix)
        if stack:
            return stack[-1]
        return Binding(None, prefix) if prefix else _NO_NAMESPACE

    def set_digest(self, prefix: str, digest: str) -> None:
        stack = self._document[prefix]
        stack[-1] = stack[-1]._replace(digest=digest)

    def prefixes(self, most: int) -> set[str] | None:
        """Return the prefixes that the document or the markup binds, but for `xml` and names without one.

        None, in a time that does not grow with their number, if there surely are more than `most`.
        """
        if max(len(self._document), len(self._written) - 2) > most:
            return None
        return (self._document.keys() | self._written.keys()) - {"", "xml"}

    # The markup

    def declare(self, prefix: str, uri: str) -> None:
        """Bind a prefix in the markup, up to `undeclare`."""
        self._written.setdefault(prefix, []).append(uri)
        self.version += 1

    def undeclare(self, prefix: str) -> None:
        stack = self._written[prefix]
        stack.pop()
        if not stack:
            del self._written[prefix]
        self._fresh.discard(prefix)
        self.version += 1

    def declared(self, prefix: str) -> str | None:
        stack = self._written.get(prefix)
        return stack[-1] if stack else None

    def fresh_prefix(self) -> str:
        """Return a prefix that is not bound in the markup; none is looked at twice."""
        number = self._fresh_number if self._fresh else self._fresh_start
        while self.declared(f"ns{number}") is not None:
            number += 1
        if not self._fresh:
            self._fresh_start = number
        self._fresh_number = number + 1
        self._fresh.add(f"ns{number}")
        return f"ns{number}"

    # Both

    def agree(self, prefix: str) -> bool:
        """Return whether markup and document bind a prefix alike, so that it can be written unchanged."""
        written = self._written.get(prefix)
        document = self._document.get(prefix)
        if not written:
            return False
        if not document:
            return prefix == "xml" or (prefix == "" and written[-1] == "")
        uri, as_written, _ = document[-1]
        return uri is written[-1] and as_written == prefix


class _Uris:
    """The namespace names in use, each as one object: comparing long strings again and again is slow."""

    def __init__(self) -> None:
        self._uses: dict[str, tuple[str, int]] = {"": ("", 1), XML_NAMESPACE: (XML_NAMESPACE, 1)}  # always in use

    def take(self, uri: str) -> str:
        """Return the object that stands for a namespace name, to be given back."""
        uri, uses = self._uses.get(uri, (uri, 0))
        self._uses[uri] = uri, uses + 1
        return uri

    def give_back(self, uri: str) -> None:
        _, uses = self._uses.pop(uri)
        if uses > 1:
            self._uses[uri] = uri, uses - 1
