"""Our SAX driver with options, for programs that only take the names of modules; and which policies there are."""

import sys
from functools import cache, partial
from types import ModuleType
from typing import Any

__all__ = ["driver", "has_intent"]


def driver(**options: Any) -> str:
    """The name of a module by which `xml.sax.make_parser` finds our driver with these options."""
    import xml5tree.sax

    if not options:
        return "xml5tree.sax"
    name = "_".join(("xml5tree_sax", *(f"{key}_{value}" for key, value in options.items())))
    module = ModuleType(name)
    vars(module)["create_parser"] = partial(xml5tree.sax.create_parser, **options)
    sys.modules[name] = module
    return name


@cache
def has_intent() -> bool:
    """Whether this xml5tree takes `recovery="intent"`."""
    import xml5tree

    options: dict[str, Any] = {"recovery": "intent"}
    try:
        xml5tree.fromstring("<a/>", **options)
    except TypeError:  # an unknown option
        return False
    return True
