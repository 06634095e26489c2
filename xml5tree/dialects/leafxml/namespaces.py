"""Checks the names of a start tag (L-071 to L-079)."""

from collections.abc import Callable, Mapping

from xml5tree.dialects.leafxml.faults import Fault
from xml5tree.xml.names import FIFTH_EDITION
from xml5tree.xml.prefixes import XML_NAMESPACE, XMLNS_NAMESPACE

#: Returns the namespace of a prefix around the element, or None.
Scope = Callable[[str], str | None]


def check_names(name: str, attributes: Mapping[str, str], scope: Scope) -> None:
    """Check a start tag's declarations, then its element name, then its attributes; raise the first `Fault`."""
    attribute = None
    try:
        declared = {}
        for attribute, value in attributes.items():
            prefix = _declared_prefix(attribute)
            if prefix is not None:
                _check_declaration(attribute, prefix, value)
                declared[prefix] = value
        attribute = None
        _expanded(name, declared, scope)
        expanded_names = set()
        for attribute in attributes:
            if ":" in attribute and _declared_prefix(attribute) is None:
                expanded = _expanded(attribute, declared, scope)
                if expanded in expanded_names:
                    raise Fault("duplicate-expanded-attribute", 0, attribute)
                expanded_names.add(expanded)
    except Fault as fault:
        fault.attribute = attribute
        raise


def _declared_prefix(attribute: str) -> str | None:
    """Return the prefix that an attribute declares, "" for the default namespace; None if it declares none."""
    if attribute == "xmlns":
        return ""
    return attribute[6:] if attribute.startswith("xmlns:") else None


def _check_declaration(attribute: str, prefix: str, value: str) -> None:
    """Check a declaration (L-073 to L-078)."""
    if attribute != "xmlns" and not FIFTH_EDITION.is_ncname(prefix):
        raise Fault("invalid-namespace-prefix", 0, prefix)
    if prefix == "xmlns":
        raise Fault("xmlns-prefix-declared", 0)
    if not value:
        raise Fault("empty-namespace-name", 0, attribute)
    if prefix == "xml":
        if value != XML_NAMESPACE:
            raise Fault("xml-prefix-rebound", 0, value)
    elif value == XML_NAMESPACE:
        raise Fault("xml-namespace-rebound", 0, attribute)
    elif value == XMLNS_NAMESPACE:
        raise Fault("xmlns-namespace-declared", 0, attribute)


def _expanded(name: str, declared: Mapping[str, str], scope: Scope) -> tuple[str | None, str]:
    """Return namespace and local name of a qualified name (L-079); an unprefixed one has none."""
    if ":" not in name:
        return None, name
    prefix, _, local = name.partition(":")
    if ":" in local:
        raise Fault("multiple-colons-in-name", 0, name)
    if not FIFTH_EDITION.is_ncname(prefix) or not FIFTH_EDITION.is_ncname(local):
        raise Fault("invalid-qualified-name", 0, name)
    if prefix == "xmlns":
        raise Fault("xmlns-prefix-on-element", 0, name)
    namespace = declared.get(prefix) or scope(prefix)
    if namespace is None:
        raise Fault("undeclared-namespace-prefix", 0, prefix)
    return namespace, local
