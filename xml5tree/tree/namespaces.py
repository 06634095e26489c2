"""The names to write for raw qualified names (D-114 to D-122)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from xml5tree.dtd.budget import Budget
from xml5tree.errors.codes import KEPT, LOST, MOVED, Effect
from xml5tree.options import Settings
from xml5tree.tree.infoset import coerce_name
from xml5tree.tree.scopes import Binding, Scopes
from xml5tree.xml.limits import ReaderLimits
from xml5tree.xml.names import EXPAT, NameRules
from xml5tree.xml.prefixes import FAMILIES, XML_NAMESPACE, XMLNS_NAMESPACE
from xml5tree.xml.uris import percent_encode, percent_encode_matches

#: The most prefixes that `Namespaces.clean_prefixes` looks through.
_MANY: Final = 128

#: The beginning of the namespace of a prefix that is neither declared nor known; the prefix follows (D-116).
UNDECLARED: Final = "urn:x-undeclared-prefix:"

#: The beginning of the namespace declared instead of one that is too long to be declared again; the SHA-256 digest of
#: the long one follows (D-125).
DIGEST: Final = "urn:x-namespace-digest:sha256:"

#: The length up to which namespace names can be declared again without a limit, which at worst makes a document about
#: thirty times as long. Longer ones may come from a long prefix, which is in the document wherever it is used: one
#: character of it can become four percent-encoded octets.
_SHORT: Final = 128
_PER_CHARACTER: Final = len("%F0%9F%98%80")


#: Characters that nobody would try to have in a name: a name with one is markup or text that was read as a name.
_NO_NAME: Final = frozenset("<\"'")


def as_first(name: str) -> str:
    """Say that an attribute of this name has come first."""
    return f", first as {name[:_SHORT]!r}"


def split_name(name: str) -> tuple[str, str]:
    """Return prefix (or "") and local name, split at the first colon unless that is at an end (D-115)."""
    prefix, colon, local = name.partition(":")
    return (prefix, local) if prefix and colon and name[-1] != ":" else ("", name)


class Element(NamedTuple):
    """An element as it is to be written; attributes include namespace declarations.

    `verbatim` is its tag in the document if that may stand as it is, else None. The document binds the prefixes in
    `bound`, up to `Namespaces.leave`; the written tag declares those in `declared`, up to `Namespaces.pop_written`.
    """

    name: str
    attributes: list[tuple[str, str]]
    verbatim: str | None
    bound: tuple[str, ...]
    declared: tuple[str, ...]


class Namespaces:
    """The meaning and the written form of the names of one document."""

    def __init__(self, limits: ReaderLimits, settings: Settings, report: Callable[..., None]) -> None:
        self._scopes = Scopes()
        self._prefixes: dict[str, str] = {}  # prefixes of the names that `_prefix` found good
        self.rules = limits.names  # of the names that the reader of the markup can read
        self._unreadable = limits.not_in_namespace_names
        self._known = settings.known_prefixes
        self._ids: set[str] | None = set() if limits.checks_ids else None  # the values of `xml:id`
        self._given = settings.namespaces if isinstance(settings.namespaces, Mapping) else ()
        self._report_at = report
        self._offset = 0  # of the current start tag
        self._budget = Budget(settings, lambda: self._offset, "namespace-declaration-limit")

    def release(self) -> None:
        """Break reference cycles; see `Pipeline.release`."""
        del self._budget

    def use_rules(self, rules: NameRules) -> None:
        """Look at all names again, by other rules."""
        self.rules = rules
        self._prefixes.clear()

    @property
    def version(self) -> int:
        """A number that grows whenever the scope changes."""
        return self._scopes.version

    def enter_in_run(self, name: str, bindings: Sequence[tuple[str, str | None, bool]]) -> Element:
        """Enter the scope of an element of a run, which is written with a name; see `Run.scopes` for the bindings."""
        declared = []
        for prefix, uri, is_declared in bindings:
            bound = self._scopes.bind(prefix, uri, prefix if is_declared or uri is None else "xml").uri
            if is_declared and bound is not None:
                self._scopes.declare(prefix, bound)
                declared.append(prefix)
        return Element(name, [], None, tuple([prefix for prefix, *_ in bindings]), tuple(declared))

    def leave(self, element: Element) -> None:
        for prefix in element.bound:
            self._scopes.unbind(prefix)

    def pop_written(self, element: Element) -> None:
        """Leave an element's scope in the markup: its end tag was written."""
        for prefix in element.declared:
            self._scopes.undeclare(prefix)

    def namespace(self, prefix: str) -> str | None:
        if prefix == "xml":
            return XML_NAMESPACE
        return self._scopes.binding(prefix).uri

    def is_verbatim(self, name: str, attributes: Mapping[str, str]) -> bool:
        """Return whether an element needs no scope and is written unchanged; False is always safe."""
        if self._ids is not None and "xml:id" in attributes:
            return False
        prefixed = 0
        known = self._prefixes.get
        agree = self._scopes.agree
        for attribute in attributes:
            prefix = known(attribute)
            if prefix is None:
                prefix = self._prefix(attribute)
            if prefix:
                prefixed += 1
                if not agree(prefix):
                    return False
            elif prefix is None:
                return False
        prefix = known(name)
        if prefix is None:
            prefix = self._prefix(name)
        # Two attributes with prefixes may have the same expanded name.
        return prefix is not None and prefixed < 2 and agree(prefix)

    def clean_prefixes(self) -> dict[str, str | None] | None:
        """Return the prefixes in scope, with their namespaces, or None if names have other prefixes in the markup.

        None if names without a prefix cannot be written so, or if too many prefixes are in scope.
        """
        scopes = self._scopes
        prefixes = scopes.prefixes(_MANY)
        if prefixes is None or not scopes.agree(""):
            return None
        return {prefix: scopes.declared(prefix) if scopes.agree(prefix) else None for prefix in prefixes}

    def adopted(self, prefix: str) -> str | None:
        """Return the namespace to which an undeclared prefix is bound.

        None if it is ``xmlns``, or cannot be bound to its namespace as it stands.
        """
        uri, is_plain = self._namespace_of_undeclared(prefix)
        return uri if is_plain and prefix != "xmlns" else None

    def _prefix(self, name: str) -> str | None:
        """Return and note a name's prefix or ""; None for declarations and names to be coerced."""
        prefix, local = split_name(name)
        fits = self.rules.is_ncname
        if "xmlns" in {name, prefix} or not fits(local) or (prefix and not fits(prefix)):
            return None
        if len(self._prefixes) > 10_000:  # a document of nothing but different names must not fill the memory
            self._prefixes.clear()
        self._prefixes[name] = prefix
        return prefix

    # One start tag

    def enter(self, name: str, attributes: Mapping[str, str], verbatim: str | None, offset: int) -> Element:
        """Enter the scope of an element at an offset, with raw names and attribute defaults (D-100, steps 2 to 5)."""
        self._offset = offset
        self._verbatim = verbatim
        self._bound: list[str] = []
        self._declared: dict[str, None] = {}  # in order
        self._added: list[tuple[str, str]] = []  # declarations that the document does not have here
        self._attributes: list[tuple[str, str]] = []
        self._written_names: dict[str, str] = {}  # declarations: raw attribute name to the one to write
        self._dropped: set[str] = set()  # declarations that are not written
        self._used: set[str] = set()  # prefixes that names of the element are written with
        self._values: dict[str, str] = {}  # declarations whose value is not the raw one
        self._take_declarations(attributes)
        written = self._element_name(name)
        if written != name:
            self._verbatim = None
        self._write_attributes(attributes)
        added = [(f"xmlns:{prefix}" if prefix else "xmlns", uri) for prefix, uri in self._added]
        return Element(written, [*added, *self._attributes], self._verbatim, tuple(self._bound), tuple(self._declared))

    # Declarations

    def _take_declarations(self, attributes: Mapping[str, str]) -> None:
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
            if prefix and not self.rules.is_ncname(prefix):
                replaced.append((name, prefix, uri))  # when the others are known (D-122)
            else:
                self._take_declaration(name, prefix, uri, prefix)
        for name, prefix, uri in replaced:
            fresh = self._scopes.fresh_prefix()
            self._report("invalid-namespace-prefix", prefix, fresh)
            self._take_declaration(name, prefix, uri, fresh)

    def _is_reserved(self, name: str, prefix: str, uri: str) -> bool:
        """Return whether a declaration is about a reserved name, and was dealt with (D-117, D-118)."""
        if prefix == "xml" and uri == XML_NAMESPACE:
            self._written_names[name] = name  # of no effect
        elif prefix in {"xml", "xmlns"} or uri == XMLNS_NAMESPACE:
            written = f"xmlnsU00003A{prefix}" if prefix else "U000078mlns"
            self._written_names[name] = coerce_name(written, self.rules)
            self._report("reserved-namespace-declaration", name, "it was kept as an ordinary attribute")
        elif uri == XML_NAMESPACE:
            self._dropped.add(name)
            self._bind(prefix, uri, "xml")
            self._report("reserved-namespace-declaration", name, "it was dropped, and its names get the prefix xml")
        elif prefix and not uri:
            self._dropped.add(name)
            self._bind(prefix, None, prefix)
            self._report("namespace-prefix-undeclared", name)
        else:
            return False
        return True

    def _take_declaration(self, name: str, prefix: str, uri: str, written: str) -> None:
        readable = self.readable(uri)
        if readable != uri:
            self._values[name] = readable
            self._report("coerced-namespace-uri", uri, readable)
        self._declare(written, self._bind(prefix, readable, written).uri)
        self._written_names[name] = f"xmlns:{written}" if written else "xmlns"

    def readable(self, uri: str) -> str:
        """Return a namespace name as the native parser reads it."""
        return percent_encode(uri) if self._unreadable is None else percent_encode_matches(self._unreadable, uri)

    def _bind(self, prefix: str, uri: str | None, written: str) -> Binding:
        self._bound.append(prefix)
        return self._scopes.bind(prefix, uri, written)

    def _declare(self, prefix: str, uri: str | None) -> None:
        assert uri is not None
        self._scopes.declare(prefix, uri)
        self._declared[prefix] = None

    # Names

    def _element_name(self, name: str) -> str:
        prefix, local = split_name(name)
        if prefix == "xmlns":
            self._report("undeclared-namespace-prefix", prefix, "no namespace, but kept in the name")
            prefix, local = "", name
        written = self._coerce("coerced-element-name", name, local)
        prefix, _ = self._resolve_prefix(prefix)
        return f"{prefix}:{written}" if prefix else written

    def _write_attributes(self, attributes: Mapping[str, str]) -> None:
        """Write the attributes; drop duplicates of an expanded name (D-119)."""
        seen: dict[tuple[str, str], tuple[str, str]] = {}
        for name, value in attributes.items():
            uri = ""
            if name in self._dropped:
                self._verbatim = None
                continue
            if name in self._written_names:
                written = self._written_names[name]
                value = self._values.get(name, value)
                if written == "xmlns" or written.startswith("xmlns:"):  # a reserved one is an ordinary attribute
                    uri = XMLNS_NAMESPACE
            elif name.startswith("xmlns:"):
                written = self._coerce("coerced-attribute-name", name, name)
            else:
                prefix, local = split_name(name)
                written = self._coerce("coerced-attribute-name", name, local)
                if prefix:
                    prefix, uri = self._resolve_prefix(prefix)
                    written = f"{prefix}:{written}"
                if written == "xml:id" and (problem := self._problem_of_id(value)):
                    written, uri = "xmlU00003Aid", ""
                    self._report("coerced-id", value[:_SHORT], problem, written)
            key = (uri, written.rpartition(":")[2])
            if key in seen:
                first, same = seen[key]
                effect: Effect = KEPT if value == same else LOST
                self._report("duplicate-attribute", name, as_first(first), effect=effect)
                continue
            seen[key] = name, value
            self._attributes.append((written, value))
            if written != name:
                self._verbatim = None

    def _problem_of_id(self, value: str) -> str:
        """Return why the reader refuses the value of an `xml:id`, or "" if it takes it."""
        if self._ids is None:
            return ""
        if not EXPAT.is_ncname(value.strip("\t\n\r ")):
            return "is no name"
        if value in self._ids:
            return "occurs twice"
        self._ids.add(value)
        return ""

    def _coerce(self, code: str, name: str, local: str) -> str:
        written = coerce_name(local, self.rules)
        if written != local:
            self._report(code, name, written, effect=None if _NO_NAME.isdisjoint(name) else MOVED)
        return written

    def _resolve_prefix(self, prefix: str) -> tuple[str, str]:
        """Return the prefix to write for one of the document, and its namespace name."""
        # Where the markup binds the prefix differently (`xml5tree.tree.scopes`), a declaration is added to the tag.
        if prefix == "xml":
            return prefix, XML_NAMESPACE
        binding = self._scopes.binding(prefix)
        adopted = binding.uri is None
        if adopted:
            binding = self._adopt(prefix)
        written = binding.written
        uri = self._scopes.declared(written)
        if uri is None or (uri is not binding.uri and uri is not binding.digest):
            uri = binding.uri if adopted else self._uri_to_declare(prefix, binding)
            assert uri is not None
            if written in self._declared or written in self._used:
                written = self._scopes.fresh_prefix()
            self._added.append((written, uri))
            self._declare(written, uri)
            self._verbatim = None
        self._used.add(written)
        return written, uri

    def _uri_to_declare(self, prefix: str, binding: Binding) -> str:
        """Return the namespace name to declare again for a prefix: a digest if it is too long (D-125)."""
        # A namespace once written as a digest stays one for the rest of its scope.
        uri, _, digest = binding
        assert uri is not None
        if digest is not None:
            return digest
        if len(uri) <= _SHORT + _PER_CHARACTER * len(prefix) or self._budget.charge(len(uri), self._report):
            return uri
        from hashlib import sha256  # which takes long to import, and few documents need it

        digest = DIGEST + sha256(uri.encode()).hexdigest()
        self._scopes.set_digest(prefix, digest)
        return digest

    def _adopt(self, prefix: str) -> Binding:
        uri, _ = self._namespace_of_undeclared(prefix)
        self._report("undeclared-namespace-prefix", prefix, uri)
        written = prefix
        if not self.rules.is_ncname(prefix):
            written = self._scopes.fresh_prefix()
            self._report("invalid-namespace-prefix", prefix, written)
        return self._bind(prefix, uri, written)

    def _namespace_of_undeclared(self, prefix: str) -> tuple[str, bool]:
        """Return the namespace of an undeclared prefix: the known one, or `UNDECLARED` and the prefix.

        Also return whether it can be written with that prefix, both are short, and no other prefix decides about it.
        """
        uri = self._known.get(prefix)
        if prefix not in self._given and not self._scopes.has_family(prefix):
            uri = None
        is_of_family = uri is not None and prefix in FAMILIES
        uri = percent_encode(UNDECLARED + prefix) if uri is None else self.readable(uri)
        return uri, not is_of_family and len(prefix) + len(uri) <= _SHORT and self.rules.is_ncname(prefix)

    def _report(self, code: str, *detail: str, effect: Effect | None = None) -> None:
        """Report an error of the tag, which then cannot stand as it is."""
        self._verbatim = None
        self._report_at(code, self._offset, *detail, effect=effect)
