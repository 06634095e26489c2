"""Applies attribute declarations to elements (D-058, D-097)."""

from collections.abc import Callable, Container, Iterator, Mapping
from itertools import starmap

from xml5tree.dtd.budget import Budget
from xml5tree.dtd.declarations import AttributeDeclaration, collapse_spaces
from xml5tree.xml.chars import FORBIDDEN
from xml5tree.xml.names import EXPAT


class DeclaredAttributes:
    """The attribute declarations of one document; defaults are charged to `budget`."""

    def __init__(
        self, declared: Mapping[str, Mapping[str, AttributeDeclaration]], all_defaults: bool, budget: Budget
    ) -> None:
        """Take declarations by raw qualified names of element and attribute, and the budget of defaults.

        Without `all_defaults`, only defaults that declare namespaces are added (E2 of D-001).
        """
        self._declared = declared
        self.budget = budget
        self._defaults = {
            element: {
                name: declaration.default
                for name, declaration in attributes.items()
                if declaration.default is not None and (all_defaults or name == "xmlns" or name.startswith("xmlns:"))
            }
            for element, attributes in declared.items()
        }
        with_tokens = {name for name, attributes in declared.items() if not all(a.cdata for a in attributes.values())}
        with_defaults = {name for name, defaults in self._defaults.items() if defaults}
        #: Elements whose tags only get defaults inserted.
        self.extended = frozenset(
            name for name in with_defaults - with_tokens if all(starmap(_is_plain, self._defaults[name].items()))
        )
        #: Elements in whose tags only the white space of attributes is collapsed.
        self.collapsed = frozenset(with_tokens - with_defaults)
        #: `collapsed`, and elements whose tags may need more than defaults.
        self.rewritten = frozenset(with_tokens | with_defaults) - self.extended

    def apply(
        self, element: str, attributes: dict[str, str], verbatim: str | None, report: Callable[[str], None]
    ) -> tuple[dict[str, str], str | None]:
        """Collapse white space in an element's attributes as declared, and add the `missing` defaults.

        Return the attributes, and the tag's source `verbatim`, or None if something has changed.
        """
        declared = self._declared.get(element)
        if not declared:
            return attributes, verbatim
        result = {
            name: value if name not in declared or declared[name].cdata else collapse_spaces(value)
            for name, value in attributes.items()
        }
        result.update(self.missing(element, attributes, report))
        return result, verbatim if result == attributes else None

    def missing(self, element: str, present: Container[str], report: Callable[[str], None]) -> dict[str, str]:
        """Return the defaults that an element lacks, charged to the budget; report the first beyond it."""
        missing: dict[str, str] = {}
        for name, default in self.lacking(element, present):
            if not self.budget.charge(cost_of(name, default), report):
                break
            missing[name] = default
        return missing

    def lacking(self, element: str, present: Container[str]) -> Iterator[tuple[str, str]]:
        """Yield the defaults that an element with these attributes lacks, in declaration order."""
        # An iterator takes no time for defaults beyond the budget.
        return ((name, value) for name, value in self._defaults.get(element, {}).items() if name not in present)


def cost_of(name: str, default: str) -> int:
    return len(' =""') + len(name) + len(default)


def _is_plain(name: str, default: str) -> bool:
    """Return whether a default needs no repair and declares no namespace."""
    return name != "xmlns" and EXPAT.is_ncname(name) and not FORBIDDEN.search(default)
