"""A plugin of pytest: xml5tree in the place of ElementTree, lxml and expat's SAX driver, and outcomes as JSON.

The variable CLIENTS_SUBSTITUTES is "1" if modules are to be substituted; CLIENTS_OUTCOMES names the file of outcomes.
"""

import importlib
import json
import os
import pkgutil
import sys
import xml.etree
import xml.sax
from pathlib import Path

import pytest

_outcomes: dict[str, str] = {}


def _put_in_place() -> None:
    import lxml.html
    import lxml.objectify
    import lxml.sax

    import xml5tree
    from xml5tree import ElementTree
    from xml5tree.lxml import etree, objectify

    # So that no module of ours finds ours in the place of the original.
    for module in pkgutil.walk_packages(xml5tree.__path__, "xml5tree."):
        if module.name.split(".")[1] in {"backends", "errors", "api", "records", "tables", "sax", "vocabularies"}:
            importlib.import_module(module.name)
    sys.modules["xml.etree.ElementTree"] = xml.etree.ElementTree = ElementTree  # type: ignore[assignment]
    sys.modules["lxml.etree"] = lxml.etree = etree  # type: ignore[assignment]
    sys.modules["lxml.objectify"] = lxml.objectify = objectify  # type: ignore[assignment]
    xml.sax.default_parser_list = ["xml5tree.sax"]


if os.environ.get("CLIENTS_SUBSTITUTES") == "1":
    _put_in_place()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember the outcome of a test: that of its call, or of what failed before it."""
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    """Write the outcomes."""
    Path(os.environ["CLIENTS_OUTCOMES"]).write_text(json.dumps(_outcomes), "utf-8")
