"""Tags that DOCTYPE declarations change."""

from xml5tree.dtd.attributes import DeclaredAttributes, cost_of
from xml5tree.fastpath.contract import Default, TagRule
from xml5tree.output.markup import written_attributes

__all__ = ["tag_rules"]


def tag_rules(declared: DeclaredAttributes) -> dict[bytes, TagRule]:
    """Return the rules of the elements whose tags declarations change, by name."""
    rules = {
        name.encode(): TagRule(name not in declared.collapsed, name in declared.collapsed, ())
        for name in declared.rewritten
    }
    for name in declared.extended:
        defaults = [
            Default(attribute.encode(), written_attributes([(attribute, value)]).encode(), cost_of(attribute, value))
            for attribute, value in declared.lacking(name, ())
        ]
        rules[name.encode()] = TagRule(False, False, tuple(defaults))
    return rules
