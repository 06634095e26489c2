"""Namespaces in scope, and the names that are written for raw qualified names (decisions, section K).

Two views are kept of every element's scope. What the *document* binds a prefix to decides what a name means. What is
bound in the *markup written* decides how the name can be written: a prefix may have had to be replaced, a declaration
dropped, or the element that made it closed early. Where the two differ, a declaration is added.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from xml5tree.dtd.budget import Budget
from xml5tree.options import Settings
from xml5tree.tree.infoset import coerce_name
from xml5tree.xml.limits import Limits
from xml5tree.xml.prefixes import XML_NAMESPACE, XMLNS_NAMESPACE
from xml5tree.xml.uris import percent_encode, percent_encode_matches

__all__ = ["Element", "Namespaces", "split_name"]

#: Prefixes that `Namespaces.clean_prefixes` looks through.
_MANY: Final = 64

#: What a prefix stands for that nobody declared and nobody knows (D-116).
UNDECLARED: Final = "urn:x-undeclared-prefix:"

#: What is declared, with the SHA-256 digest of a namespace name, where that is too long to be declared again (D-125).
DIGEST: Final = "urn:x-namespace-digest:sha256:"

#: Namespace names of so many characters can be declared again without a limit, which at worst makes a document about
#: thirty times as long. Longer ones may come from a long prefix, which is in the document wherever it is used: one
#: character of it can become four percent-encoded octets.
_SHORT: Final = 128
_PER_CHARACTER: Final = len("%F0%9F%98%80")


def split_name(name: str) -> tuple[str, str]:
    """Prefix (or "") and local name: split at the first colon, unless that is at an end (D-115)."""
    prefix, colon, local = name.partition(":")
    return (prefix, local) if prefix and colon and name[-1] != ":" else ("", name)


class _Binding(NamedTuple):
    """What a prefix of the document is bound to.

    Attributes:
        uri: the namespace name; None where the document undeclares the prefix.
        written: the prefix to write.
        digest: what is declared instead of the namespace name where that is too long to be declared again, once there
            has been such a place.
    """

    uri: str | None
    written: str
    digest: str | None = None


class Element(NamedTuple):
    """An element as it is to be written.

    Attributes:
        name: qualified name.
        attributes: qualified names and values, namespace declarations included.
        changed: whether any of it differs from the tag in the document.
        bound: prefixes that the document binds here; `Namespaces.leave` wants them back.
        declared: prefixes that are declared in the markup written here; so does `Namespaces.hide`.
    """

    name: str
    attributes: list[tuple[str, str]]
    changed: bool
    bound: tuple[str, ...]
    declared: tuple[str, ...]


class Namespaces:
    """The scopes of the open elements.

    There is a stack per prefix, so that neither many prefixes nor deep nesting cost more than they should (D-125).
    """

    def __init__(self, limits: Limits, settings: Settings, report: Callable[..., None]) -> None:
        """Set what the reader of the markup can read, the options, and the reporter of errors."""
        self._rules = limits.names
        self._unreadable = limits.not_in_namespace_names
        self._known = settings.known_prefixes
        self._report = report
        self._offset = 0  # of the current tag
        self._budget = Budget(settings, lambda: self._offset, "namespace-declaration-limit")
        # In the two stacks equal namespace names are the same object, and are compared as such.
        self._uris = _Uris()
        self._no_namespace = self._uris.take("")
        self._document: dict[str, list[_Binding]] = {}
        self._written: dict[str, list[str]] = {"": [self._no_namespace], "xml": [self._uris.take(XML_NAMESPACE)]}
        self._prefixes: dict[str, str] = {}  # prefixes of the names that `_prefix` found good
        self._fresh: set[str] = set()  # prefixes written that take the place of others
        self._fresh_start = 0  # the least number that was free for the first of them,
        self._fresh_number = 0  # and the next one to try
        self.version = 0  # grows whenever what is in scope changes

    def enter(self, name: str, attributes: Mapping[str, str], offset: int) -> Element:
        """Enter an element's scope (D-100, steps 2 to 5).

        Args:
            name: raw qualified name.
            attributes: raw qualified names to values, defaults included.
            offset: where the tag begins.
        """
        self._offset = offset
        scope = _Scope(self, offset)
        scope.declare(attributes)
        written = scope.element_name(name)
        scope.write_attributes(attributes)
        if scope.bound or scope.declared:
            self.version += 1
        return Element(
            written,
            [*((f"xmlns:{prefix}" if prefix else "xmlns", uri) for prefix, uri in scope.added), *scope.attributes],
            scope.changed or written != name,
            tuple(scope.bound),
            tuple(scope.declared),
        )

    def leave(self, element: Element) -> None:
        """Leave an element's scope."""
        for prefix in element.bound:
            uri = self._document[prefix].pop().uri
            if uri is not None:
                self._uris.give_back(uri)
            self.version += 1

    def hide(self, element: Element) -> None:
        """Forget the declarations that are written in an element's tag: its end tag has been written."""
        for prefix in element.declared:
            self._written[prefix].pop()
            self._fresh.discard(prefix)
            self.version += 1

    def leave_alone(self, name: str, attributes: Mapping[str, str]) -> bool:
        """Whether an element needs no scope and can be written as it is, which most can; when in doubt, not."""
        prefixed = 0
        known = self._prefixes.get
        for attribute in attributes:
            prefix = known(attribute)
            if prefix is None:
                prefix = self._prefix(attribute)
            if prefix:
                prefixed += 1
                if not self._aligned(prefix):
                    return False
            elif prefix is None:
                return False
        prefix = known(name)
        if prefix is None:
            prefix = self._prefix(name)
        # Two attributes with prefixes may have the same expanded name.
        return prefix is not None and prefixed < 2 and self._aligned(prefix)

    def clean_prefixes(self) -> dict[str, str] | None:
        """The prefixes with which names can be written as they are, and their namespaces.

        None where names without a prefix cannot, or where more prefixes have been seen than are worth looking through.
        """
        if not self._aligned("") or len(self._document) > _MANY:
            return None
        return {prefix: self._written[prefix][-1] for prefix in self._document if prefix and self._aligned(prefix)}

    def _aligned(self, prefix: str) -> bool:
        """Whether a prefix is bound in the document, and written as it is to the same effect."""
        written = self._written.get(prefix)
        document = self._document.get(prefix)
        if not written:
            return False
        if not document:
            return prefix == "xml" or (prefix == "" and written[-1] == "")
        uri, as_written, _ = document[-1]
        return uri is written[-1] and as_written == prefix

    def _prefix(self, name: str) -> str | None:
        """The prefix of a good qualified name ("" for none), noted; None for declarations and names to be coerced."""
        prefix, local = split_name(name)
        fits = self._rules.is_ncname
        if "xmlns" in {name, prefix} or not fits(local) or (prefix and not fits(prefix)):
            return None
        if len(self._prefixes) > 10_000:  # a document of nothing but different names must not fill the memory
            self._prefixes.clear()
        self._prefixes[name] = prefix
        return prefix


class _Uris:
    """The namespace names in use, each as one object.

    Names are looked up at every use of a prefix. To compare long strings there would cost their length each time.
    """

    def __init__(self) -> None:
        self._uses: dict[str, tuple[str, int]] = {}

    def take(self, uri: str) -> str:
        """The object that stands for a namespace name, to be given back."""
        uri, uses = self._uses.get(uri, (uri, 0))
        self._uses[uri] = uri, uses + 1
        return uri

    def give_back(self, uri: str) -> None:
        """End one use of a namespace name."""
        _, uses = self._uses.pop(uri)
        if uses > 1:
            self._uses[uri] = uri, uses - 1


class _Scope:
    """The work on one element."""

    def __init__(self, namespaces: Namespaces, offset: int) -> None:
        self._namespaces = namespaces
        self._offset = offset
        self.changed = False
        self.bound: list[str] = []
        self.declared: dict[str, None] = {}  # in order
        self.added: list[tuple[str, str]] = []  # declarations that the document does not have here
        self.attributes: list[tuple[str, str]] = []
        self._written_names: dict[str, str] = {}  # declarations: raw attribute name to the one to write
        self._dropped: set[str] = set()  # declarations that are not written
        self._used: set[str] = set()  # prefixes that names of the element are written with
        self._values: dict[str, str] = {}  # declarations whose value is not the raw one

    # Declarations

    def declare(self, attributes: Mapping[str, str]) -> None:
        """Take the namespace declarations among the attributes."""
        replaced = []
        for name, uri in attributes.items():
            if name == "xmlns":
                prefix = ""
            elif name.startswith("xmlns:") and ":" not in name[6:] and len(name) > 6:
                prefix = name[6:]
            else:
                continue
            if self._is_reserved(name, prefix, uri):
                continue
            if prefix and not self._namespaces._rules.is_ncname(prefix):
                replaced.append((name, prefix, uri))  # when the others are known (D-122)
            else:
                self._bind(name, prefix, uri, prefix)
        for name, prefix, uri in replaced:
            fresh = self._fresh_prefix()
            self._report("invalid-namespace-prefix", prefix, fresh)
            self._bind(name, prefix, uri, fresh)

    def _is_reserved(self, name: str, prefix: str, uri: str) -> bool:
        """Whether a declaration is none that can be written as it is (D-117, D-118)."""
        if prefix == "xml" and uri == XML_NAMESPACE:
            self._written_names[name] = name  # of no effect
        elif prefix in {"xml", "xmlns"} or uri == XMLNS_NAMESPACE:
            written = f"xmlnsU00003A{prefix}" if prefix else "U000078mlns"
            self._written_names[name] = coerce_name(written, self._namespaces._rules)
            self._report("reserved-namespace-declaration", name, "it was kept as an ordinary attribute")
        elif uri == XML_NAMESPACE:
            self._dropped.add(name)
            self._push(prefix, uri, "xml")
            self._report("reserved-namespace-declaration", name, "its names are written with the prefix xml")
        elif prefix and not uri:
            self._dropped.add(name)
            self._push(prefix, None, prefix)
            self._report("namespace-prefix-undeclared", name)
        else:
            return False
        return True

    def _bind(self, name: str, prefix: str, uri: str, written: str) -> None:
        """Bind a prefix as the declaration `name` says."""
        readable = self._readable(uri)
        if readable != uri:
            self._values[name] = readable
            self._report("coerced-namespace-uri", uri, readable)
        self._show(written, self._push(prefix, readable, written).uri)
        self._written_names[name] = f"xmlns:{written}" if written else "xmlns"

    def _readable(self, uri: str) -> str:
        """A namespace name that the reader of the markup takes (D-122)."""
        unreadable = self._namespaces._unreadable
        return percent_encode(uri) if unreadable is None else percent_encode_matches(unreadable, uri)

    def _push(self, prefix: str, uri: str | None, written: str) -> _Binding:
        """Bind a prefix in the document."""
        binding = _Binding(None if uri is None else self._namespaces._uris.take(uri), written)
        self._namespaces._document.setdefault(prefix, []).append(binding)
        self.bound.append(prefix)
        return binding

    def _show(self, prefix: str, uri: str | None) -> None:
        """Bind a prefix in the markup written."""
        assert uri is not None
        self._namespaces._written.setdefault(prefix, []).append(uri)
        self.declared[prefix] = None

    def _visible(self, prefix: str) -> str | None:
        """What a prefix is bound to in the markup written."""
        stack = self._namespaces._written.get(prefix)
        return stack[-1] if stack else None

    def _fresh_prefix(self) -> str:
        # The search never looks at the same prefix twice, however many are taken.
        namespaces = self._namespaces
        number = namespaces._fresh_number if namespaces._fresh else namespaces._fresh_start
        while self._visible(f"ns{number}") is not None:
            number += 1
        if not namespaces._fresh:
            namespaces._fresh_start = number
        namespaces._fresh_number = number + 1
        namespaces._fresh.add(f"ns{number}")
        return f"ns{number}"

    # Names

    def element_name(self, name: str) -> str:
        """The qualified name to write for the element."""
        prefix, local = split_name(name)
        if prefix == "xmlns":
            self._report("undeclared-namespace-prefix", prefix, "no namespace")
            prefix, local = "", name
        written = self._coerce("coerced-element-name", name, local)
        prefix, _ = self._resolve(prefix)
        return f"{prefix}:{written}" if prefix else written

    def write_attributes(self, attributes: Mapping[str, str]) -> None:
        """The qualified names and values to write for the attributes, without expanded-name duplicates (D-119)."""
        seen = set()
        for name, value in attributes.items():
            uri = ""
            if name in self._dropped:
                self.changed = True
                continue
            if name in self._written_names:
                written = self._written_names[name]
                value = self._values.get(name, value)
                if written.startswith("xmlns"):
                    uri = XMLNS_NAMESPACE
            elif name.startswith("xmlns:"):
                written = self._coerce("coerced-attribute-name", name, name)
            else:
                prefix, local = split_name(name)
                written = self._coerce("coerced-attribute-name", name, local)
                if prefix:
                    prefix, uri = self._resolve(prefix)
                    key = (uri, written)
                    written = f"{prefix}:{written}"
            key = (uri, written.rpartition(":")[2])
            if key in seen:
                self.changed = True
                self._report("duplicate-attribute", name)
                continue
            seen.add(key)
            self.attributes.append((written, value))
            self.changed = self.changed or written != name

    def _coerce(self, code: str, name: str, local: str) -> str:
        written = coerce_name(local, self._namespaces._rules)
        if written != local:
            self._report(code, name, written)
        return written

    def _resolve(self, prefix: str) -> tuple[str, str]:
        """The prefix to write for one of the document, and its namespace name."""
        if prefix == "xml":
            return prefix, XML_NAMESPACE
        stack = self._namespaces._document.get(prefix)
        binding = stack[-1] if stack else _Binding(None if prefix else self._namespaces._no_namespace, prefix)
        adopted = binding.uri is None
        if adopted:
            binding = self._adopt(prefix)
        written = binding.written
        uri = self._visible(written)
        if uri is None or (uri is not binding.uri and uri is not binding.digest):
            uri = binding.uri if adopted else self._declared_again(prefix, binding)
            assert uri is not None
            if written in self.declared or written in self._used:
                written = self._fresh_prefix()
            self.added.append((written, uri))
            self._show(written, uri)
            self.changed = True
        self._used.add(written)
        return written, uri

    def _declared_again(self, prefix: str, binding: _Binding) -> str:
        """What to declare where the namespace name of a prefix is hidden: a digest if the name is too long (D-125).

        One that has been written as a digest is written so for the rest of its scope, unless it is to be seen.
        """
        uri, written, digest = binding
        assert uri is not None
        if digest is not None:
            return digest
        namespaces = self._namespaces
        if len(uri) <= _SHORT + _PER_CHARACTER * len(prefix) or namespaces._budget.charge(len(uri), self._report):
            return uri
        from hashlib import sha256  # which takes long to import, and few documents need it

        digest = DIGEST + sha256(uri.encode()).hexdigest()
        namespaces._document[prefix][-1] = _Binding(uri, written, digest)
        return digest

    def _adopt(self, prefix: str) -> _Binding:
        """Bind a prefix that is not declared (D-116)."""
        uri = self._namespaces._known.get(prefix)
        uri = percent_encode(UNDECLARED + prefix) if uri is None else self._readable(uri)
        self._report("undeclared-namespace-prefix", prefix, uri)
        written = prefix
        if not self._namespaces._rules.is_ncname(prefix):
            written = self._fresh_prefix()
            self._report("invalid-namespace-prefix", prefix, written)
        return self._push(prefix, uri, written)

    def _report(self, code: str, *detail: str) -> None:
        self.changed = True
        self._namespaces._report(code, self._offset, *detail)
