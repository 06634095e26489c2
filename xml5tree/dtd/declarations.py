"""Declarations of the internal subset (D-093 to D-099); XML 1.0 §3.3, §4.2."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from xml5tree.dtd.entities import Entities, Entity
from xml5tree.dtd.kept import KeptEntities, is_accepted
from xml5tree.errors.codes import KEPT
from xml5tree.xml.names import NAME, NMTOKEN
from xml5tree.xml.patterns import compiled
from xml5tree.xml.references import read_reference

_N: Final = f"(?:{NAME})"
_S: Final = r"[\t\n ]"
_LITERAL: Final = "\"[^\"]*\"|'[^']*'"
_TOKEN: Final = rf"{_S}*{NMTOKEN}{_S}*"
_NMTOKEN_GROUP: Final = rf"\({_TOKEN}(?:\|{_TOKEN})*\)"

#: A public identifier (XML 1.0 production 13, PubidChar).
PUBLIC_ID_CHARACTERS: Final = re.compile(r"[ \na-zA-Z0-9\-'()+,./:=?;!*#@$_%]*")

_ENTITY: Final = (
    rf"<!ENTITY{_S}+(?P<parameter>%{_S}+)?(?P<name>{_N}){_S}+"
    rf"(?:(?P<value>{_LITERAL})"
    rf"|(?:SYSTEM|PUBLIC{_S}+(?P<public>{_LITERAL})){_S}+(?:{_LITERAL})(?P<unparsed>{_S}+NDATA{_S}+{_N})?){_S}*>"
)
_ATTLIST: Final = rf"<!ATTLIST{_S}+({_N})"
_ATTRIBUTE: Final = (
    rf"{_S}+(?P<name>{_N}){_S}+"
    rf"(?:(?P<cdata>CDATA)|ID|IDREF|IDREFS|ENTITY|ENTITIES|NMTOKEN|NMTOKENS|(?:NOTATION{_S}+)?{_NMTOKEN_GROUP}){_S}+"
    rf"(?:#REQUIRED|#IMPLIED|(?:#FIXED{_S}+)?(?P<default>{_LITERAL}))"
)
_DECLARATION_END: Final = re.compile(rf"{_S}*>")
_NOTATION: Final = (
    rf"<!NOTATION{_S}+(?P<name>{_N}){_S}+(?:SYSTEM{_S}+(?:{_LITERAL})"
    rf"|PUBLIC{_S}+(?P<public>{_LITERAL})(?:{_S}+(?:{_LITERAL}))?){_S}*>"
)
_KEYWORD: Final = re.compile(r"<![A-Za-z]*")


def collapse_spaces(value: str) -> str:
    """Return a value of another type than CDATA, its spaces stripped and collapsed (D-058)."""
    return " ".join(filter(None, value.split(" ")))


class AttributeDeclaration(NamedTuple):
    """One attribute of an ATTLIST: whether it is CDATA, and its normalised default or None."""

    cdata: bool
    default: str | None


class Dtd:
    """The declarations of the internal subset."""

    def __init__(self, entities: Entities, error: Callable[..., None], reports: bool = False) -> None:
        """Replace the declarations of `entities`, until `discard`; `error` reports a code and details.

        `reports` says whether the reader gets notations, unparsed entities, comments and instructions.
        """
        self._before = entities.declared, entities.kept
        entities.declared = {}
        if entities.kept is not None:
            entities.kept = KeptEntities()
        self.entities = entities  # the general entities
        self.parameter_entities: dict[str, Entity] = {}  # parameter entities by name
        self.active: set[str] = set()  # names of the parameter entities that are being expanded
        #: Declarations by raw name of the element, then of the attribute, in document order.
        self.attributes: dict[str, dict[str, AttributeDeclaration]] = {}
        #: False after a parameter entity that was not read. Later declarations may not be the intended ones, and are
        #: passed over (XML 1.0 §5.1, D-096). As in expat, errors in their values are not reported.
        self.reading = True
        self._error = error
        self._reports = reports
        self.written: list[str] = []  # what the markup has of the internal subset

    def note(self, source: str) -> None:
        """Take a comment, an instruction, or another declaration that only some readers report."""
        if self._reports and self.reading and is_accepted(source):
            self.written.append(source)

    def discard(self) -> None:
        self.entities.declared, self.entities.kept = self._before

    def declare(self, source: str) -> None:
        """Take one declaration, from ``<!`` to ``>``."""
        if source.startswith("<!ENTITY"):
            understood = self._declare_entity(source)
        elif source.startswith("<!ATTLIST"):
            understood = self._declare_attributes(source)
        elif source.startswith("<!NOTATION"):
            notation = compiled(_NOTATION).fullmatch(source)
            understood = notation is not None and _is_public_id(notation["public"])
            if notation is not None:
                self._check_colon(notation["name"])
            if understood:
                self.note(source)
        else:
            understood = source.startswith("<!ELEMENT") and _is_element(source)
        if not understood:
            self.reject(source)

    def reject(self, source: str) -> None:
        keyword = _KEYWORD.match(source)
        self._error("bogus-declaration-in-doctype", keyword[0] if keyword else source[:20])

    def _check_colon(self, name: str) -> None:
        """Report a colon in the name of an entity or notation (Namespaces in XML 1.0 §7)."""
        if ":" in name:
            self._error("unexpected-character-in-doctype", ":", effect=KEPT)

    def _declare_entity(self, source: str) -> bool:
        match = compiled(_ENTITY).fullmatch(source)
        if not match or not _is_public_id(match["public"]) or (match["parameter"] and match["unparsed"]):
            return False
        table = self.parameter_entities if match["parameter"] else self.entities.declared
        name, value = match["name"], match["value"]
        self._check_colon(name)
        if not self.reading:
            return True
        text = (
            None
            if value is None
            else compiled(f"&(?:{self.entities.reference.pattern})|%").sub(self._expand_in_value, value[1:-1])
        )
        if name not in table:
            table[name] = Entity.declare(name, text, parameter=match["parameter"] is not None)
            kept = None if match["parameter"] else self.entities.kept
            if match["unparsed"]:
                self.note(source)
            elif kept is not None and kept.declare(name, source, text):
                self.written.append(source)
        return True

    def _expand_in_value(self, match: re.Match[str]) -> str:
        """Return the character of a character reference; keep other references and ``%`` (D-095)."""
        if match[0] == "%":
            self._error("unexpected-character-in-doctype", "%", effect=KEPT)
            return "%"
        reference = read_reference(match[0], self._error, self.entities.has, self.entities.null)
        return reference.text if reference.name is None else reference.source

    def _declare_attributes(self, source: str) -> bool:
        head = compiled(_ATTLIST).match(source)
        if head is None:
            return False
        declared: dict[str, AttributeDeclaration] = {}
        place = head.end()
        while match := compiled(_ATTRIBUTE).match(source, place):
            place = match.end()
            default = match["default"]
            if default is not None and self.reading:
                default = self.entities.attribute_value(Entity("", default[1:-1]))
                if not match["cdata"]:
                    default = collapse_spaces(default)
            declared.setdefault(match["name"], AttributeDeclaration(bool(match["cdata"]), default))
        understood = _DECLARATION_END.fullmatch(source, place) is not None
        if self.reading:
            known = self.attributes.setdefault(head[1], {})
            for name, declaration in declared.items():
                known.setdefault(name, declaration)
        return understood


def _is_element(source: str) -> bool:
    """Return whether a declaration is that of an element (XML 1.0 productions 45 to 51)."""
    # expat reads fewer names, and carriage returns, which only references bring here.
    plain = compiled(NAME).sub(lambda name: name[0] if name[0].isascii() else "a", source)
    return "\r" not in source and is_accepted(plain)


def _is_public_id(literal: str | None) -> bool:
    """Return whether a quoted public identifier is None or has only allowed characters."""
    return literal is None or PUBLIC_ID_CHARACTERS.fullmatch(literal, 1, len(literal) - 1) is not None
