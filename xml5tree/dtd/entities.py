"""Entities: replacement texts, and limits of expansion (D-038 to D-046)."""

import re
from collections.abc import Callable, Set
from typing import Final, NamedTuple

from xml5tree.dtd.budget import REFERENCE_COST, Budget
from xml5tree.dtd.kept import KeptEntities
from xml5tree.options import Settings
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.prefixes import WELL_KNOWN_ENTITIES
from xml5tree.xml.references import PREDEFINED, REFERENCE, REFERENCE_OR_PAIR, read_reference

#: Cost of a character of markup in a replacement text, where one of plain text costs 1. To spend a whole
#: budget on plain text takes half a second. Markup is slower to process: on references to tiny entities, empty
#: elements, attributes or lone ampersands it took 10 to 38 seconds at the same cost, and takes 0.4 to 2.3 at this one.
_MARKUP_COST: Final = 32
_MARKUP: Final = re.compile(r"<[^>]*|&[^\t\n &;<]*|\]")

#: The most characters of a name and its markup that `undeclared_markup` returns, as the core keeps them. Names and
#: markup of the option `entities` may have any length.
_LONGEST_KNOWN: Final = 100
#: Characters whose markup depends on the context or on the next character.
_SPECIAL: Final = re.compile("[\t\n\r \"&'<>\\]]|" + FORBIDDEN.pattern)

#: White space in an attribute value, normalised by `str.translate`.
SPACES: Final = str.maketrans("\t\n\r", "   ")


class Entity(NamedTuple):
    """A declared general or parameter entity; expanding it costs `cost` of the budget.

    `text` is its replacement text; None for an external or unparsed entity, which is never read.
    """

    name: str
    text: str | None
    cost: int = 0

    @classmethod
    def declare(cls, name: str, text: str | None, parameter: bool) -> "Entity":
        """Return the declared entity; the whole text of a parameter entity counts as markup."""
        length = len(text or "")
        markup = length if parameter else sum(map(len, _MARKUP.findall(text or "")))
        return cls(name, text, length + (_MARKUP_COST - 1) * markup)


class Entities:
    """The general entities of a document."""

    def __init__(self, settings: Settings, *, error: Callable[..., None], offset: Callable[[], int]) -> None:
        """Set the options; `error` reports a code and details, `offset` returns the characters read so far."""
        self.declared: dict[str, Entity] = {}  # entities by name, as the DOCTYPE declares them
        #: The entities that the reader makes nodes of where content refers to them; None: all are expanded.
        self.kept: KeptEntities | None = None
        self.active: set[str] = set()  # names of the entities that are being expanded
        self._settings = settings
        self.null = "\0" if settings.keeps_control_characters else "\ufffd"  # replaces a reference to U+0000
        #: A reference after its ampersand, see `REFERENCE`; the draft knows no pairs (D-031).
        self.reference = REFERENCE_OR_PAIR if settings.recovery == "intent" else REFERENCE
        self._error = error
        self._offset = offset
        self.budget = Budget(settings, offset)  # pays for expansion

    @property
    def expands(self) -> bool:
        return self._settings.resolve_entities

    def has(self, name: str) -> bool:
        """Return whether an entity is predefined, declared, or needs no declaration."""
        return name in PREDEFINED or name in self.declared or name in self._settings.named_entities

    def find(self, name: str) -> Entity | str:
        """Return the characters that `name` refers to, or its entity: charged, but not expanded."""
        text = PREDEFINED.get(name)
        if text is not None:
            return text
        entity = self.declared.get(name)
        if entity is not None:
            return entity if self.may_expand(entity, self.active) else f"&{name};"
        text = self._settings.named_entities.get(name)
        self._error("unknown-named-character-reference" if text is None else "undeclared-entity-reference", name)
        return f"&{name};" if text is None else text

    def node(self, name: str) -> str | None:
        """Return the markup for a reference to a declared entity in content, for a reader that makes nodes of them.

        None for other entities and readers. Report a reference that is text because its declaration is not kept.
        """
        if self.kept is None or name not in self.declared or name in PREDEFINED:
            return None
        if self.kept.refer(name, self._offset()):
            return f"&{name};"
        self._error("unresolved-entity-reference", name)
        return f"&amp;{name};"

    def find_in_value(self, name: str, *, is_namespace: bool) -> Entity | str:
        """Return as `find` for a reference in an attribute, where an undeclared entity may be a namespace name."""
        uri = WELL_KNOWN_ENTITIES.get(name) if self._settings.recovery == "intent" else None
        if self.has(name) or (uri is None and not is_namespace):
            return self.find(name)
        if uri is None:
            self._error("undeclared-namespace-entity", name)
            return f"&{name};"
        self._error("assumed-namespace", name, uri)
        return uri

    def undeclared_markup(self, name: str) -> bytes | None:
        """Return the markup for a reference to an undeclared entity, in text and in attribute values alike.

        None if it is declared, or if its markup may be long or depends on the context.
        """
        if name in PREDEFINED or name in self.declared or name in WELL_KNOWN_ENTITIES:
            return None
        markup = self._settings.named_entities.get(name)
        if markup is None:
            markup = f"&amp;{name};"
        elif not markup or _SPECIAL.search(markup):
            return None
        return markup.encode() if len(name) + len(markup) <= _LONGEST_KNOWN else None

    def may_expand(self, entity: Entity, active: Set[str]) -> bool:
        """Return whether an entity can be expanded within the `active` ones; if so, charge the budget."""
        name, text, cost = entity
        if not self._settings.resolve_entities:
            self._error("unresolved-entity-reference", name)
        elif text is None:
            self._error("external-entity-reference", name)
        elif name in active:
            self._error("recursive-entity-reference", name)
        else:
            return self.budget.charge(cost + REFERENCE_COST if active else cost, self._error)
        return False

    def attribute_value(self, entity: Entity) -> str:
        """Return an entity's text in an attribute: expanded, white space normalised (D-043, D-058)."""
        out: list[str] = []
        stack: list[tuple[Entity, int]] = [(entity, 0)]  # entities being expanded, each with the index to go on at
        self.active.add(entity.name)
        while stack:
            entity, place = stack.pop()
            text = entity.text or ""
            ampersand = text.find("&", place)
            while ampersand >= 0:
                out.append(self._plain(text[place:ampersand]))
                match = self.reference.match(text, ampersand + 1)
                assert match is not None  # it matches the empty string
                place = match.end()
                characters = self._read(text[ampersand:place])
                if isinstance(characters, Entity):
                    stack.append((entity, place))
                    self.active.add(characters.name)
                    entity, place = characters, 0
                    text = entity.text or ""
                else:
                    out.append(characters)
                ampersand = text.find("&", place)
            out.append(self._plain(text[place:]))
            self.active.discard(entity.name)
        return "".join(out)

    def _read(self, source: str) -> Entity | str:
        reference = read_reference(source, self._error, self.has, self.null)
        return reference.text if reference.name is None else self.find(reference.name)

    def _plain(self, text: str) -> str:
        if "<" in text:
            self._error("less-than-sign-in-attribute-value")
        return text.translate(SPACES)
